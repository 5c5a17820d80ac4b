//! The rules about one text: hidden characters, markup, phrases, wording, encoded parts, names of other tools.

use std::collections::BTreeSet;

use contract::records::McpSeverity;

use super::encoded::find_encoded;
use super::folded_text::FoldedText;
use super::hidden_text::find_hidden;
use super::markup::find_markup;
use super::phrases::{PhraseMatch, find_phrases};
use super::text_match::{TextMatch, Weight};
use super::wording::{Order, find_order};

const OVERLONG: usize = 4_096;

/// Everything that the rules find in a text.
pub(super) fn find_in_text(
    text: &str,
    is_prose: bool,
    is_input: bool,
    others: &BTreeSet<String>,
) -> Vec<TextMatch> {
    let mut found = find_hidden(text);
    if is_prose && text.len() > OVERLONG {
        let length = text.chars().count();
        found.push(TextMatch { rule: "overlong_text", length, ..TextMatch::default() });
    }
    if text.len() < 4 {
        return found;
    }
    found.extend(find_markup(text, is_prose));
    let folded = FoldedText::new(text);
    let quoted = quoted_parts(text);
    let order = find_order(&folded);
    let mut phrases = weigh_phrases(find_phrases(&folded, is_input && is_prose), &quoted);
    if let Some(order) = &order {
        weigh_by_wording(&mut phrases, &folded, order);
    }
    let is_malice =
        |found: &TextMatch| found.weight != Weight::Reported && malice(found.rule).is_some();
    if phrases.iter().any(is_malice) {
        // A tag that claims authority around such a phrase is no mere emphasis.
        for tag in &mut found {
            if tag.rule == "role_markup" && tag.weight == Weight::Doubtful {
                tag.weight = Weight::Full;
                tag.at_most = None;
            }
        }
    }
    found.extend(phrases);
    let is_known =
        |found: &TextMatch| found.weight != Weight::Reported && found.rule != "overlong_text";
    if !found.iter().any(is_known)
        && let Some(order) = order.filter(Order::is_hint)
    {
        found.extend(wording_match(&folded, &order, &quoted));
    }
    found.extend(find_encoded(text));
    if !others.is_empty() {
        found.extend(other_tool(text, others));
    }
    found
}

/// Signs of malice that mean more together than alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Malice {
    Override,
    Exfiltration,
    Concealment,
    Tampering,
    Phishing,
}

fn malice(rule: &str) -> Option<Malice> {
    match rule {
        "instruction_override" => Some(Malice::Override),
        "secret_exfiltration" | "context_exfiltration" => Some(Malice::Exfiltration),
        "user_concealment" => Some(Malice::Concealment),
        "system_tampering" => Some(Malice::Tampering),
        "credential_phishing" => Some(Malice::Phishing),
        _ => None,
    }
}

/// Decides how much each phrase says. Words of one kind are in many honest texts, so they alone are no reason
/// to stop an agent: a phrase counts in full if its pattern is unmistakable (`critical` in the data), or if
/// the text has phrases of two kinds of malice.
fn weigh_phrases(phrases: Vec<PhraseMatch>, quoted: &[(usize, usize)]) -> Vec<TextMatch> {
    let is_reported = |phrase: &PhraseMatch| {
        let in_quotes = |(from, to): &(usize, usize)| *from <= phrase.start && phrase.end <= *to;
        phrase.reported || quoted.iter().any(in_quotes)
    };
    let meant: Vec<&PhraseMatch> = phrases.iter().filter(|phrase| !is_reported(phrase)).collect();
    let kinds: BTreeSet<Malice> = meant.iter().filter_map(|phrase| malice(phrase.rule)).collect();
    let is_joined = kinds.len() >= 2;
    let acts = meant.iter().any(|phrase| {
        matches!(
            malice(phrase.rule),
            Some(Malice::Exfiltration | Malice::Tampering | Malice::Phishing)
        ) || phrase.rule == "consent_bypass"
    });
    let hidden = meant.iter().find(|phrase| phrase.rule == "user_concealment").filter(|_| acts);
    let concealed = hidden.map(|phrase| TextMatch {
        rule: "concealed_action",
        start: phrase.start,
        length: phrase.end.saturating_sub(phrase.start),
        ..TextMatch::default()
    });
    let weigh = |phrase: &PhraseMatch| {
        if is_reported(phrase) {
            Weight::Reported
        } else if is_joined || phrase.severity == McpSeverity::Critical {
            Weight::Full
        } else {
            Weight::Doubtful
        }
    };
    let matched = |phrase: &PhraseMatch| TextMatch {
        rule: phrase.rule,
        start: phrase.start,
        length: phrase.end.saturating_sub(phrase.start),
        weight: weigh(phrase),
        // What the joined phrases make certain is the malice, not the severity of each.
        at_most: (!is_joined).then(|| phrase.severity.clone()),
        ..TextMatch::default()
    };
    phrases.iter().map(matched).chain(concealed).collect()
}

