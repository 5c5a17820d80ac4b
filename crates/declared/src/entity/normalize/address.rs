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
        let numbers = house_numbers(&street);
        let rest: Vec<&str> = street
            .iter()
            .map(String::as_str)
            .filter(|word| !word.bytes().any(|byte| byte.is_ascii_digit()))
            .collect();
        let number = numbers.join(",");
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
    let [code, country, numbers, ..] = one;
    let [other_code, other_country, other_numbers, ..] = other;
    let countries_differ =
        country.len() == 2 && other_country.len() == 2 && country != other_country;
    if codes_differ(code, other_code)
        || countries_differ
        || numbers_differ(&list(numbers), &list(other_numbers))
    {
        AddressMatch::Other
    } else {
        AddressMatch::Variant
    }
}

/// The numbers of a normalized address.
fn list(numbers: &str) -> Vec<&str> {
    numbers.split(',').filter(|number| !number.is_empty()).collect()
}

/// `12345` and `12345-6789`, `50667` and `D-50667` are one postal code.
fn codes_differ(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    !short.is_empty() && !long.starts_with(short) && !long.ends_with(short)
}

/// Whether two lists of house numbers have none in common. `12a` is a part of number 12.
fn numbers_differ(one: &[&str], other: &[&str]) -> bool {
    let bare = |number: &str| {
        number.trim_end_matches(|c: char| !c.is_ascii_digit()).trim_start_matches('0').to_owned()
    };
    !one.is_empty()
        && !other.is_empty()
        && !one.iter().any(|a| other.iter().any(|b| bare(a) == bare(b)))
}

/// Compares fields with a text. The text may omit a field but must not contradict it: the same street with
/// another number, or another street with another number and another postal code.
fn compare_text(parts: AddressParts<'_>, text: &str) -> AddressMatch {
    let [code, _, numbers, street, _] = parts;
    let numbers = list(numbers);
    let words: Vec<&str> = address_words(text);
    let joined = words.concat();
    let code_is_there = !code.is_empty() && joined.contains(code);
    let number_is_there = numbers.iter().any(|number| words.contains(number));
    let other_code = !code.is_empty()
        && !code_is_there
        && code.len() >= 4
        && windows(&words)
            .any(|run| shape(&run) == shape(code) && !numbers.contains(&run.as_str()));
    let street_words: Vec<&str> = street.split(' ').filter(|word| !word.is_empty()).collect();
    let street_is_there =
        !street_words.is_empty() && street_words.iter().all(|word| words.contains(word));
    let other_number = !number_is_there
        && !numbers.is_empty()
        && (street_is_there && has_number_beside(&words, &street_words)
            || !street_words.iter().any(|word| words.contains(word) && !is_street_type(word))
                && !street_words.is_empty()
                && !code_is_there
                && words.iter().any(|word| is_street_type(word))
                && street_numbers(&words));
    if other_code || other_number {
        AddressMatch::Other
    } else if code_is_there && number_is_there && street_is_there {
        AddressMatch::Same
    } else {
        AddressMatch::Variant
    }
}

/// The words of a text up to where contacts other than the address begin.
fn address_words(text: &str) -> Vec<&str> {
    const CONTACTS: [&str; 14] = [
        "tel",
        "telephone",
        "phone",
        "telefon",
        "fon",
        "telefono",
        "telefone",
        "telefoon",
        "fax",
        "mobile",
        "mobil",
        "call",
        "email",
        "mail",
    ];
    text.split(' ').take_while(|word| !CONTACTS.contains(word)).collect()
}

/// Whether a number other than a postal code stands directly before or after the words of a street.
fn has_number_beside(words: &[&str], street: &[&str]) -> bool {
    let is_number = |word: &&str| {
        word.len() <= 4 && word.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
    };
    let is_street = |word: &&str| street.contains(word);
    let before = words.iter().position(is_street).and_then(|at| at.checked_sub(1));
    let after = words.iter().rposition(is_street).map(|at| at + 1);
    [before, after].into_iter().flatten().filter_map(|at| words.get(at)).any(is_number)
}

