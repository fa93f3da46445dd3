//! The reference pages, from the routes and the catalog.
use std::{fmt::Write, fs, path::Path};

use anyhow::Context;
use serde_json::Value;

use crate::{
    catalog::{Catalog, Entry},
    rest,
    tool::{Effect, Place},
    tools,
};

/// Writes `tools.md` and `openapi.json` into a folder.
pub fn write(folder: &Path) -> anyhow::Result<()> {
    let catalog = tools::all();
    let openapi = serde_json::to_string_pretty(&rest::openapi(&catalog))?;
    let pages = [("tools.md", tools_page(&catalog)?), ("openapi.json", openapi + "\n")];
    fs::create_dir_all(folder).with_context(|| format!("making `{}`", folder.display()))?;
    for (name, text) in pages {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("writing `{}`", path.display()))?;
    }
    Ok(())
}

const INTRODUCTION: &str = "\
# Tools

<!-- Made by `make generate`. -->

Every tool, with the scope that it needs and its arguments. A key sees only the tools of its scopes, and \
of those only the ones that its list of tools names, where it has one. Each tool can be called over MCP, \
and with the same arguments as `POST /v1/tools/{name}`. Over MCP it answers JSON as text and the same \
object as `structuredContent`; a failure is a result with `isError` that says what was wrong.
";

fn tools_page(catalog: &Catalog) -> Result<String, std::fmt::Error> {
    let mut page = INTRODUCTION.to_owned();
    for entry in catalog.every() {
        section(&mut page, entry)?;
    }
    Ok(page)
}

fn section(page: &mut String, entry: &Entry) -> std::fmt::Result {
    let description = entry.listed.description.as_deref().unwrap_or_default();
    let scope = match entry.scope {
        Some(scope) => format!("`{scope}`"),
        None => "none, every key has it".to_owned(),
    };
    let effect = match entry.effect {
        Effect::Reads => "read-only",
    };
    let place = match entry.place {
        Place::Workspace => "`/w/{workspace}` and `/mcp`",
        Place::Organization => "`/mcp`",
    };
    writeln!(page, "\n## {}\n\n{description}\n", entry.name)?;
    writeln!(page, "Scope: {scope} · {effect} · at {place}\n")?;
    let fields = Fields::of(&entry.listed.input_schema);
    if fields.is_empty() {
        writeln!(page, "No arguments.")?;
    } else {
        writeln!(page, "| argument | type | required | default | notes |\n|---|---|---|---|---|")?;
        for field in fields.iter() {
            let Field { name, kind, is_required, default, notes } = field;
            let required = if is_required { "yes" } else { "no" };
            writeln!(page, "| `{name}` | {kind} | {required} | {default} | {notes} |")?;
        }
    }
    answer(page, entry)
}

fn answer(page: &mut String, entry: &Entry) -> std::fmt::Result {
    let Some(schema) = &entry.listed.output_schema else {
        return Ok(());
    };
    writeln!(page, "\n| answer | type | notes |\n|---|---|---|")?;
    for Field { name, kind, notes, .. } in Fields::of(schema).iter() {
        writeln!(page, "| `{name}` | {kind} | {notes} |")?;
    }
    Ok(())
}

/// The properties of an object's schema.
struct Fields<'a> {
    properties: Vec<(&'a String, &'a Value)>,
    required: Vec<&'a str>,
}

struct Field<'a> {
    name: &'a str,
    kind: String,
    is_required: bool,
    default: String,
    notes: String,
}

impl<'a> Fields<'a> {
    fn of(schema: &'a serde_json::Map<String, Value>) -> Self {
        let properties = schema.get("properties").and_then(Value::as_object);
        let required = schema.get("required").and_then(Value::as_array);
        Self {
            properties: properties.into_iter().flatten().collect(),
            required: required.into_iter().flatten().filter_map(Value::as_str).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.properties.is_empty()
    }

    fn iter(&self) -> impl Iterator<Item = Field<'a>> {
        self.properties.iter().map(|(name, schema)| Field {
            name,
            kind: kind(schema),
            is_required: self.required.contains(&name.as_str()),
            default: schema
                .get("default")
                .filter(|v| !v.is_null())
                .map_or_else(String::new, |v| format!("`{v}`")),
            notes: notes(schema),
        })
    }
}

fn notes(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('|', "\\|")
}

/// What a value is, in a word or two.
fn kind(schema: &Value) -> String {
    match &schema["type"] {
        Value::String(kind) if kind == "array" => format!("{}[]", kind_of_items(schema)),
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => {
            let kinds = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            let kinds = kinds.map(|kind| match kind {
                "array" => format!("{}[]", kind_of_items(schema)),
                kind => kind.to_owned(),
            });
            kinds.collect::<Vec<_>>().join(" or ")
        }
        _ => values(schema),
    }
}

fn kind_of_items(schema: &Value) -> String {
    kind(&schema["items"])
}

/// The values of an enumeration, or the first of the types that it can have.
fn values(schema: &Value) -> String {
    if let Some(choices) = schema["oneOf"].as_array() {
        let values = choices.iter().filter_map(|choice| choice["const"].as_str());
        return values.map(|value| format!("`{value}`")).collect::<Vec<_>>().join(" or ");
    }
    schema["anyOf"].as_array().and_then(|kinds| kinds.first()).map(kind).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_in_docs_are_what_the_source_says() {
        let made = tempfile::tempdir().unwrap();
        write(made.path()).unwrap();
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
        for page in ["tools.md", "openapi.json"] {
            let [made, kept] =
                [made.path(), &kept].map(|folder| fs::read_to_string(folder.join(page)));
            assert!(
                made.unwrap() == kept.unwrap(),
                "`docs/reference/{page}` is old: run `make generate`"
            );
        }
    }
}
