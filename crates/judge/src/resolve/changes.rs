//! What became another from one answer to the next, and whose doing that is.
//!
//! Only what both answers measured is compared. Where one of them did not measure a section, the site
//! did nothing: that is told as a change of the section's state, caused by our looking.

use std::collections::BTreeMap;

use contract::limits::CHANGES_PER_ANSWER;
use contract::records::{
    Action, Actions, AnswerNamed, Assurance, ChangeCause, ChangeDirection, ChangeEntry, Decision,
    FieldValue, ImpersonationVerdict, ResolveAnswer, RightsValue,
};
use contract::{Domain, Timestamp};
use serde_json::{Value, json};

use super::Sections;
use super::fields::{fields, shown};

/// What is known of the change besides the two answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// When it is recorded.
    pub at: Timestamp,
    /// The digest of the new answer, where it is sealed already and does not say so itself.
    pub after_sha256: Option<String>,
    /// The address of what was read; the new answer's report when nothing is given.
    pub evidence: Option<String>,
}

/// Every difference that means something, at most [`CHANGES_PER_ANSWER`]: first what was decided and
/// how much was read, then section by section.
#[must_use]
pub fn changes(before: &ResolveAnswer, after: &ResolveAnswer, seen: &Seen) -> Vec<ChangeEntry> {
    let old = Side::of(before);
    let new = Side::of(after);
    let made = Made {
        seen,
        domain: &after.domain,
        upgraded: before.assurance == Assurance::Partial && after.assurance == Assurance::Full,
        rules_changed: before.code.decision_rules_sha256 != after.code.decision_rules_sha256,
        frame_changed: frame(before) != frame(after),
        decided: decided_otherwise(&before.actions, &after.actions),
        old,
        new,
    };
    let mut entries = Vec::new();
    made.assurance(&mut entries);
    made.rules(&mut entries);
    made.told_by_owner(&mut entries);
    let mut of_sections = Vec::new();
    made.states(&mut of_sections);
    made.fields(&mut of_sections);
    let by_site = of_sections.iter().any(|entry| entry.cause == ChangeCause::Site);
    made.decisions(by_site, &mut entries);
    entries.append(&mut of_sections);
    entries.truncate(CHANGES_PER_ANSWER);
    entries
}

/// One of the two answers.
struct Side<'a> {
    answer: &'a ResolveAnswer,
    fields: BTreeMap<String, Value>,
    /// Section to its state and time.
    sections: BTreeMap<&'static str, (String, Option<Timestamp>)>,
}

impl<'a> Side<'a> {
    fn of(answer: &'a ResolveAnswer) -> Self {
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
        Self { answer, fields: fields(&Sections::of(answer.clone())), sections }
    }

    /// When the section was looked at: its own time, or the reading's.
    fn looked_at(&self, section: &str) -> Option<Timestamp> {
        let own = self.sections.get(section).and_then(|(_, at)| *at);
        own.or(self.answer.freshness.observed_at)
    }
}

struct Made<'a> {
    seen: &'a Seen,
    domain: &'a Domain,
    upgraded: bool,
    rules_changed: bool,
    frame_changed: bool,
    decided: Vec<Decided<'a>>,
    old: Side<'a>,
    new: Side<'a>,
}

/// An action that is decided otherwise than before.
struct Decided<'a> {
    action: Action,
    from: &'a Decision,
    to: &'a Decision,
}

