//! Compares two writings of one fact about a business by what they mean: what a site publishes, and what
//! somebody else states.
//!
//! A wrong [`WrittenMatch::Different`] accuses somebody of an error that they did not make, so every
//! comparison answers `Undecidable` unless the two texts cannot mean the same.

mod address;
mod area;
mod denial;
mod hours;
mod markup;
mod name;
mod not_knowing;
mod phone;
mod price;
mod website;

use contract::text::is_hidden;
use icu_normalizer::DecomposingNormalizerBorrowed;

/// Longer texts are not compared: they are no writing of a single fact.
const MAX_BYTES: usize = 2 << 10;

/// Which fact two texts state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WrittenField {
    Phone,
    Address,
    Website,
    Hours,
    ServiceArea,
    Price,
    Name,
}

impl WrittenField {
    pub const ALL: [Self; 7] = [
        Self::Phone,
        Self::Address,
        Self::Website,
        Self::Hours,
        Self::ServiceArea,
        Self::Price,
        Self::Name,
    ];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Phone => "phone",
            Self::Address => "address",
            Self::Website => "website",
            Self::Hours => "hours",
            Self::ServiceArea => "service_area",
            Self::Price => "price",
            Self::Name => "name",
        }
    }

    /// Longer texts are not compared. An address is read several times, once for each way to write it.
    fn max_bytes(self) -> usize {
        if self == Self::Address { MAX_BYTES / 2 } else { MAX_BYTES }
    }
}

/// Whether two texts state the same fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WrittenMatch {
    Equal,
    Different,
    /// A text states no such fact or several, or it leaves out what would decide.
    Undecidable,
}

impl WrittenMatch {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Different => "different",
            Self::Undecidable => "undecidable",
        }
    }
}

/// Compares what is published with what is stated. Symmetric. `region` is the ISO 3166-1 alpha-2 code of
/// the country of the business, if it is known: it decides what a number without country code means.
#[must_use]
pub fn compare_written(
    field: WrittenField,
    published: &str,
    stated: &str,
    region: Option<&str>,
) -> WrittenMatch {
    if published.len().max(stated.len()) > field.max_bytes() {
        return WrittenMatch::Undecidable;
    }
    let compare = match field {
        WrittenField::Phone => phone::compare_phones,
        WrittenField::Address => address::compare_addresses,
        WrittenField::Website => website::compare_websites,
        WrittenField::Hours => hours::compare_hours,
        WrittenField::ServiceArea => area::compare_areas,
        WrittenField::Price => price::compare_prices,
        WrittenField::Name => name::compare_names,
    };
    compare(&markup::without_emphasis(published), &markup::without_emphasis(stated), region)
}

/// Whether opening hours state all seven days.
#[must_use]
pub fn states_full_week(hours: &str, region: Option<&str>) -> bool {
    hours.len() <= MAX_BYTES && hours::states_full_week(hours, region)
}

/// Compares all values that two texts contain. Several different values decide nothing if one of them
/// agrees: nobody knows which of them is meant. Values of which none agrees with any other are different.
fn compare_values<T>(
    ones: &[T],
    others: &[T],
    compare: impl Fn(&T, &T) -> WrittenMatch,
) -> WrittenMatch {
    match (ones, others) {
        ([], _) | (_, []) => WrittenMatch::Undecidable,
        ([one], [other]) => compare(one, other),
        _ => {
            let has_equal = |value: &T, list: &[T]| {
                list.iter().any(|other| compare(value, other) == WrittenMatch::Equal)
            };
            let is_same_list = ones.iter().all(|one| has_equal(one, others))
                && others.iter().all(|other| has_equal(other, ones));
            let all_differ = || {
                ones.iter().all(|one| {
                    others.iter().all(|other| compare(one, other) == WrittenMatch::Different)
                })
            };
            if is_same_list {
                WrittenMatch::Equal
            } else if all_differ() {
                WrittenMatch::Different
            } else {
                WrittenMatch::Undecidable
            }
        }
    }
}

/// The characters of a text without accents and invisible characters, compatibility forms decomposed,
/// digits of all scripts as ASCII digits, dashes as hyphens, and all white space but line breaks as spaces.
/// Keeps the case.
fn plain_characters(value: &str) -> String {
    // Nothing of ASCII is decomposed, and its hidden characters are all controls.
    if value.is_ascii() {
        let plain = |c: char| match c {
            '\n' | '\r' => '\n',
            c if c.is_ascii_whitespace() || c.is_ascii_control() => ' ',
            c => c,
        };
        return value.chars().map(plain).collect();
    }
    let visible = value.chars().filter(|c| !is_hidden(*c) || c.is_control() || c.is_whitespace());
    let mut plain = String::with_capacity(value.len());
    for c in DecomposingNormalizerBorrowed::new_nfkd().normalize_iter(visible) {
        match c {
            // Also the marks of Japanese syllables.
            '\u{300}'..='\u{36f}' | '\u{3099}' | '\u{309a}' => {}
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => plain.push('\n'),
            '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2043}' | '\u{fe58}' => plain.push('-'),
            c if c.is_whitespace() || c.is_control() => plain.push(' '),
            c => plain.push(ascii_digit(c)),
        }
        // A single character may stand for a whole sentence; such a text states no fact.
        if plain.len() > 2 * MAX_BYTES {
            return String::new();
        }
    }
    plain
}

/// The ASCII digit for one in the digits of another script.
fn ascii_digit(c: char) -> char {
    const ZEROS: [u32; 14] = [
        0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0,
        0x17e0,
    ];
    if c.is_ascii() {
        return c;
    }
    let code = u32::from(c);
    let zero = ZEROS.into_iter().find(|zero| (*zero..*zero + 10).contains(&code));
    zero.and_then(|zero| char::from_digit(code - zero, 10)).unwrap_or(c)
}

#[cfg(test)]
mod tests;
