//! What each word of an expectation means in a scan record and an answer. One function per word; all
//! read JSON, so that a member that does not exist means "not so".

use std::collections::BTreeMap;

use lab::{Comparison, Expectation};
use serde_json::Value;

/// A site as it was judged.
pub(crate) struct JudgedSite<'a> {
    pub(crate) record: &'a Value,
    pub(crate) answer: &'a Value,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Right,
    /// `alarm`: something was said that is not so; otherwise something was missed.
    Wrong {
        alarm: bool,
        found: String,
    },
}

impl JudgedSite<'_> {
    pub(crate) fn compare(&self, expected: &Expectation) -> Verdict {
        let value = expected.value.as_str();
        match expected.word {
            "gate" => self.compare_gate(value),
            "words" => self.compare_words(expected),
            "owner" => self.compare_owner(value),
            "file" => self.compare_file(&expected.path, value),
            "read" | "cite" => self.compare_decision(expected),
            "grade" => self.compare_grade(expected),
            word => self.compare_fact(word, value),
        }
    }

    /// The words that are so or not so.
    fn compare_fact(&self, word: &str, value: &str) -> Verdict {
        let found = match word {
            "cloaking" => self.cloaking(),
            "varies" => self.varies(),
            "hidden_instructions" => self.has_finding("hidden_instructions"),
            "visible_instructions" => self.has_finding("visible_instructions"),
            "empty_page" => self.empty_page(),
            "contradiction" => self.contradiction(),
            "paywall" => self.has_finding("paywall"),
            "tarpit" => self.has_finding("ai_stalled"),
            "not_a_page" => self.has_finding("not_a_page"),
            "cut" => self.has_finding("page_cut"),
            "refresh" => self.has_finding("meta_refresh"),
            "conflict" => self.conflict(),
            _ => panic!("{word} has no meaning here"),
        };
        match (found, value == "yes") {
            (true, false) => wrong(true, self.finding_ids()),
            (false, true) => wrong(false, self.finding_ids()),
            _ => Verdict::Right,
        }
    }

    pub(crate) fn cloaking(&self) -> bool {
        !self.cloaking_findings().is_empty()
    }

    /// The findings that accuse the site of serving AI identities something else.
    pub(crate) fn cloaking_findings(&self) -> Vec<&'static str> {
        let mut ids = vec!["other_text", "other_prices", "other_contacts"];
        ids.retain(|id| self.has_finding(id));
        ids
    }

    pub(crate) fn varies(&self) -> bool {
        self.record["agentview"]["variation"] == "varies"
    }

    fn empty_page(&self) -> bool {
        let high = |finding: &&Value| finding["severity"] == "high";
        self.has_finding("script_shell")
            || self.has_finding("no_text")
            || self.has_finding("gate:empty")
            || self.findings("few_words").iter().any(high)
    }

    fn contradiction(&self) -> bool {
        items(&self.record["findings"]).any(|finding| finding["rule"] == "identity.agrees")
    }

    fn conflict(&self) -> bool {
        items(&self.record["agentview"]["conflicts"]).next().is_some()
    }

    /// What most AI identities got instead of the page; `none` if no AI identity got anything else,
    /// `some …` if a minority did.
    pub(crate) fn gate(&self) -> String {
        let rows: Vec<&Value> = items(&self.record["agentview"]["rows"])
            .filter(|row| ["train", "search", "user"].iter().any(|role| row["role"] == *role))
            .collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &rows {
            let word = match row["blocker"].as_str() {
                Some("captcha") => "challenge",
                None if row["cause"] == "empty" => "empty",
                None => continue,
                Some(word) => word,
            };
            *counts.entry(word).or_default() += 1;
        }
        match counts.into_iter().max_by_key(|(_, count)| *count) {
            None => "none".to_owned(),
            Some((word, count)) if 2 * count > rows.len() => word.to_owned(),
            Some((word, count)) => format!("some {word} ({count} of {})", rows.len()),
        }
    }

    fn compare_gate(&self, value: &str) -> Verdict {
        let gate = self.gate();
        if gate == value { Verdict::Right } else { wrong(value == "none", format!("gate={gate}")) }
    }

    fn compare_words(&self, expected: &Expectation) -> Verdict {
        let words = self.record["content"]["words"].as_u64().unwrap_or_default();
        let bound: u64 = expected.value.parse().unwrap();
        let holds = match expected.comparison {
            Comparison::AtLeast => words >= bound,
            _ => words <= bound,
        };
        if holds { Verdict::Right } else { wrong(false, format!("{words} words")) }
    }

    fn compare_owner(&self, value: &str) -> Verdict {
        let name = &self.record["fact_lineage"]["subject"]["untrusted_name"];
        if name == value { Verdict::Right } else { wrong(false, format!("owner={name}")) }
    }

    /// `absent`, `ok`, `faulty`, or the record's own word if it is none of these.
    pub(crate) fn file_state(&self, path: &str) -> String {
        // robots.txt is read as several identities; the last entry is the site's own statement.
        let Some(check) =
            items(&self.record["checks"]).filter(|check| check["path"] == path).last()
        else {
            return "absent".to_owned();
        };
        let has_error = items(&check["faults"]).any(|fault| fault["weight"] == "error");
        match check["verdict"].as_str().unwrap_or_default() {
            "absent" | "soft_404" => "absent".to_owned(),
            "invalid" => "faulty".to_owned(),
            "ok" if has_error => "faulty".to_owned(),
            word => word.to_owned(),
        }
    }

    fn compare_file(&self, path: &str, value: &str) -> Verdict {
        let state = self.file_state(path);
        if state == value {
            return Verdict::Right;
        }
        let alarm = value == "absent" || (value == "ok" && state == "faulty");
        wrong(alarm, format!("{path} {state}"))
    }

    pub(crate) fn decision(&self, action: &str) -> String {
        let decision = self.answer["actions"][action]["decision"].as_str();
        decision.unwrap_or("nothing").to_owned()
    }

    fn compare_decision(&self, expected: &Expectation) -> Verdict {
        let decision = self.decision(expected.word);
        let holds = match expected.comparison {
            Comparison::IsNot => decision != expected.value,
            _ => decision == expected.value,
        };
        if holds {
            return Verdict::Right;
        }
        let rank = |word: &str| {
            let from_loose = ["allow", "warn", "require_confirmation", "block"];
            from_loose.iter().position(|known| *known == word)
        };
        // Too strict is a false alarm, too loose is a miss.
        let alarm = match expected.comparison {
            Comparison::IsNot => rank(&decision) >= rank("require_confirmation"),
            _ => rank(&decision) > rank(&expected.value),
        };
        wrong(alarm, format!("{}={decision}", expected.word))
    }

    /// No grade is not a good grade: it holds for every "at most".
    fn compare_grade(&self, expected: &Expectation) -> Verdict {
        let grade = self.record["grade"].as_str().unwrap_or("none");
        let rank = |word: &str| ["none", "F", "D", "C", "B", "A"].iter().position(|g| *g == word);
        let (found, wanted) = (rank(grade), rank(&expected.value));
        let holds = match expected.comparison {
            Comparison::AtLeast => found >= wanted,
            Comparison::AtMost => found <= wanted,
            Comparison::Is => found == wanted,
            Comparison::IsNot => found != wanted,
        };
        let score = &self.record["overall"];
        if holds { Verdict::Right } else { wrong(found < wanted, format!("grade {grade} {score}")) }
    }

    /// Ids have a detail after a colon, such as `facts_disagree:telephone`.
    fn findings(&self, id: &str) -> Vec<&Value> {
        items(&self.record["findings"])
            .filter(|finding| {
                let known = finding["id"].as_str().unwrap_or_default();
                known.split([':', '.', '/']).any(|part| part == id)
            })
            .collect()
    }

    pub(crate) fn has_finding(&self, id: &str) -> bool {
        !self.findings(id).is_empty()
    }

    pub(crate) fn finding_ids(&self) -> String {
        let ids: Vec<&str> = items(&self.record["findings"])
            .map(|finding| finding["id"].as_str().unwrap_or_default())
            .collect();
        format!("findings {}", ids.join(", "))
    }
}

