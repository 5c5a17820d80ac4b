//! Prices and price ranges.

use super::super::normalize::fold;
use super::{WrittenMatch, plain_characters};

/// A text with more amounts is a list of prices.
const MAX_AMOUNTS: usize = 8;

pub(super) fn compare_prices(published: &str, stated: &str, _region: Option<&str>) -> WrittenMatch {
    match (read_price(published), read_price(stated)) {
        (Some(one), Some(other)) => one.compare(&other),
        _ => WrittenMatch::Undecidable,
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum WrittenPrice {
    /// `$$`: how expensive a place is.
    Level(usize),
    Amount {
        /// In hundredths.
        low: u64,
        high: u64,
        currency: Option<&'static str>,
        /// What a text says about the amount: per what, from, about, without tax.
        terms: Terms,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Terms {
    period: Option<&'static str>,
    is_bound: bool,
    is_net: bool,
}

impl WrittenPrice {
    fn compare(&self, other: &Self) -> WrittenMatch {
        match (self, other) {
            (Self::Level(a), Self::Level(b)) if a == b => WrittenMatch::Equal,
            (Self::Level(_), Self::Level(_)) => WrittenMatch::Different,
            (
                Self::Amount { low, high, currency, terms },
                Self::Amount { low: low_b, high: high_b, currency: currency_b, terms: terms_b },
            ) => {
                let periods_differ =
                    matches!((terms.period, terms_b.period), (Some(a), Some(b)) if a != b);
                if periods_differ
                    || terms.is_bound != terms_b.is_bound
                    || terms.is_net != terms_b.is_net
                {
                    return WrittenMatch::Undecidable;
                }
                if !are_compatible(*currency, *currency_b) {
                    return WrittenMatch::Different;
                }
                let is_range = low != high || low_b != high_b;
                if (low, high) == (low_b, high_b) {
                    WrittenMatch::Equal
                } else if is_range && low <= high_b && low_b <= high {
                    WrittenMatch::Undecidable
                } else if terms.period == terms_b.period {
                    WrittenMatch::Different
                } else {
                    WrittenMatch::Undecidable
                }
            }
            _ => WrittenMatch::Undecidable,
        }
    }
}

/// Whether two currencies may be one: `$` is the sign of several.
fn are_compatible(one: Option<&str>, other: Option<&str>) -> bool {
    let is_sign_of = |sign: &str, code: &str| match sign {
        "$" => matches!(code, "USD" | "CAD" | "AUD" | "NZD" | "HKD" | "SGD" | "MXN"),
        "kr" => matches!(code, "SEK" | "NOK" | "DKK" | "ISK"),
        "¥" => matches!(code, "JPY" | "CNY"),
        _ => false,
    };
    match (one, other) {
        (Some(a), Some(b)) => a == b || is_sign_of(a, b) || is_sign_of(b, a),
        _ => true,
    }
}

fn read_price(text: &str) -> Option<WrittenPrice> {
    let trimmed = text.trim();
    let signs = trimmed.chars().count();
    let first = trimmed.chars().next()?;
    if (1..=5).contains(&signs)
        && matches!(first, '$' | '€' | '£' | '¥' | '₹')
        && trimmed.chars().all(|c| c == first)
    {
        return Some(WrittenPrice::Level(signs));
    }
    let plain = fold(&plain_characters(text));
    let amounts = find_amounts(&plain)?;
    if amounts.is_empty() && !is_free(&plain) {
        return None;
    }
    let words = words(&plain);
    let currency = find_currency(&plain, &words)?;
    let terms = read_terms(&words);
    let (low, high) = match amounts.as_slice() {
        [] => (0, 0),
        [only] => (*only, *only),
        [low, high] if low <= high && is_range(&plain) => (*low, *high),
        _ => return None,
    };
    Some(WrittenPrice::Amount { low, high, currency, terms })
}

fn is_free(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphabetic());
    words.any(|word| {
        matches!(word, "free" | "kostenlos" | "gratis" | "gratuit" | "gratuito" | "kostenfrei")
    })
}

/// The first words of a folded text.
fn words(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    words.take(200).collect()
}

fn is_range(text: &str) -> bool {
    let joins = ["-", " to ", " bis ", " a ", " tot ", " and ", " und "];
    joins.iter().any(|join| text.contains(join))
}

/// The amounts of a text in hundredths. None if there are too many or one cannot be read.
fn find_amounts(text: &str) -> Option<Vec<u64>> {
    let mut amounts = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let number = rest.get(start..)?;
        let mut end = 0;
        let mut characters = number.char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            let next_is_digit = characters.peek().is_some_and(|(_, next)| next.is_ascii_digit());
            let is_group = c == ' '
                && number
                    .get(at + 1..at + 4)
                    .is_some_and(|group| group.bytes().all(|b| b.is_ascii_digit()))
                && !number
                    .get(at + 4..)
                    .is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit()));
            let continues =
                c.is_ascii_digit() || matches!(c, '.' | ',' | '\'') && next_is_digit || is_group;
            if !continues {
                break;
            }
            end = at + 1;
        }
        let written = number.get(..end)?;
        rest = number.get(end..).unwrap_or_default();
        let thousand =
            rest.strip_prefix('k').is_some_and(|after| !after.starts_with(char::is_alphabetic));
        amounts.push(hundredths(written)?.checked_mul(if thousand { 1000 } else { 1 })?);
        if amounts.len() > MAX_AMOUNTS {
            return None;
        }
    }
    Some(amounts)
}

