//! Finds amounts of money in a text.

use std::collections::BTreeSet;

use crate::digits::find_digit;

/// How many amounts of one text are kept.
const MAX_PRICES: usize = 200;
/// How many spellings are remembered, so that an amount that a page repeats is normalized once.
const MAX_SPELLINGS: usize = 1_000;
/// How many bytes may separate a currency from its number: `EUR 5`, `5 &nbsp;€`.
const MAX_CURRENCY_GAP: usize = 4;

/// The money amounts of a text in their order, each once, in one spelling: `EUR 1299.00`, `$ 5`.
#[must_use]
pub fn prices(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut spellings = BTreeSet::new();
    for amount in (WrittenAmounts { text, at: 0 }) {
        if spellings.contains(&amount) {
            continue;
        }
        if spellings.len() < MAX_SPELLINGS {
            spellings.insert(amount);
        }
        let price = amount.normalized().filter(|price| !seen.contains(price));
        if let Some(price) = price {
            seen.insert(price.clone());
            found.push(price);
            if found.len() >= MAX_PRICES {
                break;
            }
        }
    }
    found
}

/// Whether a text contains an amount of money.
pub(super) fn has_price(text: &str) -> bool {
    WrittenAmounts { text, at: 0 }.any(|amount| amount.normalized().is_some())
}

/// An amount as written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct WrittenAmount<'a> {
    currency: &'static str,
    number: &'a str,
}

impl WrittenAmount<'_> {
    /// The amount in one spelling; none if its number is too long.
    fn normalized(self) -> Option<String> {
        plain_number(self.number).map(|number| [self.currency, " ", &number].concat())
    }
}

struct WrittenAmounts<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for WrittenAmounts<'a> {
    type Item = WrittenAmount<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.text;
        loop {
            let start = self.at + find_digit(text.get(self.at..)?)?;
            let number = text.get(start..)?;
            let length = number
                .bytes()
                .position(|byte| !(byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'\'')))
                .unwrap_or(number.len());
            self.at = start + length;
            let before = text.get(..start).unwrap_or_default();
            // A number within a longer number is not an amount.
            let before_number = before.chars().next_back();
            let number = number.get(..length)?.trim_end_matches(['.', ',', '\'']);
            let after = text.get(start + number.len()..).unwrap_or_default();
            let Some(currency) = currency_after(after).or_else(|| currency_before(before)) else {
                continue;
            };
            if before_number.is_some_and(|c| c.is_ascii_digit()) {
                continue;
            }
            return Some(WrittenAmount { currency, number });
        }
    }
}

/// The currency after a number.
fn currency_after(after: &str) -> Option<&'static str> {
    let after = after.strip_prefix(",-").or(after.strip_prefix(".-")).unwrap_or(after);
    let near = after.trim_start();
    if after.len() - near.len() > MAX_CURRENCY_GAP {
        return None;
    }
    if let Some(symbol) = near.chars().next().and_then(currency_of_symbol) {
        // `10 $20` is a number and a price, not two prices.
        let next = near.chars().nth(1);
        let belongs_to_next = after.len() > near.len() && next.is_some_and(|c| c.is_ascii_digit());
        return (!belongs_to_next).then_some(symbol);
    }
    let word = near.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    currency_of_word(word)
}

/// The currency before a number.
fn currency_before(before: &str) -> Option<&'static str> {
    let near = before.trim_end();
    if before.len() - near.len() > MAX_CURRENCY_GAP {
        return None;
    }
    let mut characters = near.chars().rev();
    if let Some(found) = characters.next().and_then(currency_of_symbol) {
        let letters: String = characters.take_while(|c| c.is_ascii_uppercase()).take(3).collect();
        return Some(match (found, letters.as_str()) {
            ("$", "SU") => "USD",
            ("$", "AC" | "C") => "CAD",
            ("$", "UA" | "A") => "AUD",
            ("$", "ZN") => "NZD",
            ("$", "KH") => "HKD",
            ("$", "R") => "BRL",
            _ => found,
        });
    }
    let start = near.rfind(|c: char| !c.is_alphabetic()).map_or(0, |at| {
        at + near.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
    });
    currency_of_word(near.get(start..)?)
}

