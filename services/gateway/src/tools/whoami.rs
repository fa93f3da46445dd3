//! `whoami`
use access::Scope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use time::{OffsetDateTime, format_description::BorrowedFormatItem, macros::format_description};

use crate::{
    answer::Printed,
    auth::Named,
    call::Call,
    failure::Failure,
    tool::{Effect, Place, Tool},
};

pub(crate) struct WhoAmI;

/// Shows whom the current key stands for, and what it allows.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// The organization that the key belongs to.
    organization: Named,
    /// The workspace that it works in.
    workspace: Named,
    /// The member that it acts for, if any.
    member: Option<Member>,
    /// The key itself.
    key: Key,
    /// What it allows.
    scopes: Vec<&'static str>,
    /// The tools that it is limited to: names, or `prefix*`; null for all of its scopes.
    tools: Option<Vec<String>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Member {
    id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Key {
    id: String,
    name: String,
    /// When it ends by itself (RFC 3339); null for never.
    expires_at: Option<String>,
}

const RFC_3339_MILLISECONDS: &[BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");

impl Tool for WhoAmI {
    const NAME: &'static str = "whoami";
    const TITLE: &'static str = "Who am I?";
    const SCOPE: Option<Scope> = None;
    const EFFECT: Effect = Effect::Reads;
    const PLACE: Place = Place::Organization;
    type Input = Input;
    type Output = Output;

    async fn call(call: &mut Call, Input {}: Input) -> Result<Printed<Output>, Failure> {
        let grant = &call.grant;
        let expires_at = grant.key.expires_at.map(rfc3339).transpose()?;
        Printed::of(&Output {
            organization: grant.organization.clone(),
            workspace: grant.workspace.clone(),
            member: grant.caller.member.map(|id| Member { id: id.to_string() }),
            key: Key { id: grant.key.id.to_string(), name: grant.key.name.clone(), expires_at },
            scopes: grant.caller.scopes.names(),
            tools: grant.is_limited().then(|| grant.tools.clone()),
        })
    }
}

fn rfc3339(at: OffsetDateTime) -> Result<String, Failure> {
    at.format(RFC_3339_MILLISECONDS).map_err(Failure::internal)
}
