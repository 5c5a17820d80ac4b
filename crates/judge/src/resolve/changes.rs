//! What changed from one answer to the next, and who caused it.
//!
//! Only what both answers measured is compared. If only one of them measured a section, the site did not
//! change: the entry is a change of the section's state, caused by the observer.

use std::collections::BTreeMap;

use contract::limits::CHANGES_PER_ANSWER;
use contract::records::{
    Action, Actions, AnswerRef, Assurance, ChangeCause, ChangeDirection, ChangeEntry, Decision,
    FieldValue, ImpersonationVerdict, ResolveAnswer, RightsValue,
};
use contract::{Domain, Timestamp};
use serde_json::{Value, json};

use super::comparable_fields::{comparable_fields, to_field_value};
use super::compared_sections::ComparedSections;

/// What is needed for the change entries besides the two answers.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeContext {
    /// When the changes are recorded.
    pub at: Timestamp,
    /// The digest of the new answer, where it is already sealed but does not contain its digest.
    pub after_sha256: Option<String>,
    /// The address of the evidence. Default: the report of the new answer.
    pub evidence: Option<String>,
}

/// Lists the changes, at most [`CHANGES_PER_ANSWER`]: first assurance, rules, the owner's reports and
/// decisions, then section by section.
#[must_use]
pub fn detect_changes(
    before: &ResolveAnswer,
    after: &ResolveAnswer,
    seen: &ChangeContext,
) -> Vec<ChangeEntry> {
    // Mostly nothing changed but the age of the reading; then no field has to be written down.
    let fields_may_differ = ComparedSections::from(before) != ComparedSections::from(after);
    let old = ComparedAnswer::from_answer(before, fields_may_differ);
    let new = ComparedAnswer::from_answer(after, fields_may_differ);
    let made = AnswerComparison {
        context: seen,
        domain: &after.domain,
        upgraded: before.assurance == Assurance::Partial && after.assurance == Assurance::Full,
        rules_changed: before.code.decision_rules_sha256 != after.code.decision_rules_sha256,
        frame_changed: brand_frame(before) != brand_frame(after),
        changed_decisions: changed_decisions(&before.actions, &after.actions),
        old,
        new,
    };
    let mut entries = Vec::new();
    made.add_assurance(&mut entries);
    made.add_rules(&mut entries);
    made.add_owner_reports(&mut entries);
    let mut of_sections = Vec::new();
    made.add_states(&mut of_sections);
    made.add_fields(&mut of_sections);
    let by_site = of_sections.iter().any(|entry| entry.cause == ChangeCause::Site);
    made.add_decisions(by_site, &mut entries);
    entries.append(&mut of_sections);
    entries.truncate(CHANGES_PER_ANSWER);
    entries
}

/// One of the two answers, prepared for comparison.
struct ComparedAnswer<'a> {
    answer: &'a ResolveAnswer,
    /// Empty if those of both answers are the same.
    fields: BTreeMap<String, Value>,
    /// The state and time of each section.
    sections: BTreeMap<&'static str, (String, Option<Timestamp>)>,
}

impl<'a> ComparedAnswer<'a> {
    fn from_answer(answer: &'a ResolveAnswer, with_fields: bool) -> Self {
        macro_rules! states {
            ($($section:ident),+) => {
                BTreeMap::from([$((
                    stringify!($section),
                    (answer.$section.state().to_owned(), answer.$section.observed_at()),
                )),+])
            };
        }
        let sections = states!(
            crawl_policy,
            delivery,
            machine_files,
            capabilities,
            entity,
            impersonation,
            dns,
            tls
        );
        let fields = if with_fields { comparable_fields(answer) } else { BTreeMap::new() };
        Self { answer, fields, sections }
    }

    /// When the section was observed: its own time, or that of the reading.
    fn observed_at(&self, section: &str) -> Option<Timestamp> {
        let own = self.sections.get(section).and_then(|(_, at)| *at);
        own.or(self.answer.freshness.observed_at)
    }
}

