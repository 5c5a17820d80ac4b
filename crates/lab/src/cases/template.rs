//! The texts of case files: literal bytes and placeholders that are filled in for each request.

use data_encoding::BASE64;

use super::filler;
use crate::chance::Chance;

/// At most this many words in one placeholder.
const MAX_WORDS: u64 = 100_000;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Bytes(Vec<u8>),
    Host,
    /// That many random words.
    Words(u64, u64),
    /// One of these.
    Pick(Vec<String>),
    /// A price with two decimals, its whole part in this range.
    Price(u64, u64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template(Vec<Part>);

impl Template {
    /// `seed` is what the filler words belong to. Double braces that are not followed by a lower
    /// case word and a colon are literal, because templates of other systems are texts as well. An
    /// error names the line of the text, counted from 0.
    pub(super) fn parse(text: &str, seed: &str) -> Result<Self, (usize, String)> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            literal.push_str(before);
            let line = || {
                text.len()
                    .checked_sub(after.len())
                    .and_then(|at| text.get(..at))
                    .map_or(0, |read| read.matches('\n').count())
            };
            let name: &str = after
                .split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit())
                .next()
                .unwrap_or_default();
            let follows = after.get(name.len()..).unwrap_or_default();
            let is_placeholder =
                !name.is_empty() && (follows.starts_with(':') || after.starts_with("host}}"));
            if !is_placeholder {
                literal.push_str("{{");
                rest = after;
                continue;
            }
            let Some((inside, next)) = after.split_once("}}") else {
                return Err((line(), format!("{{{{{name} has no end")));
            };
            let argument = inside.split_once(':').map_or("", |(_, argument)| argument);
            let part = parse_part(name, argument, seed).map_err(|problem| (line(), problem))?;
            if !literal.is_empty() {
                parts.push(Part::Bytes(std::mem::take(&mut literal).into_bytes()));
            }
            parts.push(part);
            rest = next;
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(Part::Bytes(literal.into_bytes()));
        }
        Ok(Self(parts))
    }

    pub(super) fn render(&self, host: &str, chance: &mut Chance) -> Vec<u8> {
        let mut out = Vec::new();
        for part in &self.0 {
            match part {
                Part::Bytes(bytes) => out.extend_from_slice(bytes),
                Part::Host => out.extend_from_slice(host.as_bytes()),
                Part::Words(low, high) => {
                    let count = chance.between(*low, *high);
                    out.extend_from_slice(filler::words(chance, count).as_bytes());
                }
                Part::Pick(all) => {
                    let one = chance.pick(all).map(String::as_str).unwrap_or_default();
                    out.extend_from_slice(one.as_bytes());
                }
                Part::Price(low, high) => {
                    let (whole, cents) = (chance.between(*low, *high), chance.below(100));
                    out.extend_from_slice(format!("{whole}.{cents:02}").as_bytes());
                }
            }
        }
        out
    }

    /// Whether the text begins with these bytes, followed by the site's own name.
    pub(super) fn is_url_at_host(&self, scheme: &str) -> bool {
        matches!(self.0.as_slice(), [Part::Bytes(first), Part::Host, ..] if first == scheme.as_bytes())
    }
}

fn parse_part(name: &str, argument: &str, seed: &str) -> Result<Part, String> {
    match name {
        "host" => Ok(Part::Host),
        "words" => range(argument, MAX_WORDS).map(|(low, high)| Part::Words(low, high)),
        "price" => range(argument, 1_000_000).map(|(low, high)| Part::Price(low, high)),
        "pick" => {
            let all: Vec<String> = argument.split('|').map(str::to_owned).collect();
            if all.len() < 2 {
                return Err("{{pick:…}} needs at least two texts".to_owned());
            }
            Ok(Part::Pick(all))
        }
        "filler" => {
            let count: usize = argument
                .parse()
                .ok()
                .filter(|count| (1..=100_000).contains(count))
                .ok_or_else(|| format!("{argument:?} is no number of words"))?;
            Ok(Part::Bytes(filler::sentences(seed, count).into_bytes()))
        }
        "base64" => {
            let letters: String = argument.split_whitespace().collect();
            let bytes = BASE64.decode(letters.as_bytes());
            bytes.map(Part::Bytes).map_err(|error| format!("not base64: {error}"))
        }
        _ => Err(format!("{{{{{name}:…}}}} is no placeholder")),
    }
}

fn range(argument: &str, most: u64) -> Result<(u64, u64), String> {
    argument
        .split_once('-')
        .and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)))
        .filter(|(low, high)| low <= high && *high <= most)
        .ok_or_else(|| format!("{argument:?} is no range such as 20-80"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str) -> String {
        let template = Template::parse(text, "seed").unwrap();
        String::from_utf8(template.render("c001.lab", &mut Chance::new())).unwrap()
    }

    #[test]
    fn every_placeholder_is_filled_in() {
        assert_eq!(rendered("https://{{host}}/a"), "https://c001.lab/a");
        assert_eq!(rendered("{{base64:aGkg dGhlcmU=}}!"), "hi there!");
        let count = rendered("{{words:20-80}}").split(' ').count();
        assert!((20..=80).contains(&count), "{count}");
        assert!(["a", "b b", ""].contains(&&*rendered("{{pick:a|b b|}}")));
        let price: f64 = rendered("{{price:10-99}}").parse().unwrap();
        assert!((10.0..100.0).contains(&price), "{price}");
        assert_eq!(rendered("{{filler:30}}"), rendered("{{filler:30}}"));
        assert_eq!(rendered("{{filler:30}}").split(' ').count(), 30);
    }

    #[test]
    fn other_double_braces_are_text() {
        for text in ["{{ title }}", "{{title}}", "{{hosts}}", "a {{ b", "{{{x}}}", "{{"] {
            assert_eq!(rendered(text), text);
        }
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, line) in [
            ("a\n{{wrods:2-3}}", 1),
            ("{{words:3-2}}", 0),
            ("{{words:20}}", 0),
            ("\n\n{{pick:a}}", 2),
            ("{{filler:many}}", 0),
            ("{{base64:!}}", 0),
            ("\n{{price:1-2", 1),
        ] {
            let (at, problem) = Template::parse(text, "seed").unwrap_err();
            assert_eq!(at, line, "{text}: {problem}");
        }
    }

    #[test]
    fn recognises_urls_of_the_site_itself() {
        let template = Template::parse("http://{{host}}/plain", "seed").unwrap();
        assert!(template.is_url_at_host("http://"));
        assert!(!template.is_url_at_host("https://"));
    }
}
