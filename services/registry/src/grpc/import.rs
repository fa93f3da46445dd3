//! The call that publishes an upload.
use access::{Caller, Scope};
use bytes::Bytes;
use contract::registry as wire;
use database::OrgTx;
use futures::{Stream, StreamExt, TryStreamExt, stream};
use ids::{RevisionId, SkillId};
use sha2::{Digest, Sha256};
use skillfile::{Parsed, Refused, Skill};
use time::OffsetDateTime;
use tonic::Status;

use super::{Rooms, convert, upload};
use crate::{
    Error, Result,
    model::{SkillRow, TagName},
    store::{self, revision::NewRevision},
};

/// How many skills are published side by side.
const AT_ONCE: usize = 4;
/// How many files that are part of no skill are named.
const MOST_IGNORED: usize = 1_000;

/// How an upload is to be published.
#[derive(Clone, Debug)]
struct Plan {
    caller: Caller,
    tag: Option<TagName>,
    is_dry: bool,
    now: OffsetDateTime,
}

/// What became of one skill, and the skill itself where it is there to be found.
struct Published {
    skill: wire::ImportedSkill,
    id: Option<SkillId>,
}

#[tracing::instrument(name = "skill.import", skip_all)]
pub(super) async fn import(
    rooms: &Rooms,
    caller: Caller,
    stream: impl Stream<Item = Result<wire::ImportSkillsRequest, Status>> + Unpin,
) -> Result<wire::ImportSkillsResponse> {
    caller.require(Scope::SkillsWrite)?;
    let arrived = upload::receive(stream).await?;
    let tag = arrived.header.tag.as_deref().map(TagName::parse).transpose()?;
    let is_dry = arrived.header.dry_run;
    let upload = tokio::task::spawn_blocking(move || arrived.read()).await??;
    let plan = Plan { caller, tag, is_dry, now: rooms.clock.now() };

    let published = stream::iter(upload.skills).map(|parsed| publish(rooms, &plan, parsed));
    let published: Vec<Published> = published.buffered(AT_ONCE).try_collect().await?;
    if !is_dry {
        rooms.skill_changed(plan.caller.org).await;
    }

    let ids: Vec<SkillId> = published.iter().filter_map(|one| one.id).collect();
    let indexing = rooms.outbox.wait(&rooms.database, &plan.caller, &ids).await?;
    let mut skills: Vec<_> = published.into_iter().map(|one| one.skill).collect();
    skills.sort_by(|a, b| (&a.slug, &a.folder).cmp(&(&b.slug, &b.folder)));
    Ok(wire::ImportSkillsResponse {
        skills,
        ignored: upload.ignored.iter().take(MOST_IGNORED).map(convert::ignored).collect(),
        ignored_total: u32::try_from(upload.ignored.len()).unwrap_or(u32::MAX),
        indexing: indexing.into(),
        dry_run: is_dry,
    })
}

async fn publish(rooms: &Rooms, plan: &Plan, parsed: Parsed) -> Result<Published> {
    let content = match parsed {
        Parsed::Ready(content) => content,
        Parsed::Refused(refused) => return Ok(refuse(&refused)),
    };
    if !plan.is_dry {
        keep_files(rooms, plan, &content).await?;
    }
    let mut tx = rooms.database.begin(&plan.caller).await?;
    let published = publish_one(&mut tx, plan, &content).await?;
    if plan.is_dry {
        return Ok(published);
    }
    tx.commit().await?;
    rooms.recent.forget(plan.caller.org);
    Ok(published)
}

fn refuse(refused: &Refused) -> Published {
    let skill = wire::ImportedSkill {
        folder: refused.folder.clone(),
        slug: refused.slug.as_ref().map(ToString::to_string).unwrap_or_default(),
        outcome: wire::ImportOutcome::Refused.into(),
        skill_id: None,
        version: 0,
        warnings: refused.warnings.iter().map(convert::finding).collect(),
        reasons: refused.reasons.iter().map(convert::finding).collect(),
    };
    Published { skill, id: None }
}

