//! Single dates and feasts, which say nothing about a usual week: `closed on 25 December`, `as of March 2026`.

use super::meaning::Meaning;
use super::token::Token;

/// Words and phrases, separated by bars, with their languages; `*` for all.
pub(super) const DATE_WORDS: &[(&str, &str, Meaning)] = &[
    (
        "*",
        "january|february|march|april|june|july|august|september|october|november|december|jan|feb|apr|jun|jul|aug|sep|sept|oct|nov|dec|januar|februar|märz|mai|juni|juli|oktober|dezember|okt|dez|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|novembre|dicembre|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|dezembro|januari|februari|maart|mei|augustus|stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia",
        Meaning::Month,
    ),
    (
        "*",
        "christmas|christmas day|christmas eve|xmas|boxing day|new year's day|new years day|new year's eve|new years eve|new year|new year's|easter|easter sunday|easter monday|good friday|thanksgiving|thanksgiving day|independence day|labor day|memorial day|canada day|australia day|anzac day|weihnachten|heiligabend|heiliger abend|silvester|neujahr|neujahrstag|karfreitag|ostern|ostersonntag|ostermontag|pfingsten|pfingstmontag|fronleichnam|weihnachtstag|rosenmontag|noël|jour de noël|le jour de l'an|jour de l'an|nouvel an|lundi de pâques|pâques|14 juillet|toussaint|ascension|navidad|nochebuena|nochevieja|año nuevo|día de año nuevo|viernes santo|día de reyes|reyes|natale|vigilia di natale|santo stefano|capodanno|pasqua|pasquetta|ferragosto|epifania|kerst|eerste kerstdag|tweede kerstdag|1e kerstdag|2e kerstdag|kerstdag|kerstavond|oudejaarsdag|oudjaarsdag|oudejaarsavond|nieuwjaar|nieuwjaarsdag|koningsdag|hemelvaartsdag|tweede paasdag|eerste paasdag|paasdag|goede vrijdag|natal|dia de natal|véspera de natal|ano novo|páscoa|sexta feira santa|carnaval|boże narodzenie|wigilia|nowy rok|julafton|juldagen|nyårsafton|nyårsdagen|midsommarafton|juleaften|juledag|nytårsaften|nytårsdag|joulu|jouluaatto|juhannus|vánoce|štědrý den|yılbaşı",
        Meaning::Feast,
    ),
    (
        "*",
        "christmas hours|christmas season|christmas holidays|christmas period|christmas opening|easter holidays|weihnachtszeit|weihnachtsferien|vacances de noël|vacances de pâques|vacaciones de navidad|vacanze di natale|kerstvakantie|férias de natal|in ferragosto settimana|kerstperiode",
        Meaning::OtherHours,
    ),
    (
        "*",
        "as of|as at|updated|last updated|last checked|checked|stand|zuletzt geprüft|zuletzt aktualisiert|aktualisiert|geprüft|état|mis à jour|mise à jour|dernière mise à jour|actualizado|actualizada|actualizados|última actualización|a fecha de|aggiornato|aggiornati|aggiornata|ultimo aggiornamento|bijgewerkt|laatst bijgewerkt|laatst gecontroleerd|atualizado|última atualização|stan na|uppdaterad|opdateret|oppdatert",
        Meaning::AsOf,
    ),
    // In India `Sunday holiday` is a Sunday on which the place is closed.
    ("*", "holiday", Meaning::RestDay),
    (
        "*",
        "weekly holiday|weekly off|weekly day off|weekly closing day|weekly closed|weekly rest day|rest day|day off|closing day|wöchentlicher ruhetag|fermeture hebdomadaire|cierre semanal|descanso semanal|chiusura settimanale|wekelijkse sluitingsdag|folga semanal|haftalık tatil",
        Meaning::Closed,
    ),
];

/// Drops holidays from sentences that say nothing else of hours: `Hours may vary on public holidays.`
pub(super) fn without_remarks_on_holidays(mut tokens: Vec<Token>) -> Vec<Token> {
    const HOLIDAY: Token = Token::Word(Meaning::Holiday);
    if !tokens.contains(&HOLIDAY) {
        return tokens;
    }
    let is_end = |token: &Token| matches!(token, Token::Stop | Token::Break);
    let says_nothing = |token: &Token| {
        matches!(
            token,
            Token::Other
                | Token::Joiner
                | Token::Word(
                    Meaning::Holiday
                        | Meaning::From
                        | Meaning::To
                        | Meaning::And
                        | Meaning::Or
                        | Meaning::Appointment
                        | Meaning::Ignored
                )
        )
    };
    // Alone in its line it is the label of the next one.
    let is_sentence = |sentence: &[Token]| {
        sentence.iter().filter(|token| **token == Token::Other).count() >= 2
            && sentence.iter().all(says_nothing)
            && sentence.contains(&HOLIDAY)
    };
    for sentence in tokens.split_mut(is_end) {
        if is_sentence(sentence) {
            sentence.fill(Token::Other);
        }
    }
    tokens
}