/// Whether a short number stands within two words of a word such as “street”.
fn street_numbers(words: &[&str]) -> bool {
    words.iter().enumerate().filter(|(_, word)| is_street_type(word)).any(|(at, _)| {
        let near = words.get(at.saturating_sub(3)..(at + 2).min(words.len())).unwrap_or_default();
        near.iter().any(|word| {
            word.len() <= 4 && word.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
        })
    })
}

fn is_street_type(word: &str) -> bool {
    const TYPES: [&str; 24] = [
        "street",
        "road",
        "avenue",
        "boulevard",
        "drive",
        "lane",
        "court",
        "place",
        "square",
        "highway",
        "parkway",
        "way",
        "terrace",
        "row",
        "rue",
        "via",
        "piazza",
        "calle",
        "platz",
        "weg",
        "allee",
        "gade",
        "vej",
        "straat",
    ];
    TYPES.contains(&word)
        || word.len() > 7 && (word.ends_with("strasse") || word.ends_with("straat"))
}

/// Compares two texts: the numbers of one must all appear in the other.
fn compare_texts(one: &str, other: &str) -> AddressMatch {
    let numbers = |text: &str| -> Vec<String> {
        address_words(text)
            .into_iter()
            .filter(|word| word.bytes().any(|byte| byte.is_ascii_digit()))
            .map(str::to_owned)
            .collect()
    };
    let (a, b) = (numbers(one), numbers(other));
    // Tested in both directions, so that the comparison is symmetric.
    let within = |few: &[String], many: &[String]| few.iter().all(|n| many.contains(n));
    if within(&a, &b) || within(&b, &a) { AddressMatch::Variant } else { AddressMatch::Other }
}

/// How many addresses of header and footer are read, and how long one may be.
const MAX_VISIBLE: usize = 10;
const MAX_LINE_CHARS: usize = 200;

/// The parts of a text that look like a postal address in one of these localities: a street with a number,
/// and the locality after it.
pub(in super::super) fn visible_addresses(text: &str, localities: &[String]) -> Vec<String> {
    let localities: Vec<String> = localities
        .iter()
        .map(|name| tokens(&fold(name)).join(" "))
        .filter(|name| name.chars().count() >= 3)
        .take(5)
        .collect();
    if localities.is_empty() {
        return Vec::new();
    }
    text.split(['|', '·', '•', '\n'])
        .flat_map(|line| line.split(". "))
        .map(str::trim)
        .filter(|line| line.len() <= MAX_LINE_CHARS)
        .filter(|line| {
            let words = expand_abbreviations(line);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let joined = words.join(" ");
            let words = address_words(&joined);
            street_numbers(&words)
                && localities.iter().any(|locality| words.join(" ").contains(locality.as_str()))
        })
        .take(MAX_VISIBLE)
        .map(str::to_owned)
        .collect()
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

/// The house numbers of a street, without numbers of suites, floors and boxes unless there is no other.
fn house_numbers(words: &[String]) -> Vec<String> {
    const INSIDE: [&str; 15] = [
        "unit",
        "suite",
        "apartment",
        "floor",
        "flat",
        "room",
        "level",
        "box",
        "postfach",
        "shop",
        "door",
        "top",
        "stock",
        "etage",
        "no",
    ];
    let is_number = |word: &str| {
        word.len() <= 6 && word.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
    };
    let all = || words.iter().enumerate().filter(|(_, word)| is_number(word));
    let outside: Vec<String> = all()
        .filter(|(at, _)| {
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            before.is_none_or(|word| word == "no" || !INSIDE.contains(&word.as_str()))
        })
        .map(|(_, word)| word.clone())
        .take(5)
        .collect();
    if outside.is_empty() { all().map(|(_, word)| word.clone()).take(5).collect() } else { outside }
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
