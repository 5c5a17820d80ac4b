//! Postal addresses, in fields or as one text.

use super::{fold, tokens};

/// The fields of a postal address as a site states them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in super::super) struct AddressFields {
    pub(in super::super) street: String,
    pub(in super::super) locality: String,
    pub(in super::super) region: String,
    pub(in super::super) postal_code: String,
    pub(in super::super) country: String,
}

/// Prefix of the normalized form of an address that was given in fields.
const FIELDS_PREFIX: &str = "pc:";

impl AddressFields {
    /// The address on one line.
    pub(in super::super) fn to_line(&self) -> String {
        [&self.street, &self.postal_code, &self.locality, &self.region, &self.country]
            .into_iter()
            .map(|part| part.trim())
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// `pc:sw1a2aa|cc:gb|no:10|st:downing street|lo:london`
    pub(in super::super) fn to_normalized(&self) -> String {
        let code: String =
            fold(&self.postal_code).chars().filter(|c| c.is_alphanumeric()).collect();
        let country = country_code(&self.country);
        let street = expand_abbreviations(&self.street);
        let number = house_number(&street, "").unwrap_or_default();
        let rest: Vec<&str> =
            street.iter().map(String::as_str).filter(|word| *word != number).collect();
        let locality = expand_abbreviations(&self.locality).join(" ");
        format!(
            "{FIELDS_PREFIX}{code}|cc:{}|no:{number}|st:{}|lo:{locality}",
            country.to_lowercase(),
            rest.join(" ")
        )
    }
}

/// Normalizes an address written as one text.
pub(in super::super) fn normalize_address(value: &str) -> String {
    if value.starts_with(FIELDS_PREFIX) {
        value.to_owned()
    } else {
        expand_abbreviations(value).join(" ")
    }
}

/// The ISO 3166-1 alpha-2 code of a country given as a code or by a common name.
pub(in super::super) fn country_code(value: &str) -> String {
    let plain = tokens(&fold(value)).join(" ");
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

/// How two addresses compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum AddressMatch {
    Same,
    /// A different spelling, or one is less complete.
    Variant,
    /// A different postal code, house number or country.
    Other,
}

/// Compares two normalized addresses.
pub(in super::super) fn compare_addresses(one: &str, other: &str) -> AddressMatch {
    if one == other {
        return AddressMatch::Same;
    }
    match (parse_normalized(one), parse_normalized(other)) {
        (Some(one), Some(other)) => compare_fields(one, other),
        (Some(fields), None) => compare_text(fields, other),
        (None, Some(fields)) => compare_text(fields, one),
        (None, None) => compare_texts(one, other),
    }
}

/// Postal code, country, house number, street, locality.
type AddressParts<'a> = [&'a str; 5];

fn parse_normalized(normal: &str) -> Option<AddressParts<'_>> {
    let mut parts = normal.strip_prefix(FIELDS_PREFIX)?.split('|');
    let code = parts.next()?;
    let mut next = |mark| parts.next().and_then(|part| part.strip_prefix(mark));
    Some([code, next("cc:")?, next("no:")?, next("st:")?, next("lo:")?])
}

fn compare_fields(one: AddressParts<'_>, other: AddressParts<'_>) -> AddressMatch {
    let differ = |a: &str, b: &str| !a.is_empty() && !b.is_empty() && a != b;
    let [code, country, number, ..] = one;
    let [other_code, other_country, other_number, ..] = other;
    if differ(code, other_code) || differ(country, other_country) || differ(number, other_number) {
        AddressMatch::Other
    } else {
        AddressMatch::Variant
    }
}

/// Compares fields with a text: the text may omit a field but must not contradict it.
fn compare_text(parts: AddressParts<'_>, text: &str) -> AddressMatch {
    let [code, _, number, street, _] = parts;
    let words: Vec<&str> = text.split(' ').collect();
    let joined = text.replace(' ', "");
    let code_is_there = !code.is_empty() && joined.contains(code);
    let number_is_there = !number.is_empty() && words.contains(&number);
    let other_code = !code.is_empty()
        && !code_is_there
        && code.len() >= 4
        && windows(&words).any(|run| shape(&run) == shape(code) && run != number);
    // The same street with a different number is a different house.
    let street_is_there = !street.is_empty() && street.split(' ').all(|word| words.contains(&word));
    let other_number = street_is_there
        && !number.is_empty()
        && !number_is_there
        && house_number(&words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>(), code).is_some();
    if other_code || other_number {
        AddressMatch::Other
    } else if code_is_there && number_is_there && street_is_there {
        AddressMatch::Same
    } else {
        AddressMatch::Variant
    }
}

