//! Names of businesses and people.

use super::{fold, tokens};

/// Legal forms of companies, as one word without full stops.
const LEGAL_FORMS: &[&str] = &[
    "ltd",
    "limited",
    "plc",
    "llp",
    "llc",
    "lp",
    "inc",
    "incorporated",
    "corp",
    "corporation",
    "co",
    "company",
    "pty",
    "pte",
    "gmbh",
    "mbh",
    "ag",
    "kg",
    "kgaa",
    "ohg",
    "gbr",
    "ug",
    "ek",
    "ev",
    "se",
    "sa",
    "sas",
    "sasu",
    "sarl",
    "eurl",
    "snc",
    "sci",
    "spa",
    "srl",
    "srls",
    "sapa",
    "sl",
    "slu",
    "slp",
    "bv",
    "nv",
    "vof",
    "bvba",
    "srlu",
    "ab",
    "hb",
    "as",
    "asa",
    "aps",
    "oy",
    "oyj",
    "oü",
    "ou",
    "sia",
    "uab",
    "doo",
    "dd",
    "ad",
    "eood",
    "ood",
    "spzoo",
    "sro",
    "kft",
    "zrt",
    "nyrt",
    "bt",
    "ltda",
    "eireli",
    "cv",
    "sab",
    "kk",
    "pvt",
    "private",
    "bhd",
    "sdn",
    "ooo",
    "oao",
    "zao",
    "ao",
    "tbk",
    "pt",
];

/// The words of a name without the legal form at its end.
pub(in super::super) fn normalize_name(value: &str) -> String {
    let mut words = tokens(&fold(value));
    while words.len() > 1 {
        let short = words.len().saturating_sub(3).max(1);
        // `sp. z o.o.` and `S. r. l.` consist of several words.
        let ending = (short..words.len()).find(|at| {
            let joined = words.get(*at..).unwrap_or_default().concat();
            LEGAL_FORMS.contains(&joined.as_str())
        });
        match ending {
            Some(at) => words.truncate(at),
            None if words.last().is_some_and(|word| word == "and") => {
                words.pop();
            }
            None => break,
        }
    }
    words.join(" ")
}

/// Whether one name contains all words of the other.
pub(in super::super) fn one_contains_other(one: &str, other: &str) -> bool {
    let within = |small: &str, large: &str| {
        let large: Vec<&str> = large.split(' ').collect();
        small.split(' ').all(|word| large.contains(&word))
    };
    within(one, other) || within(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legal_forms_case_and_marks_do_not_make_another_name() {
        for (written, plain) in [
            ("Tin & Co. Ltd.", "tin"),
            ("TIN and Co", "tin"),
            ("Müller GmbH & Co. KG", "muller"),
            ("Rossi S.r.l.", "rossi"),
            ("Kowalski Sp. z o.o.", "kowalski"),
            ("Joe’s Café", "joes cafe"),
            ("Müller\u{ad}bäcke\u{ad}rei GmbH", "mullerbackerei"),
            ("\u{202b}קפה\u{200f} תל\u{200e} אביב\u{202c}", "קפה תל אביב"),
            ("Ltd", "ltd"),
            ("The Limited Edition Shop", "the limited edition shop"),
            ("株式会社錫", "株式会社錫"),
            ("", ""),
        ] {
            assert_eq!(normalize_name(written), plain, "{written}");
        }
        assert!(
            one_contains_other("joes cafe", "joes cafe leeds")
                && !one_contains_other("joes cafe", "joes bar")
        );
    }

    proptest::proptest! {
        #[test]
        fn stable(value in "\\PC{0,60}", words in "(Tin|Ltd|&|and|S\\.r\\.l\\.|sp|z|o|oo| |\\.){0,8}") {
            for value in [value, words] {
                proptest::prop_assert_eq!(normalize_name(&normalize_name(&value)), normalize_name(&value));
            }
        }
    }
}
