//! Recognises a finding in a later run.

use std::collections::BTreeMap;

use contract::records::ScanRecord;

/// Name of the SARIF fingerprint that identifies a finding across runs.
pub const FINGERPRINT: &str = "wayleaveFinding/v1";
/// The only fingerprint that GitHub's code scanning uses.
const GITHUB_FINGERPRINT: &str = "primaryLocationLineHash";

/// One fingerprint per finding, in order; the same in every scan that reports the same finding.
///
/// It is computed from domain, finding id and the count of that id so far. Titles and figures are not
/// part of it, because they change from scan to scan.
pub fn fingerprints<'a>(domain: &str, ids: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let print = |id| {
        let number = seen.entry(id).or_default();
        *number += 1;
        proof::sha256(format!("{domain}\n{id}\n{number}").as_bytes()).to_string()
    };
    ids.into_iter().map(print).collect()
}

#[must_use]
pub fn fingerprints_of(record: &ScanRecord) -> Vec<String> {
    fingerprints(record.domain.as_str(), record.findings.iter().map(|f| f.id.as_str()))
}

/// The fingerprint under our name and under the one by which GitHub recognises an alert. GitHub computes
/// its own from the line if there is none, and all results are at the same line.
pub(crate) fn fingerprint_members(print: String) -> BTreeMap<&'static str, String> {
    BTreeMap::from([(GITHUB_FINGERPRINT, print.clone()), (FINGERPRINT, print)])
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
    fn a_finding_has_one_fingerprint_under_both_names() {
        let members = serde_json::to_value(fingerprint_members("ab".to_owned())).unwrap();
        let expected = json!({ "wayleaveFinding/v1": "ab", "primaryLocationLineHash": "ab" });
        assert_eq!(members, expected);
    }
}
