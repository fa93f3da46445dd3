//! One call while it is made.
use contract::registry;
use ids::{CallId, OrgId};
use tokio::time::Instant;

use super::{Recorded, Recorder};
use crate::{app::App, call::Visit, metrics, pin};

/// How a call came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Surface {
    Mcp,
    Rest,
}

impl Surface {
    fn name(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::Rest => "rest",
        }
    }
}

/// How much of a query is kept, and of the name of a tool that there is not, in characters.
const QUERY_CHARACTERS: usize = 1_000;
const NAME_CHARACTERS: usize = 128;

/// The record of one call. It is handed in when the call ends, or is given up.
pub(crate) struct Recording {
    recorder: Recorder,
    org: OrgId,
    arrived: Instant,
    tool: &'static str,
    surface: Surface,
    outcome: &'static str,
    call: registry::Call,
}

impl Recording {
    pub(crate) fn begin(app: &App, visit: &Visit, surface: Surface, tool: &'static str) -> Self {
        let caller = &visit.grant.caller;
        let since_arrival = visit.arrived.elapsed();
        let began = app.clock.now() - since_arrival;
        let call = registry::Call {
            id: CallId::new().to_string(),
            at: Some(prost_types::Timestamp {
                seconds: began.unix_timestamp(),
                nanos: i32::try_from(began.nanosecond()).unwrap_or_default(),
            }),
            tool: tool.to_owned(),
            surface: surface.name().to_owned(),
            key_id: visit.grant.key.id.to_string(),
            workspace_id: visit.grant.workspace.id.clone(),
            member_id: caller.member.map(|member| member.to_string()),
            tag: visit.tag.as_ref().map(|tag| pin::wire(Some(tag))),
            ..registry::Call::default()
        };
        Self {
            recorder: app.recorder.clone(),
            org: caller.org,
            arrived: visit.arrived,
            tool,
            surface,
            outcome: "cancelled",
            call,
        }
    }

    /// The call was of a tool of that name, which there is not.
    pub(crate) fn named(mut self, name: &str) -> Self {
        self.call.tool = name.chars().take(NAME_CHARACTERS).collect();
        self
    }

    /// The call was of this revision of a skill.
    pub(crate) fn of(&mut self, skill_id: &str, revision_id: &str) {
        self.call.skill_id = Some(skill_id.to_owned());
        self.call.revision_id = Some(revision_id.to_owned());
    }

    /// The call was for this file.
    pub(crate) fn for_file(&mut self, path: &str) {
        self.call.path = Some(path.to_owned());
    }

    /// The call was a search.
    pub(crate) fn searched(&mut self, query: &str) {
        self.call.query = Some(query.chars().take(QUERY_CHARACTERS).collect());
    }

    /// The search showed these skills, best first.
    pub(crate) fn showed(&mut self, skill_ids: Vec<String>) {
        self.call.shown_skill_ids = skill_ids;
    }

    /// The call used this tag, or none.
    pub(crate) fn pinned(&mut self, tag: Option<&pin::Tag>) {
        self.call.tag = tag.map(|tag| pin::wire(Some(tag)));
    }

    /// The call ends now.
    pub(crate) fn end(mut self, outcome: &'static str) {
        self.outcome = outcome;
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let took = self.arrived.elapsed();
        metrics::called(self.tool, self.surface.name(), self.outcome, took);
        let mut call = std::mem::take(&mut self.call);
        self.outcome.clone_into(&mut call.outcome);
        call.duration_us = i64::try_from(took.as_micros()).unwrap_or(i64::MAX);
        self.recorder.hand_in(Recorded { org: self.org, call });
    }
}
