//! Scans sites that vary by themselves and sites that cloak, again and again, and counts who is
//! accused wrongly and what is missed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::judgements::expectations::JudgedSite;
use crate::lab_server::{LabServer, run_all};

const AT_ONCE: usize = 4;
/// So many scans of one site must give the same letter.
const SAME_LETTER: usize = 10;

#[derive(Debug, Default)]
pub(crate) struct FalseAlarms {
    pub(crate) varying_scans: usize,
    pub(crate) cloaking_scans: usize,
    /// One line for each scan of a varying site that accuses it.
    pub(crate) accusations: Vec<String>,
    /// One line for each scan of a cloaking site that does not say so.
    pub(crate) misses: Vec<String>,
    /// The letters of the first scans of each varying site.
    pub(crate) letters: BTreeMap<String, Vec<String>>,
}

impl FalseAlarms {
    /// The varying sites whose first scans did not all give the same letter.
    pub(crate) fn unsteady_sites(&self) -> Vec<&str> {
        let unsteady = self.letters.iter().filter(|(_, letters)| {
            letters.iter().take(SAME_LETTER).collect::<BTreeSet<_>>().len() > 1
        });
        unsteady.map(|(site, _)| site.as_str()).collect()
    }
}

impl fmt::Display for FalseAlarms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.accusations.iter().chain(&self.misses) {
            writeln!(f, "{line}")?;
        }
        for (site, letters) in &self.letters {
            let letters: Vec<&str> = letters.iter().take(SAME_LETTER).map(String::as_str).collect();
            writeln!(f, "{site:<22} {}", letters.join(" "))?;
        }
        writeln!(
            f,
            "varying sites:  {} scans, {} accusations",
            self.varying_scans,
            self.accusations.len()
        )?;
        writeln!(f, "cloaking sites: {} scans, {} misses", self.cloaking_scans, self.misses.len())?;
        write!(f, "sites with different letters: {}", self.unsteady_sites().join(", "))
    }
}

/// Makes so many scans of both kinds of sites, in turn.
pub(crate) fn measure(varying_scans: usize, cloaking_scans: usize) -> FalseAlarms {
    let server = LabServer::start(&[]);
    let mut found = FalseAlarms { varying_scans, cloaking_scans, ..FalseAlarms::default() };
    for (site, ids, letter) in scan_in_turn(&server, "varies", varying_scans) {
        if !ids.is_empty() {
            found.accusations.push(format!("accused: {site}: {}", ids.join(", ")));
        }
        found.letters.entry(site).or_default().push(letter);
    }
    for (site, ids, letter) in scan_in_turn(&server, "cloaks", cloaking_scans) {
        if ids.is_empty() {
            found.misses.push(format!("missed: {site}, grade {letter}"));
        }
    }
    found
}

/// Scans the sites of the catalogue whose name begins with `prefix`. Returns the site, the findings
/// that accuse it, and the letter of each scan.
fn scan_in_turn(
    server: &LabServer,
    prefix: &str,
    scans: usize,
) -> Vec<(String, Vec<&'static str>, String)> {
    let names: Vec<&str> = lab::catalogue()
        .iter()
        .map(|site| site.name)
        .filter(|name| name.starts_with(prefix))
        .cycle()
        .take(scans)
        .collect();
    run_all(&names, AT_ONCE, |name| {
        // Unlisted scans never reuse a stored report.
        let record =
            server.scan(name, "unlisted").unwrap_or_else(|error| panic!("{name}: {error}"));
        let judged = JudgedSite { record: &record, answer: &serde_json::Value::Null };
        let letter = record["grade"].as_str().unwrap_or("-").to_owned();
        ((*name).to_owned(), judged.cloaking_findings(), letter)
    })
}
