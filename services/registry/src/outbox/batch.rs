//! What is sent for a claimed row: everything of the skill that can be found, as it is when it is sent.
use std::collections::BTreeMap;

use contract::search as wire;
use database::Database;
use ids::{OrgId, RevisionId, SkillId};

use crate::{
    Result,
    model::{SkillRow, TagName, TagRow},
    store::{self, outbox::Claimed, revision::Text},
};

/// The rows of one organization, by skill; a skill that changed twice is sent once.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) org: OrgId,
    pub(super) skills: BTreeMap<SkillId, Vec<Claimed>>,
}

/// Sorts rows by organization; `each` row by itself where one of them keeps failing.
pub(super) fn batches(rows: Vec<Claimed>, largest: usize) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    for row in rows {
        let is_suspect = row.attempts > 1;
        let open = batches.iter_mut().find(|batch| {
            let known = batch.skills.contains_key(&row.skill_id);
            batch.org == row.org_id
                && (known || (!is_suspect && !batch.is_suspect() && batch.skills.len() < largest))
        });
        match open {
            Some(batch) => batch.skills.entry(row.skill_id).or_default().push(row),
            None => batches.push(Batch {
                org: row.org_id,
                skills: BTreeMap::from([(row.skill_id, vec![row])]),
            }),
        }
    }
    batches
}

impl Batch {
    /// Whether it was tried before: such a one goes alone, so that it holds back nobody else.
    fn is_suspect(&self) -> bool {
        self.rows().any(|row| row.attempts > 1)
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &Claimed> {
        self.skills.values().flatten()
    }

    pub(super) fn sequences(&self) -> Vec<i64> {
        self.rows().map(|row| row.sequence).collect()
    }

    pub(super) fn attempts(&self) -> i32 {
        self.rows().map(|row| row.attempts).max().unwrap_or(1)
    }

    /// What search is told, read from the database now.
    pub(super) async fn read(&self, database: &Database) -> Result<wire::PutSubjectsRequest> {
        let mut tx = database.begin_for(self.org).await?;
        let mut subjects = Vec::with_capacity(self.skills.len());
        for (id, rows) in &self.skills {
            let sequence = rows.iter().map(|row| row.sequence).max().unwrap_or(0);
            let skill = store::skill::find(&mut tx, *id).await?;
            let skill = skill.filter(|skill| skill.archived_at.is_none());
            let Some(skill) = skill else {
                subjects.push(gone(*id, sequence));
                continue;
            };
            let tags = store::tag::list(&mut tx, &[*id]).await?;
            let labels = labels(&skill, &tags);
            let revisions: Vec<RevisionId> = labels.keys().copied().collect();
            let texts = store::revision::list_texts(&mut tx, &revisions).await?;
            subjects.push(subject(&skill, sequence, labels, texts));
        }
        Ok(wire::PutSubjectsRequest { subjects })
    }
}

/// Under which names each revision is found.
fn labels(skill: &SkillRow, tags: &[TagRow]) -> BTreeMap<RevisionId, Vec<String>> {
    let mut labels = BTreeMap::from([(skill.revision_id, vec![TagName::LATEST.to_owned()])]);
    for tag in tags {
        labels.entry(tag.revision_id).or_default().push(tag.name.clone());
    }
    labels
}

fn subject(
    skill: &SkillRow,
    sequence: i64,
    mut labels: BTreeMap<RevisionId, Vec<String>>,
    texts: Vec<Text>,
) -> wire::Subject {
    let documents = texts.into_iter().map(|text| wire::Document {
        document_id: text.id.to_string(),
        labels: labels.remove(&text.id).unwrap_or_default(),
        names: vec![skill.slug.clone(), text.name.clone()],
        text: searched(&text),
    });
    wire::Subject {
        kind: wire::Kind::Skill.into(),
        subject_id: skill.id.to_string(),
        sequence,
        workspace_id: skill.workspace_id.to_string(),
        member_id: skill.member_id.map(|id| id.to_string()).unwrap_or_default(),
        documents: documents.collect(),
    }
}

/// A skill of which nothing is to be found any more.
fn gone(id: SkillId, sequence: i64) -> wire::Subject {
    wire::Subject {
        kind: wire::Kind::Skill.into(),
        subject_id: id.to_string(),
        sequence,
        ..wire::Subject::default()
    }
}

/// Name, description and trigger phrases, as the reference of `find_skills` says.
fn searched(text: &Text) -> String {
    let Text { id: _, name, description, triggers } = text;
    let mut searched = format!("{name}\n{description}");
    for trigger in triggers {
        searched.push('\n');
        searched.push_str(trigger);
    }
    searched
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(sequence: i64, org_id: OrgId, skill_id: SkillId, attempts: i32) -> Claimed {
        Claimed { sequence, org_id, skill_id, attempts }
    }

    #[test]
    fn organizations_never_share_a_batch() {
        let rows = (0..4).map(|n| row(n, OrgId::new(), SkillId::new(), 1)).collect();
        assert_eq!(batches(rows, 64).len(), 4);
    }

    #[test]
    fn a_skill_that_changed_twice_is_sent_once() {
        let (org, skill) = (OrgId::new(), SkillId::new());
        let batches = batches(vec![row(1, org, skill, 1), row(2, org, skill, 1)], 64);
        assert_eq!(batches.len(), 1);
        assert_eq!(batches[0].sequences(), [1, 2]);
    }

    #[test]
    fn a_row_that_failed_before_goes_alone() {
        let org = OrgId::new();
        let rows = [1, 2, 1].map(|attempts| row(0, org, SkillId::new(), attempts)).to_vec();
        let sizes: Vec<_> = batches(rows, 64).iter().map(|batch| batch.skills.len()).collect();
        assert_eq!(sizes, [2, 1]);
    }
}
