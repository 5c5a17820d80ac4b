//! Whether agents are given what people are given.

use contract::records::{AgentRow, EquivalenceVerdict, Severity};

use super::Readings;
use crate::scan::served::{browser, is_ai, is_served, readings};
use crate::scan::verdicts::{Outcome, Verdicts, about};

const RULE: &str = "equivalence.same_text";

pub(super) fn judge(read: &Readings<'_>, out: &mut Verdicts) {
    let rows = &read.view.rows;
    let served: Vec<&AgentRow> = rows.iter().filter(|row| is_ai(row) && is_served(row)).collect();
    let person = browser(rows).filter(|row| is_served(row));
    let Some(person) = person else {
        return out.not_assessed(RULE, "The browser was not given the page.");
    };
    if served.is_empty() {
        return out.not_assessed(RULE, "No AI identity was given a page to compare.");
    }
    if person.words.is_none_or(|words| words == 0) {
        return out.not_assessed(RULE, "The browser's page holds no text to compare with.");
    }
    let verdict = |row: &&&AgentRow, verdict: EquivalenceVerdict| row.equivalence == verdict;
    if served.iter().any(|row| verdict(&row, EquivalenceVerdict::NotDeterministic)) {
        return out.not_assessed(
            RULE,
            "Two readings by the browser differ as much, so the page changes by itself and nothing is said \
             about other readers.",
        );
    }
    let measured: Vec<&AgentRow> = served
        .into_iter()
        .filter(|row| row.equivalence != EquivalenceVerdict::Unmeasured)
        .collect();
    if measured.is_empty() {
        return out.not_assessed(RULE, "No AI identity's page could be compared.");
    }
    let other: Vec<&AgentRow> = measured
        .iter()
        .copied()
        .filter(|row| row.equivalence != EquivalenceVerdict::Equivalent)
        .collect();
    let evidence = readings(std::iter::once(person).chain(measured.iter().copied()));
    let got = measured.len() - other.len();
    out.rule(
        RULE,
        Outcome::Share { got: crate::scan::count(got), of: crate::scan::count(measured.len()) },
        format!(
            "{got} of {} AI identities that were served have the browser's text.",
            measured.len()
        ),
        evidence,
    );
    if other.is_empty() {
        return;
    }
    if other.len() == measured.len() {
        out.cap("other_text", format!("That holds for all {} that were served.", measured.len()));
    }
    let all = |verdict: EquivalenceVerdict| other.iter().all(|row| row.equivalence == verdict);
    let title = if all(EquivalenceVerdict::Reduced) {
        "AI identities are given a part of the page"
    } else if all(EquivalenceVerdict::Augmented) {
        "AI identities are given more than people are"
    } else {
        "AI identities are given another text"
    };
    let mut finding = about(read.look.rules, RULE, "other_text", Severity::High);
    finding.title = title.to_owned();
    finding.matters_to = vec!["agents".to_owned(), "readers".to_owned(), "site_owner".to_owned()];
    finding.seen = format!(
        "The browser was given {} words, twice {}. {}.",
        person.words.unwrap_or(0),
        match read.view.self_similarity.map(|alike| percent(alike.get())) {
            Some(alike) => format!("{alike} alike"),
            None => "not compared".to_owned(),
        },
        other.iter().map(|row| told(row)).collect::<Vec<_>>().join("; ")
    );
    finding.fix = Some(
        "Serve the same text to every reader. Where a shorter form for agents is meant, give it at an address \
         of its own (Markdown by Accept, or llms.txt), and the page itself unchanged. If this is not your doing, \
         look for a plug-in or CDN feature that rewrites pages for bots."
            .to_owned(),
    );
    finding.evidence = readings(std::iter::once(person).chain(other));
    out.find(finding);
}

fn told(row: &AgentRow) -> String {
    let alike = row.similarity.map(|alike| percent(alike.get())).unwrap_or_default();
    format!("{}: {} words, {alike} alike, {}", row.label, row.words.unwrap_or(0), row.equivalence)
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
