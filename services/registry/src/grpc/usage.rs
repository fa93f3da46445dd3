//! The calls that keep account.
use access::{Caller, Scope};
use contract::registry as wire;
use ids::CallId;

use super::{Rooms, organization::cut};
use crate::{
    Result,
    model::{Call, Cursor, at_most, page_size},
    store,
};

const MOST_CALLS: usize = 1_000;

pub(super) async fn record(
    rooms: &Rooms,
    caller: Caller,
    message: wire::RecordCallsRequest,
) -> Result<wire::RecordCallsResponse> {
    caller.require(Scope::CallsWrite)?;
    at_most("calls", message.calls.len(), MOST_CALLS)?;
    let calls = message.calls.into_iter().map(Call::try_from).collect::<Result<Vec<_>>>()?;

    let mut tx = rooms.database.begin(&caller).await?;
    store::call::insert_all(&mut tx, &calls).await?;
    tx.commit().await?;
    Ok(wire::RecordCallsResponse {})
}

pub(super) async fn list(
    rooms: &Rooms,
    caller: Caller,
    message: wire::ListCallsRequest,
) -> Result<wire::ListCallsResponse> {
    caller.require(Scope::AnalyticsRead)?;
    let limit = page_size(message.limit)?;
    let cursor = Cursor::of("calls", caller.org, &[]);
    let before = cursor.read(&message.cursor)?.map(|id| id.parse::<CallId>()).transpose()?;

    let mut tx = rooms.database.begin(&caller).await?;
    let mut page = store::call::list(&mut tx, before, limit + 1).await?;

    let next = cut(&mut page, limit).map(|last| cursor.write(&last.id.to_string()));
    Ok(wire::ListCallsResponse {
        calls: page.into_iter().map(Into::into).collect(),
        next_cursor: next,
    })
}
