//! Queries on `registry.skill`. What a caller sees are its workspace's skills, and its member's own.
use access::Caller;
use database::OrgTx;
use ids::{MemberId, RevisionId, SkillId, WorkspaceId};

use crate::model::{Descriptor, Found, SkillRef, SkillRow, Which};

/// Waits until nobody else publishes to this slug; held to the transaction's end.
pub(crate) async fn lock_slug(
    tx: &mut OrgTx,
    workspace: WorkspaceId,
    slug: &str,
) -> sqlx::Result<()> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended($1::uuid::text || $2, 0))",
        workspace as WorkspaceId,
        slug,
    )
    .fetch_one(tx.conn())
    .await?;
    Ok(())
}

/// The workspace's own skill of that slug.
pub(crate) async fn find_shared(
    tx: &mut OrgTx,
    workspace: WorkspaceId,
    slug: &str,
) -> sqlx::Result<Option<SkillRow>> {
    sqlx::query_as!(
        SkillRow,
        r#"
        SELECT id AS "id: SkillId", workspace_id AS "workspace_id: WorkspaceId",
               member_id AS "member_id: MemberId", slug, archived_at, created_at,
               revision_id AS "revision_id: RevisionId"
          FROM registry.skill
         WHERE workspace_id = $1 AND member_id IS NULL AND slug = $2
        "#,
        workspace as WorkspaceId,
        slug,
    )
    .fetch_optional(tx.conn())
    .await
}

/// The skill that the caller means, if they see it; a member's own before the workspace's.
pub(crate) async fn find_visible(
    tx: &mut OrgTx,
    caller: &Caller,
    skill: &SkillRef,
) -> sqlx::Result<Option<SkillRow>> {
    let (id, slug) = parts(skill);
    sqlx::query_as!(
        SkillRow,
        r#"
        SELECT id AS "id: SkillId", workspace_id AS "workspace_id: WorkspaceId",
               member_id AS "member_id: MemberId", slug, archived_at, created_at,
               revision_id AS "revision_id: RevisionId"
          FROM registry.skill
         WHERE workspace_id = $1 AND (member_id IS NULL OR member_id = $2)
           AND (id = $3 OR slug = $4) AND archived_at IS NULL
         ORDER BY member_id NULLS LAST
         LIMIT 1
        "#,
        caller.workspace as WorkspaceId,
        caller.member as Option<MemberId>,
        id as Option<SkillId>,
        slug,
    )
    .fetch_optional(tx.conn())
    .await
}

/// A skill by its id, whoever may see it: for the work behind the requests.
pub(crate) async fn find(tx: &mut OrgTx, id: SkillId) -> sqlx::Result<Option<SkillRow>> {
    sqlx::query_as!(
        SkillRow,
        r#"
        SELECT id AS "id: SkillId", workspace_id AS "workspace_id: WorkspaceId",
               member_id AS "member_id: MemberId", slug, archived_at, created_at,
               revision_id AS "revision_id: RevisionId"
          FROM registry.skill
         WHERE id = $1
        "#,
        id as SkillId,
    )
    .fetch_optional(tx.conn())
    .await
}

