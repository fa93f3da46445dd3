//! The calls about keys.
use access::{Caller, KeyText, Scope, SecretHash};
use contract::registry as wire;
use database::OrgTx;
use ids::{KeyId, WorkspaceId};

use super::{Rooms, convert, organization::cut};
use crate::{
    Error, Result,
    model::{Cursor, NewKeyRequest, page_size},
    store::{self, key::KeyRow},
};

#[tracing::instrument(name = "key.create", skip_all)]
pub(super) async fn create(
    rooms: &Rooms,
    caller: Caller,
    message: wire::CreateKeyRequest,
) -> Result<wire::CreateKeyResponse> {
    caller.require(Scope::KeysWrite)?;
    let wire::CreateKeyRequest { name, workspace, scopes, tools, expires_at } = message;
    let expires_at = expires_at.map(|at| convert::time("expires_at", at)).transpose()?;
    let now = rooms.clock.now();
    let new = NewKeyRequest { name, scopes, tools, expires_at }.check(&caller, now)?;
    let text = KeyText::make(KeyId::new())?;

    let mut tx = rooms.database.begin(&caller).await?;
    let workspace = workspace_of(&mut tx, &caller, &workspace).await?;
    let secret = text.secret_hash();
    let row = KeyRow { id: text.id(), workspace, new: &new, secret, created_at: now };
    store::key::insert(&mut tx, &row).await?;
    let key = store::key::find(&mut tx, text.id()).await?;
    tx.commit().await?;

    Ok(wire::CreateKeyResponse { key: key.map(Into::into), secret: text.reveal() })
}

async fn workspace_of(tx: &mut OrgTx, caller: &Caller, slug: &str) -> Result<WorkspaceId> {
    if slug.is_empty() {
        return Ok(caller.workspace);
    }
    let found = store::workspace::find_by_slug(tx, slug).await?;
    found.ok_or_else(|| Error::NotFound { what: "workspace", name: slug.to_owned() })
}

pub(super) async fn list(
    rooms: &Rooms,
    caller: Caller,
    message: wire::ListKeysRequest,
) -> Result<wire::ListKeysResponse> {
    caller.require(Scope::KeysWrite)?;
    let limit = page_size(message.limit)?;
    let cursor = Cursor::of("keys", caller.org, &[]);
    let before = cursor.read(&message.cursor)?.map(|id| id.parse::<KeyId>()).transpose()?;

    let mut tx = rooms.database.begin(&caller).await?;
    let mut page = store::key::list(&mut tx, before, limit + 1).await?;

    let next = cut(&mut page, limit).map(|last| cursor.write(&last.id.to_string()));
    Ok(wire::ListKeysResponse {
        keys: page.into_iter().map(Into::into).collect(),
        next_cursor: next,
    })
}

#[tracing::instrument(name = "key.revoke", skip_all, fields(key.id = %message.key_id))]
pub(super) async fn revoke(
    rooms: &Rooms,
    caller: Caller,
    message: wire::RevokeKeyRequest,
) -> Result<wire::RevokeKeyResponse> {
    caller.require(Scope::KeysWrite)?;
    let id: KeyId = message.key_id.parse()?;

    let mut tx = rooms.database.begin(&caller).await?;
    store::key::revoke(&mut tx, id, rooms.clock.now()).await?;
    let key = store::key::find(&mut tx, id).await?;
    let key = key.ok_or_else(|| Error::NotFound { what: "key", name: id.to_string() })?;
    tx.commit().await?;

    rooms.announcer.key_changed(id).await;
    Ok(wire::RevokeKeyResponse { key: Some(key.into()) })
}

pub(super) async fn verify(
    rooms: &Rooms,
    caller: Caller,
    message: wire::VerifyKeyRequest,
) -> Result<wire::VerifyKeyResponse> {
    caller.require(Scope::KeysVerify)?;
    let id: KeyId = message.key_id.parse()?;
    let shown = message.secret_sha256.try_into().map(SecretHash).map_err(|_| Error::NotAKey)?;

    let mut tx = rooms.database.begin_system().await?;
    let grant = store::key::find_grant(&mut tx, id).await?;

    // One answer for a key that never was, is another's, has ended, or comes with a wrong secret.
    let grant = grant.filter(|grant| shown.matches(&grant.secret_sha256));
    let grant = grant.filter(|grant| grant.key.is_live(rooms.clock.now()));
    grant.map(Into::into).ok_or(Error::NotAKey)
}
