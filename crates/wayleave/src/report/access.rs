//! What each identity received for the home page, and where that contradicts the declared policy.

use contract::records::{
    AccessConflict, AgentRow, AgentView, EquivalenceVerdict, IdentitySplit, Role, RowCause,
    ScanRecord, TextVariation,
};
use contract::text::record_words::{
    Explanation, describe_comparison, describe_stand_in, explain_outcome, explain_variation, spaced,
};

use super::count_of;
use super::page::{Cell, Page};
use crate::output::Tone;

pub(super) fn write_access(page: &mut Page, record: &ScanRecord, verbose: bool) {
    let view = &record.agentview;
    page.heading(&format!("Responses by identity ({})", record.path));
    let rows: Vec<Vec<Cell>> = view.rows.iter().map(access_cells).collect();
    page.table(0, &rows);
    let tone = if view.split == IdentitySplit::None { Tone::Good } else { Tone::Warning };
    page.toned(2, tone, &view.aimed_at_why);
    if !view.vendors_present.is_empty() {
        page.prose(
            2,
            &format!(
                "Services detected in front of the site: {}.",
                view.vendors_present.join(", ")
            ),
        );
    }
    write_explanations(page, &view.rows);
    write_variation(page, view);
    if verbose {
        page.faint(2, "Commands to repeat these requests:");
        for row in &view.rows {
            page.verbatim(4, &row.repro);
        }
    }
}

/// Each outcome except a delivered page: what it means and what the owner can do.
fn write_explanations(page: &mut Page, rows: &[AgentRow]) {
    let mut outcomes: Vec<Explanation> = Vec::new();
    for row in rows.iter().filter(|row| row.cause != RowCause::Served) {
        let outcome = explain_outcome(&row.cause, row.blocker.as_deref());
        if outcomes.contains(&outcome) {
            continue;
        }
        page.labelled(2, &format!("{}:", outcome.label), outcome.meaning);
        if !row.blocker_marks.is_empty() {
            page.faint(4, &format!("Signs: {}.", row.blocker_marks.join("; ")));
        }
        if let Some(advice) = outcome.advice {
            page.labelled(4, "fix", advice);
        }
        outcomes.push(outcome);
    }
}

/// Whether every client gets the same text, and how that was decided.
fn write_variation(page: &mut Page, view: &AgentView) {
    let words = explain_variation(&view.variation);
    let why = match view.variation_why.as_str() {
        "" => words.meaning,
        why => why,
    };
    let tone = match view.variation {
        TextVariation::Same => Tone::Good,
        TextVariation::FollowsIdentity => Tone::Bad,
        TextVariation::NotMeasured => Tone::Faint,
        _ => Tone::Warning,
    };
    page.toned(2, tone, &format!("Texts: {}. {why}", words.label));
    if view.deterministic == Some(false) {
        let alike = view.self_similarity.map(|alike| format!(" ({} alike)", percent(alike.get())));
        page.prose(
            4,
            &format!(
                "Two requests by the same browser got different pages{}.",
                alike.unwrap_or_default()
            ),
        );
    }
    if let Some(trial) = &view.trial {
        let follows = match trial.follows_identity.as_slice() {
            [] => "No difference follows the identity.".to_owned(),
            respects => format!("Follows the identity: {}.", respects.join(", ")),
        };
        page.faint(
            4,
            &format!(
                "Trial in random order: {} as browser and control client, {} as the identities in question. {follows} \
                 Chance of a false alarm: at most {:.2} %.",
                count_of(trial.reference_reads.into(), "read"),
                trial.suspect_reads,
                trial.false_alarm_rate.get() * 100.0
            ),
        );
    }
    if let Some(advice) = words.advice {
        page.labelled(4, "fix", advice);
    }
}

fn access_cells(row: &AgentRow) -> Vec<Cell> {
    let served = row.cause == RowCause::Served;
    let like = row.equivalence == EquivalenceVerdict::Equivalent;
    let tone = match (served, like) {
        (true, true) => Tone::Good,
        (true, false) => Tone::Warning,
        (false, _) => Tone::Bad,
    };
    // The label is "Name (operator, purpose)"; the purpose has its own column.
    let name = row.label.split(" (").next().unwrap_or(&row.label);
    vec![
        Cell::new(format!("{} {name}", if served { " " } else { "!" })),
        Cell::toned(Tone::Faint, purpose_label(&row.role)),
        Cell::new(row.status.map_or("-".to_owned(), |status| status.to_string())),
        Cell::toned(tone, describe_outcome(row)),
        Cell::new(compare_with_browser(row)),
    ]
}

fn purpose_label(role: &Role) -> &str {
    match role {
        Role::Browser | Role::Control => "",
        Role::Train => "training",
        other => other.as_str(),
    }
}

/// `204 words, same text (100 % alike)`.
fn compare_with_browser(row: &AgentRow) -> String {
    let mut parts = Vec::new();
    if let Some(words) = row.words {
        parts.push(count_of(words.into(), "word"));
    }
    if row.role != Role::Browser && row.cause == RowCause::Served {
        parts.extend(describe_comparison(&row.equivalence, row.similarity));
    }
    parts.join(", ")
}

/// The outcome of a request: `refused: block page of Cloudflare`.
fn describe_outcome(row: &AgentRow) -> String {
    let mut text = explain_outcome(&row.cause, row.blocker.as_deref()).label;
    let (blocker, vendor) = (row.blocker.as_deref(), row.vendor.as_deref());
    if let Some(instead) = describe_stand_in(&row.cause, blocker, vendor) {
        text.push_str(&format!(": {instead}"));
    }
    if let Some(error) = &row.error {
        text.push_str(&format!(": {}", spaced(&error.reason)));
    }
    if let Some(price) = &row.price {
        text.push_str(&format!(", price {price}"));
    }
    if row.instruction_like_text == Some(true) {
        text.push_str(", contains text that looks like an instruction");
    }
    text
}

pub(super) fn write_contradictions(page: &mut Page, record: &ScanRecord) {
    let conflicts = &record.agentview.conflicts;
    let facts = record.nap.as_ref().map(|nap| &nap.conflicts).into_iter().flatten();
    let facts: Vec<String> =
        facts.map(|(fact, values)| format!("{}: {}", spaced(fact), values.join(" / "))).collect();
    if conflicts.is_empty() && facts.is_empty() {
        return;
    }
    page.heading("Contradictions");
    // Print a contradiction once for all agents it applies to.
    let mut alike: Vec<(&AccessConflict, Vec<&str>)> = Vec::new();
    for conflict in conflicts {
        let same = |other: &AccessConflict| {
            (&other.declared, &other.served, &other.why)
                == (&conflict.declared, &conflict.served, &conflict.why)
        };
        match alike.iter_mut().find(|(first, _)| same(first)) {
            Some((_, who)) => who.push(&conflict.identity),
            None => alike.push((conflict, vec![&conflict.identity])),
        }
    }
    for (conflict, who) in alike {
        let (declared, served) = (&conflict.declared, &conflict.served);
        page.toned(2, Tone::Warning, &format!("{}: {declared}, but {served}", who.join(", ")));
        page.prose(4, &conflict.why);
    }
    for fact in facts {
        page.toned(2, Tone::Warning, &format!("The site gives different values for its {fact}"));
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