/// Files first: a row never names a file that is not there. One that no row names is only spare.
async fn keep_files(rooms: &Rooms, plan: &Plan, content: &Skill) -> Result<()> {
    for file in &content.files {
        let bytes = Bytes::copy_from_slice(&file.bytes);
        rooms.blobs.put(plan.caller.org, file.sha256, bytes).await?;
    }
    Ok(())
}

async fn publish_one(tx: &mut OrgTx, plan: &Plan, content: &Skill) -> Result<Published> {
    let (workspace, slug) = (plan.caller.workspace, content.slug.as_str());
    store::skill::lock_slug(tx, workspace, slug).await?;
    let known = store::skill::find_shared(tx, workspace, slug).await?;
    let current = match &known {
        Some(skill) => store::revision::find_hash(tx, skill.revision_id).await?,
        None => None,
    };
    let is_same = |(_, hash): &(i32, Vec<u8>)| hash.as_slice() == content.canonical_hash.as_slice();
    let (outcome, skill, version) = match (known, current) {
        (Some(skill), Some(current)) if is_same(&current) => {
            (wire::ImportOutcome::Unchanged, skill, current.0)
        }
        (Some(skill), _) => {
            let (skill, version) = add_revision(tx, plan, content, skill).await?;
            (wire::ImportOutcome::Updated, skill, version)
        }
        (None, _) => {
            let (skill, version) = add_skill(tx, plan, content).await?;
            (wire::ImportOutcome::Created, skill, version)
        }
    };
    let is_moved = move_tag(tx, plan, &skill).await?;
    let changed = is_moved || outcome != wire::ImportOutcome::Unchanged;
    if changed {
        store::outbox::insert(tx, plan.caller.org, skill.id, plan.now).await?;
    }
    let id = Some(skill.id).filter(|_| !plan.is_dry);
    let is_made = !(plan.is_dry && outcome == wire::ImportOutcome::Created);
    let skill = wire::ImportedSkill {
        folder: content.folder.clone(),
        slug: slug.to_owned(),
        outcome: outcome.into(),
        skill_id: is_made.then(|| skill.id.to_string()),
        version: u32::try_from(version).unwrap_or(0),
        warnings: content.warnings.iter().map(convert::finding).collect(),
        reasons: Vec::new(),
    };
    Ok(Published { skill, id })
}

async fn add_skill(tx: &mut OrgTx, plan: &Plan, content: &Skill) -> Result<(SkillRow, i32)> {
    let skill = SkillRow {
        id: SkillId::new(),
        workspace_id: plan.caller.workspace,
        member_id: None,
        slug: content.slug.to_string(),
        archived_at: None,
        created_at: plan.now,
        revision_id: RevisionId::new(),
    };
    store::skill::insert(tx, &skill).await?;
    let version = insert_revision(tx, plan, content, &skill).await?;
    Ok((skill, version))
}

async fn add_revision(
    tx: &mut OrgTx,
    plan: &Plan,
    content: &Skill,
    skill: SkillRow,
) -> Result<(SkillRow, i32)> {
    let skill = SkillRow { revision_id: RevisionId::new(), ..skill };
    let version = insert_revision(tx, plan, content, &skill).await?;
    store::skill::update_revision(tx, skill.id, skill.revision_id).await?;
    Ok((skill, version))
}

async fn insert_revision(
    tx: &mut OrgTx,
    plan: &Plan,
    content: &Skill,
    skill: &SkillRow,
) -> Result<i32> {
    let revision = NewRevision {
        id: skill.revision_id,
        skill: skill.id,
        content,
        main_sha256: Sha256::digest(&content.instructions).into(),
        key: plan.caller.key,
        published_at: plan.now,
    };
    let version = store::revision::insert(tx, &revision).await?;
    store::resource::insert_all(tx, skill.revision_id, &content.files).await?;
    Ok(version)
}

/// Moves the tag that the import names. Whether that changed anything.
async fn move_tag(tx: &mut OrgTx, plan: &Plan, skill: &SkillRow) -> Result<bool> {
    let Some(tag) = &plan.tag else { return Ok(false) };
    let moved = store::tag::upsert(tx, skill.id, tag.as_str(), skill.revision_id, plan.now).await;
    moved.map_err(Error::from)
}
