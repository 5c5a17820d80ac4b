//! The home page as each identity was given it, and where that contradicts what is declared.

use contract::records::{
    AccessConflict, AgentRow, EquivalenceVerdict, Role, RowCause, ScanRecord, Split,
};

use super::page::{Cell, Page};
use super::{count, plain};
use crate::output::Tone;

pub(super) fn who_got_what(page: &mut Page, record: &ScanRecord, verbose: bool) {
    let view = &record.agentview;
    page.heading(&format!("Who got what ({})", record.path));
    let rows: Vec<Vec<Cell>> = view.rows.iter().map(row).collect();
    page.table(0, &rows);
    let tone = if view.split == Split::None { Tone::Good } else { Tone::Doubt };
    page.toned(2, tone, &view.aimed_at_why);
    if !view.vendors_present.is_empty() {
        page.prose(
            2,
            &format!("In front of the site, by their marks: {}.", view.vendors_present.join(", ")),
        );
    }
    if view.deterministic == Some(false) {
        let alike = view.self_similarity.map(|alike| format!(" ({})", percent(alike.get())));
        page.prose(
            2,
            &format!(
                "The page differs from itself between two reads by the same browser{}.",
                alike.unwrap_or_default()
            ),
        );
    }
    if verbose {
        page.faint(2, "To ask the same:");
        for row in &view.rows {
            page.verbatim(4, &row.repro);
        }
    }
}

fn row(row: &AgentRow) -> Vec<Cell> {
    let served = row.cause == RowCause::Served;
    let like = row.equivalence == EquivalenceVerdict::Equivalent;
    let tone = match (served, like) {
        (true, true) => Tone::Good,
        (true, false) => Tone::Doubt,
        (false, _) => Tone::Bad,
    };
    // Who sends it is in the full label; what it reads for has a column of its own.
    let name = row.label.split(" (").next().unwrap_or(&row.label);
    vec![
        Cell::new(format!("{} {name}", if served { " " } else { "!" })),
        Cell::toned(Tone::Faint, purpose(&row.role)),
        Cell::new(row.status.map_or("-".to_owned(), |status| status.to_string())),
        Cell::toned(tone, became(row)),
        Cell::new(compared(row)),
    ]
}

fn purpose(role: &Role) -> &str {
    match role {
        Role::Browser | Role::Control => "",
        Role::Train => "training",
        other => other.as_str(),
    }
}

/// `204 words, 100 % alike, equivalent`.
fn compared(row: &AgentRow) -> String {
    let mut told = Vec::new();
    if let Some(words) = row.words {
        told.push(count(words.into(), "word"));
    }
    // The browser is what the others are held against.
    if row.role != Role::Browser {
        if let Some(alike) = row.similarity {
            told.push(format!("{} alike", percent(alike.get())));
        }
        if !matches!(
            row.equivalence,
            EquivalenceVerdict::Unmeasured | EquivalenceVerdict::NotServed
        ) {
            told.push(plain(row.equivalence.as_str()));
        }
    }
    told.join(", ")
}

/// What became of a request: `refused by Cloudflare (block)`.
fn became(row: &AgentRow) -> String {
    let mut text = plain(row.cause.as_str());
    if let Some(vendor) = &row.vendor {
        text.push_str(&format!(" by {vendor}"));
    }
    if let Some(blocker) = &row.blocker {
        text.push_str(&format!(" ({})", plain(blocker)));
    }
    if let Some(error) = &row.error {
        text.push_str(&format!(": {}", plain(&error.reason)));
    }
    if let Some(price) = &row.price {
        text.push_str(&format!(", asks {price}"));
    }
    if row.instruction_like_text == Some(true) {
        text.push_str(", text that reads like an instruction");
    }
    text
}

pub(super) fn contradictions(page: &mut Page, record: &ScanRecord) {
    let conflicts = &record.agentview.conflicts;
    let facts = record.nap.as_ref().map(|nap| &nap.conflicts).into_iter().flatten();
    let facts: Vec<String> =
        facts.map(|(fact, values)| format!("{}: {}", plain(fact), values.join(" / "))).collect();
    if conflicts.is_empty() && facts.is_empty() {
        return;
    }
    page.heading("Contradictions");
    // The same contradiction for many agents is one.
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
        page.toned(2, Tone::Doubt, &format!("{}: {declared}, but {served}", who.join(", ")));
        page.prose(4, &conflict.why);
    }
    for fact in facts {
        page.toned(2, Tone::Doubt, &format!("The site says different things of its {fact}"));
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
