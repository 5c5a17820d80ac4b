//! Numbering plans: calling codes, trunk prefixes and lengths by region.

/// The structure of a region's numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct NumberingPlan {
    /// ISO 3166-1 alpha-2.
    pub(super) region: &'static str,
    pub(super) code: &'static str,
    /// The prefix dialled before a number within the region, but not from abroad.
    pub(super) trunk: &'static str,
    /// The shortest and the longest number, without calling code and trunk prefix.
    pub(super) digits: (usize, usize),
}

const fn plan(
    region: &'static str,
    code: &'static str,
    trunk: &'static str,
    least: usize,
    most: usize,
) -> NumberingPlan {
    NumberingPlan { region, code, trunk, digits: (least, most) }
}

/// Regions by calling code; of those that share a code the largest comes first.
pub(super) const PLANS: &[NumberingPlan] = &[
    plan("US", "1", "1", 10, 10),
    plan("CA", "1", "1", 10, 10),
    plan("PR", "1", "1", 10, 10),
    plan("JM", "1", "1", 10, 10),
    plan("DO", "1", "1", 10, 10),
    plan("TT", "1", "1", 10, 10),
    plan("BS", "1", "1", 10, 10),
    plan("BB", "1", "1", 10, 10),
    plan("EG", "20", "0", 8, 10),
    plan("ZA", "27", "0", 9, 9),
    plan("GR", "30", "", 10, 10),
    plan("NL", "31", "0", 9, 9),
    plan("BE", "32", "0", 8, 9),
    plan("FR", "33", "0", 9, 9),
    plan("ES", "34", "", 9, 9),
    plan("HU", "36", "06", 8, 9),
    plan("IT", "39", "", 6, 11),
    plan("VA", "39", "", 6, 11),
    plan("RO", "40", "0", 9, 9),
    plan("CH", "41", "0", 9, 9),
    plan("AT", "43", "0", 4, 13),
    plan("GB", "44", "0", 9, 10),
    plan("GG", "44", "0", 9, 10),
    plan("JE", "44", "0", 9, 10),
    plan("IM", "44", "0", 9, 10),
    plan("DK", "45", "", 8, 8),
    plan("SE", "46", "0", 7, 10),
    plan("NO", "47", "", 8, 8),
    plan("PL", "48", "", 9, 9),
    plan("DE", "49", "0", 5, 12),
    plan("PE", "51", "0", 8, 9),
    plan("MX", "52", "01", 10, 10),
    plan("CU", "53", "0", 8, 8),
    plan("AR", "54", "0", 10, 11),
    plan("BR", "55", "0", 10, 11),
    plan("CL", "56", "", 9, 9),
    plan("CO", "57", "0", 8, 10),
    plan("VE", "58", "0", 10, 10),
    plan("MY", "60", "0", 8, 10),
    plan("AU", "61", "0", 9, 9),
    plan("ID", "62", "0", 8, 12),
    plan("PH", "63", "0", 8, 10),
    plan("NZ", "64", "0", 8, 10),
    plan("SG", "65", "", 8, 8),
    plan("TH", "66", "0", 8, 9),
    plan("RU", "7", "8", 10, 10),
    plan("KZ", "7", "8", 10, 10),
    plan("JP", "81", "0", 9, 10),
    plan("KR", "82", "0", 8, 10),
    plan("VN", "84", "0", 9, 10),
    plan("CN", "86", "0", 10, 11),
    plan("TR", "90", "0", 10, 10),
    plan("IN", "91", "0", 10, 10),
    plan("PK", "92", "0", 9, 10),
    plan("AF", "93", "0", 9, 9),
    plan("LK", "94", "0", 9, 9),
    plan("MM", "95", "0", 7, 10),
    plan("IR", "98", "0", 10, 10),
    plan("MA", "212", "0", 9, 9),
    plan("DZ", "213", "0", 8, 9),
    plan("TN", "216", "", 8, 8),
    plan("LY", "218", "0", 9, 9),
    plan("SN", "221", "", 9, 9),
    plan("CI", "225", "", 10, 10),
    plan("MU", "230", "", 7, 8),
    plan("GH", "233", "0", 9, 9),
    plan("NG", "234", "0", 8, 10),
    plan("CM", "237", "", 9, 9),
    plan("AO", "244", "", 9, 9),
    plan("RW", "250", "0", 9, 9),
    plan("ET", "251", "0", 9, 9),
    plan("KE", "254", "0", 9, 9),
    plan("TZ", "255", "0", 9, 9),
    plan("UG", "256", "0", 9, 9),
    plan("MZ", "258", "", 8, 9),
    plan("ZM", "260", "0", 9, 9),
    plan("ZW", "263", "0", 8, 9),
    plan("NA", "264", "0", 8, 9),
    plan("BW", "267", "", 7, 8),
    plan("GI", "350", "", 8, 8),
    plan("PT", "351", "", 9, 9),
    plan("LU", "352", "", 4, 11),
    plan("IE", "353", "0", 7, 9),
    plan("IS", "354", "", 7, 9),
    plan("AL", "355", "0", 8, 9),
    plan("MT", "356", "", 8, 8),
    plan("CY", "357", "", 8, 8),
    plan("FI", "358", "0", 5, 12),
    plan("BG", "359", "0", 7, 9),
    plan("LT", "370", "8", 8, 8),
    plan("LV", "371", "", 8, 8),
    plan("EE", "372", "", 7, 8),
    plan("MD", "373", "0", 8, 8),
    plan("AM", "374", "0", 8, 8),
    plan("BY", "375", "80", 9, 9),
    plan("AD", "376", "", 6, 9),
    plan("MC", "377", "", 8, 9),
    plan("SM", "378", "", 6, 10),
    plan("UA", "380", "0", 9, 9),
    plan("RS", "381", "0", 8, 9),
    plan("ME", "382", "0", 8, 8),
    plan("XK", "383", "0", 8, 8),
    plan("HR", "385", "0", 8, 9),
    plan("SI", "386", "0", 8, 8),
    plan("BA", "387", "0", 8, 8),
    plan("MK", "389", "0", 8, 8),
    plan("CZ", "420", "", 9, 9),
    plan("SK", "421", "0", 9, 9),
    plan("LI", "423", "", 7, 7),
    plan("GT", "502", "", 8, 8),
    plan("SV", "503", "", 8, 8),
    plan("HN", "504", "", 8, 8),
    plan("NI", "505", "", 8, 8),
    plan("CR", "506", "", 8, 8),
    plan("PA", "507", "", 7, 8),
    plan("BO", "591", "0", 8, 8),
    plan("EC", "593", "0", 8, 9),
    plan("PY", "595", "0", 8, 9),
    plan("UY", "598", "0", 8, 8),
    plan("HK", "852", "", 8, 8),
    plan("MO", "853", "", 8, 8),
    plan("KH", "855", "0", 8, 9),
    plan("LA", "856", "0", 8, 10),
    plan("BD", "880", "0", 8, 10),
    plan("TW", "886", "0", 8, 9),
    plan("MV", "960", "", 7, 7),
    plan("LB", "961", "0", 7, 8),
    plan("JO", "962", "0", 8, 9),
    plan("IQ", "964", "0", 8, 10),
    plan("KW", "965", "", 8, 8),
    plan("SA", "966", "0", 9, 9),
    plan("OM", "968", "", 8, 8),
    plan("PS", "970", "0", 8, 9),
    plan("AE", "971", "0", 8, 9),
    plan("IL", "972", "0", 8, 9),
    plan("BH", "973", "", 8, 8),
    plan("QA", "974", "", 8, 8),
    plan("MN", "976", "0", 8, 8),
    plan("NP", "977", "0", 8, 10),
    plan("UZ", "998", "", 9, 9),
    plan("GE", "995", "0", 9, 9),
    plan("AZ", "994", "0", 9, 9),
    plan("KG", "996", "0", 9, 9),
    plan("TJ", "992", "", 9, 9),
    plan("TM", "993", "8", 8, 8),
    // Numbers of no region: freephone, shared cost, universal.
    plan("001", "800", "", 8, 8),
    plan("001", "808", "", 8, 8),
    plan("001", "870", "", 9, 12),
    plan("001", "878", "", 12, 12),
    plan("001", "883", "", 7, 12),
];

pub(super) fn plan_of_region(region: &str) -> Option<&'static NumberingPlan> {
    PLANS.iter().find(|plan| plan.region.eq_ignore_ascii_case(region))
}

/// The plan of a number with its calling code. Unambiguous: no code is a prefix of another.
pub(super) fn plan_of_number(digits: &str) -> Option<&'static NumberingPlan> {
    PLANS.iter().find(|plan| digits.starts_with(plan.code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_code_begins_with_another() {
        for one in PLANS {
            for other in PLANS {
                assert!(
                    one.code == other.code || !one.code.starts_with(other.code),
                    "{one:?} {other:?}"
                );
            }
            assert!(one.digits.0 <= one.digits.1 && one.code.len() + one.digits.1 <= 15, "{one:?}");
        }
    }
}
