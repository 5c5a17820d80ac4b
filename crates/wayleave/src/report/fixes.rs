//! The texts to copy, as files: what a finding offers to paste, and a list of where each belongs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use contract::records::{Finding, ScanRecord};

const INDEX: &str = "README.md";

/// Writes one file for each finding with text to copy, and the list. Says what was written.
pub(crate) fn write(folder: &Path, record: &ScanRecord) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let mut written = Vec::new();
    for (name, text) in pack(record) {
        let file = folder.join(name);
        fs::write(&file, text).with_context(|| format!("{} cannot be written", file.display()))?;
        written.push(file);
    }
    Ok(written)
}

/// Names and contents.
fn pack(record: &ScanRecord) -> Vec<(String, String)> {
    let mut taken = BTreeSet::from([INDEX.to_owned()]);
    let mut files = Vec::new();
    let mut index =
        format!("# Fixes for {}\n\nFrom the scan of {}.\n", record.domain, record.scanned_at);
    for finding in &record.findings {
        let Some(paste) = &finding.paste else { continue };
        let name = free_name(&finding.id, &mut taken);
        let text = if paste.ends_with('\n') { paste.clone() } else { format!("{paste}\n") };
        index.push_str(&entry(finding, &name));
        files.push((name, text));
    }
    if files.is_empty() {
        index.push_str("\nNo finding of this scan comes with text to copy.\n");
    }
    files.push((INDEX.to_owned(), index));
    files
}

fn entry(finding: &Finding, name: &str) -> String {
    let fix = finding.fix.as_deref().unwrap_or_default();
    format!(
        "\n## {} ({})\n\n{}\n\n{fix}\n\nText: `{name}`\n",
        one_line(&finding.title),
        finding.severity,
        one_line(&finding.seen)
    )
}

/// A file name from an id that a server may have chosen: it stays inside the folder.
fn free_name(id: &str, taken: &mut BTreeSet<String>) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let stem: String = id.chars().take(80).map(safe).collect();
    let stem = if stem.is_empty() { "finding".to_owned() } else { stem };
    let mut name = format!("{stem}.txt");
    let mut n = 1;
    while !taken.insert(name.clone()) {
        n += 1;
        name = format!("{stem}-{n}.txt");
    }
    name
}

fn one_line(text: &str) -> String {
    crate::output::harmless(&text.replace(['\n', '\r', '\t'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside_the_folder_and_differ() {
        let mut taken = BTreeSet::new();
        let names: Vec<_> = ["../../etc/passwd", "a", "a", "", "x\0y"]
            .iter()
            .map(|id| free_name(id, &mut taken))
            .collect();
        assert_eq!(names, ["------etc-passwd.txt", "a.txt", "a-2.txt", "finding.txt", "x-y.txt"]);
    }
}