/// Compares two texts: the numbers of one must all appear in the other.
fn compare_texts(one: &str, other: &str) -> AddressMatch {
    let numbers = |text: &str| -> Vec<String> {
        text.split(' ')
            .filter(|w| w.bytes().any(|b| b.is_ascii_digit()))
            .map(str::to_owned)
            .collect()
    };
    let (a, b) = (numbers(one), numbers(other));
    // Tested in both directions, so that the comparison is symmetric.
    let within = |few: &[String], many: &[String]| few.iter().all(|n| many.contains(n));
    if within(&a, &b) || within(&b, &a) { AddressMatch::Variant } else { AddressMatch::Other }
}

/// Single words and joined pairs of neighbours: postal codes are written with and without a space.
fn windows<'a>(words: &'a [&'a str]) -> impl Iterator<Item = String> + 'a {
    let pairs = words.iter().zip(words.iter().skip(1)).map(|(a, b)| format!("{a}{b}"));
    words.iter().map(|word| (*word).to_owned()).chain(pairs)
}

/// The pattern of letters and digits; postal codes of one country share it.
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

/// The words of an address with abbreviations expanded.
fn expand_abbreviations(value: &str) -> Vec<String> {
    tokens(&fold(value))
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
            // German street names end in the word: Hauptstr., Hauptstraße.
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
        AddressFields {
            street: street.into(),
            postal_code: code.into(),
            locality: locality.into(),
            country: country.into(),
            ..AddressFields::default()
        }
        .to_normalized()
    }

    #[test]
    fn addresses_are_compared_by_what_makes_a_place() {
        assert_eq!(compare_texts("8 0", "8 8"), compare_texts("8 8", "8 0"));
        use AddressMatch::*;
        let home = fielded("10 Downing St.", "SW1A 2AA", "London", "UK");
        assert_eq!(home, "pc:sw1a2aa|cc:gb|no:10|st:downing street|lo:london");
        for (other, likeness) in [
            (fielded("10, downing street", "sw1a2aa", "LONDON", "GB"), Same),
            (fielded("10 Downing Street", "SW1A 2AA", "Westminster", "GB"), Variant),
            (fielded("10 Downing Street", "", "London", ""), Variant),
            (fielded("11 Downing Street", "SW1A 2AA", "London", "GB"), Other),
            (fielded("10 Downing Street", "SW1A 2AB", "London", "GB"), Other),
            (fielded("10 Downing Street", "SW1A 2AA", "London", "FR"), Other),
            (normalize_address("10 Downing St, London SW1A 2AA"), Same),
            (normalize_address("Downing Street, London"), Variant),
            (normalize_address("10 Downing Street, London SW1A 2AB"), Other),
            (normalize_address("12 Downing Street, London"), Other),
            (normalize_address("Visit us in London"), Variant),
        ] {
            assert_eq!(compare_addresses(&home, &other), likeness, "{other}");
            assert_eq!(compare_addresses(&other, &home), likeness, "{other}");
        }
        assert_eq!(
            compare_addresses(
                &normalize_address("Hauptstr. 5, Köln"),
                &normalize_address("Hauptstraße 5 Koln")
            ),
            Same
        );
        assert_eq!(
            compare_addresses(&normalize_address("Hauptstr. 5"), &normalize_address("Hauptstr. 6")),
            Other
        );
        assert_eq!(
            compare_addresses(
                &normalize_address("Hauptstr. 5"),
                &normalize_address("Hauptstr. 5, 50667 Köln")
            ),
            Variant
        );
    }

    proptest::proptest! {
        #[test]
        fn stable_and_symmetric(a in "[0-9A-Za-zß .,|:-]{0,40}", b in "(10|11|St|Hauptstr|SW1A| |2AA){0,8}") {
            let (x, y) = (normalize_address(&a), normalize_address(&b));
            proptest::prop_assert_eq!(&normalize_address(&x), &x);
            proptest::prop_assert_eq!(compare_addresses(&x, &y), compare_addresses(&y, &x));
            let z = fielded(&b, &a, &b, "GB");
            proptest::prop_assert_eq!(&normalize_address(&z), &z);
            proptest::prop_assert_eq!(compare_addresses(&x, &z), compare_addresses(&z, &x));
            proptest::prop_assert_eq!(compare_addresses(&z, &z), AddressMatch::Same);
        }
    }
}