/// `1.234,50`, `1,234.50`, `1 234`, `12,5`
fn hundredths(written: &str) -> Option<u64> {
    let last = written.rfind(['.', ',']);
    let (whole, fraction) = match last {
        Some(at) => {
            let fraction = written.get(at + 1..)?;
            let mark = written.get(at..=at)?;
            let is_decimal = fraction.len() <= 2 && written.matches(mark).count() == 1;
            if is_decimal { (written.get(..at)?, fraction) } else { (written, "") }
        }
        None => (written, ""),
    };
    let digits: String = whole.chars().filter(char::is_ascii_digit).take(13).collect();
    let whole: u64 = digits.parse().ok()?;
    let cents: u64 = match fraction.len() {
        0 => 0,
        1 => fraction.parse::<u64>().ok()? * 10,
        _ => fraction.parse().ok()?,
    };
    whole.checked_mul(100)?.checked_add(cents)
}

/// The currency of a folded text. None if there are several.
fn find_currency(text: &str, words: &[&str]) -> Option<Option<&'static str>> {
    const SIGNS: [(&str, &str); 24] = [
        ("€", "EUR"),
        ("eur", "EUR"),
        ("euro", "EUR"),
        ("euros", "EUR"),
        ("£", "GBP"),
        ("gbp", "GBP"),
        ("pounds", "GBP"),
        ("usd", "USD"),
        ("us$", "USD"),
        ("cad", "CAD"),
        ("aud", "AUD"),
        ("chf", "CHF"),
        ("sfr", "CHF"),
        ("fr", "CHF"),
        ("¥", "¥"),
        ("jpy", "JPY"),
        ("₹", "INR"),
        ("inr", "INR"),
        ("zl", "PLN"),
        ("pln", "PLN"),
        ("sek", "SEK"),
        ("nok", "NOK"),
        ("dkk", "DKK"),
        ("kr", "kr"),
    ];
    let mut found: Option<&'static str> = None;
    for (sign, code) in SIGNS {
        let is_there = if sign.chars().all(char::is_alphabetic) {
            words.contains(&sign)
        } else {
            text.contains(sign)
        };
        if is_there && found.is_some_and(|known| known != code) {
            return None;
        }
        if is_there {
            found = Some(code);
        }
    }
    if found.is_none() && (text.contains('$') || words.contains(&"dollars")) {
        found = Some("$");
    }
    Some(found)
}

fn read_terms(words: &[&str]) -> Terms {
    let has = |list: &[&str]| list.iter().any(|word| words.contains(word));
    let period = if has(&["hour", "hourly", "hr", "stunde", "heure", "hora", "ora", "uur"]) {
        Some("hour")
    } else if has(&["night", "nacht", "nuit", "noche", "notte"]) {
        Some("night")
    } else if has(&["month", "monthly", "monat", "monatlich", "mois", "mes", "mese", "maand", "mo"])
    {
        Some("month")
    } else if has(&[
        "year", "yearly", "annual", "annually", "jahr", "jahrlich", "an", "ano", "anno", "jaar",
    ]) {
        Some("year")
    } else if has(&["week", "weekly", "woche", "semaine", "semana", "settimana"]) {
        Some("week")
    } else if has(&["day", "daily", "tag", "jour", "dia", "giorno", "dag"]) {
        Some("day")
    } else if has(&["person", "persons", "pp", "personne", "persona", "persoon"]) {
        Some("person")
    } else {
        None
    };
    Terms {
        period,
        is_bound: has(&[
            "from", "ab", "starting", "starts", "des", "desde", "da", "vanaf", "up", "max",
            "maximum", "min", "minimum", "under", "over", "about", "around", "approx", "ca",
            "circa", "unter", "uber",
        ]),
        is_net: has(&["plus", "excl", "excluding", "zzgl", "netto", "ht", "exkl", "excl"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use WrittenMatch::{Different, Equal, Undecidable};

    #[test]
    fn prices_are_compared_by_amount_and_currency() {
        for (published, stated, expected) in [
            ("€12.50", "12,50 EUR", Equal),
            ("$1,299.00", "1299 dollars", Equal),
            ("1.299,00 €", "1 299 Euro", Equal),
            ("€12", "$12", Different),
            ("€12.50", "€13.50", Different),
            ("$10-20", "$10 to $20", Equal),
            ("$10-20", "$15", Undecidable),
            ("$10-20", "$25", Different),
            ("from €10", "€10", Undecidable),
            ("€10 per month", "€10 per year", Undecidable),
            ("€10 plus VAT", "€10", Undecidable),
            ("$$", "$$", Equal),
            ("$$", "€€", Equal),
            ("$$", "$$$", Different),
            ("$$", "$20", Undecidable),
            ("free", "kostenlos", Equal),
            ("on request", "€10", Undecidable),
        ] {
            assert_eq!(compare_prices(published, stated, None), expected, "{published} / {stated}");
            assert_eq!(compare_prices(stated, published, None), expected, "{stated} / {published}");
        }
    }
}
