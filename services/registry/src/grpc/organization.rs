//! The calls about organizations and workspaces.
use access::{Caller, Scope};
use contract::registry as wire;
use ids::{OrgId, WorkspaceId};

use super::Rooms;
use crate::{
    Error, Result,
    model::{Cursor, OrgSlug, Title, Workspace, page_size},
    operate::{self, Created, NewOrganization, taken},
    store,
};

#[tracing::instrument(name = "organization.create", skip_all, fields(org.slug = %message.slug))]
pub(super) async fn create(
    rooms: &Rooms,
    caller: Caller,
    message: wire::CreateOrganizationRequest,
) -> Result<wire::CreateOrganizationResponse> {
    caller.require(Scope::Operate)?;
    let wire::CreateOrganizationRequest { slug, name, workspace_slug: workspace } = message;
    let new = NewOrganization { slug, name, workspace };
    let created = operate::create(&rooms.database, &rooms.clock, new).await?;
    let Created { organization, workspace, key } = created;
    Ok(wire::CreateOrganizationResponse {
        organization: Some(organization.into()),
        workspace: Some(workspace.into()),
        owner_key: key.reveal(),
        owner_key_id: key.id().to_string(),
    })
}

pub(super) async fn list(
    rooms: &Rooms,
    caller: Caller,
    message: wire::ListOrganizationsRequest,
) -> Result<wire::ListOrganizationsResponse> {
    caller.require(Scope::Operate)?;
    let limit = page_size(message.limit)?;
    let cursor = Cursor::of("organizations", caller.org, &[]);
    let after = cursor.read(&message.cursor)?.map(|id| id.parse::<OrgId>()).transpose()?;

    let mut tx = rooms.database.begin_system().await?;
    let mut page = store::organization::list(&mut tx, after, limit + 1).await?;

    let next = cut(&mut page, limit).map(|last| cursor.write(&last.id.to_string()));
    let organizations = page.into_iter().map(Into::into).collect();
    Ok(wire::ListOrganizationsResponse { organizations, next_cursor: next })
}

#[tracing::instrument(name = "workspace.create", skip_all, fields(workspace.slug = %message.slug))]
pub(super) async fn create_workspace(
    rooms: &Rooms,
    caller: Caller,
    message: wire::CreateWorkspaceRequest,
) -> Result<wire::CreateWorkspaceResponse> {
    caller.require(Scope::OrgAdmin)?;
    let slug = OrgSlug::parse("the workspace's slug", &message.slug)?;
    let name = if message.name.is_empty() { slug.as_str() } else { &message.name };
    let name = Title::parse("the workspace's name", name)?;
    let workspace = Workspace {
        id: WorkspaceId::new(),
        slug: slug.to_string(),
        name: name.to_string(),
        created_at: rooms.clock.now(),
    };

    let mut tx = rooms.database.begin(&caller).await?;
    let inserted = store::workspace::insert(&mut tx, &workspace).await;
    inserted.map_err(taken("workspace", &workspace.slug))?;
    tx.commit().await.map_err(Error::from)?;

    Ok(wire::CreateWorkspaceResponse { workspace: Some(workspace.into()) })
}

pub(super) async fn list_workspaces(
    rooms: &Rooms,
    caller: Caller,
    message: wire::ListWorkspacesRequest,
) -> Result<wire::ListWorkspacesResponse> {
    caller.require(Scope::OrgAdmin)?;
    let limit = page_size(message.limit)?;
    let cursor = Cursor::of("workspaces", caller.org, &[]);
    let after = cursor.read(&message.cursor)?.map(|id| id.parse::<WorkspaceId>()).transpose()?;

    let mut tx = rooms.database.begin(&caller).await?;
    let mut page = store::workspace::list(&mut tx, after, limit + 1).await?;

    let next = cut(&mut page, limit).map(|last| cursor.write(&last.id.to_string()));
    let workspaces = page.into_iter().map(Into::into).collect();
    Ok(wire::ListWorkspacesResponse { workspaces, next_cursor: next })
}

/// Cuts a page that was read one row longer than asked, and returns its last row if there are more.
pub(super) fn cut<T>(page: &mut Vec<T>, limit: i64) -> Option<&T> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if page.len() <= limit {
        return None;
    }
    page.truncate(limit);
    page.last()
}
