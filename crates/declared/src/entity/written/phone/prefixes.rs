//! Prefixes that are dialled at home or from abroad, and old and new forms of numbers.

use super::super::super::normalize::phone;
use super::super::super::normalize::phone_plan::{NumberingPlan, plan_of_number};

/// Prefixes for calls to other countries, by how many countries use them.
const EXIT_CODES: [&str; 4] = ["00", "011", "0011", "810"];
/// Prefixes of few countries or of single carriers. They are also area codes, so the calling code of the
/// business has to follow.
const RARE_EXIT_CODES: [&str; 24] = [
    "010", "001", "002", "005", "006", "007", "008", "009", "012", "013", "014", "018", "019",
    "0014", "0015", "0021", "0023", "0031", "000", "119", "990", "99900", "00700", "00400",
];

/// A number with its calling code. A digit that only old mobile numbers of Mexico have is left out.
pub(super) fn international_number(digits: &str) -> Option<String> {
    let old_mexican =
        digits.strip_prefix("521").filter(|rest| rest.len() == 10).map(|rest| format!("+52{rest}"));
    old_mexican.or_else(|| phone::international_number(digits)).or_else(|| {
        let plan = plan_of_number(digits)?;
        let national = digits.strip_prefix(plan.code)?;
        special_national_number(national, plan)
    })
}

/// Numbers as dialled at home in countries with further prefixes than the trunk prefix.
pub(super) fn special_national_number(digits: &str, plan: &NumberingPlan) -> Option<String> {
    let fits = |number: &str| (plan.digits.0..=plan.digits.1).contains(&number.len());
    let complete = |number: &str| format!("+{}{number}", plan.code);
    let without = |prefixes: &[&str]| {
        prefixes
            .iter()
            .find_map(|prefix| digits.strip_prefix(prefix).filter(|rest| fits(rest)))
            .map(complete)
    };
    match plan.region {
        // Without this, a country called with `00` would be read as an area of long numbers.
        _ if digits.starts_with("00") => dialled_abroad(digits, Some(plan)),
        "MX" => without(&["01", "044", "045"]),
        "AR" => {
            // No area code begins so: a mobile number without one.
            if digits.starts_with("15") && digits.len() <= 10 {
                return None;
            }
            let number = digits.strip_prefix('0').unwrap_or(digits);
            // Area codes have two to four digits; `15` after one marks a mobile number, as `9` before it
            // does for callers from abroad.
            (number.len() == 12).then_some(())?;
            (2..=4).find_map(|length| {
                let (area, rest) = number.split_at_checked(length)?;
                let is_area = length == 2 && area == "11" || length > 2 && !area.starts_with("11");
                let rest = rest.strip_prefix("15").filter(|_| is_area)?;
                Some(complete(&format!("9{area}{rest}")))
            })
        }
        // The code of a carrier, between the zero and the area code.
        "BR" => {
            let carrier_and_rest = digits.strip_prefix('0').filter(|rest| rest.len() >= 12)?;
            carrier_and_rest.get(2..).filter(|rest| fits(rest)).map(complete)
        }
        // Prefixes from before these countries had their own.
        "UA" | "GE" | "AM" | "AZ" | "MD" | "KG" => without(&["80", "8"]),
        // A mobile number called from a landline, and the code of a carrier before an area code.
        "CO" => without(&["03", "05", "07", "09"]),
        // Zeros and other digits that once were dialled first.
        "CL" => without(&["0", "09"]),
        "PL" | "ES" | "CZ" | "PT" | "GR" | "NO" | "DK" | "LV" | "EE" | "LT" | "TN" | "SN" => {
            without(&["0"])
        }
        _ => None,
    }
}

/// A number with the prefix for calls to other countries.
pub(super) fn dialled_abroad(digits: &str, plan: Option<&NumberingPlan>) -> Option<String> {
    let behind = |exit: &str| digits.strip_prefix(exit).filter(|rest| rest.len() >= 8);
    // Where the region uses the prefix itself, any country may follow.
    let own: &[&str] = match plan.map_or("", |plan| plan.region) {
        "JP" => &["010"],
        "KR" => &["001", "002", "00700", "005", "006", "008"],
        "HK" | "KH" | "MN" => &["001"],
        "SG" => &["001", "002", "008"],
        "TH" => &["001", "007", "008", "009"],
        "TW" => &["002", "005", "006", "007", "009"],
        "ID" => &["001", "007", "008", "017"],
        "IL" => &["012", "013", "014", "018"],
        "KE" | "TZ" | "UG" => &["000"],
        "NG" => &["009"],
        "CO" => &["005", "007", "009"],
        "CU" => &["119"],
        "FI" => &["990", "994", "999"],
        _ => &[],
    };
    if let Some(number) = own.iter().find_map(|exit| behind(exit).and_then(international_number)) {
        return Some(number);
    }
    let common = EXIT_CODES.iter().find_map(|exit| {
        // Without a region `011` and `810` may be area codes.
        let is_exit = plan.is_some() || *exit == "00";
        behind(exit).filter(|_| is_exit).and_then(international_number)
    });
    common.or_else(|| {
        let plan = plan?;
        RARE_EXIT_CODES.iter().find_map(|exit| {
            behind(exit).filter(|rest| rest.starts_with(plan.code)).and_then(international_number)
        })
    })
}

