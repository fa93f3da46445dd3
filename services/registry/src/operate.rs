//! What an operator does: make organizations.
use access::{KeyText, Scope};
use clock::Clock;
use database::Database;
use ids::{KeyId, OrgId, WorkspaceId};

use crate::{
    Error, Result,
    model::{NewKeyRequest, OrgSlug, Organization, Title, Workspace},
    store::{self, key::KeyRow},
};

/// An organization to be made.
#[derive(Clone, Debug, Default)]
pub struct NewOrganization {
    /// Unique among organizations: 1 to 64 of `a-z`, `0-9` and `-`.
    pub slug: String,
    /// What people call it; the slug where it is empty.
    pub name: String,
    /// The first workspace's slug; `main` where it is empty.
    pub workspace: String,
}

/// An organization that was made.
#[derive(Debug)]
pub struct Created {
    pub(crate) organization: Organization,
    pub(crate) workspace: Workspace,
    /// The first key, which holds every scope.
    pub key: KeyText,
}

impl Created {
    /// The organization's id.
    #[must_use]
    pub fn org(&self) -> OrgId {
        self.organization.id
    }

    /// The first workspace's id.
    #[must_use]
    pub fn workspace(&self) -> WorkspaceId {
        self.workspace.id
    }

    /// Everything that was made, the whole key included.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        let Self { organization, workspace, key } = self;
        serde_json::json!({
            "organization": { "id": organization.id, "slug": organization.slug },
            "workspace": { "id": workspace.id, "slug": workspace.slug },
            "owner_key": key.reveal(),
        })
    }
}

/// Whether there is no organization yet.
pub async fn is_empty(database: &Database) -> anyhow::Result<bool> {
    let mut tx = database.begin_system().await?;
    Ok(store::organization::list(&mut tx, None, 1).await?.is_empty())
}

/// Makes an organization, its first workspace and a key that holds every scope: all of it or nothing.
pub async fn create_organization(
    database: &Database,
    clock: &Clock,
    new: NewOrganization,
) -> anyhow::Result<Created> {
    Ok(create(database, clock, new).await?)
}

pub(crate) async fn create(
    database: &Database,
    clock: &Clock,
    new: NewOrganization,
) -> Result<Created> {
    let slug = OrgSlug::parse("the organization's slug", &new.slug)?;
    let name = Title::parse("the organization's name", or(&new.name, slug.as_str()))?;
    let first = or(&new.workspace, "main");
    let first = OrgSlug::parse("the workspace's slug", first)?;
    let created_at = clock.now();
    let organization = Organization {
        id: OrgId::new(),
        slug: slug.to_string(),
        name: name.to_string(),
        created_at,
    };
    let workspace = Workspace {
        id: WorkspaceId::new(),
        slug: first.to_string(),
        name: first.to_string(),
        created_at,
    };
    let key = KeyText::make(KeyId::new())?;
    let created = Created { organization, workspace, key };
    insert(database, &created).await?;
    Ok(created)
}

async fn insert(database: &Database, created: &Created) -> Result<()> {
    let Created { organization, workspace, key } = created;
    let mut tx = database.begin_system().await?;
    store::organization::insert(&mut tx, organization)
        .await
        .map_err(taken("organization", &organization.slug))?;
    // Within the same transaction: the organization, but its workspace and key under its own eyes.
    let mut tx = tx.enter(organization.id).await?;
    store::workspace::insert(&mut tx, workspace).await?;
    let owner = access::Caller {
        scopes: access::Scopes::every(),
        ..access::Caller::service(organization.id, Scope::KeysWrite)
    };
    let asked = NewKeyRequest {
        name: "owner".to_owned(),
        scopes: vec!["*".to_owned()],
        ..NewKeyRequest::default()
    };
    let new = asked.check(&owner, workspace.created_at)?;
    let row = KeyRow {
        id: key.id(),
        workspace: workspace.id,
        new: &new,
        secret: key.secret_hash(),
        created_at: workspace.created_at,
    };
    store::key::insert(&mut tx, &row).await?;
    tx.commit().await?;
    Ok(())
}

fn or<'a>(text: &'a str, default: &'a str) -> &'a str {
    if text.is_empty() { default } else { text }
}

/// Says that a name is taken, where that is why an insert failed.
pub(crate) fn taken(what: &'static str, name: &str) -> impl Fn(sqlx::Error) -> Error {
    let name = name.to_owned();
    move |error| match &error {
        sqlx::Error::Database(cause) if cause.is_unique_violation() => {
            Error::Taken { what, name: name.clone() }
        }
        _ => Error::Database(error),
    }
}
