//! The rules of the workspace's layout, read from `cargo metadata` and from the sources.
use std::{collections::BTreeSet, fs, path::Path, process::Command, sync::LazyLock};

use serde_json::Value;

/// Whoever puts services together.
const WHOLES: [&str; 3] = ["standalone", "tests", "bench"];
/// What only the gateway, of all services, may depend on.
const WEB: [&str; 2] = ["rmcp", "axum"];
const POOLS: [&str; 3] = ["PgPool", "PoolOptions", "sqlx::Pool"];
/// `charts` joins them with the Helm chart.
const FOLDERS: [&str; 8] =
    ["crates", "deploy", "docs", "migrations", "proto", "scripts", "services", "tests"];

struct Package {
    name: String,
    folder: String,
    needs: BTreeSet<String>,
    /// Those of them that its tests need.
    tests_need: BTreeSet<String>,
}

static PACKAGES: LazyLock<Vec<Package>> = LazyLock::new(|| {
    let asked = ["metadata", "--no-deps", "--format-version", "1", "--offline"];
    let told = Command::new(env!("CARGO")).args(asked).current_dir(root()).output().unwrap();
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    told["packages"].as_array().unwrap().iter().map(package).collect()
});

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn package(told: &Value) -> Package {
    let manifest = Path::new(told["manifest_path"].as_str().unwrap());
    let folder = manifest.parent().unwrap().strip_prefix(root()).unwrap();
    let needs = |is_for_tests: bool| {
        let needs = told["dependencies"].as_array().unwrap().iter();
        let needs = needs.filter(move |need| (need["kind"] == "dev") == is_for_tests);
        needs.map(|need| need["name"].as_str().unwrap().to_owned()).collect()
    };
    Package {
        name: told["name"].as_str().unwrap().to_owned(),
        folder: folder.to_str().unwrap().to_owned(),
        needs: needs(false),
        tests_need: needs(true),
    }
}

/// The names of the services that are programs of their own.
fn services() -> BTreeSet<&'static str> {
    let services = PACKAGES.iter().filter(|package| package.folder.starts_with("services/"));
    services.map(|service| &*service.name).filter(|name| !WHOLES.contains(name)).collect()
}

fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !["target", "node_modules"].contains(&name) && !name.starts_with('.') {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned());
        }
    }
}

#[test]
fn the_services_are_those_of_this_product() {
    assert_eq!(services(), BTreeSet::from(["gateway", "registry", "search"]));
}

#[test]
fn only_the_whole_depends_on_a_service() {
    let services = services();
    for package in PACKAGES.iter().filter(|package| !WHOLES.contains(&&*package.name)) {
        let needs = package.needs.union(&package.tests_need);
        let needed = needs.into_iter().find(|need| services.contains(&***need));
        assert_eq!(needed, None, "`{}` depends on a service", package.name);
    }
}

#[test]
fn of_the_services_only_the_gateway_speaks_to_the_web() {
    for service in PACKAGES.iter().filter(|package| services().contains(&*package.name)) {
        let speaks = WEB.iter().any(|need| service.needs.contains(*need));
        assert_eq!(speaks, service.name == "gateway", "`{}`", service.name);
    }
}

#[test]
fn every_package_is_where_packages_are() {
    for Package { name, folder, .. } in PACKAGES.iter() {
        let is_contract = name == "contract" && folder == "proto";
        let is_own = folder == "tests" || folder.ends_with(&format!("/{name}"));
        assert!(is_contract || is_own, "`{name}` is in `{folder}`");
    }
}

#[test]
fn only_the_database_crate_holds_a_pool() {
    let mut found = Vec::new();
    sources(root(), &mut found);
    assert!(found.len() > 100, "{found:?}");
    for source in found {
        let is_test = source.split('/').any(|folder| folder == "tests");
        if is_test || source.starts_with("crates/database/") {
            continue;
        }
        let text = fs::read_to_string(root().join(&source)).unwrap();
        let pool = POOLS.iter().find(|pool| text.contains(**pool));
        assert_eq!(pool, None, "`{source}` names a pool");
    }
}

#[test]
fn the_top_level_folders_are_the_designs() {
    let entries = fs::read_dir(root()).unwrap().map(Result::unwrap);
    let folders = entries.filter(|entry| entry.path().is_dir());
    let names = folders.map(|entry| entry.file_name().into_string().unwrap());
    let shown: BTreeSet<String> =
        names.filter(|name| !name.starts_with('.') && name != "target").collect();
    assert_eq!(shown, FOLDERS.map(str::to_owned).into());
}

#[test]
fn a_migration_is_named_by_time_service_verb_and_noun() {
    for entry in fs::read_dir(root().join("migrations")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let parts: Vec<&str> = name.strip_suffix(".sql").unwrap().split('_').collect();
        let [time, service, _verb, _noun, ..] = parts[..] else { panic!("`{name}`") };
        assert!(time.len() == 14 && time.bytes().all(|b| b.is_ascii_digit()), "`{name}`");
        assert!(services().contains(service), "`{name}`");
    }
}