/// A doubtful phrase counts in full if its sentence is also one that the model of wording is certain about, and
/// little in a text that otherwise sounds like those of harmless tools.
fn weigh_by_wording(phrases: &mut [TextMatch], folded: &FoldedText, order: &Order) {
    let place = |number: usize| folded.words.get(number);
    let (Some(first), Some(last)) = (place(order.first), place(order.last)) else { return };
    for phrase in phrases.iter_mut().filter(|phrase| phrase.weight == Weight::Doubtful) {
        let inside = first.start <= phrase.start && phrase.start <= last.end;
        let acts = malice(phrase.rule).is_some_and(|kind| kind != Malice::Concealment);
        if order.is_certain() && inside && acts {
            phrase.weight = Weight::Full;
        } else if order.is_calm() {
            phrase.at_most = Some(McpSeverity::Low);
        }
    }
}

/// Parts in quotation marks, as characters. Only short parts are quotations; a whole text in quotation
/// marks is not.
fn quoted_parts(text: &str) -> Vec<(usize, usize)> {
    const LONGEST: usize = 160;
    let mut parts = Vec::new();
    let mut open: Option<(char, usize)> = None;
    let mut before = ' ';
    for (at, c) in text.chars().enumerate() {
        match open {
            Some((closing, from)) if c == closing => {
                if at.saturating_sub(from) <= LONGEST && from > 8 {
                    parts.push((from, at));
                }
                open = None;
            }
            Some((_, from)) if at.saturating_sub(from) > LONGEST => open = None,
            Some(_) => {}
            None => {
                let closing = match c {
                    '"' => Some('"'),
                    '“' => Some('”'),
                    '„' => Some('“'),
                    '«' => Some('»'),
                    '\'' if !before.is_alphanumeric() => Some('\''),
                    _ => None,
                };
                open = closing.map(|closing| (closing, at.saturating_add(1)));
            }
        }
        before = c;
    }
    parts
}

/// The sentence that the model of wording found.
fn wording_match(
    folded: &FoldedText,
    order: &Order,
    quoted: &[(usize, usize)],
) -> Option<TextMatch> {
    let (start, end) = (folded.words.get(order.first)?.start, folded.words.get(order.last)?.end);
    // A quotation in the sentence may be what sounds like an order.
    let reported = quoted.iter().any(|(from, to)| *from >= start && *to <= end.saturating_add(1));
    Some(TextMatch {
        rule: "suspicious_wording",
        start,
        length: end.saturating_sub(start),
        weight: if reported { Weight::Reported } else { Weight::Full },
        at_most: (!order.is_strong()).then_some(McpSeverity::Low),
        ..TextMatch::default()
    })
}

/// A tool of another server that the text names.
fn other_tool(raw: &str, others: &BTreeSet<String>) -> Option<TextMatch> {
    let name = raw
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')))
        .map(|word| word.trim_matches('.'))
        // Short names without a sign between their words are ordinary words.
        .find(|word| word.contains(['_', '-']) && others.contains(&word.to_lowercase()))?;
    let start =
        raw.find(name).and_then(|at| raw.get(..at)).map_or(0, |before| before.chars().count());
    Some(TextMatch {
        rule: "cross_server_reference",
        start,
        length: name.chars().count(),
        ..TextMatch::default()
    })
}
