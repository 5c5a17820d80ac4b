//! What the rules of all sections come to: rulings, caps and findings, gathered.

use contract::records::{Finding, Severity};

use crate::rulepack::Rulepack;

/// What a rule came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// So many of so many: all, some or none of the points.
    Share {
        got: u32,
        of: u32,
    },
    NotApplicable,
    NotAssessed,
}

#[derive(Debug, Clone)]
pub(super) struct Ruling {
    pub(super) rule: &'static str,
    pub(super) outcome: Outcome,
    pub(super) why: String,
    /// Ids of readings.
    pub(super) evidence: Vec<String>,
}

/// A cap that holds, and what it rests on.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub(super) cap: &'static str,
    pub(super) because: String,
}

#[derive(Debug, Default)]
pub(super) struct Verdicts {
    pub(super) rulings: Vec<Ruling>,
    pub(super) caps: Vec<Held>,
    pub(super) findings: Vec<Finding>,
}

impl Verdicts {
    pub(super) fn rule(
        &mut self,
        rule: &'static str,
        outcome: Outcome,
        why: impl Into<String>,
        evidence: Vec<String>,
    ) {
        self.rulings.push(Ruling { rule, outcome, why: why.into(), evidence });
    }

    pub(super) fn passed(
        &mut self,
        rule: &'static str,
        why: impl Into<String>,
        evidence: Vec<String>,
    ) {
        self.rule(rule, Outcome::Share { got: 1, of: 1 }, why, evidence);
    }

    pub(super) fn failed(
        &mut self,
        rule: &'static str,
        why: impl Into<String>,
        evidence: Vec<String>,
    ) {
        self.rule(rule, Outcome::Share { got: 0, of: 1 }, why, evidence);
    }

    pub(super) fn not_applicable(&mut self, rule: &'static str, why: impl Into<String>) {
        self.rule(rule, Outcome::NotApplicable, why, Vec::new());
    }

    pub(super) fn not_assessed(&mut self, rule: &'static str, why: impl Into<String>) {
        self.rule(rule, Outcome::NotAssessed, why, Vec::new());
    }

    pub(super) fn cap(&mut self, cap: &'static str, because: impl Into<String>) {
        self.caps.push(Held { cap, because: because.into() });
    }

    pub(super) fn find(&mut self, finding: Finding) {
        self.findings.push(finding);
    }
}

/// A finding that explains a rule: title, reason and standard are the rule's until said otherwise.
pub(super) fn about(rules: &Rulepack, rule: &'static str, id: &str, severity: Severity) -> Finding {
    let known = rules.rule(rule);
    Finding {
        id: id.to_owned(),
        severity,
        section: known.map(|rule| rule.section).unwrap_or_default().to_owned(),
        title: known.map(|rule| rule.title).unwrap_or_default().to_owned(),
        seen: String::new(),
        why: known.map(|rule| rule.why).unwrap_or_default().to_owned(),
        matters_to: vec!["agents".to_owned(), "site_owner".to_owned()],
        fix: None,
        paste: None,
        rule: Some(rule.to_owned()),
        standard: known.and_then(|rule| rule.standard).map(str::to_owned),
        evidence: Vec::new(),
    }
}

/// A finding that costs no points.
pub(super) fn aside(section: &str, id: &str, severity: Severity) -> Finding {
    Finding {
        id: id.to_owned(),
        severity,
        section: section.to_owned(),
        title: String::new(),
        seen: String::new(),
        why: String::new(),
        matters_to: vec!["agents".to_owned(), "site_owner".to_owned()],
        fix: None,
        paste: None,
        rule: None,
        standard: None,
        evidence: Vec::new(),
    }
}
