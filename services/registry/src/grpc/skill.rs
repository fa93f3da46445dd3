//! The calls that read skills.
use std::sync::Arc;

use access::{Caller, Scope};
use contract::registry as wire;
use database::OrgTx;
use ids::{RevisionId, SkillId};

use super::{Rooms, convert, organization::cut};
use crate::{
    Error, Result,
    model::{Cursor, Loaded, SkillRef, TagName, Which, at_most, page_size},
    recent::Stamp,
    store,
};

const MOST_DESCRIBED: usize = 200;

pub(super) async fn get(
    rooms: &Rooms,
    caller: Caller,
    message: wire::GetSkillRequest,
) -> Result<wire::GetSkillResponse> {
    caller.require(Scope::SkillsRead)?;
    let which = Which::new(&message.tag, message.version)?;
    let (loaded, stamp) = load(rooms, &caller, &message.skill, which).await?;
    let as_of = stamp.map(|stamp| rooms.recent.name(stamp)).unwrap_or_default();
    let skill = convert::skill(loaded.found.clone(), &loaded.tags);
    if message.known_revision_id.as_ref() == Some(&skill.revision_id) {
        return Ok(wire::GetSkillResponse { skill: Some(skill), as_of, ..Default::default() });
    }
    let body = std::str::from_utf8(loaded.body()).map_err(|_| Error::Corrupt("the body"))?;
    Ok(wire::GetSkillResponse {
        skill: Some(skill),
        body: body.to_owned(),
        files: loaded.resources.iter().map(Into::into).collect(),
        front_matter_json: loaded.revision.front_matter.to_string(),
        as_of,
    })
}

pub(super) async fn get_file(
    rooms: &Rooms,
    caller: Caller,
    message: wire::GetSkillFileRequest,
) -> Result<wire::GetSkillFileResponse> {
    caller.require(Scope::SkillsRead)?;
    let which = Which::new(&message.tag, message.version)?;
    let (loaded, _) = load(rooms, &caller, &message.skill, which).await?;
    let (file, content) = file(rooms, &caller, &loaded, &message.path).await?;
    Ok(wire::GetSkillFileResponse {
        skill_id: loaded.found.id.to_string(),
        revision_id: loaded.found.revision_id.to_string(),
        version: u32::try_from(loaded.found.version).unwrap_or(0),
        file: Some(file),
        content,
    })
}

async fn file(
    rooms: &Rooms,
    caller: &Caller,
    loaded: &Loaded,
    path: &str,
) -> Result<(wire::Resource, Vec<u8>)> {
    if loaded.is_main(path) {
        return Ok((instructions(loaded), loaded.revision.instructions.clone()));
    }
    let resource = loaded.resource(path).ok_or_else(|| Error::NoSuchFile {
        skill: loaded.found.slug.clone(),
        path: path.chars().take(300).collect(),
        version: u32::try_from(loaded.found.version).unwrap_or(0),
    })?;
    let sha256 = resource.sha256.as_slice().try_into();
    let sha256 = sha256.map_err(|_| Error::Corrupt("a file's hash"))?;
    let content = rooms.blobs.get(caller.org, sha256).await?;
    Ok((resource.into(), content.to_vec()))
}

/// SKILL.md, as if it were one of the files beside it.
fn instructions(loaded: &Loaded) -> wire::Resource {
    wire::Resource {
        id: String::new(),
        path: loaded.revision.main_path.clone(),
        kind: wire::ResourceKind::Doc.into(),
        role: wire::ResourceRole::Document.into(),
        size: loaded.revision.instructions.len() as u64,
        sha256: hex::encode(&loaded.revision.main_sha256),
        is_text: true,
    }
}

/// The revision that is meant, whole, and when it was so: remembered where that is still true, else read.
async fn load(
    rooms: &Rooms,
    caller: &Caller,
    skill: &str,
    which: Which,
) -> Result<(Arc<Loaded>, Option<Stamp>)> {
    let name: SkillRef = skill.parse()?;
    let stamp = rooms.recent.stamp(caller.org);
    if let Some(stamp) = stamp
        && let Some(loaded) = rooms.recent.find(stamp, caller, &name, &which).await
    {
        return Ok((loaded, Some(stamp)));
    }
    let mut tx = rooms.database.begin(caller).await?;
    let loaded = Arc::new(read(&mut tx, caller, skill, (&name, &which)).await?);
    if let Some(stamp) = stamp {
        rooms.recent.remember(stamp, caller, (name, which), Arc::clone(&loaded)).await;
    }
    Ok((loaded, stamp))
}

