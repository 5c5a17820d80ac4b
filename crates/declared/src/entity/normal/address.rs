//! Postal addresses, in fields or as one text.

use super::{folded, tokens};

/// The parts of an address as a site gives them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in super::super) struct Fields {
    pub(in super::super) street: String,
    pub(in super::super) locality: String,
    pub(in super::super) region: String,
    pub(in super::super) postal_code: String,
    pub(in super::super) country: String,
}

/// Marks the normal form of an address that came in fields.
const FIELDED: &str = "pc:";

impl Fields {
    /// The address in one line, as one would write it.
    pub(in super::super) fn written(&self) -> String {
        [&self.street, &self.postal_code, &self.locality, &self.region, &self.country]
            .into_iter()
            .map(|part| part.trim())
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// `pc:sw1a2aa|cc:gb|no:10|st:downing street|lo:london`
    pub(in super::super) fn normal(&self) -> String {
        let code: String =
            folded(&self.postal_code).chars().filter(|c| c.is_alphanumeric()).collect();
        let country = country_code(&self.country);
        let street = expanded(&self.street);
        let number = house_number(&street, "").unwrap_or_default();
        let rest: Vec<&str> =
            street.iter().map(String::as_str).filter(|word| *word != number).collect();
        let locality = expanded(&self.locality).join(" ");
        format!(
            "{FIELDED}{code}|cc:{}|no:{number}|st:{}|lo:{locality}",
            country.to_lowercase(),
            rest.join(" ")
        )
    }
}

/// The normal form of an address written as one text.
pub(in super::super) fn normal(value: &str) -> String {
    if value.starts_with(FIELDED) { value.to_owned() } else { expanded(value).join(" ") }
}

/// ISO 3166-1 alpha-2 of a country that is written as a code or by a common name.
pub(in super::super) fn country_code(value: &str) -> String {
    let plain = tokens(&folded(value)).join(" ");
    let code = match plain.as_str() {
        "uk" | "united kingdom" | "great britain" | "england" | "scotland" | "wales" | "gbr" => {
            "GB"
        }
        "usa" | "united states" | "united states of america" | "u s" | "u s a" => "US",
        "germany" | "deutschland" | "deu" => "DE",
        "france" | "fra" => "FR",
        "italy" | "italia" | "ita" => "IT",
        "spain" | "espana" | "esp" => "ES",
        "austria" | "osterreich" | "aut" => "AT",
        "switzerland" | "schweiz" | "suisse" | "svizzera" | "che" => "CH",
        "netherlands" | "the netherlands" | "nederland" | "nld" => "NL",
        "belgium" | "belgie" | "belgique" | "bel" => "BE",
        "ireland" | "irl" => "IE",
        "portugal" | "prt" => "PT",
        "poland" | "polska" | "pol" => "PL",
        "sweden" | "sverige" | "swe" => "SE",
        "norway" | "norge" | "nor" => "NO",
        "denmark" | "danmark" | "dnk" => "DK",
        "finland" | "suomi" | "fin" => "FI",
        "canada" | "can" => "CA",
        "australia" | "aus" => "AU",
        "new zealand" | "nzl" => "NZ",
        "japan" | "jpn" => "JP",
        "china" | "chn" => "CN",
        "india" | "ind" => "IN",
        "brazil" | "brasil" | "bra" => "BR",
        "mexico" | "mex" => "MX",
        "south africa" | "zaf" => "ZA",
        "turkey" | "turkiye" | "tur" => "TR",
        "czech republic" | "czechia" | "cesko" => "CZ",
        "hungary" | "magyarorszag" => "HU",
        "romania" => "RO",
        "greece" => "GR",
        "ukraine" => "UA",
        _ => "",
    };
    if !code.is_empty() {
        code.to_owned()
    } else if plain.len() == 2 && plain.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        plain.to_ascii_uppercase()
    } else {
        plain
    }
}

/// What two addresses differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Likeness {
    Same,
    /// Another spelling, or one says less.
    Variant,
    /// Another postal code, house number or country.
    Other,
}

