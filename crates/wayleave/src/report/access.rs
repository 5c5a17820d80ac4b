//! What each identity received for the home page, and where that contradicts the declared policy.

use contract::records::{
    AccessConflict, AgentRow, EquivalenceVerdict, IdentitySplit, Role, RowCause, ScanRecord,
};

use super::page::{Cell, Page};
use super::{count_of, spaced};
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
    if view.deterministic == Some(false) {
        let alike = view.self_similarity.map(|alike| format!(" ({} alike)", percent(alike.get())));
        page.prose(
            2,
            &format!(
                "Two requests by the same browser got different pages{}.",
                alike.unwrap_or_default()
            ),
        );
    }
    if verbose {
        page.faint(2, "Commands to repeat these requests:");
        for row in &view.rows {
            page.verbatim(4, &row.repro);
        }
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
        Cell::new(describe_comparison(row)),
    ]
}

fn purpose_label(role: &Role) -> &str {
    match role {
        Role::Browser | Role::Control => "",
        Role::Train => "training",
        other => other.as_str(),
    }
}

/// `204 words, 100 % alike, equivalent`.
fn describe_comparison(row: &AgentRow) -> String {
    let mut parts = Vec::new();
    if let Some(words) = row.words {
        parts.push(count_of(words.into(), "word"));
    }
    // The others are compared with the browser.
    if row.role != Role::Browser {
        if let Some(alike) = row.similarity {
            parts.push(format!("{} alike", percent(alike.get())));
        }
        if !matches!(
            row.equivalence,
            EquivalenceVerdict::Unmeasured | EquivalenceVerdict::NotServed
        ) {
            parts.push(spaced(row.equivalence.as_str()));
        }
    }
    parts.join(", ")
}

/// The outcome of a request: `refused by Cloudflare (block)`.
fn describe_outcome(row: &AgentRow) -> String {
    let mut text = spaced(row.cause.as_str());
    if let Some(vendor) = &row.vendor {
        text.push_str(&format!(" by {vendor}"));
    }
    if let Some(blocker) = &row.blocker {
        text.push_str(&format!(" ({})", spaced(blocker)));
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