async fn read(
    tx: &mut OrgTx,
    caller: &Caller,
    asked: &str,
    (skill, which): (&SkillRef, &Which),
) -> Result<Loaded> {
    let Some(found) = store::skill::find_revision(tx, caller, skill, which).await? else {
        return Err(why_missing(tx, caller, asked, (skill, which)).await?);
    };
    let revision = store::revision::find(tx, found.revision_id).await?;
    let revision = revision.ok_or(Error::Corrupt("a skill without its revision"))?;
    let resources = store::resource::list(tx, found.revision_id).await?;
    let tags = store::tag::list(tx, &[found.id]).await?;
    Ok(Loaded { found, revision, resources, tags })
}

/// Tells a skill that the caller does not see from a revision that it does not have.
async fn why_missing(
    tx: &mut OrgTx,
    caller: &Caller,
    asked: &str,
    (skill, which): (&SkillRef, &Which),
) -> Result<Error> {
    let Some(row) = store::skill::find_visible(tx, caller, skill).await? else {
        return Ok(Error::no_such_skill(asked));
    };
    Ok(match which {
        Which::Current => Error::Corrupt("a skill without a current revision"),
        Which::Tagged(tag) => Error::NoSuchTag { skill: row.slug, tag: tag.clone() },
        Which::Version(version) => {
            let newest = store::revision::newest_version(tx, row.id).await?;
            let newest = u32::try_from(newest).unwrap_or(0);
            Error::NoSuchVersion { skill: row.slug, version: *version, newest }
        }
    })
}

pub(super) async fn list(
    rooms: &Rooms,
    caller: Caller,
    message: wire::ListSkillsRequest,
) -> Result<wire::ListSkillsResponse> {
    caller.require(Scope::SkillsRead)?;
    let limit = page_size(message.limit)?;
    let tag = tag(&message.tag)?;
    let tag = tag.as_ref().map(TagName::as_str);
    let workspace = caller.workspace.to_string();
    let cursor = Cursor::of("skills", caller.org, &[&workspace, tag.unwrap_or_default()]);
    let after = cursor.read(&message.cursor)?;
    let after = after.as_deref().and_then(|position| position.split_once(' '));
    let after =
        after.map(|(id, slug)| Ok::<_, Error>((slug, id.parse::<SkillId>()?))).transpose()?;

    let mut tx = rooms.database.begin(&caller).await?;
    let mut page = store::skill::list(&mut tx, &caller, tag, after, limit + 1).await?;
    let next =
        cut(&mut page, limit).map(|last| cursor.write(&format!("{} {}", last.id, last.slug)));
    let ids: Vec<SkillId> = page.iter().map(|found| found.id).collect();
    let tags = store::tag::list(&mut tx, &ids).await?;

    let skills = page.into_iter().map(|found| convert::skill(found, &tags)).collect();
    Ok(wire::ListSkillsResponse { skills, next_cursor: next })
}

pub(super) async fn describe(
    rooms: &Rooms,
    caller: Caller,
    message: wire::DescribeSkillsRequest,
) -> Result<wire::DescribeSkillsResponse> {
    caller.require(Scope::SkillsRead)?;
    at_most("revision_ids", message.revision_ids.len(), MOST_DESCRIBED)?;
    let tag = tag(&message.tag)?;
    let asked = message.revision_ids.iter().map(|id| id.parse::<RevisionId>());
    let asked: Vec<RevisionId> = asked.collect::<Result<_, _>>()?;

    let mut tx = rooms.database.begin(&caller).await?;
    let tag = tag.as_ref().map(TagName::as_str);
    let mut found = store::skill::describe(&mut tx, &caller, &asked, tag).await?;

    found.sort_by_key(|descriptor| asked.iter().position(|id| *id == descriptor.found_as));
    Ok(wire::DescribeSkillsResponse { skills: found.into_iter().map(Into::into).collect() })
}

/// The tag that narrows a list; none where it is empty or means the current revisions.
fn tag(text: &str) -> Result<Option<TagName>> {
    match text {
        "" | TagName::LATEST => Ok(None),
        text => Ok(Some(TagName::parse(text)?)),
    }
}
