//! Writes the ready-made texts of the findings as files, with an index.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use contract::records::{Finding, ScanRecord};

const INDEX: &str = "README.md";

/// Writes one file per finding that has a ready-made text, and an index. Returns the files written.
pub(crate) fn write_fixes(folder: &Path, record: &ScanRecord) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(folder)
        .with_context(|| format!("{} cannot be created", folder.display()))?;
    let mut written = Vec::new();
    for (name, text) in fix_files(record) {
        let file = folder.join(name);
        fs::write(&file, text).with_context(|| format!("{} cannot be written", file.display()))?;
        written.push(file);
    }
    Ok(written)
}

/// File names and contents, the index last.
fn fix_files(record: &ScanRecord) -> Vec<(String, String)> {
    let mut taken = BTreeSet::from([INDEX.to_owned()]);
    let mut files = Vec::new();
    let mut index = format!("# Fixes for {}\n\nScanned at {}.\n", record.domain, record.scanned_at);
    for finding in &record.findings {
        let Some(paste) = &finding.paste else { continue };
        let name = unique_file_name(&finding.id, &mut taken);
        let text = if paste.ends_with('\n') { paste.clone() } else { format!("{paste}\n") };
        index.push_str(&index_entry(finding, &name));
        files.push((name, text));
    }
    if files.is_empty() {
        index.push_str("\nNo finding of this scan has a ready-made text.\n");
    }
    files.push((INDEX.to_owned(), index));
    files
}

fn index_entry(finding: &Finding, name: &str) -> String {
    let fix = finding.fix.as_deref().unwrap_or_default();
    format!(
        "\n## {} ({})\n\n{}\n\n{fix}\n\nText: `{name}`\n",
        one_line(&finding.title),
        finding.severity,
        one_line(&finding.seen)
    )
}

/// A file name made from a finding id. The id may come from a server, so it must not leave the folder.
fn unique_file_name(id: &str, taken: &mut BTreeSet<String>) -> String {
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
    crate::output::sanitize_for_terminal(&text.replace(['\n', '\r', '\t'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside_the_folder_and_differ() {
        let mut taken = BTreeSet::new();
        let names: Vec<_> = ["../../etc/passwd", "a", "a", "", "x\0y"]
            .iter()
            .map(|id| unique_file_name(id, &mut taken))
            .collect();
        assert_eq!(names, ["------etc-passwd.txt", "a.txt", "a-2.txt", "finding.txt", "x-y.txt"]);
    }
}