struct AnswerComparison<'a> {
    context: &'a ChangeContext,
    domain: &'a Domain,
    upgraded: bool,
    rules_changed: bool,
    frame_changed: bool,
    changed_decisions: Vec<ChangedDecision<'a>>,
    old: ComparedAnswer<'a>,
    new: ComparedAnswer<'a>,
}

/// An action whose decision changed.
struct ChangedDecision<'a> {
    action: Action,
    from: &'a Decision,
    to: &'a Decision,
}

impl AnswerComparison<'_> {
    fn entry(
        &self,
        field: &str,
        from: Option<FieldValue>,
        to: Option<FieldValue>,
        cause: ChangeCause,
        direction: ChangeDirection,
    ) -> ChangeEntry {
        let section = field.split('.').next().unwrap_or_default();
        let times = [self.old.observed_at(section), self.new.observed_at(section)];
        let evidence = self.context.evidence.clone();
        ChangeEntry {
            seq: None,
            domain: self.domain.clone(),
            at: self.context.at,
            section: section.to_owned(),
            field: field.to_owned(),
            from,
            to,
            happened_between: times.into_iter().flatten().collect(),
            cause,
            direction,
            actions_affected: self.affected_by(section),
            before: AnswerRef { answer_sha256: self.old.answer.sha256.clone() },
            after: AnswerRef {
                answer_sha256: (self.new.answer.sha256.clone())
                    .or_else(|| self.context.after_sha256.clone()),
            },
            evidence: evidence.or_else(|| self.new.answer.evidence.report.clone()),
        }
    }

    /// Of the actions whose decision changed, those that the section can influence.
    fn affected_by(&self, section: &str) -> Vec<Action> {
        let bears_on: &[Action] = match section {
            "crawl_policy" | "delivery" | "rights" | "read_equivalence" => {
                &[Action::Read, Action::Cite, Action::Connect, Action::Transact]
            }
            "entity" => &[Action::Cite, Action::Transact],
            "capabilities" | "machine_files" => &[Action::Connect, Action::Transact],
            "assurance" => &[],
            _ => {
                &[Action::Read, Action::Cite, Action::Connect, Action::Transact, Action::Administer]
            }
        };
        let decided = self.changed_decisions.iter().map(|decided| decided.action.clone());
        decided.filter(|action| bears_on.contains(action)).collect()
    }

    fn add_assurance(&self, entries: &mut Vec<ChangeEntry>) {
        let (old, new) = (&self.old.answer.assurance, &self.new.answer.assurance);
        if old != new {
            // If less was read than before, this service caused it.
            let cause = if self.upgraded { ChangeCause::Upgrade } else { ChangeCause::Observer };
            let (from, to) = (text_value(old.as_str()), text_value(new.as_str()));
            entries.push(self.entry("assurance", from, to, cause, ChangeDirection::Neutral));
        }
    }

    fn add_rules(&self, entries: &mut Vec<ChangeEntry>) {
        if self.rules_changed {
            let digest =
                |side: &ComparedAnswer<'_>| text_value(&side.answer.code.decision_rules_sha256);
            let (from, to) = (digest(&self.old), digest(&self.new));
            let field = "code.decision_rules_sha256";
            let cause = ChangeCause::Rules;
            entries.push(self.entry(field, from, to, cause, ChangeDirection::Neutral));
        }
    }

    fn add_owner_reports(&self, entries: &mut Vec<ChangeEntry>) {
        let since = |side: &ComparedAnswer<'_>| {
            side.answer.incident.as_ref().map(|incident| incident.since)
        };
        let (old, new) = (since(&self.old), since(&self.new));
        if old != new {
            let direction = match (old, new) {
                (_, None) => ChangeDirection::Loosened,
                (None, Some(_)) => ChangeDirection::Tightened,
                _ => ChangeDirection::Neutral,
            };
            let time = |at: Option<Timestamp>| at.and_then(|at| text_value(&at.to_string()));
            let (from, to) = (time(old), time(new));
            entries.push(self.entry("incident.since", from, to, ChangeCause::Owner, direction));
        }
        let state = |side: &ComparedAnswer<'_>| side.answer.control.state.as_str().to_owned();
        let (old, new) = (state(&self.old), state(&self.new));
        if old != new {
            // Control changes no decision.
            let (from, to) = (text_value(&old), text_value(&new));
            let cause = ChangeCause::Owner;
            entries.push(self.entry("control.state", from, to, cause, ChangeDirection::Neutral));
        }
    }

    /// Sections that only one of the answers measured.
    fn add_states(&self, entries: &mut Vec<ChangeEntry>) {
        for (section, (old, _)) in &self.old.sections {
            let Some((new, _)) = self.new.sections.get(section) else { continue };
            if is_measured(old) != is_measured(new) {
                let cause = if self.upgraded && is_measured(new) {
                    ChangeCause::Upgrade
                } else {
                    ChangeCause::Observer
                };
                let field = format!("{section}.state");
                let (from, to) = (text_value(old), text_value(new));
                entries.push(self.entry(&field, from, to, cause, ChangeDirection::Neutral));
            }
        }
        for (section, old, new) in [
            (
                "read_equivalence",
                self.old.answer.read_equivalence.observed,
                self.new.answer.read_equivalence.observed,
            ),
            ("rights", self.old.answer.rights.observed, self.new.answer.rights.observed),
        ] {
            if old != new {
                let cause =
                    if self.upgraded && new { ChangeCause::Upgrade } else { ChangeCause::Observer };
                let truth = |observed| Some(FieldValue::Bool(observed));
                let field = format!("{section}.observed");
                let direction = ChangeDirection::Neutral;
                entries.push(self.entry(&field, truth(old), truth(new), cause, direction));
            }
        }
    }

    /// Fields that both answers measured.
    fn add_fields(&self, entries: &mut Vec<ChangeEntry>) {
        for (field, old) in &self.old.fields {
            let Some(new) = self.new.fields.get(field) else { continue };
            if old == new {
                continue;
            }
            // The ranking of names is ours. If it changed, we caused a new verdict.
            let ours = field.starts_with("impersonation.") && self.frame_changed;
            let cause = if ours { ChangeCause::Rules } else { ChangeCause::Site };
            let direction = direction(field, old, new);
            entries.push(self.entry(
                field,
                to_field_value(old),
                to_field_value(new),
                cause,
                direction,
            ));
        }
        let pending = |side: &ComparedAnswer<'_>| {
            let fields = side.answer.high_risk_fields.as_ref();
            let mut names: Vec<&str> = fields
                .into_iter()
                .flat_map(|fields| &fields.pending)
                .map(|pending| pending.field.as_str())
                .collect();
            names.sort_unstable();
            if names.is_empty() { Value::Null } else { json!(names.join(" ")) }
        };
        let (old, new) = (pending(&self.old), pending(&self.new));
        if old != new {
            let direction = match (&old, &new) {
                (Value::Null, _) => ChangeDirection::Tightened,
                (_, Value::Null) => ChangeDirection::Loosened,
                _ => ChangeDirection::Neutral,
            };
            let field = "high_risk_fields.pending";
            let cause = ChangeCause::Site;
            entries.push(self.entry(
                field,
                to_field_value(&old),
                to_field_value(&new),
                cause,
                direction,
            ));
        }
    }

    /// Decisions that changed, and what caused it.
    fn add_decisions(&self, by_site: bool, entries: &mut Vec<ChangeEntry>) {
        let by_owner = entries.iter().any(|entry| entry.section == "incident");
        for decided in &self.changed_decisions {
            // If our rules changed as well, the change may be ours: the site is not named as the cause.
            let cause = if by_owner {
                ChangeCause::Owner
            } else if self.rules_changed || self.frame_changed {
                ChangeCause::Rules
            } else if by_site {
                ChangeCause::Site
            } else if self.upgraded {
                ChangeCause::Upgrade
            } else {
                ChangeCause::Observer
            };
            let direction = match strictness(decided.to).cmp(&strictness(decided.from)) {
                std::cmp::Ordering::Greater => ChangeDirection::Tightened,
                std::cmp::Ordering::Less => ChangeDirection::Loosened,
                std::cmp::Ordering::Equal => ChangeDirection::Neutral,
            };
            let field = format!("actions.{}.decision", decided.action);
            let (from, to) = (text_value(decided.from.as_str()), text_value(decided.to.as_str()));
            let mut entry = self.entry(&field, from, to, cause, direction);
            entry.actions_affected = vec![decided.action.clone()];
            entries.push(entry);
        }
    }
}

