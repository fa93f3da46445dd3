//! What a tool is. One `impl Tool` is the whole declaration of a tool: MCP, REST, the reference and the
//! filter for each key are all read from it.
use access::Scope;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use crate::{answer::Printed, call::Call, failure::Failure};

/// What a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It only reads.
    Reads,
}

/// The MCP addresses that have a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// `/w/{workspace}` has it, and `/mcp`.
    Workspace,
    /// `/mcp` alone has it.
    Organization,
}

/// One thing that a client can ask for. The doc comment of `Input` is its description.
pub(crate) trait Tool: 'static {
    /// The name in MCP and in the REST path.
    const NAME: &'static str;
    /// The name for people.
    const TITLE: &'static str;
    /// What a key must allow; none, where every key may.
    const SCOPE: Option<Scope>;
    /// What it does to the world.
    const EFFECT: Effect;
    /// Where it is.
    const PLACE: Place;
    /// What the client sends.
    type Input: DeserializeOwned + JsonSchema + Send;
    /// What the client gets.
    type Output: Serialize + JsonSchema;

    /// Does it.
    fn call(
        call: &mut Call,
        input: Self::Input,
    ) -> impl Future<Output = Result<Printed<Self::Output>, Failure>> + Send;
}
