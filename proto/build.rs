//! Compiles the contract with protox, so no `protoc` is needed, and keeps its description for gRPC
//! reflection.
use std::{env, fs, path::PathBuf};

use prost::Message;
use prost_types::{FieldDescriptorProto, FileDescriptorSet, field_descriptor_proto::Type};

const DERIVES: &str = "#[derive(serde::Serialize, schemars::JsonSchema)]";
const SNAKE_CASE: &str = "#[serde(rename_all = \"snake_case\")]";
const TIMESTAMP: &str = "#[serde(serialize_with = \"crate::json::timestamp\")] \
     #[schemars(with = \"Option<String>\")]";
const ENUMERATION: &str = "#[serde(serialize_with = \"crate::json::enumeration::<NAME, _>\")] \
     #[schemars(with = \"NAME\")]";
const JSON: &str = "#[serde(rename = \"NAME\", serialize_with = \"crate::json::object\")] \
     #[schemars(rename = \"NAME\", with = \"serde_json::Map<String, serde_json::Value>\")]";

/// Fields that services tell each other, and clients of REST do not get.
const INTERNAL: [&str; 1] = ["loadout.registry.v1.GetSkillResponse.as_of"];

#[expect(clippy::disallowed_methods, reason = "a build script is told by its environment")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=loadout");
    let set = protox::compile(sources()?, ["."])?;
    let description = PathBuf::from(env::var("OUT_DIR")?).join("loadout.bin");
    fs::write(description, set.encode_to_vec())?;
    let mut build = tonic_prost_build::configure()
        .message_attribute(".loadout", DERIVES)
        .enum_attribute(".loadout", format!("{DERIVES} {SNAKE_CASE}"));
    for (path, attribute) in json_attributes(&set) {
        build = build.field_attribute(path, attribute);
    }
    for path in INTERNAL {
        build = build.field_attribute(path, "#[serde(skip)]");
    }
    build.compile_fds(set)?;
    Ok(())
}

/// Every `.proto` of every service, in a stable order.
fn sources() -> std::io::Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    for service in fs::read_dir("loadout")? {
        for file in fs::read_dir(service?.path().join("v1"))? {
            sources.push(file?.path());
        }
    }
    sources.sort();
    Ok(sources)
}

/// Says how timestamps, enums and embedded JSON look in JSON; every other type follows serde.
fn json_attributes(set: &FileDescriptorSet) -> Vec<(String, String)> {
    let files = set.file.iter().filter(|file| file.package().starts_with("loadout"));
    let messages = files.flat_map(|file| file.message_type.iter().map(move |m| (file, m)));
    messages
        .flat_map(|(file, message)| message.field.iter().map(move |field| (file, message, field)))
        .filter_map(|(file, message, field)| {
            let path = format!("{}.{}.{}", file.package(), message.name(), field.name());
            Some((path, json_attribute(field)?))
        })
        .collect()
}

fn json_attribute(field: &FieldDescriptorProto) -> Option<String> {
    if field.type_name() == ".google.protobuf.Timestamp" {
        return Some(TIMESTAMP.to_owned());
    }
    if field.r#type() == Type::Enum {
        let name = field.type_name().rsplit('.').next().unwrap_or_default();
        return Some(ENUMERATION.replace("NAME", name));
    }
    let name = field.name().strip_suffix("_json")?;
    Some(JSON.replace("NAME", name))
}
