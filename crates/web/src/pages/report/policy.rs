//! What the site says and what it does: one row per purpose while robots.txt treats its agents alike.

use contract::records::{AccessRule, Role, ScanRecord};
use contract::text::display_safe;

use crate::pages::{
    board::{self, short_name},
    status::Status,
};

pub(super) struct PolicyRow {
    pub(super) agents: &'static str,
    /// The names, if the row is not about all agents of the purpose.
    pub(super) names: String,
    pub(super) declared: &'static str,
    pub(super) rule: String,
    pub(super) served: String,
    pub(super) result: Status,
}

const PURPOSES: [(Option<&str>, &str, &[Role]); 4] = [
    (None, "Everyone else", &[Role::Browser, Role::Control]),
    (Some("training"), "Training", &[Role::Train]),
    (Some("search"), "AI search", &[Role::Search]),
    (Some("user"), "For a person", &[Role::User]),
];

pub(super) fn rows(record: &ScanRecord) -> Vec<PolicyRow> {
    let mut rows = Vec::new();
    for (purpose, agents, roles) in PURPOSES {
        let rules: Vec<&AccessRule> = record
            .policy
            .access
            .iter()
            .filter(|rule| rule.path == record.path)
            .filter(|rule| is_purpose(rule.purpose.as_deref(), purpose))
            .collect();
        let is_split =
            rules.iter().any(|rule| rule.allowed) && rules.iter().any(|rule| !rule.allowed);
        for allowed in [false, true] {
            let group: Vec<&&AccessRule> =
                rules.iter().filter(|rule| rule.allowed == allowed).collect();
            let Some(first) = group.first() else { continue };
            let (served, of) = count_served(record, roles, &group);
            rows.push(PolicyRow {
                agents,
                names: if is_split { names(&group) } else { String::new() },
                declared: if allowed { "Allowed" } else { "Disallowed" },
                rule: describe_rule(first),
                served: if of == 0 {
                    "Not measured".to_owned()
                } else {
                    format!("{served} of {of} served")
                },
                result: compare(allowed, served, of),
            });
        }
    }
    rows
}

fn is_purpose(stated: Option<&str>, purpose: Option<&str>) -> bool {
    match (stated, purpose) {
        (None, None) => true,
        (Some(stated), Some(purpose)) => stated.starts_with(purpose),
        _ => false,
    }
}

fn names(group: &[&&AccessRule]) -> String {
    group.iter().map(|rule| rule.agent.as_str()).collect::<Vec<_>>().join(", ")
}

fn describe_rule(rule: &AccessRule) -> String {
    match (&rule.rule, rule.line) {
        (Some(text), Some(line)) => format!("line {line}, {}", display_safe(text, 80)),
        (Some(text), None) => display_safe(text, 80),
        (None, _) => "no rule applies".to_owned(),
    }
}

/// How many measured clients of the roles got the page, and how many there are. Of AI agents only those that
/// the rules name.
fn count_served(record: &ScanRecord, roles: &[Role], group: &[&&AccessRule]) -> (usize, usize) {
    let is_ai = !roles.contains(&Role::Browser);
    let named =
        |label: &str| group.iter().any(|rule| rule.agent.eq_ignore_ascii_case(short_name(label)));
    let rows = record.agentview.rows.iter();
    let rows = rows.filter(|row| roles.contains(&row.role) && (!is_ai || named(&row.label)));
    board::count_served(rows.map(|row| &row.cause))
}

fn compare(allowed: bool, served: usize, of: usize) -> Status {
    match (allowed, served, of) {
        (_, _, 0) => Status::off("Not measured"),
        (true, served, of) if served == of => Status::ok("Agree"),
        (false, 0, _) => Status::ok("Agree"),
        (true, 0, _) => Status::bad("Contradict"),
        (true, ..) => Status::warn("Agree in part"),
        (false, ..) => Status::new("off", "info", "Disallowed, but served"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_and_served_are_compared() {
        for (allowed, served, of, words) in [
            (true, 4, 4, "Agree"),
            (true, 0, 4, "Contradict"),
            (true, 1, 4, "Agree in part"),
            (false, 0, 3, "Agree"),
            (false, 3, 3, "Disallowed, but served"),
            (true, 0, 0, "Not measured"),
        ] {
            assert_eq!(compare(allowed, served, of).words, words, "{allowed} {served} {of}");
        }
        assert!(
            is_purpose(Some("user_fetch"), Some("user")) && !is_purpose(Some("training"), None)
        );
    }
}
