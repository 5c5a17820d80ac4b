//! The path of the official test vectors, if they are present.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

/// The path inside the folder of vectors; `None`, with a message, if there is no folder.
pub(crate) fn path(inside: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors");
    if !folder.is_dir() {
        eprintln!("no folder of official vectors: {inside} is left out");
        return None;
    }
    let path = folder.join(inside);
    assert!(path.exists(), "{} is missing", path.display());
    Some(path)
}

pub(crate) fn json(inside: &str) -> Option<Value> {
    let path = path(inside)?;
    Some(serde_json::from_slice(&fs::read(path).unwrap()).unwrap())
}

/// Every JSON file under a folder, with its path.
pub(crate) fn json_files(inside: &str) -> Vec<(String, Value)> {
    let Some(folder) = path(inside) else { return Vec::new() };
    let mut files = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
                files.push((path.display().to_string(), value));
            }
        }
    }
    files
}
