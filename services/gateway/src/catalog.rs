//! The list of tools. MCP, REST and the reference are views of it.
use std::{pin::Pin, sync::Arc};

use access::Scope;
use rmcp::model::{JsonObject, Tool as McpTool, ToolAnnotations};
use serde_json::Value;

use crate::{
    answer::{Answer, Printed},
    auth::Grant,
    call::Call,
    failure::{Failure, located},
    schema,
    tool::{Effect, Place, Tool},
};

type Answering<'a> = Pin<Box<dyn Future<Output = Result<Answer, Failure>> + Send + 'a>>;

/// One tool, with its types forgotten.
pub(crate) struct Entry {
    /// [`Tool::NAME`]
    pub(crate) name: &'static str,
    /// [`Tool::SCOPE`]
    pub(crate) scope: Option<Scope>,
    /// [`Tool::EFFECT`]
    pub(crate) effect: Effect,
    /// [`Tool::PLACE`]
    pub(crate) place: Place,
    /// As MCP lists it.
    pub(crate) listed: McpTool,
    /// [`Tool::call`]
    pub(crate) call: for<'a> fn(&'a mut Call, JsonObject) -> Answering<'a>,
}

/// The list of tools, by name.
#[derive(Default)]
pub(crate) struct Catalog(Vec<Entry>);

impl Catalog {
    /// Adds a tool.
    #[must_use]
    pub(crate) fn with<T: Tool>(mut self) -> Self {
        self.0.push(Entry {
            name: T::NAME,
            scope: T::SCOPE,
            effect: T::EFFECT,
            place: T::PLACE,
            listed: listed::<T>(),
            call: |call, arguments| Box::pin(answer::<T>(call, arguments)),
        });
        self.0.sort_by_key(|entry| entry.name);
        self
    }

    /// Every tool there is.
    pub(crate) fn every(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter()
    }

    /// The tools that a key may use at a place. Nothing else is listed, found or called.
    pub(crate) fn visible_to<'a>(
        &'a self,
        grant: &'a Grant,
        place: Place,
    ) -> impl Iterator<Item = &'a Entry> {
        self.0.iter().filter(move |entry| entry.is_at(place) && entry.is_for(grant))
    }

    /// The tool of that name, if the key may use it at the place.
    pub(crate) fn find(&self, name: &str, grant: &Grant, place: Place) -> Option<&Entry> {
        let at = self.0.binary_search_by_key(&name, |entry| entry.name).ok()?;
        self.0.get(at).filter(|entry| entry.is_at(place) && entry.is_for(grant))
    }

    /// Whether a name, or a `prefix*`, names a tool.
    pub(crate) fn has(&self, pattern: &str) -> bool {
        self.0.iter().any(|entry| matches(pattern, entry.name))
    }
}

/// Whether a name, or a `prefix*`, is that of a tool.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => pattern == name,
    }
}

impl Entry {
    /// Refuses arguments that the tool does not know.
    pub(crate) fn check(&self, arguments: &JsonObject) -> Result<(), Failure> {
        let known = self.listed.input_schema.get("properties").and_then(Value::as_object);
        let is_known = |name: &str| known.is_some_and(|known| known.contains_key(name));
        let Some(unknown) = arguments.keys().find(|name| !is_known(name)) else {
            return Ok(());
        };
        let known = known.into_iter().flat_map(|known| known.keys());
        let known: Vec<_> = known.map(|name| format!("`{name}`")).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let unknown = crate::problem::repeated(unknown);
        Err(Failure::invalid(format!("unknown argument `{unknown}`; the arguments are {known}")))
    }

    fn is_at(&self, place: Place) -> bool {
        match place {
            Place::Workspace => self.place == Place::Workspace,
            Place::Organization => true,
        }
    }

    fn is_for(&self, grant: &Grant) -> bool {
        let allowed = self.scope.is_none_or(|scope| grant.caller.scopes.contains(scope));
        allowed && grant.names_tool(self.name)
    }
}

async fn answer<T: Tool>(call: &mut Call, arguments: JsonObject) -> Result<Answer, Failure> {
    let input = serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let (path, problem) = (error.path().to_string(), error.inner().to_string());
        Failure::invalid(located("argument", &path, &problem))
    })?;
    T::call(call, input).await.map(Printed::into_answer)
}

fn listed<T: Tool>() -> McpTool {
    let mut input = schema::input::<T::Input>();
    let description = schema::description(&input);
    input.remove("description");
    let annotations = match T::EFFECT {
        Effect::Reads => ToolAnnotations::with_title(T::TITLE).read_only(true).idempotent(true),
    };
    McpTool::new(T::NAME, description, Arc::new(input))
        .with_title(T::TITLE)
        .with_raw_output_schema(schema::output::<T::Output>())
        .with_annotations(annotations.destructive(false).open_world(false))
}

#[cfg(test)]
mod tests {
    use access::Scopes;

    use super::*;
    use crate::tools;

    #[test]
    fn a_key_without_the_scope_neither_sees_nor_finds_a_tool() {
        let catalog = tools::all();
        for entry in catalog.every().filter(|entry| entry.scope.is_some()) {
            let all_but = Scope::all().filter(|scope| Some(*scope) != entry.scope);
            let grant = Grant::sample(all_but.collect(), &[]);
            let mut visible = catalog.visible_to(&grant, Place::Organization);
            assert!(visible.all(|seen| seen.name != entry.name));
            assert!(catalog.find(entry.name, &grant, Place::Organization).is_none());
        }
    }

    #[test]
    fn a_key_sees_only_the_tools_that_its_list_names() {
        let catalog = tools::all();
        let names = |list: &[&str]| {
            let grant = Grant::sample(Scopes::every(), list);
            let visible = catalog.visible_to(&grant, Place::Organization);
            visible.map(|entry| entry.name).collect::<Vec<_>>()
        };
        assert_eq!(names(&[]), ["find_skills", "get_skill", "get_skill_file", "whoami"]);
        assert_eq!(names(&["get_*"]), ["get_skill", "get_skill_file"]);
        assert_eq!(names(&["get_skill", "whoami"]), ["get_skill", "whoami"]);
        assert!(names(&["nothing"]).is_empty());
    }

    #[test]
    fn a_workspace_has_exactly_three_tools() {
        let catalog = tools::all();
        let grant = Grant::sample(Scopes::every(), &[]);
        let visible = catalog.visible_to(&grant, Place::Workspace);
        let names: Vec<_> = visible.map(|entry| entry.name).collect();
        assert_eq!(names, ["find_skills", "get_skill", "get_skill_file"]);
        assert!(catalog.find("whoami", &grant, Place::Workspace).is_none());
    }

    #[test]
    fn every_tool_refuses_arguments_that_it_does_not_know() {
        for entry in tools::all().every() {
            let schema = &entry.listed.input_schema;
            assert_eq!(schema.get("additionalProperties"), Some(&Value::Bool(false)));
            let arguments = JsonObject::from_iter([("surplus".to_owned(), Value::Null)]);
            let error = entry.check(&arguments).unwrap_err().to_string();
            assert!(error.starts_with("unknown argument `surplus`; the arguments are "), "{error}");
        }
    }
}
