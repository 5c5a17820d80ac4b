//! Compares a scan with an earlier one, so that CI fails for new findings only.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use contract::records::{Finding, ScanRecord, Severity};
use sarif::{FINGERPRINT, fingerprints, fingerprints_of};
use serde_json::Value;

use super::findings::severity_rank;

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