/// Compares two normal forms.
pub(in super::super) fn compare(one: &str, other: &str) -> Likeness {
    if one == other {
        return Likeness::Same;
    }
    match (fields(one), fields(other)) {
        (Some(one), Some(other)) => compare_fields(one, other),
        (Some(fields), None) => compare_text(fields, other),
        (None, Some(fields)) => compare_text(fields, one),
        (None, None) => compare_texts(one, other),
    }
}

/// Postal code, country, house number, street, locality.
type Parts<'a> = [&'a str; 5];

fn fields(normal: &str) -> Option<Parts<'_>> {
    let mut parts = normal.strip_prefix(FIELDED)?.split('|');
    let code = parts.next()?;
    let mut next = |mark| parts.next().and_then(|part| part.strip_prefix(mark));
    Some([code, next("cc:")?, next("no:")?, next("st:")?, next("lo:")?])
}

fn compare_fields(one: Parts<'_>, other: Parts<'_>) -> Likeness {
    let differ = |a: &str, b: &str| !a.is_empty() && !b.is_empty() && a != b;
    let [code, country, number, ..] = one;
    let [other_code, other_country, other_number, ..] = other;
    if differ(code, other_code) || differ(country, other_country) || differ(number, other_number) {
        Likeness::Other
    } else {
        Likeness::Variant
    }
}

/// Fields against a text: what the fields say must stand in the text, unless the text is silent.
fn compare_text(parts: Parts<'_>, text: &str) -> Likeness {
    let [code, _, number, street, _] = parts;
    let words: Vec<&str> = text.split(' ').collect();
    let joined = text.replace(' ', "");
    let code_is_there = !code.is_empty() && joined.contains(code);
    let number_is_there = !number.is_empty() && words.contains(&number);
    let other_code = !code.is_empty()
        && !code_is_there
        && code.len() >= 4
        && windows(&words).any(|run| shape(&run) == shape(code) && run != number);
    // With the same street another number is another house.
    let street_is_there = !street.is_empty() && street.split(' ').all(|word| words.contains(&word));
    let other_number = street_is_there
        && !number.is_empty()
        && !number_is_there
        && house_number(&words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>(), code).is_some();
    if other_code || other_number {
        Likeness::Other
    } else if code_is_there && number_is_there && street_is_there {
        Likeness::Same
    } else {
        Likeness::Variant
    }
}

/// Two texts: one may say more than the other; numbers that both have must agree somewhere.
fn compare_texts(one: &str, other: &str) -> Likeness {
    let numbers = |text: &str| -> Vec<String> {
        text.split(' ')
            .filter(|w| w.bytes().any(|b| b.is_ascii_digit()))
            .map(str::to_owned)
            .collect()
    };
    let (a, b) = (numbers(one), numbers(other));
    // Asked both ways: a number that one of them repeats must not make the order matter.
    let within = |few: &[String], many: &[String]| few.iter().all(|n| many.contains(n));
    if within(&a, &b) || within(&b, &a) { Likeness::Variant } else { Likeness::Other }
}

