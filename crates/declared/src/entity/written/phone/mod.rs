//! Telephone numbers, compared by what would be dialled.

mod closeness;
mod extension;
mod labels;
mod prefixes;
mod run;
mod search;
mod spoken;

use super::super::normalize::phone;
use super::super::normalize::phone_plan::{NumberingPlan, plan_of_number, plan_of_region};
use super::WrittenMatch;
use super::denial::{Fact, denies};
use labels::NumberUse;
use prefixes::{
    dialled_abroad, international_number, is_filler, may_be_one_number, other_readings,
    special_national_number,
};
use search::{FoundNumber, find_numbers};

/// Numbers with fewer digits are short numbers or lack their area code.
const MIN_DIGITS: usize = 7;

pub(super) fn compare_phones(published: &str, stated: &str, region: Option<&str>) -> WrittenMatch {
    let plan = region.and_then(plan_of_region);
    let (one, other) = (TextNumbers::new(published, plan), TextNumbers::new(stated, plan));
    let found = super::compare_values(&one.numbers, &other.numbers, compare_numbers);
    if found != WrittenMatch::Equal && (one.has_as_fax(&other) || other.has_as_fax(&one)) {
        return WrittenMatch::Different;
    }
    // Who says that there is no telephone contradicts every number.
    let is_denied = |text: &str, numbers: &TextNumbers, other: &TextNumbers| {
        numbers.numbers.is_empty() && !other.numbers.is_empty() && denies(text, Fact::Phone)
    };
    if is_denied(published, &one, &other) || is_denied(stated, &other, &one) {
        return WrittenMatch::Different;
    }
    if found == WrittenMatch::Different && one.may_exist_beside(&other) && !one.is_slip_of(&other) {
        return WrittenMatch::Undecidable;
    }
    found
}

/// The numbers of one text, each once.
struct TextNumbers {
    numbers: Vec<DialledNumber>,
    faxes: Vec<DialledNumber>,
}

impl TextNumbers {
    fn new(text: &str, plan: Option<&NumberingPlan>) -> Self {
        let once = |found: Vec<FoundNumber>| {
            let mut numbers: Vec<DialledNumber> = Vec::new();
            for found in found {
                let number = DialledNumber::new(found, plan);
                // One number written in two ways, for callers from home and from abroad.
                if !numbers.iter().any(|known| is_equal(known, &number)) {
                    numbers.push(number);
                }
            }
            numbers
        };
        let found = find_numbers(text);
        Self { numbers: once(found.numbers), faxes: once(found.faxes) }
    }

    /// Whether the only number of the other text is the fax here, beside a telephone.
    fn has_as_fax(&self, other: &Self) -> bool {
        let [number] = other.numbers.as_slice() else { return false };
        !self.numbers.is_empty()
            && !self.numbers.iter().any(|own| is_equal(own, number))
            && self.faxes.iter().any(|fax| is_equal(fax, number))
    }