fn wrong(alarm: bool, found: String) -> Verdict {
    Verdict::Wrong { alarm, found }
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn verdict(word: &'static str, comparison: Comparison, value: &str) -> Verdict {
        let row = |blocker: Value| json!({ "role": "train", "blocker": blocker });
        let record = json!({
            "grade": "B",
            "overall": 88,
            "findings": [{ "id": "facts_disagree:name", "rule": "identity.agrees" }],
            "agentview": {
                "rows": [row(json!("captcha")), row(json!("challenge")), row(Value::Null)],
            },
            "content": { "words": 120 },
            "checks": [{ "path": "/a", "verdict": "ok", "faults": [{ "weight": "error" }] }],
        });
        let answer = json!({ "actions": { "read": { "decision": "warn" }, "cite": { "decision": "block" } } });
        let judged = JudgedSite { record: &record, answer: &answer };
        let path = if word == "file" { "/a".to_owned() } else { String::new() };
        judged.compare(&Expectation { line: 1, word, path, comparison, value: value.to_owned() })
    }

    fn alarm(verdict: &Verdict) -> Option<bool> {
        match verdict {
            Verdict::Right => None,
            Verdict::Wrong { alarm, .. } => Some(*alarm),
        }
    }

    #[test]
    fn results_are_right_false_alarms_or_missed() {
        use Comparison::{AtLeast, AtMost, Is, IsNot};
        for (word, comparison, value, expected) in [
            ("contradiction", Is, "yes", None),
            ("contradiction", Is, "no", Some(true)),
            ("cloaking", Is, "yes", Some(false)),
            ("paywall", Is, "no", None),
            ("gate", Is, "challenge", None),
            ("gate", Is, "none", Some(true)),
            ("gate", Is, "login", Some(false)),
            ("words", AtLeast, "100", None),
            ("words", AtMost, "100", Some(false)),
            ("file", Is, "faulty", None),
            ("file", Is, "ok", Some(true)),
            ("read", Is, "allow", Some(true)),
            ("read", Is, "block", Some(false)),
            ("read", IsNot, "allow", None),
            ("read", IsNot, "warn", Some(false)),
            ("cite", IsNot, "block", Some(true)),
            ("grade", AtMost, "C", Some(false)),
            ("grade", AtLeast, "A", Some(true)),
            ("grade", AtLeast, "B", None),
            ("grade", Is, "none", Some(false)),
        ] {
            let found = verdict(word, comparison, value);
            assert_eq!(alarm(&found), expected, "{word}{}{value}", comparison.as_str());
        }
    }
}
