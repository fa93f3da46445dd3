//! What is asked of the product beside what is measured, over REST.
use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use bytes::Bytes;
use ids::{OrgId, WorkspaceId};
use reqwest::{Client, RequestBuilder, StatusCode};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::time::sleep;

/// How long an upload may take.
const UPLOAD: Duration = Duration::from_mins(15);
/// How long what was uploaded may take to be found.
const INDEXING: Duration = Duration::from_hours(1);
const LOOK: Duration = Duration::from_millis(100);
const PAGE: usize = 200;

/// The product's REST.
#[derive(Clone, Debug)]
pub(crate) struct Api {
    client: Client,
    pub(crate) address: SocketAddr,
}

/// An organization made for the benchmark.
#[derive(Clone, Debug)]
pub(crate) struct Organization {
    pub(crate) id: OrgId,
    pub(crate) workspace: WorkspaceId,
    /// A key with every scope.
    pub(crate) key: String,
}

/// A skill that is in.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Imported {
    pub(crate) id: String,
    pub(crate) slug: String,
}

/// A skill that was found.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Found {
    pub(crate) id: String,
    pub(crate) name: String,
}

#[derive(Deserialize)]
struct Made {
    organization: Identified<OrgId>,
    workspace: Identified<WorkspaceId>,
    owner_key: String,
}

#[derive(Deserialize)]
struct Identified<I> {
    id: I,
}

#[derive(Deserialize)]
struct Upload {
    skills: Vec<Uploaded>,
}

#[derive(Deserialize)]
struct Uploaded {
    folder: String,
    outcome: String,
    reasons: Value,
}

#[derive(Deserialize)]
struct Page {
    skills: Vec<Imported>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
    results: Vec<Found>,
}

impl Api {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { client: Client::new(), address }
    }

    pub(crate) async fn is_ready(&self) -> bool {
        let asked = self.client.get(self.url("/readyz")).send().await;
        asked.is_ok_and(|answer| answer.status() == StatusCode::OK)
    }

    pub(crate) async fn make_organization(
        &self,
        operator_token: &str,
        slug: &str,
    ) -> anyhow::Result<Organization> {
        let asked = self.client.post(self.url("/v1/organizations")).bearer_auth(operator_token);
        let made: Made = answer(asked.json(&json!({ "slug": slug }))).await?;
        let Made { organization, workspace, owner_key: key } = made;
        Ok(Organization { id: organization.id, workspace: workspace.id, key })
    }

    /// Uploads an archive whose skills must all come in, and tells how many did.
    pub(crate) async fn import(&self, key: &str, archive: Bytes) -> anyhow::Result<usize> {
        let asked = self.client.post(self.url("/v1/skills/import")).timeout(UPLOAD);
        let asked = asked.bearer_auth(key).header("content-type", "application/gzip").body(archive);
        let Upload { skills } = answer(asked).await?;
        if let Some(refused) = skills.iter().find(|skill| skill.outcome == "refused") {
            bail!("the skill `{}` is refused: {}", refused.folder, refused.reasons);
        }
        Ok(skills.len())
    }

    /// Waits until a skill is found by its name.
    pub(crate) async fn wait_until_found(&self, key: &str, name: &str) -> anyhow::Result<()> {
        let begun = Instant::now();
        loop {
            let found = self.find(key, name, 1).await?;
            if found.first().is_some_and(|found| found.name == name) {
                return Ok(());
            }
            if begun.elapsed() > INDEXING {
                bail!("the skill `{name}` is not found after {} s", INDEXING.as_secs());
            }
            sleep(LOOK).await;
        }
    }

    pub(crate) async fn find(
        &self,
        key: &str,
        query: &str,
        limit: usize,
    ) -> anyhow::Result<Vec<Found>> {
        let asked = self.client.post(self.url("/v1/tools/find_skills")).bearer_auth(key);
        let found =
            answer::<Answer>(asked.json(&json!({ "query": query, "limit": limit }))).await?;
        Ok(found.results)
    }

    /// Every skill there is.
    pub(crate) async fn list(&self, key: &str) -> anyhow::Result<Vec<Imported>> {
        let (mut all, mut cursor) = (Vec::new(), String::new());
        loop {
            let asked = self.client.get(self.url("/v1/skills")).bearer_auth(key);
            let query = [("limit", PAGE.to_string()), ("cursor", cursor)];
            let asked = if all.is_empty() { asked.query(&query[..1]) } else { asked.query(&query) };
            let page: Page = answer(asked).await?;
            all.extend(page.skills);
            let Some(next) = page.next_cursor else { return Ok(all) };
            cursor = next;
        }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

async fn answer<T: DeserializeOwned>(asked: RequestBuilder) -> anyhow::Result<T> {
    let answer = asked.send().await.context("asking the product")?;
    let (status, url) = (answer.status(), answer.url().clone());
    let text = answer.text().await.context("reading the product's answer")?;
    if !status.is_success() {
        bail!("`{}` answered {status}: {text}", url.path());
    }
    serde_json::from_str(&text).with_context(|| format!("`{}` answered `{text}`", url.path()))
}
