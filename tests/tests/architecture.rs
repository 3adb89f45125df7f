//! The table of `crates/README.md` tells the truth about the crates.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The rows of the table: crate, its one sentence, and what it may use.
fn table() -> Vec<(Vec<String>, String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/README.md");
    let text = std::fs::read_to_string(path).expect("crates/README.md is there");
    let quoted =
        |cell: &str| -> Vec<String> { cell.split('`').skip(1).step_by(2).map(str::to_string).collect() };
    let rows = text.lines().filter(|l| l.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        (quoted(cells[1]), cells[2].to_string(), cells[3].to_string())
    })
    .collect()
}

/// For each crate under `crates/` its description and the workspace crates it uses, tests aside.
fn reality() -> BTreeMap<String, (String, Vec<String>)> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let text = |v: &Value| v.as_str().unwrap_or_default().to_string();
    let ours = |p: &&Value| text(&p["manifest_path"]).contains("/crates/");
    let names: Vec<String> = packages.iter().map(|p| text(&p["name"])).collect();
    packages
        .iter()
        .filter(ours)
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("a list");
            let used = dependencies
                .iter()
                .filter(|d| d["kind"] != "dev")
                .map(|d| text(&d["name"]))
                .filter(|n| names.contains(n))
                .collect();
            (text(&package["name"]), (text(&package["description"]), used))
        })
        .collect()
}

#[test]
fn crates_use_only_what_the_table_allows_and_the_table_lists_them_all() {
    let reality = reality();
    let mut above: Vec<String> = Vec::new();
    for (crates, sentence, may_use) in table() {
        let allowed: Vec<String> = if may_use.starts_with("all") {
            above.clone()
        } else {
            may_use.split('`').skip(1).step_by(2).map(str::to_string).collect()
        };
        assert!(!sentence.is_empty(), "{crates:?} has its sentence");
        for name in &crates {
            let (_, used) = reality.get(name).unwrap_or_else(|| panic!("there is no crate {name}"));
            for dependency in used {
                assert!(
                    allowed.contains(dependency),
                    "{name} uses {dependency}, which its row does not allow"
                );
                assert!(above.contains(dependency), "{name} uses {dependency}, which is not above it");
            }
        }
        above.extend(crates);
    }
    for name in reality.keys() {
        assert!(above.contains(name), "{name} is missing in the table of crates/README.md");
    }
}
