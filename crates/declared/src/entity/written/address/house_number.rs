//! Numbers of houses and of the units in them.

/// The number of a house as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HouseNumber {
    /// `14`, `14a`, `12bis`, `sn` for a house without number.
    Single(String),
    /// `12-14`
    Range(String, String),
    /// Two numbers of one house, or a joint number: `123/4`.
    Joint(Vec<String>),
    /// Blocks of a district: `2-98-7`.
    Blocks(Vec<String>),
}

/// How two numbers compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberMatch {
    Same,
    Unsure,
    Other,
}

/// Reads a number, and the units that are written with it in some countries.
pub(super) fn read(text: &str, region: Option<&str>) -> (HouseNumber, Vec<String>) {
    let parts =
        |separator: char| -> Vec<String> { text.split(separator).map(trim_zeros).collect() };
    let single = |text: &str| HouseNumber::Single(trim_zeros(text));
    let by_slash = parts('/');
    match (by_slash.as_slice(), region) {
        ([_], _) => {}
        ([unit, number], Some("AU" | "NZ")) => {
            return (HouseNumber::Single(number.clone()), vec![unit.clone()]);
        }
        ([number, units @ ..], Some("PL" | "AT" | "HU" | "RO" | "BE" | "TR")) => {
            return (HouseNumber::Single(number.clone()), units.to_vec());
        }
        // Scotland writes the flat behind the house, and others write a range so.
        ([low, high], Some("GB")) => match (low.parse::<u32>(), high.parse::<u32>()) {
            (Ok(house), Ok(flat)) if flat < house => {
                return (HouseNumber::Single(low.clone()), vec![high.clone()]);
            }
            (Ok(first), Ok(last)) if last > first && last - first <= 12 => {
                return (HouseNumber::Range(low.clone(), high.clone()), Vec::new());
            }
            _ => return (HouseNumber::Joint(by_slash), Vec::new()),
        },
        ([low, high], Some("DE" | "IT" | "ES" | "FR" | "PT")) => {
            match (low.parse::<u32>(), high.parse::<u32>()) {
                (Ok(first), Ok(last)) if last > first && last - first <= 12 => {
                    return (HouseNumber::Range(low.clone(), high.clone()), Vec::new());
                }
                _ => return (HouseNumber::Joint(by_slash), Vec::new()),
            }
        }
        _ => return (HouseNumber::Joint(by_slash), Vec::new()),
    }
    let by_hyphen = parts('-');
    match by_hyphen.as_slice() {
        [_] => (single(text), Vec::new()),
        _ if matches!(region, Some("JP")) => (HouseNumber::Blocks(by_hyphen), Vec::new()),
        [unit, number] if matches!(region, Some("CA")) => {
            (HouseNumber::Single(number.clone()), vec![unit.clone()])
        }
        // `250-4` is flat 4 of house 250 where no house 4 follows.
        [house, unit]
            if !matches!(region, Some("US" | "CO" | "KR"))
                && matches!((house.parse::<u32>(), unit.parse::<u32>()), (Ok(a), Ok(b)) if b < a) =>
        {
            (HouseNumber::Single(house.clone()), vec![unit.clone()])
        }
        [low, high] => (HouseNumber::Range(low.clone(), high.clone()), Vec::new()),
        _ => (HouseNumber::Blocks(by_hyphen), Vec::new()),
    }
}

fn trim_zeros(text: &str) -> String {
    let bare = text.trim_start_matches('0');
    if bare.is_empty() { text.to_owned() } else { bare.to_owned() }
}

