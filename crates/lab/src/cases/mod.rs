//! Case files: small site designs, each with what a correct judgement of it says. They are served
//! as real sites of a lab. The format:
//!
//! ```text
//! kind: gate.login
//! name: Library portal that shows only a login form
//! why: An agent gets a form and no content.
//! expect: gate=login
//! expect: read!=allow
//! --- all | 200 | text/html; charset=utf-8
//! <!doctype html>…
//! --- ai /robots.txt | 200 | text/plain
//! User-agent: *
//! ```
//!
//! A section is `--- WHO [PATH] | STATUS | CONTENT-TYPE [| option]…` and its body. WHO is `all`,
//! `browser`, `control`, `people`, `ai` or a comma list of identity ids; the most specific one wins.
//! PATH is `/` if it is not given, `*` for every path without a section. Options are headers
//! (`Name: value`), `weight=9`, `turn`, `by-agent`, `delay=20s`, `repeat=BYTES`. Bodies may contain
//! `{{host}}`, `{{words:20-80}}`, `{{pick:a|b}}`, `{{price:10-99}}`, `{{filler:300}}` and
//! `{{base64:…}}`. Everything unknown is an error.

mod expectation;
mod filler;
mod parse;
mod section;
pub(crate) mod served_case;
mod template;
mod who;

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

pub use self::expectation::{Comparison, EXPECTATION_WORDS, Expectation};
use self::served_case::ServedCase;
use crate::{
    site::{LabSite, PortBehaviour},
    sites::site_with_pages,
};

/// One case file and the site that serves it.
#[derive(Debug, Clone)]
pub struct CaseSite {
    /// Named `c001.lab`, `c002.lab`, … in the order of the files. Not part of the catalogue.
    pub site: &'static LabSite,
    pub file: PathBuf,
    /// The kind, such as `gate.login`.
    pub kind: String,
    pub name: String,
    pub why: String,
    pub expectations: Vec<Expectation>,
    /// The longest time that the site lets a request wait.
    pub longest_delay: Duration,
}

/// Why the cases of a folder cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{}:{line}: {problem}", path.display())]
    Mistake { path: PathBuf, line: usize, problem: String },
}

/// Reads every `.case` file of a folder, in the order of their names, and names every mistake. The
/// sites live as long as the process, like those of the catalogue; give them to
/// [`crate::Lab::start_with_sites`].
pub fn case_sites(folder: &Path) -> Result<Vec<CaseSite>, Vec<CaseError>> {
    let unreadable = |source| vec![CaseError::Unreadable { path: folder.to_owned(), source }];
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "case") {
            files.push(path);
        }
    }
    files.sort();
    let (mut cases, mut mistakes) = (Vec::new(), Vec::new());
    for (index, file) in files.into_iter().enumerate() {
        match read_case(index + 1, file) {
            Ok(case) => cases.push(case),
            Err(error) => mistakes.push(error),
        }
    }
    if mistakes.is_empty() { Ok(cases) } else { Err(mistakes) }
}

fn read_case(number: usize, path: PathBuf) -> Result<CaseSite, CaseError> {
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(source) => return Err(CaseError::Unreadable { path, source }),
    };
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
    if !stem.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') {
        let problem = "the file name has other letters than a-z, 0-9 and hyphens".to_owned();
        return Err(CaseError::Mistake { path, line: 0, problem });
    }
    let parsed = match parse::parse(&text, &stem) {
        Ok(parsed) => parsed,
        Err(parse::Mistake { line, problem }) => {
            return Err(CaseError::Mistake { path, line, problem });
        }
    };
    let longest_delay = parsed.sections.iter().map(|section| section.delay).max();
    let served: &'static ServedCase = Box::leak(Box::new(ServedCase::new(parsed.sections)));
    let base = site_with_pages(crate::content::not_found);
    let site: &'static LabSite = Box::leak(Box::new(LabSite {
        name: Box::leak(format!("c{number:03}.lab").into_boxed_str()),
        behaviour: "case",
        https: PortBehaviour::Case(served),
        http: if served.uses_plain_http() { PortBehaviour::Case(served) } else { base.http },
        ..base
    }));
    Ok(CaseSite {
        site,
        file: path,
        kind: parsed.kind,
        name: parsed.name,
        why: parsed.why,
        expectations: parsed.expectations,
        longest_delay: longest_delay.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cases in the repository; there may be none.
    #[test]
    fn every_case_in_the_repository_is_read() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wayleave/tests/judgements");
        for name in ["tuning", "held_out"] {
            let folder = root.join(name);
            if folder.is_dir() {
                let mistakes = case_sites(&folder).err().unwrap_or_default();
                let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
                assert!(lines.is_empty(), "{}", lines.join("\n"));
            }
        }
    }

    #[test]
    fn all_mistakes_of_a_folder_are_named() {
        let folder = Path::new("no-such-folder");
        assert!(matches!(case_sites(folder).unwrap_err()[..], [CaseError::Unreadable { .. }]));
    }
}
