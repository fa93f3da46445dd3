//! The OpenAPI 3.1 document, from the routes and the catalog.
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::{
    route::{Access, Content, Route},
    routes,
};
use crate::{
    catalog::{Catalog, Entry},
    problem::Details,
    schema,
};

type Object = Map<String, Value>;

/// Makes the document.
pub(crate) fn document(catalog: &Catalog) -> Value {
    let mut generator = schema::generator("/components/schemas");
    let problem = generator.subschema_for::<Details>().to_value();
    let mut paths = Object::new();
    for route in routes::all() {
        let operation = operation(&route, &mut generator);
        add(&mut paths, &openapi_path(route.path), route.method.as_str(), operation);
    }
    for entry in catalog.every() {
        add(&mut paths, &format!("/v1/tools/{}", entry.name), "POST", tool(entry));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Loadout",
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "security": [{ "key": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": security_schemes(),
            "responses": { "Problem": {
                "description": "The request failed; `detail` says why.",
                "content": { "application/problem+json": { "schema": problem } },
            } },
            "schemas": generator.take_definitions(true),
        },
    })
}

/// A path as OpenAPI writes it, which has no sign for a parameter that spans slashes.
pub(crate) fn openapi_path(path: &str) -> String {
    path.replace("{*", "{")
}

fn add(paths: &mut Object, path: &str, method: &str, operation: Value) {
    let item = paths.entry(path).or_insert_with(|| json!({}));
    if let Some(item) = item.as_object_mut() {
        item.insert(method.to_ascii_lowercase(), operation);
    }
}

fn operation(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let needs = route.scope.map(|scope| format!(" Needs the scope `{scope}`."));
    let answer = content(route.answer, generator);
    let mut operation = json!({
        "summary": route.summary,
        "description": format!("{}{}", route.summary, needs.unwrap_or_default()),
        "parameters": parameters(route),
        "responses": responses(route.status, &answer),
    });
    if let Some(body) = route.body {
        operation["requestBody"] = json!({ "content": content(body, generator) });
    }
    match route.access {
        Access::Public => operation["security"] = json!([]),
        Access::Operator => operation["security"] = json!([{ "operator": [] }]),
        Access::Key | Access::KeyFor(_) | Access::WholeKey => {}
    }
    operation
}

fn tool(entry: &Entry) -> Value {
    let needs = entry.scope.map(|scope| format!(" Needs the scope `{scope}`."));
    let description = entry.listed.description.as_deref().unwrap_or_default();
    let answer = json!({ "application/json": { "schema": entry.listed.output_schema } });
    json!({
        "operationId": entry.name,
        "summary": entry.listed.title,
        "description": format!("{description}{}", needs.unwrap_or_default()),
        "parameters": query_parameters(&schema::input::<crate::pin::Pin>()),
        "requestBody": { "content": { "application/json": {
            "schema": Value::Object((*entry.listed.input_schema).clone()),
        } } },
        "responses": responses(200, &answer),
    })
}

fn responses(status: u16, answer: &Value) -> Value {
    json!({
        status.to_string(): { "description": "It is done.", "content": answer },
        "default": { "$ref": "#/components/responses/Problem" },
    })
}

fn content(content: Content, generator: &mut SchemaGenerator) -> Value {
    match content {
        Content::Json(schema) => json!({ "application/json": { "schema": schema(generator) } }),
        Content::Input(schema) => json!({ "application/json": { "schema": schema() } }),
        Content::Bytes(types) => {
            types.iter().map(|media| ((*media).to_owned(), json!({}))).collect::<Object>().into()
        }
    }
}

fn parameters(route: &Route) -> Value {
    let mut parameters: Vec<_> = path_parameters(route.path).collect();
    if let Some(query) = route.query {
        parameters.extend(query_parameters(&query()));
    }
    parameters.into()
}

fn path_parameters(path: &str) -> impl Iterator<Item = Value> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).map(|name| {
        let name = name.trim_start_matches('*');
        json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } })
    })
}

fn query_parameters(schema: &Object) -> Vec<Value> {
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let parameters = properties.map(|(name, schema)| {
        let mut schema = schema.clone();
        let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
        json!({ "name": name, "in": "query", "description": description, "schema": schema })
    });
    parameters.collect()
}

fn security_schemes() -> Value {
    json!({
        "key": {
            "type": "http",
            "scheme": "bearer",
            "description": "An API key, `lo_<id>_<secret>_<checksum>`; also as `X-Api-Key`.",
        },
        "operator": {
            "type": "http",
            "scheme": "bearer",
            "description": "The operator's token, where the gateway's settings have one.",
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools;

    #[test]
    fn every_route_and_every_tool_is_documented() {
        let document = document(&tools::all());
        for route in routes::all() {
            let (path, method) = (openapi_path(route.path), route.method.as_str().to_lowercase());
            let operation = &document["paths"][&path][&method];
            assert!(operation["summary"].as_str().is_some_and(|s| s.ends_with('.')), "{path}");
        }
        for entry in tools::all().every() {
            let operation = &document["paths"][format!("/v1/tools/{}", entry.name)]["post"];
            assert_eq!(operation["operationId"], entry.name);
        }
    }

    #[test]
    fn every_reference_in_the_document_leads_somewhere() {
        let document = document(&tools::all());
        let text = document.to_string();
        let references = text.split(r##""$ref":"#"##).skip(1).filter_map(|r| r.split('"').next());
        for reference in references {
            assert!(document.pointer(reference).is_some(), "{reference}");
        }
    }
}