pub(super) fn compare(one: &HouseNumber, other: &HouseNumber, region: Option<&str>) -> NumberMatch {
    use HouseNumber::{Blocks, Joint, Range, Single};
    let same_or_other =
        |is_same: bool| if is_same { NumberMatch::Same } else { NumberMatch::Other };
    match (one, other) {
        (one, other) if one == other => NumberMatch::Same,
        // A house without a number may have got one, or its place on the road is given.
        (Single(number), _) | (_, Single(number)) if number == "sn" => NumberMatch::Unsure,
        (Single(a), Single(b)) if is_french_addition(a, b, region) => NumberMatch::Same,
        (Single(a), Single(b))
            if is_ground_floor(a, b, region) || is_ground_floor(b, a, region) =>
        {
            NumberMatch::Same
        }
        (Single(a), Single(b)) if is_with_addition(a, b) || is_with_addition(b, a) => {
            NumberMatch::Unsure
        }
        (Single(a), Single(b)) if may_be_register_number(a, b, region) => NumberMatch::Unsure,
        (Single(_), Single(_)) => NumberMatch::Other,
        (Range(low, high), Single(number)) | (Single(number), Range(low, high)) => {
            if low == number {
                NumberMatch::Same
            } else if is_between(number, low, high) {
                NumberMatch::Unsure
            } else {
                NumberMatch::Other
            }
        }
        (Range(low, high), Range(other_low, other_high)) => {
            if is_between(low, other_low, other_high) || is_between(other_low, low, high) {
                NumberMatch::Unsure
            } else {
                NumberMatch::Other
            }
        }
        (Joint(parts), Single(number)) | (Single(number), Joint(parts)) => {
            // Czech houses have a number in the street and one in the town.
            let is_either = matches!(region, Some("CZ" | "SK"));
            // The first is the one in the town, which few write alone.
            match (parts.contains(number), is_either && parts.last() == Some(number)) {
                (true, true) => NumberMatch::Same,
                (true, false) => NumberMatch::Unsure,
                (false, _) => NumberMatch::Other,
            }
        }
        (Joint(a), Joint(b)) => {
            let is_swapped = a.len() == b.len() && a.iter().all(|part| b.contains(part));
            if is_swapped { NumberMatch::Unsure } else { NumberMatch::Other }
        }
        (Blocks(a), Blocks(b)) if a.len() == b.len() => same_or_other(a == b),
        _ => NumberMatch::Unsure,
    }
}

/// Whether a number is the other with a letter or `bis` behind it. It may be the door beside, or the same one:
/// people leave such additions out, also the mark of the red numbers of Florence and Genoa. Fractions are houses of
/// their own.
fn is_with_addition(long: &str, bare: &str) -> bool {
    let ends_in_digit = bare.ends_with(|c: char| c.is_ascii_digit());
    let addition = long.strip_prefix(bare).unwrap_or_default();
    ends_in_digit
        && (1..=6).contains(&addition.len())
        && addition.bytes().all(|b| b.is_ascii_alphabetic())
}

/// Whether a number is the ground floor of the other: `311-H` in Amsterdam.
fn is_ground_floor(long: &str, bare: &str, region: Option<&str>) -> bool {
    region == Some("NL") && long.strip_suffix('h') == Some(bare)
}

/// Houses of Czech and Slovak towns have a long number in the register of the town and a short one in their
/// street; which of them a house has for the other is not known here.
fn may_be_register_number(one: &str, other: &str, region: Option<&str>) -> bool {
    let (shorter, longer) =
        if one.len() < other.len() { (one.len(), other.len()) } else { (other.len(), one.len()) };
    matches!(region, Some("CZ" | "SK")) && longer >= 3 && shorter <= 2 && longer - shorter >= 2
}

/// `7 T` and `7 ter`.
fn is_french_addition(one: &str, other: &str, region: Option<&str>) -> bool {
    let full = |text: &str| -> String {
        let letters = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = text.strip_suffix(letters).unwrap_or_default();
        let addition = match letters {
            "b" => "bis",
            "t" => "ter",
            "q" => "quater",
            other => other,
        };
        format!("{digits}{addition}")
    };
    matches!(region, Some("FR" | "BE" | "LU" | "MC" | "CH")) && full(one) == full(other)
}

fn is_between(number: &str, low: &str, high: &str) -> bool {
    let value = |text: &str| -> Option<u32> {
        text.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().ok()
    };
    match (value(number), value(low), value(high)) {
        (Some(number), Some(low), Some(high)) => (low..=high).contains(&number),
        _ => true,
    }
}