impl Made<'_> {
    fn entry(
        &self,
        field: &str,
        from: Option<FieldValue>,
        to: Option<FieldValue>,
        cause: ChangeCause,
        direction: ChangeDirection,
    ) -> ChangeEntry {
        let section = field.split('.').next().unwrap_or_default();
        let times = [self.old.looked_at(section), self.new.looked_at(section)];
        let evidence = self.seen.evidence.clone();
        ChangeEntry {
            seq: None,
            domain: self.domain.clone(),
            at: self.seen.at,
            section: section.to_owned(),
            field: field.to_owned(),
            from,
            to,
            happened_between: times.into_iter().flatten().collect(),
            cause,
            direction,
            actions_affected: self.affected_by(section),
            before: AnswerNamed { answer_sha256: self.old.answer.sha256.clone() },
            after: AnswerNamed {
                answer_sha256: (self.new.answer.sha256.clone())
                    .or_else(|| self.seen.after_sha256.clone()),
            },
            evidence: evidence.or_else(|| self.new.answer.evidence.report.clone()),
        }
    }

    /// Of the actions that are decided otherwise, those the section bears on.
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
        let decided = self.decided.iter().map(|decided| decided.action.clone());
        decided.filter(|action| bears_on.contains(action)).collect()
    }

    fn assurance(&self, entries: &mut Vec<ChangeEntry>) {
        let (old, new) = (&self.old.answer.assurance, &self.new.answer.assurance);
        if old != new {
            // Less was read than before: that is our doing as well.
            let cause = if self.upgraded { ChangeCause::Upgrade } else { ChangeCause::Observer };
            let (from, to) = (text(old.as_str()), text(new.as_str()));
            entries.push(self.entry("assurance", from, to, cause, ChangeDirection::Neutral));
        }
    }

    fn rules(&self, entries: &mut Vec<ChangeEntry>) {
        if self.rules_changed {
            let digest = |side: &Side<'_>| text(&side.answer.code.decision_rules_sha256);
            let (from, to) = (digest(&self.old), digest(&self.new));
            let field = "code.decision_rules_sha256";
            let cause = ChangeCause::Rules;
            entries.push(self.entry(field, from, to, cause, ChangeDirection::Neutral));
        }
    }

    fn told_by_owner(&self, entries: &mut Vec<ChangeEntry>) {
        let since = |side: &Side<'_>| side.answer.incident.as_ref().map(|incident| incident.since);
        let (old, new) = (since(&self.old), since(&self.new));
        if old != new {
            let direction = match (old, new) {
                (_, None) => ChangeDirection::Loosened,
                (None, Some(_)) => ChangeDirection::Tightened,
                _ => ChangeDirection::Neutral,
            };
            let said = |at: Option<Timestamp>| at.and_then(|at| text(&at.to_string()));
            let (from, to) = (said(old), said(new));
            entries.push(self.entry("incident.since", from, to, ChangeCause::Owner, direction));
        }
        let state = |side: &Side<'_>| side.answer.control.state.as_str().to_owned();
        let (old, new) = (state(&self.old), state(&self.new));
        if old != new {
            // Control changes no decision.
            let (from, to) = (text(&old), text(&new));
            let cause = ChangeCause::Owner;
            entries.push(self.entry("control.state", from, to, cause, ChangeDirection::Neutral));
        }
    }

    /// Sections that were measured by one answer alone.
    fn states(&self, entries: &mut Vec<ChangeEntry>) {
        for (section, (old, _)) in &self.old.sections {
            let Some((new, _)) = self.new.sections.get(section) else { continue };
            if is_measured(old) != is_measured(new) {
                let cause = if self.upgraded && is_measured(new) {
                    ChangeCause::Upgrade
                } else {
                    ChangeCause::Observer
                };
                let field = format!("{section}.state");
                let (from, to) = (text(old), text(new));
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
                let truth = |observed| Some(FieldValue::Truth(observed));
                let field = format!("{section}.observed");
                let direction = ChangeDirection::Neutral;
                entries.push(self.entry(&field, truth(old), truth(new), cause, direction));
            }
        }
    }

    /// Fields that both answers measured.
    fn fields(&self, entries: &mut Vec<ChangeEntry>) {
        for (field, old) in &self.old.fields {
            let Some(new) = self.new.fields.get(field) else { continue };
            if old == new {
                continue;
            }
            // The ranking is ours, and so is a change of what it is.
            let ours = field.starts_with("impersonation.") && self.frame_changed;
            let cause = if ours { ChangeCause::Rules } else { ChangeCause::Site };
            let direction = direction(field, old, new);
            entries.push(self.entry(field, shown(old), shown(new), cause, direction));
        }
        let pending = |side: &Side<'_>| {
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
            entries.push(self.entry(field, shown(&old), shown(&new), cause, direction));
        }
    }

    /// What agents may do, and why that is another.
    fn decisions(&self, by_site: bool, entries: &mut Vec<ChangeEntry>) {
        let told = entries.iter().any(|entry| entry.section == "incident");
        for decided in &self.decided {
            // Where our rules are others as well, the site is not blamed for what may be our doing.
            let cause = if told {
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
            let (from, to) = (text(decided.from.as_str()), text(decided.to.as_str()));
            let mut entry = self.entry(&field, from, to, cause, direction);
            entry.actions_affected = vec![decided.action.clone()];
            entries.push(entry);
        }
    }
}

fn text(word: &str) -> Option<FieldValue> {
    shown(&json!(word))
}

fn is_measured(state: &str) -> bool {
    matches!(state, "declared" | "observed")
}

fn frame(answer: &ResolveAnswer) -> Option<&str> {
    answer.impersonation.body().map(|body| body.brand_frame.as_str())
}

fn decided_otherwise<'a>(before: &'a Actions, after: &'a Actions) -> Vec<Decided<'a>> {
    let pairs = [
        (Action::Read, &before.read.decision, &after.read.decision),
        (Action::Cite, &before.cite.decision, &after.cite.decision),
        (Action::Connect, &before.connect.decision, &after.connect.decision),
        (Action::Transact, &before.transact.decision, &after.transact.decision),
        (Action::Administer, &before.administer.decision, &after.administer.decision),
    ];
    let changed = pairs.into_iter().filter(|(_, from, to)| from != to);
    changed.map(|(action, from, to)| Decided { action, from, to }).collect()
}

/// The stricter, the higher. What is not known counts as the strictest, as readers are to take it.
fn strictness(decision: &Decision) -> u8 {
    match decision {
        Decision::Allow => 0,
        Decision::Warn => 1,
        Decision::RequireConfirmation => 2,
        Decision::Unsupported => 3,
        Decision::Block | Decision::Unrecognised(_) => 4,
    }
}

/// Whether an agent may expect less than before.
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
            return Some(match RightsValue::known(word)? {
                RightsValue::Allowed => 0,
                RightsValue::Unknown => 1,
                RightsValue::Conditional => 2,
                RightsValue::Disallowed | RightsValue::Unrecognised(_) => 3,
            });
        }
        if field == "impersonation.verdict" {
            return Some(match ImpersonationVerdict::known(word)? {
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