fn text_value(word: &str) -> Option<FieldValue> {
    to_field_value(&json!(word))
}

fn is_measured(state: &str) -> bool {
    matches!(state, "declared" | "observed")
}

fn brand_frame(answer: &ResolveAnswer) -> Option<&str> {
    answer.impersonation.body().map(|body| body.brand_frame.as_str())
}

fn changed_decisions<'a>(before: &'a Actions, after: &'a Actions) -> Vec<ChangedDecision<'a>> {
    let pairs = [
        (Action::Read, &before.read.decision, &after.read.decision),
        (Action::Cite, &before.cite.decision, &after.cite.decision),
        (Action::Connect, &before.connect.decision, &after.connect.decision),
        (Action::Transact, &before.transact.decision, &after.transact.decision),
        (Action::Administer, &before.administer.decision, &after.administer.decision),
    ];
    let changed = pairs.into_iter().filter(|(_, from, to)| from != to);
    changed.map(|(action, from, to)| ChangedDecision { action, from, to }).collect()
}

/// A higher number is stricter. An unknown decision counts as `block`, as readers must treat it.
fn strictness(decision: &Decision) -> u8 {
    match decision {
        Decision::Allow => 0,
        Decision::Warn => 1,
        Decision::RequireConfirmation => 2,
        Decision::Unsupported => 3,
        Decision::Block | Decision::Unrecognised(_) => 4,
    }
}