    /// Whether the only numbers differ by a slip of the finger: nobody has such a number beside the other.
    fn is_slip_of(&self, other: &Self) -> bool {
        match (self.numbers.as_slice(), other.numbers.as_slice()) {
            ([one], [other]) => match (&one.full, &other.full) {
                (Some(one), Some(other)) => closeness::is_slip(one, other),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether the words beside the numbers say that they are for different things: a business has a number
    /// for messages beside the one for calls, and a mobile beside its landline.
    fn may_exist_beside(&self, other: &Self) -> bool {
        let only = |numbers: &Self, used_for: NumberUse| {
            numbers.numbers.iter().all(|number| number.used_for == used_for)
        };
        let message = NumberUse::Message;
        only(self, message) != only(other, message)
            || only(self, NumberUse::Mobile) && only(other, NumberUse::Landline)
            || only(self, NumberUse::Landline) && only(other, NumberUse::Mobile)
    }
}

fn is_equal(one: &DialledNumber, other: &DialledNumber) -> bool {
    compare_numbers(one, other) == WrittenMatch::Equal
}

/// A number with what its region tells about it.
#[derive(Debug)]
struct DialledNumber {
    /// Calling code and number, if the number has as many digits as its country uses.
    full: Option<String>,
    /// The number in full, read in other ways.
    readings: Vec<String>,
    /// The digits as written, without zeros before them.
    bare: String,
    /// Calling code and the digits behind it and behind the trunk prefix, whatever their count: service
    /// numbers are longer or shorter than others.
    loose: Option<(&'static str, String)>,
    is_international: bool,
    /// Written with a calling code or a trunk prefix: the area code is not missing.
    is_complete: bool,
    is_filler: bool,
    used_for: NumberUse,
    written: FoundNumber,
}

impl DialledNumber {
    fn new(mut found: FoundNumber, plan: Option<&NumberingPlan>) -> Self {
        if found.is_international
            && let Some(digits) = found.digits.strip_prefix("00")
        {
            found.digits = digits.to_owned();
        }
        let digits = found.digits.as_str();
        // Mobile numbers of Argentina without their area code.
        let local = digits.strip_prefix("15").filter(|_| {
            !found.is_international
                && digits.len() <= 10
                && plan.is_some_and(|plan| plan.region == "AR")
        });
        let full =
            if local.is_some() || found.is_masked { None } else { full_number(&found, plan) };
        let loose = if found.is_international {
            plan_of_number(digits).map(|plan| (plan.code, digits.strip_prefix(plan.code)))
        } else {
            plan.map(|plan| (plan.code, digits.strip_prefix(plan.trunk)))
        };
        let has_trunk = plan.is_some_and(|plan| match plan.trunk {
            // Where there is no prefix, only these digits begin a complete number.
            "" => digits.starts_with(['0', '3']) && plan.code == "39",
            trunk => digits.starts_with(trunk),
        });
        let readings = if found.is_international || local.is_some() {
            Vec::new()
        } else {
            other_readings(digits, plan)
        };
        let plain = |full: String| full.trim_start_matches('+').to_owned();
        Self {
            loose: loose.map(|(code, rest)| {
                (code, rest.unwrap_or(digits).trim_start_matches('0').to_owned())
            }),
            full: full.map(plain),
            readings: readings.into_iter().map(plain).collect(),
            bare: local.unwrap_or(digits).trim_start_matches('0').to_owned(),
            is_international: found.is_international,
            is_complete: found.is_international || has_trunk,
            is_filler: is_filler(digits),
            used_for: found.used_for,
            written: found,
        }
    }

    fn all_readings(&self) -> impl Iterator<Item = &String> {
        self.full.iter().chain(&self.readings)
    }
}

fn full_number(found: &FoundNumber, plan: Option<&NumberingPlan>) -> Option<String> {
    if found.is_international {
        return international_number(&found.digits);
    }
    // So few digits without a trunk prefix are a short number, or lack their area code.
    let is_short = |plan: &&NumberingPlan| {
        found.digits.len() < MIN_DIGITS
            && !plan.trunk.is_empty()
            && !found.digits.starts_with(plan.trunk)
    };
    let national = plan.filter(|plan| !is_short(plan)).and_then(|plan| {
        special_national_number(&found.digits, plan)
            .or_else(|| phone::national_number(&found.digits, plan))
    });
    national.or_else(|| dialled_abroad(&found.digits, plan)).or_else(|| {
        // `1 212 555 0100` is written so in North America only.
        let is_north_american = plan.is_none()
            && found.digits.len() == 11
            && found.digits.starts_with('1')
            && !found.digits.starts_with("10")
            && !found.digits.starts_with("11");
        is_north_american.then(|| format!("+{}", found.digits))
    })
}

fn compare_numbers(one: &DialledNumber, other: &DialledNumber) -> WrittenMatch {
    if one.written.is_masked || other.written.is_masked {
        return if may_begin_alike(one, other) {
            WrittenMatch::Undecidable
        } else {
            WrittenMatch::Different
        };
    }
    if one.all_readings().any(|reading| other.all_readings().any(|known| known == reading)) {
        return compare_extensions(one, other);
    }
    let is_open = one.is_filler && !other.is_filler
        || other.is_filler && !one.is_filler
        || (one.written.is_cut || other.written.is_cut) && may_begin_alike(one, other)
        || is_in_range(one, other)
        || is_in_range(other, one);
    match compare_complete(one, other) {
        WrittenMatch::Different if is_open => WrittenMatch::Undecidable,
        found => found,
    }
}

/// Compares numbers of which no digit is hidden.
fn compare_complete(one: &DialledNumber, other: &DialledNumber) -> WrittenMatch {
    match (&one.full, &other.full) {
        (Some(a), Some(b)) if a == b => compare_extensions(one, other),
        (Some(a), Some(b)) => {
            // The area code may be missing where numbers have many lengths.
            let is_one_country =
                plan_of_number(a).map(|plan| plan.code) == plan_of_number(b).map(|plan| plan.code);
            let lacks_area = is_one_country
                && (!other.is_complete && a.ends_with(&other.bare)
                    || !one.is_complete && b.ends_with(&one.bare));
            if is_extension_in_number(one, a, b, other) || is_extension_in_number(other, b, a, one)
            {
                WrittenMatch::Equal
            } else if may_be_one_number(a, b)
                || lacks_area
                || closeness::is_cut_off(a, b)
                || closeness::is_cut_off(b, a)
                || is_extended(one, a, b)
                || is_extended(other, b, a)
                || is_switchboard_of(one, a, b)
                || is_switchboard_of(other, b, a)
            {
                WrittenMatch::Undecidable
            } else {
                WrittenMatch::Different
            }
        }
        (Some(full), None) => compare_with_bare(one, full, other),
        (None, Some(full)) => compare_with_bare(other, full, one),
        (None, None) => {
            let (a, b) = (&one.bare, &other.bare);
            let is_same = one.loose.is_some() && one.loose == other.loose;
            let are_both_short = a.len() < MIN_DIGITS && b.len() < MIN_DIGITS;
            if a == b || is_same {
                compare_extensions(one, other)
            } else if a.ends_with(b.as_str()) || b.ends_with(a.as_str()) {
                WrittenMatch::Undecidable
            } else if are_both_short {
                WrittenMatch::Different
            } else if a.len() != b.len() && (a.len() < MIN_DIGITS || b.len() < MIN_DIGITS)
                || a.len().abs_diff(b.len()) > 3
            {
                WrittenMatch::Undecidable
            } else {
                WrittenMatch::Different
            }
        }
    }
}

/// Whether the digits that are to be read may begin the other number, in any of its writings.
fn may_begin_alike(one: &DialledNumber, other: &DialledNumber) -> bool {
    let forms = |number: &DialledNumber| -> Vec<String> {
        let mut forms = vec![number.written.digits.clone(), number.bare.clone()];
        if let Some(full) = &number.full {
            forms.push(full.clone());
            forms.push(format!("00{full}"));
            if let Some(plan) = plan_of_number(full)
                && let Some(national) = full.strip_prefix(plan.code)
            {
                forms.push(national.to_owned());
                forms.push(format!("{}{national}", plan.trunk));
            }
        }
        if let Some((code, digits)) = &number.loose {
            forms.push(digits.clone());
            forms.push(format!("{code}{digits}"));
        }
        forms
    };
    let (ones, others) = (forms(one), forms(other));
    ones.iter()
        .any(|a| others.iter().any(|b| a.starts_with(b.as_str()) || b.starts_with(a.as_str())))
}

/// Whether the first number stands for a range of numbers that may hold the second one.
fn is_in_range(range: &DialledNumber, other: &DialledNumber) -> bool {
    let Some(digits) = range.written.range else { return false };
    let start = |number: &str| {
        number.len().checked_sub(digits).and_then(|end| number.get(..end)).map(str::to_owned)
    };
    let (a, b) = (range.full.as_ref().unwrap_or(&range.bare), other.full.as_ref());
    let b = b.unwrap_or(&other.bare);
    a.len() == b.len() && start(a).is_some() && start(a) == start(b)
}

/// A number without its extension reaches the same business, but not the same desk.
fn compare_extensions(one: &DialledNumber, other: &DialledNumber) -> WrittenMatch {
    let extension = |number: &DialledNumber| {
        number.written.extension.as_ref().map(|digits| digits.trim_start_matches('0').to_owned())
    };
    match (extension(one), extension(other)) {
        (one, other) if one == other => WrittenMatch::Equal,
        (Some(_), Some(_)) => WrittenMatch::Different,
        _ => WrittenMatch::Undecidable,
    }
}

/// Compares a complete number with digits that are not one: the area code or the country may be missing.
fn compare_with_bare(one: &DialledNumber, full: &str, other: &DialledNumber) -> WrittenMatch {
    let bare = other.bare.as_str();
    let plan = plan_of_number(full);
    let national = plan.and_then(|plan| full.strip_prefix(plan.code)).unwrap_or(full);
    let with_trunk = plan.map(|plan| format!("{}{national}", plan.trunk.trim_start_matches('0')));
    let is_north_american = full.starts_with('1') && full.len() == 11 && bare == national;
    // Ten digits in this form are a number of North America; digits with a calling code only lack the plus.
    if is_north_american || bare == full && !other.written.digits.starts_with('0') {
        return compare_extensions(one, other);
    }
    // The old number may be too short for the plan of today.
    let old = other.loose.as_ref().map(|(code, digits)| format!("{code}{digits}"));
    let is_old = old.is_some_and(|old| may_be_one_number(full, &old));
    if is_old || other.is_international && may_be_one_number(full, bare) {
        return WrittenMatch::Undecidable;
    }
    let code_of = |digits: &str| plan_of_number(digits).map(|plan| plan.code);
    let is_other_country = other.is_international
        && code_of(bare).is_some_and(|code| Some(code) != code_of(full))
        && !bare.contains(full);
    // Digits that touch the last group are no extension.
    let has_too_many = plan.is_some_and(|plan| plan.digits.1 == national.len())
        && [full, national].into_iter().chain(with_trunk.as_deref()).any(|number| {
            let further = bare.strip_prefix(number).map_or(0, str::len);
            (1..=2).contains(&further) && other.written.last_group > further + 1
        });
    if is_other_country || has_too_many {
        WrittenMatch::Different
    } else if bare.len() < MIN_DIGITS
        || lacks_digits(other, full)
        || full.ends_with(bare)
        || bare.contains(national)
        || with_trunk.is_some_and(|with_trunk| with_trunk == bare)
        || bare.len() > full.len() + 3
    {
        WrittenMatch::Undecidable
    } else {
        WrittenMatch::Different
    }
}

/// Whether the digits are those of a complete number of which one or two are missing.
fn lacks_digits(number: &DialledNumber, full: &str) -> bool {
    number.loose.as_ref().is_some_and(|(code, digits)| {
        full.strip_prefix(code).is_some_and(|national| closeness::lacks_digits(digits, national))
    })
}

/// Whether the first number is the second one with an extension behind a hyphen, as switchboards are
/// written in Germany and Austria. `0` behind it is the switchboard itself.
fn is_extended(number: &DialledNumber, full: &str, other: &str) -> bool {
    let Some(rest) = full.strip_prefix(other) else { return false };
    rest == "0" || number.written.after_hyphen == Some(rest.len())
}

/// Whether the first number has the extension behind a hyphen that the second one names: `82 45 70-22` and
/// `82 45 70, Durchwahl 22`.
fn is_extension_in_number(
    number: &DialledNumber,
    full: &str,
    other: &str,
    other_number: &DialledNumber,
) -> bool {
    let rest =
        full.strip_prefix(other).filter(|rest| number.written.after_hyphen == Some(rest.len()));
    rest.is_some()
        && number.written.extension.is_none()
        && rest == other_number.written.extension.as_deref()
}

/// Whether the first number ends in the `-0` or `-1` of a switchboard, and the second one is a direct line behind it.
fn is_switchboard_of(number: &DialledNumber, full: &str, other: &str) -> bool {
    let main = full.strip_suffix(['0', '1']).filter(|_| number.written.after_hyphen == Some(1));
    let line = main.and_then(|main| other.strip_prefix(main));
    // `-1` is a switchboard only beside longer lines.
    line.is_some_and(|line| line.len() <= 4 && (full.ends_with('0') || line.len() > 1))
}