/// Gives dates, feasts and days of rest the meaning that they have at their place.
pub(super) fn with_meaning_of_dates(tokens: Vec<Token>) -> Vec<Token> {
    let has_any = tokens.iter().any(|token| {
        matches!(
            token,
            Token::Word(
                Meaning::Month
                    | Meaning::Feast
                    | Meaning::AsOf
                    | Meaning::RestDay
                    | Meaning::DayOfMonth
            )
        )
    });
    if !has_any {
        return tokens;
    }
    let joined = join_dates(&tokens);
    let meant = |(at, token): (usize, &Token)| match token {
        Token::Word(Meaning::Feast) if is_beside_closed(&joined, at) => {
            Token::Word(Meaning::Holiday)
        }
        Token::Word(Meaning::Feast | Meaning::Month) => Token::Word(Meaning::OtherHours),
        Token::Word(Meaning::RestDay) if closes_day_before(&joined, at) => {
            Token::Word(Meaning::Closed)
        }
        Token::Word(Meaning::RestDay) => Token::Word(Meaning::Holiday),
        Token::Word(Meaning::DayOfMonth | Meaning::AsOf) => Token::Other,
        token => *token,
    };
    joined.iter().enumerate().map(meant).collect()
}

/// Writes every date as one feast, and those at which somebody looked as nothing.
fn join_dates(tokens: &[Token]) -> Vec<Token> {
    let mut joined: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let Some(end) = date_end(tokens, at) else {
            joined.push(*token);
            at += 1;
            continue;
        };
        let is_range_sign =
            |token: Option<&Token>| matches!(token, Some(Token::Dash | Token::Word(Meaning::To)));
        let is_range = is_range_sign(tokens.get(end)) || is_range_sign(joined.last());
        let is_month_alone = end == at + 1;
        let is_of_look =
            joined.iter().rev().take(4).any(|token| *token == Token::Word(Meaning::AsOf));
        joined.push(Token::Word(if is_of_look {
            Meaning::Ignored
        } else if is_range || is_month_alone {
            Meaning::OtherHours
        } else {
            Meaning::Feast
        }));
        at = end;
    }
    joined
}

/// The index behind a date or a month that begins here: `25 December`, `am 24. und 31. Dezember`, `December 25`.
fn date_end(tokens: &[Token], at: usize) -> Option<usize> {
    const MAX_TOKENS: usize = 10;
    let is_day = |token: Option<&Token>| {
        matches!(token, Some(Token::Number(_) | Token::Word(Meaning::DayOfMonth)))
    };
    let is_month = |token: Option<&Token>| token == Some(&Token::Word(Meaning::Month));
    if is_month(tokens.get(at)) {
        let is_before_hours =
            matches!(tokens.get(at + 2), Some(Token::Dash | Token::Word(Meaning::To)));
        return Some(at + if is_day(tokens.get(at + 1)) && !is_before_hours { 2 } else { 1 });
    }
    if !is_day(tokens.get(at)) {
        return None;
    }
    let between = tokens.iter().skip(at).take(MAX_TOKENS).take_while(|token| {
        matches!(
            token,
            Token::Number(_)
                | Token::Stop
                | Token::Joiner
                | Token::Other
                | Token::Word(Meaning::DayOfMonth | Meaning::And | Meaning::From)
        )
    });
    let end = at + between.count();
    // One word may stand between the day and the month: `25 de diciembre`, `1er mai`.
    let is_near = (1..=2).any(|back| is_day(end.checked_sub(back).and_then(|at| tokens.get(at))));
    (is_month(tokens.get(end)) && is_near).then_some(end + 1)
}

/// Whether the text says of a feast that it is closed then, or that the hours are not those of it.
fn is_beside_closed(tokens: &[Token], at: usize) -> bool {
    const REACH: usize = 10;
    let is_passed = |token: &&Token| {
        matches!(
            token,
            Token::Other
                | Token::Joiner
                | Token::Word(
                    Meaning::From
                        | Meaning::To
                        | Meaning::And
                        | Meaning::Or
                        | Meaning::Ignored
                        | Meaning::Holiday
                        | Meaning::RestDay
                        | Meaning::Feast
                        | Meaning::Day(_)
                        | Meaning::Only
                )
        )
    };
    let says_closed = |token: &&Token| {
        matches!(
            token,
            Token::Word(
                Meaning::Closed | Meaning::Closes | Meaning::Except | Meaning::ExceptBefore
            )
        )
    };
    let before = tokens.iter().take(at).rev().take(REACH).find(|token| !is_passed(token));
    let behind = tokens.iter().skip(at + 1).take(REACH).find(|token| !is_passed(token));
    before.is_some_and(|token| says_closed(&token))
        || behind.is_some_and(|token| says_closed(&token))
}

/// Whether the word stands alone behind a day: `Sunday holiday`, `Sunday – holiday`, but not `Sundays and holidays`.
fn closes_day_before(tokens: &[Token], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at));
    let is_day = |token: Option<&Token>| matches!(token, Some(Token::Word(Meaning::Day(_))));
    let is_range_sign =
        |token: Option<&Token>| matches!(token, Some(Token::Dash | Token::Word(Meaning::To)));
    let is_behind_day = is_day(before(1))
        || before(1) == Some(&Token::Dash) && is_day(before(2)) && !is_range_sign(before(3));
    let ends =
        matches!(tokens.get(at + 1), None | Some(Token::Stop | Token::Break | Token::Joiner));
    is_behind_day && ends
}
