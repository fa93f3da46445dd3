//! The calls that move tags.
use access::{Caller, Scope};
use contract::registry as wire;
use database::OrgTx;
use ids::RevisionId;

use super::Rooms;
use crate::{
    Error, Result,
    model::{SkillRef, SkillRow, TagName},
    store,
};

#[tracing::instrument(name = "tag.set", skip_all, fields(skill = %message.skill, tag = %message.tag))]
pub(super) async fn set(
    rooms: &Rooms,
    caller: Caller,
    message: wire::SetTagRequest,
) -> Result<wire::SetTagResponse> {
    caller.require(Scope::SkillsWrite)?;
    let tag = TagName::parse(&message.tag)?;
    let now = rooms.clock.now();

    let mut tx = rooms.database.begin(&caller).await?;
    let skill = find(&mut tx, &caller, &message.skill).await?;
    let (revision, version) = revision(&mut tx, &skill, message.version).await?;
    store::tag::upsert(&mut tx, skill.id, tag.as_str(), revision, now).await?;
    store::outbox::insert(&mut tx, caller.org, skill.id, now).await?;
    tx.commit().await?;

    rooms.skill_changed(caller.org).await;
    let indexing = rooms.outbox.wait(&rooms.database, &caller, &[skill.id]).await?;
    let tag = wire::Tag { name: tag.to_string(), version };
    Ok(wire::SetTagResponse { tag: Some(tag), indexing: indexing.into() })
}

#[tracing::instrument(name = "tag.remove", skip_all, fields(skill = %message.skill, tag = %message.tag))]
pub(super) async fn remove(
    rooms: &Rooms,
    caller: Caller,
    message: wire::RemoveTagRequest,
) -> Result<wire::RemoveTagResponse> {
    caller.require(Scope::SkillsWrite)?;
    let tag = TagName::parse(&message.tag)?;

    let mut tx = rooms.database.begin(&caller).await?;
    let skill = find(&mut tx, &caller, &message.skill).await?;
    let removed = store::tag::remove(&mut tx, skill.id, tag.as_str()).await?;
    let now = rooms.clock.now();
    store::outbox::insert(&mut tx, caller.org, skill.id, now).await?;
    tx.commit().await?;

    rooms.skill_changed(caller.org).await;
    rooms.outbox.wait(&rooms.database, &caller, &[skill.id]).await?;
    Ok(wire::RemoveTagResponse { removed })
}

async fn find(tx: &mut OrgTx, caller: &Caller, asked: &str) -> Result<SkillRow> {
    let skill: SkillRef = asked.parse()?;
    let found = store::skill::find_visible(tx, caller, &skill).await?;
    found.ok_or_else(|| Error::no_such_skill(asked))
}

/// The revision of that number, or the current one.
async fn revision(tx: &mut OrgTx, skill: &SkillRow, asked: u32) -> Result<(RevisionId, u32)> {
    let newest = || Error::Corrupt("a skill without its revision");
    if asked == 0 {
        let (version, _) =
            store::revision::find_hash(tx, skill.revision_id).await?.ok_or_else(newest)?;
        return Ok((skill.revision_id, u32::try_from(version).unwrap_or(0)));
    }
    let version = i32::try_from(asked).unwrap_or(i32::MAX);
    if let Some(revision) = store::revision::find_by_version(tx, skill.id, version).await? {
        return Ok((revision, asked));
    }
    let newest = store::revision::newest_version(tx, skill.id).await?;
    let newest = u32::try_from(newest).unwrap_or(0);
    Err(Error::NoSuchVersion { skill: skill.slug.clone(), version: asked, newest })
}