/// Single words and pairs of neighbours, joined: postal codes are written with and without a gap.
fn windows<'a>(words: &'a [&'a str]) -> impl Iterator<Item = String> + 'a {
    let pairs = words.iter().zip(words.iter().skip(1)).map(|(a, b)| format!("{a}{b}"));
    words.iter().map(|word| (*word).to_owned()).chain(pairs)
}

/// Which characters are letters and which are digits; postal codes of one country look alike.
fn shape(word: &str) -> String {
    word.chars().map(|c| if c.is_ascii_digit() { '9' } else { 'a' }).collect()
}

fn house_number(words: &[String], code: &str) -> Option<String> {
    words
        .iter()
        .find(|word| {
            word.len() <= 6
                && word.bytes().next().is_some_and(|b| b.is_ascii_digit())
                && word.as_str() != code
        })
        .cloned()
}

/// The words of an address, abbreviations written out.
fn expanded(value: &str) -> Vec<String> {
    tokens(&folded(value))
        .into_iter()
        .map(|word| {
            let long = match word.as_str() {
                "st" | "str" => "street",
                "rd" => "road",
                "ave" | "av" => "avenue",
                "blvd" => "boulevard",
                "dr" => "drive",
                "ln" => "lane",
                "ct" => "court",
                "pl" => "place",
                "sq" => "square",
                "hwy" => "highway",
                "pkwy" => "parkway",
                "ste" => "suite",
                "apt" => "apartment",
                "fl" => "floor",
                "bldg" => "building",
                "n" => "north",
                "s" => "south",
                "e" => "east",
                "w" => "west",
                "strasse" => "street",
                "pza" => "piazza",
                "plz" => "platz",
                _ => "",
            };
            // German streets carry the word at their end: Hauptstr., Hauptstraße.
            let stem = word.strip_suffix("strasse").or_else(|| word.strip_suffix("str"));
            match (long, stem) {
                ("", Some(stem)) if stem.chars().count() >= 3 => format!("{stem}strasse"),
                ("", _) => word,
                (long, _) => long.to_owned(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fielded(street: &str, code: &str, locality: &str, country: &str) -> String {
        Fields {
            street: street.into(),
            postal_code: code.into(),
            locality: locality.into(),
            country: country.into(),
            ..Fields::default()
        }
        .normal()
    }

    #[test]
    fn addresses_are_compared_by_what_makes_a_place() {
        assert_eq!(compare_texts("8 0", "8 8"), compare_texts("8 8", "8 0"));
        use Likeness::*;
        let home = fielded("10 Downing St.", "SW1A 2AA", "London", "UK");
        assert_eq!(home, "pc:sw1a2aa|cc:gb|no:10|st:downing street|lo:london");
        for (other, likeness) in [
            (fielded("10, downing street", "sw1a2aa", "LONDON", "GB"), Same),
            (fielded("10 Downing Street", "SW1A 2AA", "Westminster", "GB"), Variant),
            (fielded("10 Downing Street", "", "London", ""), Variant),
            (fielded("11 Downing Street", "SW1A 2AA", "London", "GB"), Other),
            (fielded("10 Downing Street", "SW1A 2AB", "London", "GB"), Other),
            (fielded("10 Downing Street", "SW1A 2AA", "London", "FR"), Other),
            (normal("10 Downing St, London SW1A 2AA"), Same),
            (normal("Downing Street, London"), Variant),
            (normal("10 Downing Street, London SW1A 2AB"), Other),
            (normal("12 Downing Street, London"), Other),
            (normal("Visit us in London"), Variant),
        ] {
            assert_eq!(compare(&home, &other), likeness, "{other}");
            assert_eq!(compare(&other, &home), likeness, "{other}");
        }
        assert_eq!(compare(&normal("Hauptstr. 5, Köln"), &normal("Hauptstraße 5 Koln")), Same);
        assert_eq!(compare(&normal("Hauptstr. 5"), &normal("Hauptstr. 6")), Other);
        assert_eq!(compare(&normal("Hauptstr. 5"), &normal("Hauptstr. 5, 50667 Köln")), Variant);
    }

    proptest::proptest! {
        #[test]
        fn stable_and_symmetric(a in "[0-9A-Za-zß .,|:-]{0,40}", b in "(10|11|St|Hauptstr|SW1A| |2AA){0,8}") {
            let (x, y) = (normal(&a), normal(&b));
            proptest::prop_assert_eq!(&normal(&x), &x);
            proptest::prop_assert_eq!(compare(&x, &y), compare(&y, &x));
            let z = fielded(&b, &a, &b, "GB");
            proptest::prop_assert_eq!(&normal(&z), &z);
            proptest::prop_assert_eq!(compare(&x, &z), compare(&z, &x));
            proptest::prop_assert_eq!(compare(&z, &z), Likeness::Same);
        }
    }
}
