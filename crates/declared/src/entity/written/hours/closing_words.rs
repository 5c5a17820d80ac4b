//! Words that open, close or run on, which mean a day or a time by what is beside them.

use super::clock_phrases::{is_time, read_interval};
use super::meaning::Meaning;
use super::token::Token;

/// Words and phrases, separated by bars, with their languages; `*` for all.
pub(super) const CLOSING_WORDS: &[(&str, &str, Meaning)] = &[
    (
        "*",
        "closes|shuts|schließt|schliesst|schließen|schliessen|fermé|ferment|fermons|cierra|cierran|chiude|chiudono|chiudiamo|fecha|fecham|encerra|encerram|sluit|sluiten|zamyka|zamykają|zamykamy|stänger|lukker|stenger|sulkeutuu|zavírá|zavírají|kapanır|kapanıyor|закрывается|закрываемся|tanca|fermeture|cierre|chiusura|closing time|closing times|closing time is|closing times are",
        Meaning::Closes,
    ),
    ("*", "off", Meaning::Off),
    (
        "*",
        "only|only on|nur|nur am|ausschließlich|uniquement|seulement|exclusivement|solo|solamente|únicamente|soltanto|solamente|esclusivamente|apenas|somente|alleen|enkel|uitsluitend|tylko|wyłącznie|endast|bara|kun|bare|vain|pouze|jen|sadece|yalnızca|только",
        Meaning::Only,
    ),
    ("*", "nonstop|non stop|no stop", Meaning::NonStop),
    (
        "*",
        "opens|opening at|open at|open from|öffnet um|öffnen um|öffnet ab|geöffnet ab|ouvre à|ouvrent à|ouvre dès|dès|opent om|openen om|gaat open om|abre a las|abren a las|abre a la|abre às|abrem às|apre alle|aprono alle|otwiera się o|otwarte od|öppnar kl|öppnar|åbner kl|åbner|åpner kl|åpner|avataan|avautuu|otevírá v|otevírá od|açılır|открывается в",
        Meaning::From,
    ),
];

/// Gives every such word the meaning that it has at its place.
pub(super) fn with_meaning_of_place(mut tokens: Vec<Token>) -> Vec<Token> {
    for at in 0..tokens.len() {
        let Some(Token::Word(word)) = tokens.get(at) else { continue };
        let meaning = match word {
            Meaning::Closes => match single_time_behind(&tokens, at + 1) {
                // The word directly before the time becomes the one that closes.
                Some(time) if time > at + 1 => {
                    if let Some(token) = tokens.get_mut(time - 1) {
                        *token = Token::Word(Meaning::To);
                    }
                    Meaning::Ignored
                }
                Some(_) => Meaning::To,
                None => Meaning::Closed,
            },
            Meaning::Off if is_behind_days(&tokens, at) => Meaning::Closed,
            Meaning::Off => Meaning::Ignored,
            Meaning::NonStop if has_hours_beside(&tokens, at) => Meaning::Ignored,
            Meaning::NonStop => Meaning::AllDay,
            _ => continue,
        };
        if let Some(token) = tokens.get_mut(at) {
            *token = Token::Word(meaning);
        }
    }
    tokens
}

/// Where one time follows that opens nothing: `a las 20`, `das Büro um 14 Uhr`, `montags um 17 Uhr`, but not
/// `de 14 a 16`.
fn single_time_behind(tokens: &[Token], at: usize) -> Option<usize> {
    const MAX_WORDS: usize = 8;
    let filler = tokens.iter().skip(at).take(MAX_WORDS).take_while(|token| {
        matches!(
            token,
            Token::Other
                | Token::Dash
                | Token::Word(
                    Meaning::To
                        | Meaning::From
                        | Meaning::And
                        | Meaning::Ignored
                        | Meaning::Day(_)
                        | Meaning::EveryDay
                        | Meaning::Weekdays
                        | Meaning::Weekend
                )
        )
    });
    let start = at + filler.count();
    let is_single = is_time(tokens, start) && read_interval(tokens, start).is_none();
    // A day directly before the time opens a new statement: `cierra los lunes 9…`.
    let is_behind_day = start > at && is_day(tokens.get(start - 1));
    (is_single && !is_behind_day).then_some(start)
}

fn is_day(token: Option<&Token>) -> bool {
    matches!(
        token,
        Some(Token::Word(
            Meaning::Day(_)
                | Meaning::Holiday
                | Meaning::Weekend
                | Meaning::Weekdays
                | Meaning::EveryDay
        ))
    )
}

fn is_behind_days(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    is_day(before) || before == Some(&Token::Dash)
}

/// Whether hours stand directly before or behind.
fn has_hours_beside(tokens: &[Token], at: usize) -> bool {
    let is_plain = |token: &&Token| {
        matches!(
            token,
            Token::Joiner | Token::Other | Token::Word(Meaning::From | Meaning::Ignored)
        )
    };
    let behind = at + 1 + tokens.iter().skip(at + 1).take(3).take_while(is_plain).count();
    let before = tokens.iter().take(at).rev().take(3).find(|token| !is_plain(token));
    let ends_hours = before.is_some_and(|token| {
        matches!(token, Token::Time(_) | Token::Number(_) | Token::Word(Meaning::Afternoon))
    });
    ends_hours || read_interval(tokens, behind).is_some()
}

/// Reads slashes as dashes where they stand within hours: `9.00/13.00 - 14.00/18.00`, `9.00/13.00 15.00/19.00`.
pub(super) fn with_slashed_hours(mut tokens: Vec<Token>) -> Vec<Token> {
    let is_time = |token: Option<&Token>| matches!(token, Some(Token::Time(_)));
    let mut at = 0;
    while at < tokens.len() {
        let is_pair = is_time(tokens.get(at))
            && tokens.get(at + 1) == Some(&Token::Joiner)
            && is_time(tokens.get(at + 2));
        let behind = tokens.get(at + 3);
        let is_before_pair = matches!(behind, Some(Token::Dash))
            && is_time(tokens.get(at + 4))
            && tokens.get(at + 5) == Some(&Token::Joiner)
            && is_time(tokens.get(at + 6));
        let is_before_time = behind == Some(&Token::Joiner)
            || matches!(behind, Some(Token::Dash | Token::Word(Meaning::To)));
        let is_behind_dash = at.checked_sub(1).is_some_and(|before| {
            matches!(tokens.get(before), Some(Token::Dash | Token::Word(Meaning::To)))
        });
        if !is_pair || is_behind_dash || is_before_time && !is_before_pair {
            at += 1;
            continue;
        }
        if let Some(token) = tokens.get_mut(at + 1) {
            *token = Token::Dash;
        }
        if is_before_pair && let Some(token) = tokens.get_mut(at + 3) {
            *token = Token::Joiner;
        }
        at += if is_before_pair { 4 } else { 3 };
    }
    tokens
}