pub(crate) async fn insert(tx: &mut OrgTx, skill: &SkillRow) -> sqlx::Result<()> {
    sqlx::query!(
        r#"
        INSERT INTO registry.skill (id, workspace_id, member_id, slug, revision_id, created_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        "#,
        skill.id as SkillId,
        skill.workspace_id as WorkspaceId,
        skill.member_id as Option<MemberId>,
        skill.slug,
        skill.revision_id as RevisionId,
        skill.created_at,
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Makes a revision the current one.
pub(crate) async fn update_revision(
    tx: &mut OrgTx,
    id: SkillId,
    revision: RevisionId,
) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE registry.skill SET revision_id = $2 WHERE id = $1",
        id as SkillId,
        revision as RevisionId,
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// The skill and the revision that are meant, if the caller sees them.
pub(crate) async fn find_revision(
    tx: &mut OrgTx,
    caller: &Caller,
    skill: &SkillRef,
    which: &Which,
) -> sqlx::Result<Option<Found>> {
    let (id, slug) = parts(skill);
    let (tag, version) = match which {
        Which::Current => (None, None),
        Which::Tagged(tag) => (Some(tag.as_str()), None),
        Which::Version(version) => (None, Some(i32::try_from(*version).unwrap_or(i32::MAX))),
    };
    sqlx::query_as!(
        Found,
        r#"
        WITH meant AS (
            SELECT * FROM registry.skill
             WHERE workspace_id = $1 AND (member_id IS NULL OR member_id = $2)
               AND (id = $3 OR slug = $4) AND archived_at IS NULL
             ORDER BY member_id NULLS LAST
             LIMIT 1
        )
        SELECT meant.id AS "id!: SkillId", meant.member_id AS "member_id: MemberId",
               meant.slug AS "slug!", meant.archived_at, meant.created_at AS "created_at!",
               revision.id AS "revision_id: RevisionId", revision.version,
               revision.canonical_hash, revision.name, revision.description,
               revision.published_at
          FROM meant
          JOIN registry.revision ON revision.skill_id = meant.id
         WHERE CASE
               WHEN $5::text IS NOT NULL THEN revision.id =
                    (SELECT revision_id FROM registry.tag WHERE skill_id = meant.id AND name = $5)
               WHEN $6::integer IS NOT NULL THEN revision.version = $6
               ELSE revision.id = meant.revision_id
               END
        "#,
        caller.workspace as WorkspaceId,
        caller.member as Option<MemberId>,
        id as Option<SkillId>,
        slug,
        tag,
        version,
    )
    .fetch_optional(tx.conn())
    .await
}

/// The skills that the caller sees, by slug, after `after`; with `tag`, as that names them.
pub(crate) async fn list(
    tx: &mut OrgTx,
    caller: &Caller,
    tag: Option<&str>,
    after: Option<(&str, SkillId)>,
    limit: i64,
) -> sqlx::Result<Vec<Found>> {
    let (slug, id) = after.unzip();
    sqlx::query_as!(
        Found,
        r#"
        SELECT skill.id AS "id: SkillId", skill.member_id AS "member_id: MemberId", skill.slug,
               skill.archived_at, skill.created_at, revision.id AS "revision_id: RevisionId",
               revision.version, revision.canonical_hash, revision.name, revision.description,
               revision.published_at
          FROM registry.skill
          LEFT JOIN registry.tag ON tag.skill_id = skill.id AND tag.name = $3
          JOIN registry.revision
            ON revision.id = CASE WHEN $3::text IS NULL THEN skill.revision_id ELSE tag.revision_id END
         WHERE skill.workspace_id = $1 AND (skill.member_id IS NULL OR skill.member_id = $2)
           AND skill.archived_at IS NULL
           AND ($4::text IS NULL OR (skill.slug, skill.id) > ($4 COLLATE "C", $5))
         ORDER BY skill.slug, skill.id
         LIMIT $6
        "#,
        caller.workspace as WorkspaceId,
        caller.member as Option<MemberId>,
        tag,
        slug,
        id as Option<SkillId>,
        limit,
    )
    .fetch_all(tx.conn())
    .await
}

/// The skills of these revisions, as far as the caller sees them, each as the label names it now: `tag`, or
/// the current revision.
pub(crate) async fn describe(
    tx: &mut OrgTx,
    caller: &Caller,
    revisions: &[RevisionId],
    tag: Option<&str>,
) -> sqlx::Result<Vec<Descriptor>> {
    sqlx::query_as!(
        Descriptor,
        r#"
        SELECT skill.id AS "skill_id: SkillId", named.id AS "revision_id: RevisionId",
               skill.slug, named.name, named.description, named.version,
               asked.id AS "found_as: RevisionId"
          FROM registry.revision AS asked
          JOIN registry.skill ON skill.id = asked.skill_id
          LEFT JOIN registry.tag ON tag.skill_id = skill.id AND tag.name = $4
          JOIN registry.revision AS named
            ON named.id = CASE WHEN $4::text IS NULL THEN skill.revision_id ELSE tag.revision_id END
         WHERE asked.id = ANY($3)
           AND skill.workspace_id = $1 AND (skill.member_id IS NULL OR skill.member_id = $2)
           AND skill.archived_at IS NULL
        "#,
        caller.workspace as WorkspaceId,
        caller.member as Option<MemberId>,
        revisions as &[RevisionId],
        tag,
    )
    .fetch_all(tx.conn())
    .await
}

fn parts(skill: &SkillRef) -> (Option<SkillId>, Option<&str>) {
    match skill {
        SkillRef::Id(id) => (Some(*id), None),
        SkillRef::Slug(slug) => (None, Some(slug)),
    }
}