/// Whether agents are allowed less (tightened) or more (loosened) than before.
fn direction(field: &str, old: &Value, new: &Value) -> ChangeDirection {
    let strict = |value: &Value| -> Option<u8> {
        if field.ends_with(".allowed_homepage") {
            return value.as_bool().map(|allowed| u8::from(!allowed));
        }
        if field.starts_with("delivery.identities.") && field.ends_with(".status") {
            return value.as_u64().map(|status| u8::from(!(200..300).contains(&status)));
        }
        let word = value.as_str()?;
        if field.starts_with("rights.") {
            return Some(match RightsValue::from_word(word)? {
                RightsValue::Allowed => 0,
                RightsValue::Unknown => 1,
                RightsValue::Conditional => 2,
                RightsValue::Disallowed | RightsValue::Unrecognised(_) => 3,
            });
        }
        if field == "impersonation.verdict" {
            return Some(match ImpersonationVerdict::from_word(word)? {
                ImpersonationVerdict::NoLookalike => 0,
                ImpersonationVerdict::Lookalike => 1,
                ImpersonationVerdict::Suspected | ImpersonationVerdict::Unrecognised(_) => 2,
            });
        }
        None
    };
    match (strict(old), strict(new)) {
        (Some(old), Some(new)) if new > old => ChangeDirection::Tightened,
        (Some(old), Some(new)) if new < old => ChangeDirection::Loosened,
        _ => ChangeDirection::Neutral,
    }
}

#[cfg(test)]
mod tests;
