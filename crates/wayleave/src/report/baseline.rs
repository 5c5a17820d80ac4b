//! Compares a scan with an earlier one, so that CI fails for new findings only.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use contract::records::{Finding, ScanRecord, Severity};
use serde_json::Value;

use super::findings::severity_rank;

/// Name of the SARIF fingerprint that identifies a finding across runs.
pub(crate) const FINGERPRINT: &str = "wayleaveFinding/v1";

/// The findings of an earlier scan: titles by fingerprint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Baseline(BTreeMap<String, String>);

/// What changed since the baseline.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BaselineComparison<'a> {
    pub(crate) new: Vec<&'a Finding>,
    /// Titles of findings that are no longer reported.
    pub(crate) gone: Vec<String>,
    /// Fingerprints of the baseline's findings.
    pub(crate) known: BTreeSet<String>,
}

/// One fingerprint per finding, in order; the same in every scan that reports the same finding.
///
/// It is computed from domain, finding id and the count of that id so far. Titles and figures are not
/// part of it, because they change from scan to scan.
pub(crate) fn fingerprints<'a>(
    domain: &str,
    ids: impl IntoIterator<Item = &'a str>,
) -> Vec<String> {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let print = |id| {
        let number = seen.entry(id).or_default();
        *number += 1;
        proof::sha256(format!("{domain}\n{id}\n{number}").as_bytes()).to_string()
    };
    ids.into_iter().map(print).collect()
}

pub(crate) fn fingerprints_of(record: &ScanRecord) -> Vec<String> {
    fingerprints(record.domain.as_str(), record.findings.iter().map(|f| f.id.as_str()))
}

/// Those of the given findings that have this severity or a higher one.
pub(crate) fn at_or_above<'a>(
    findings: impl IntoIterator<Item = &'a Finding>,
    least: &Severity,
) -> Vec<&'a Finding> {
    findings
        .into_iter()
        .filter(|finding| severity_rank(&finding.severity) >= severity_rank(least))
        .collect()
}

impl Baseline {
    /// Parses the output of an earlier scan of this domain, `--json` or SARIF.
    pub(crate) fn parse(bytes: &[u8], domain: &str) -> Result<Self> {
        let document: Value = serde_json::from_slice(bytes).context("the file is not JSON")?;
        if let Some(runs) = document.get("runs").and_then(Value::as_array) {
            return Self::parse_sarif(runs, domain);
        }
        let (Some(findings), Some(of)) = (
            document.get("findings").and_then(Value::as_array),
            document.get("domain").and_then(Value::as_str),
        ) else {
            bail!("the file is neither a scan record nor SARIF");
        };
        ensure_same_domain(of, domain)?;
        let text = |finding: &Value, name: &str| {
            finding.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let ids: Vec<String> = findings.iter().map(|finding| text(finding, "id")).collect();
        let prints = fingerprints(domain, ids.iter().map(String::as_str));
        let titles = findings.iter().map(|finding| text(finding, "title"));
        Ok(Self(prints.into_iter().zip(titles).collect()))
    }

    fn parse_sarif(runs: &[Value], domain: &str) -> Result<Self> {
        let mut found = BTreeMap::new();
        for run in runs {
            let Some(of) = run.pointer("/properties/domain").and_then(Value::as_str) else {
                bail!("the file is SARIF of another tool");
            };
            ensure_same_domain(of, domain)?;
            for result in run.get("results").and_then(Value::as_array).into_iter().flatten() {
                let print = result.get("partialFingerprints").and_then(|all| all.get(FINGERPRINT));
                let title = result.pointer("/properties/title").and_then(Value::as_str);
                if let Some(print) = print.and_then(Value::as_str) {
                    found.insert(print.to_owned(), title.unwrap_or_default().to_owned());
                }
            }
        }
        Ok(Self(found))
    }

    pub(crate) fn compare<'a>(&self, record: &'a ScanRecord) -> BaselineComparison<'a> {
        let now = fingerprints_of(record);
        let is_new = |print: &String| !self.0.contains_key(print);
        let new = record.findings.iter().zip(&now).filter(|(_, print)| is_new(print));
        let gone = self.0.iter().filter(|(print, _)| !now.contains(print));
        BaselineComparison {
            new: new.map(|(finding, _)| finding).collect(),
            gone: gone.map(|(_, title)| title.clone()).collect(),
            known: self.0.keys().cloned().collect(),
        }
    }
}

fn ensure_same_domain(of: &str, domain: &str) -> Result<()> {
    if of != domain {
        bail!(
            "the file is a scan of {}, not of {domain}",
            crate::output::sanitize_for_terminal(of)
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_finding_is_recognised_by_its_id() {
        let of = |ids: &[&'static str]| fingerprints("a.example", ids.to_vec());
        assert_eq!(of(&["x"]), of(&["x"]));
        assert_ne!(of(&["x"]), of(&["y"]));
        assert_ne!(of(&["x"]), fingerprints("b.example", ["x"]));
        let twice = of(&["x", "y", "x"]);
        assert_ne!(twice[0], twice[2], "a second finding of the same id has its own fingerprint");
        assert_eq!(twice[..2], of(&["x", "y"])[..]);
    }

    #[test]
    fn files_that_are_not_an_earlier_scan_of_the_domain_are_refused() {
        let read = |value: Value| Baseline::parse(value.to_string().as_bytes(), "a.example");
        for (bad, why) in [
            (json!([]), "neither a scan record nor SARIF"),
            (json!({ "domain": "a.example" }), "neither a scan record nor SARIF"),
            (json!({ "domain": "b.example", "findings": [] }), "of b.example"),
            (json!({ "runs": [{ "results": [] }] }), "another tool"),
        ] {
            let error = read(bad.clone()).unwrap_err().to_string();
            assert!(error.contains(why), "{bad}: {error}");
        }
        assert!(Baseline::parse(b"{", "a.example").is_err());
        let record = json!({ "domain": "a.example", "findings": [{ "id": "x", "title": "T" }] });
        let sarif = json!({ "runs": [{
            "properties": { "domain": "a.example" },
            "results": [{
                "partialFingerprints": { FINGERPRINT: fingerprints("a.example", ["x"])[0] },
                "properties": { "title": "T" },
            }],
        }] });
        assert_eq!(read(record).unwrap(), read(sarif).unwrap());
    }
}