/// Whether two complete numbers may be old and new forms of one: countries added digits to all numbers or
/// to those of mobiles, and the zero of Italian numbers is often left out.
pub(super) fn may_be_one_number(one: &str, other: &str) -> bool {
    /// The first digits of the old numbers, after how many digits others were added, and these.
    const ADDED: [(&str, usize, &str); 35] = [
        ("202", 3, "2"),
        ("33", 2, "1"),
        ("33", 2, "2"),
        ("33", 2, "3"),
        ("33", 2, "4"),
        ("33", 2, "5"),
        ("34", 2, "9"),
        ("351", 3, "2"),
        ("39", 2, "0"),
        ("54", 2, "9"),
        ("632", 3, "8"),
        ("57", 2, "60"),
        ("56", 2, "9"),
        ("562", 3, "2"),
        ("593", 3, "9"),
        ("229", 3, "01"),
        ("225", 3, "01"),
        ("225", 3, "07"),
        ("225", 3, "05"),
        ("2252", 3, "27"),
        ("2252", 3, "21"),
        ("2252", 3, "25"),
        ("2010", 4, "0"),
        ("2011", 4, "1"),
        ("2012", 4, "2"),
        ("65", 2, "6"),
        ("372", 3, "5"),
        ("974", 3, "4"),
        ("965", 3, "2"),
        ("506", 3, "2"),
        ("9661", 3, "1"),
        ("9662", 3, "1"),
        ("9663", 3, "1"),
        ("9664", 3, "1"),
        ("9666", 3, "1"),
    ];
    /// First digits that were replaced.
    const REPLACED: [(&str, &str); 38] = [
        ("4471", "44207"),
        ("4481", "44208"),
        ("44171", "44207"),
        ("44181", "44208"),
        ("441222", "442920"),
        ("441203", "442476"),
        ("441705", "442392"),
        ("441703", "442380"),
        ("441232", "442890"),
        ("7095", "7495"),
        ("73272", "7727"),
        ("301", "30210"),
        ("309", "3069"),
        ("411", "4144"),
        ("3511", "35121"),
        ("844", "8424"),
        ("848", "8428"),
        ("84511", "84236"),
        ("84120", "8470"),
        ("84121", "8479"),
        ("84122", "8477"),
        ("84126", "8476"),
        ("84128", "8478"),
        ("84123", "8483"),
        ("84124", "8484"),
        ("84125", "8485"),
        ("84127", "8481"),
        ("84129", "8482"),
        ("84162", "8432"),
        ("84163", "8433"),
        ("84164", "8434"),
        ("84165", "8435"),
        ("84166", "8436"),
        ("84167", "8437"),
        ("84168", "8438"),
        ("84169", "8439"),
        ("84186", "8456"),
        ("84188", "8458"),
    ];
    /// Digits with which mobile numbers of Brazil began before they got another one.
    const OLD_BRAZILIAN_MOBILES: [char; 4] = ['6', '7', '8', '9'];
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let is_added = ADDED.iter().any(|(start, at, digits)| {
        short.len() + digits.len() == long.len()
            && short.starts_with(start)
            && short.split_at_checked(*at).is_some_and(|(head, tail)| {
                long.strip_prefix(head)
                    .and_then(|rest| rest.strip_prefix(digits))
                    .is_some_and(|rest| rest == tail)
            })
    });
    let is_replaced = |old_number: &str, new_number: &str| {
        REPLACED.iter().any(|(old, new)| {
            let rest = old_number.strip_prefix(old);
            rest.is_some() && rest == new_number.strip_prefix(new)
        })
    };
    let is_brazilian_mobile =
        short.strip_prefix("55").zip(long.strip_prefix("55")).is_some_and(|(old, new)| {
            let parts = old.split_at_checked(2).zip(new.split_at_checked(2));
            parts.is_some_and(|((area, old), (new_area, new))| {
                area == new_area
                    && old.starts_with(OLD_BRAZILIAN_MOBILES)
                    && new.strip_prefix('9') == Some(old)
            })
        });
    // Irish numbers got one or two digits behind their area code.
    let is_irish =
        short.strip_prefix("353").zip(long.strip_prefix("353")).is_some_and(|(old, new)| {
            let parts = old.split_at_checked(2).zip(new.split_at_checked(2));
            parts.is_some_and(|((area, old), (new_area, new))| {
                area == new_area
                    && matches!(new.len().saturating_sub(old.len()), 1 | 2)
                    && new.ends_with(old)
            })
        });
    is_added
        || is_irish
        || is_brazilian_mobile
        || is_replaced(one, other)
        || is_replaced(other, one)
}

/// Other ways to read the digits: the plus sign was left out, or the prefix for calls abroad is one of
/// another country. Good for finding that two numbers agree, not for telling that they differ.
pub(super) fn other_readings(digits: &str, plan: Option<&NumberingPlan>) -> Vec<String> {
    let without_plus = plan
        .filter(|plan| digits.starts_with(plan.code) && digits.len() >= plan.code.len() + 7)
        .and_then(|_| international_number(digits));
    let exits = EXIT_CODES.iter().chain(&RARE_EXIT_CODES);
    let abroad = exits
        .filter_map(|exit| digits.strip_prefix(exit).filter(|rest| rest.len() >= 9))
        .filter(|_| plan.is_some())
        .filter_map(international_number);
    without_plus.into_iter().chain(abroad).collect()
}

/// Numbers that only fill a form: one digit repeated, or all digits in their order.
pub(super) fn is_filler(digits: &str) -> bool {
    let last = digits.chars().last();
    let repeated = digits.chars().rev().take_while(|c| Some(*c) == last).count();
    repeated >= 7 || matches!(digits, "1234567890" | "0123456789" | "123456789" | "11234567890")
}