fn currency_of_symbol(c: char) -> Option<&'static str> {
    Some(match c {
        '$' | '＄' => "$",
        '€' => "EUR",
        '£' => "GBP",
        '¥' | '￥' => "¥",
        '₹' => "INR",
        '₽' => "RUB",
        '₴' => "UAH",
        '₩' => "KRW",
        '₺' => "TRY",
        '₪' => "ILS",
        '₫' => "VND",
        '₱' => "PHP",
        '₦' => "NGN",
        '฿' => "THB",
        '₿' => "BTC",
        '円' | '元' => "¥",
        _ => return None,
    })
}

fn currency_of_word(word: &str) -> Option<&'static str> {
    const CODES: [&str; 36] = [
        "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "INR", "AUD", "CAD", "NZD", "HKD", "SGD", "SEK",
        "NOK", "DKK", "PLN", "CZK", "HUF", "RON", "BGN", "TRY", "UAH", "RUB", "BRL", "MXN", "ZAR",
        "KRW", "THB", "IDR", "MYR", "PHP", "VND", "ILS", "AED", "SAR", "NGN",
    ];
    // Hardly any word next to a number is written like a code.
    if let [b'A'..=b'Z', b'A'..=b'Z', b'A'..=b'Z'] = word.as_bytes() {
        return CODES.into_iter().find(|code| *code == word);
    }
    Some(match word {
        "Euro" | "euro" | "Euros" | "euros" | "Eur" => "EUR",
        "dollars" | "Dollars" => "$",
        "Fr" | "SFr" => "CHF",
        "zł" => "PLN",
        "Kč" => "CZK",
        "Ft" => "HUF",
        "kr" => "kr",
        "Rs" => "INR",
        "RM" => "MYR",
        _ => return None,
    })
}

/// Normalizes a number: a full stop before its decimals and no other separators.
fn plain_number(written: &str) -> Option<String> {
    if written.len() > 20 {
        return None;
    }
    let last = written.rfind(['.', ',']);
    let (whole, decimals) = match last {
        Some(at) => {
            let decimals = written.get(at + 1..)?;
            let separator = written.get(at..=at)?;
            let repeated = written.matches(separator).count() > 1;
            // Three digits after a separator are thousands, unless only a zero comes before it.
            if repeated || (decimals.len() == 3 && written.get(..at)? != "0") {
                (written, "")
            } else {
                (written.get(..at)?, decimals)
            }
        }
        None => (written, ""),
    };
    let digits: String = whole.chars().filter(char::is_ascii_digit).collect();
    let digits = match digits.trim_start_matches('0') {
        "" => "0",
        some => some,
    };
    if !decimals.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    Some(if decimals.is_empty() || decimals.bytes().all(|b| b == b'0') {
        digits.to_owned()
    } else {
        [digits, ".", decimals].concat()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_found_in_one_spelling() {
        for (text, found) in [
            ("€9.99", vec!["EUR 9.99"]),
            ("nur 9,99 € statt 12,50 €", vec!["EUR 9.99", "EUR 12.50"]),
            ("$1,299.00 or US$ 1,299.00", vec!["$ 1299", "USD 1299"]),
            ("1.299,00 EUR", vec!["EUR 1299"]),
            ("CHF 1'299.50", vec!["CHF 1299.50"]),
            ("Rs. 500, 20 kr, 99 zł", vec!["kr 20", "PLN 99"]),
            ("from 10,- € a day", vec!["EUR 10"]),
            ("5 €, 5 € and 6 €", vec!["EUR 5", "EUR 6"]),
            ("take 2 $5 vouchers", vec!["$ 5"]),
            ("£0.999", vec!["GBP 0.999"]),
            ("1980円 (税込)", vec!["¥ 1980"]),
            ("room 12, 3 nights, 2026", vec![]),
            ("EUROPE 2026 and A4", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(prices(text), found, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_prices_or_none(text in "[0-9.,' €$EURkr円éx-]{0,80}") {
            let found = prices(&text);
            proptest::prop_assert!(found.len() <= MAX_PRICES);
            proptest::prop_assert_eq!(has_price(&text), !found.is_empty());
        }
    }
}
