//! The JSON Schemas of what tools take and give.
use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::{
    JsonSchema, Schema, SchemaGenerator,
    generate::{Contract, SchemaSettings},
    transform::{RecursiveTransform, Transform},
};
use serde_json::{Value, json};

/// The schema of what a tool takes.
pub(crate) fn input<T: JsonSchema>() -> JsonObject {
    whole::<T>(Contract::Deserialize)
}

/// The schema of what a tool gives.
pub(crate) fn output<T: JsonSchema>() -> Arc<JsonObject> {
    Arc::new(whole::<T>(Contract::Serialize))
}

/// A generator for a document that keeps its schemas in one place.
pub(crate) fn generator(definitions_path: &'static str) -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = definitions_path.into();
        settings.contract = Contract::Serialize;
        settings.transforms.push(Box::new(RecursiveTransform(plain)));
    });
    SchemaGenerator::new(settings)
}

/// What a schema says of itself.
pub(crate) fn description(schema: &JsonObject) -> String {
    schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn whole<T: JsonSchema>(contract: Contract) -> JsonObject {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.contract = contract;
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = SchemaGenerator::new(settings).into_root_schema_for::<T>();
    RecursiveTransform(plain).transform(&mut schema);
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    schema.remove("title");
    schema.entry("properties").or_insert_with(|| json!({}));
    schema
}

/// Joins the lines of a description, and removes formats such as `uint32`, which no standard knows and
/// some clients refuse.
fn plain(schema: &mut Schema) {
    let format = schema.get("format").and_then(Value::as_str);
    let of_rust = ["int", "uint", "double", "float"];
    if format.is_some_and(|format| of_rust.iter().any(|start| format.starts_with(start))) {
        schema.remove("format");
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
}
