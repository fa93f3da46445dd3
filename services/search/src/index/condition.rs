//! What a point must be for a query to find it, before it is said in a store's own words.
use super::point::{field, owner};
use crate::model::Filter;

/// One thing that must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// The field has this value.
    Is(&'static str, String),
    /// The field has one of these values.
    In(&'static str, Vec<String>),
    /// The field has this number.
    Has(&'static str, i64),
}

/// The conditions that every query is under. All must hold.
pub(super) fn visible(filter: &Filter) -> Vec<Condition> {
    let Filter { corpus, workspace, member, label } = filter;
    let owners = match member {
        Some(_) => vec![owner(None), owner(*member)],
        None => vec![owner(None)],
    };
    vec![
        Condition::Is(field::ORG, corpus.org.to_string()),
        Condition::Is(field::KIND, corpus.kind.as_str().to_owned()),
        Condition::Is(field::WORKSPACE, workspace.to_string()),
        Condition::Is(field::LABELS, label.clone()),
        Condition::In(field::OWNER, owners),
    ]
}

/// The same, of those that are called so.
pub(super) fn visible_by_name(filter: &Filter, name: &str) -> Vec<Condition> {
    let mut conditions = visible(filter);
    conditions.push(Condition::Is(field::NAMES, name.to_owned()));
    conditions
}

#[cfg(test)]
mod tests {
    use ids::{MemberId, OrgId, WorkspaceId};

    use super::*;
    use crate::model::{Corpus, Kind};

    fn fields(member: Option<MemberId>) -> Vec<&'static str> {
        let corpus = Corpus { org: OrgId::new(), kind: Kind::Skill };
        let filter =
            Filter { corpus, workspace: WorkspaceId::new(), member, label: "latest".into() };
        let name = |condition| match condition {
            Condition::Is(field, _) | Condition::In(field, _) | Condition::Has(field, _) => field,
        };
        visible(&filter).into_iter().map(name).collect()
    }

    #[test]
    fn every_query_is_under_all_five_conditions() {
        let all = ["org", "kind", "workspace", "labels", "owner"];
        assert_eq!(fields(None), all);
        assert_eq!(fields(Some(MemberId::new())), all);
    }
}
