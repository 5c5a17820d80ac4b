//! Imports inside a crate: the groups of `service` import only lower groups, and no files import each
//! other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The groups of `service`, lowest first. A group imports those before it and never those after it.
const SERVICE_GROUPS: [&str; 10] = [
    "access", "log", "answers", "visitors", "conduct", "scanning", "domains", "accuracy",
    "webhooks", "jobs",
];

fn crates_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn source_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            source_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The code of a file before its tests, without comments.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// `a::{b, c::{d, self}}` as the paths `a::b`, `a::c::d`, `a::c`.
fn flatten(tree: &str, prefix: &str, paths: &mut Vec<String>) {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap_or_default().trim();
        let path = path.trim_end_matches("::self").trim_end_matches("::*");
        let full = if path == "self" {
            prefix.trim_end_matches("::").to_owned()
        } else {
            format!("{prefix}{path}")
        };
        paths.push(full);
        return;
    };
    let prefix = format!("{prefix}{}", tree[..open].trim());
    let inside = &tree[open + 1..tree.rfind('}').unwrap_or(tree.len())];
    let (mut depth, mut start) = (0, 0);
    for (at, character) in inside.char_indices().chain([(inside.len(), ',')]) {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inside[start..at].trim().is_empty() {
                    flatten(&inside[start..at], &prefix, paths);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// Every path that a file imports from its own crate, from the crate's root on.
fn imports(code: &str, module: &[String], names: &BTreeSet<String>) -> Vec<Vec<String>> {
    let mut trees = Vec::new();
    let mut at = 0;
    for line in code.split_inclusive('\n') {
        let rest = &code[at..];
        at += line.len();
        // Only at the top level: inside functions and nested modules `super` means something else.
        let statement = line.strip_prefix("pub").map_or(line, |rest| rest.trim_start_matches(' '));
        let statement = statement.trim_start_matches("(crate) ").trim_start_matches("(super) ");
        let Some(start) = statement.starts_with("use ").then(|| line.find("use ")).flatten() else {
            continue;
        };
        // A line of a longer text can begin with the word as well.
        if let Some(end) = rest.find(';').filter(|end| !rest[..*end].contains(['"', '#'])) {
            flatten(&rest[start + 4..end], "", &mut trees);
        }
    }
    let mut found = Vec::new();
    for tree in trees {
        let mut steps: Vec<String> = tree.split("::").map(|step| step.trim().to_owned()).collect();
        let mut base = module.to_vec();
        match steps.first().map(String::as_str) {
            Some("crate") => {
                base.clear();
                steps.remove(0);
            }
            Some("self") => drop(steps.remove(0)),
            Some("super") => {
                while steps.first().is_some_and(|step| step == "super") {
                    base.pop();
                    steps.remove(0);
                }
            }
            // A child module named without `self::`.
            Some(first)
                if names.contains(&[&base[..], &[first.to_owned()]].concat().join("::")) => {}
            _ => continue,
        }
        base.extend(steps);
        found.push(base);
    }
    found
}

/// The files of a crate by their module path, and the files that each imports from. An item that a
/// module only re-exports counts as imported from the file that defines it.
fn import_graph(name: &str) -> BTreeMap<String, BTreeSet<String>> {
    let root = crates_folder().join(name).join("src");
    let mut files = Vec::new();
    source_files(&root, &mut files);
    let is_test = |path: &PathBuf| {
        path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"))
            || path.components().any(|part| part.as_os_str() == "tests")
            || path.file_stem().is_some_and(|stem| stem == "testing")
    };
    let modules: BTreeMap<String, PathBuf> = files
        .into_iter()
        .filter(|path| !is_test(path))
        .map(|path| (module_path(&root, &path).join("::"), path))
        .collect();
    let names: BTreeSet<String> = modules.keys().cloned().collect();
    let codes: BTreeMap<String, String> =
        modules.iter().map(|(module, path)| (module.clone(), code(path))).collect();
    let imported: BTreeMap<String, Vec<Vec<String>>> = codes
        .iter()
        .map(|(module, code)| {
            let steps: Vec<String> =
                module.split("::").filter(|step| !step.is_empty()).map(str::to_owned).collect();
            (module.clone(), imports(code, &steps, &names))
        })
        .collect();
    // The longest prefix of a path that is a file; what follows is an item in it.
    let file_of = |path: &[String]| {
        (0..=path.len()).rev().map(|n| (path[..n].join("::"), n)).find(|(m, _)| names.contains(m))
    };
    let mut graph = BTreeMap::new();
    for (module, paths) in &imported {
        let mut used = BTreeSet::new();
        for path in paths {
            let mut path = path.clone();
            for _ in 0..8 {
                let Some((file, n)) = file_of(&path) else { break };
                let Some(item) = path.get(n) else { break };
                let named = imported[&file].iter().find(|known| known.last() == Some(item));
                // `pub use child::*`: the item is in one of the files that are named as a whole.
                let globbed = imported[&file]
                    .iter()
                    .filter(|_| !defines(&codes[&file], item))
                    .find(|known| {
                        codes.get(&known.join("::")).is_some_and(|code| defines(code, item))
                    });
                path = match (named, globbed) {
                    (Some(known), _) if *known != path => {
                        [known.clone(), path[n + 1..].to_vec()].concat()
                    }
                    (None, Some(known)) => [known.clone(), path[n..].to_vec()].concat(),
                    _ => break,
                };
            }
            if let Some((file, n)) = file_of(&path).filter(|(file, _)| file != module) {
                // What a file passes on from another crate is not its own.
                if path.get(n).is_none_or(|item| defines(&codes[&file], item)) {
                    used.insert(file);
                }
            }
        }
        graph.insert(module.clone(), used);
    }
    graph
}

/// Whether code defines an item of this name, as far as its text shows.
fn defines(code: &str, item: &str) -> bool {
    ["struct", "enum", "trait", "type", "fn", "const", "static", "mod", "macro_rules!"].iter().any(
        |word| {
            code.match_indices(&format!("{word} {item}")).any(|(at, found)| {
                !code[at + found.len()..]
                    .starts_with(|next: char| next.is_alphanumeric() || next == '_')
            })
        },
    )
}

fn module_path(root: &Path, path: &Path) -> Vec<String> {
    let relative = path.strip_prefix(root).unwrap().with_extension("");
    let mut steps: Vec<String> =
        relative.components().map(|part| part.as_os_str().to_str().unwrap().to_owned()).collect();
    if steps.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        steps.pop();
    }
    steps
}

/// A circle of imports that begins and ends at one file, if there is one.
fn find_circle(graph: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn visit(
        at: &str,
        graph: &BTreeMap<String, BTreeSet<String>>,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(start) = path.iter().position(|seen| seen == at) {
            return Some(path[start..].to_vec());
        }
        if !done.insert(at.to_owned()) {
            return None;
        }
        path.push(at.to_owned());
        for next in &graph[at] {
            if let Some(circle) = visit(next, graph, path, done) {
                return Some(circle);
            }
        }
        path.pop();
        None
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|start| visit(start, graph, &mut Vec::new(), &mut done))
}

#[test]
fn groups_of_service_import_only_lower_groups() {
    for (module, used) in import_graph("service") {
        let rank = |module: &str| {
            SERVICE_GROUPS.iter().position(|group| module.split("::").next() == Some(group))
        };
        let Some(own) = rank(&module) else { continue };
        for import in used {
            assert!(
                rank(&import).is_none_or(|rank| rank <= own),
                "{module} imports {import}, which is above it"
            );
        }
    }
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let mut circles = Vec::new();
    for name in [
        "contract",
        "proof",
        "declared",
        "agents",
        "judge",
        "sarif",
        "door",
        "observe",
        "store",
        "store-sqlite",
        "lab",
        "web",
    ] {
        let graph = import_graph(name);
        assert!(graph.len() > 1, "{name}: no files found");
        circles
            .extend(find_circle(&graph).map(|circle| format!("{name}: {}", circle.join(" -> "))));
    }
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn a_circle_is_found() {
    let graph = |edges: &[(&str, &str)]| {
        let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in edges {
            graph.entry((*from).to_owned()).or_default().insert((*to).to_owned());
            graph.entry((*to).to_owned()).or_default();
        }
        graph
    };
    assert_eq!(find_circle(&graph(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
    assert!(find_circle(&graph(&[("a", "b"), ("b", "c"), ("c", "b")])).is_some());
    let mut paths = Vec::new();
    flatten("crate::{a::{b, c::{self, d as e}}, f::*}", "", &mut paths);
    assert_eq!(paths, ["crate::a::b", "crate::a::c", "crate::a::c::d", "crate::f"]);
}
