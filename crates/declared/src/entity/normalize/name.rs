//! Names of businesses and people.

use std::collections::HashSet;
use std::sync::LazyLock;

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
    "jsc",
    "pjsc",
    "ood",
    "epe",
    "ae",
    "as",
    "anonim",
    "sirketi",
    "aktiengesellschaft",
    "gesellschaft",
    "ооо",
    "оао",
    "зао",
    "ао",
    "пао",
    "ип",
    "тов",
    "еоод",
    "оод",
];

/// Legal forms that are written without a space before or after the name.
const ATTACHED_FORMS: [&str; 8] = [
    "株式会社",
    "有限会社",
    "合同会社",
    "股份有限公司",
    "有限责任公司",
    "有限公司",
    "주식회사",
    "유한회사",
];

/// Legal forms that stand before the name.
const LEADING_FORMS: [&str; 9] = ["pt", "ооо", "оао", "зао", "ао", "пао", "ип", "тов", "cv"];

/// The forms as they are compared. Folding them for every name would take most of the time of reading it.
struct FoldedForms {
    legal: HashSet<String>,
    leading: [String; 9],
    attached: [String; 8],
}

static FORMS: LazyLock<FoldedForms> = LazyLock::new(|| FoldedForms {
    legal: LEGAL_FORMS.iter().copied().map(fold).collect(),
    leading: LEADING_FORMS.map(fold),
    attached: ATTACHED_FORMS.map(fold),
});

/// The words of a name without its legal form, a leading “The” and the ending of a domain name.
pub(in super::super) fn normalize_name(value: &str) -> String {
    let folded = fold(value);
    let words: Vec<&str> = folded.split_whitespace().map(without_domain_ending).collect();
    let mut words = tokens(&words.join(" "));
    loop {
        let before = words.clone();
        if words.len() > 1 && words.first().is_some_and(|word| is_leading_word(word)) {
            words.remove(0);
        }
        strip_attached_form(&mut words);
        strip_legal_form(&mut words);
        if words == before {
            return words.join(" ");
        }
    }
}

fn is_leading_word(word: &str) -> bool {
    word == "the" || FORMS.leading.iter().any(|form| form == word)
}

fn strip_attached_form(words: &mut [String]) {
    for form in &FORMS.attached {
        if let Some(first) = words.first_mut()
            && let Some(rest) = first.strip_prefix(form).filter(|rest| !rest.is_empty())
        {
            *first = rest.to_owned();
        }
        if let Some(last) = words.last_mut()
            && let Some(rest) = last.strip_suffix(form).filter(|rest| !rest.is_empty())
        {
            *last = rest.to_owned();
        }
    }
}

fn strip_legal_form(words: &mut Vec<String>) {
    while words.len() > 1 {
        let short = words.len().saturating_sub(3).max(1);
        // `sp. z o.o.` and `S. r. l.` consist of several words.
        let ending = (short..words.len()).find(|at| {
            let joined = words.get(*at..).unwrap_or_default().concat();
            FORMS.legal.contains(&joined)
        });
        match ending {
            Some(at) => words.truncate(at),
            None if words.last().is_some_and(|word| word == "and") => {
                words.pop();
            }
            None => break,
        }
    }
}

/// `salon` for `salon.com` and `www.salon.co.uk`; any other word as it is.
fn without_domain_ending(word: &str) -> &str {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let bare = bare.strip_prefix("www.").unwrap_or(bare);
    if !bare.contains('.') {
        return word;
    }
    let known = psl::suffix(bare.as_bytes()).filter(|suffix| suffix.is_known());
    let ending = known.and_then(|suffix| std::str::from_utf8(suffix.as_bytes()).ok());
    // `B.V.` and the like are no domain names.
    ending
        .and_then(|ending| bare.strip_suffix(ending)?.strip_suffix('.'))
        .filter(|label| label.chars().count() > 2 && !label.contains('.'))
        .unwrap_or(word)
}

/// A normalized name without its spaces: `PC Gamer` and `pcgamer` are one name.
pub(in super::super) fn compact_name(normal: &str) -> String {
    normal.chars().filter(|c| *c != ' ').collect()
}

/// Whether a name states its legal form, as names of companies do and names of shops rarely do.
pub(in super::super) fn has_legal_form(value: &str) -> bool {
    let mut words = tokens(&fold(value));
    let length = words.len();
    strip_legal_form(&mut words);
    words.len() < length || ATTACHED_FORMS.iter().any(|form| value.contains(form))
}

/// How two normalized names compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum NameMatch {
    Same,
    /// One is longer, or an abbreviation of the other.
    Variant,
    /// Written in different scripts, so that they cannot be compared.
    Unknown,
    Other,
}

/// Compares two normalized names. Symmetric.
pub(in super::super) fn compare_names(one: &str, other: &str) -> NameMatch {
    let (a, b) = (compact_name(one), compact_name(other));
    if a == b {
        NameMatch::Same
    } else if one_contains_other(one, other)
        || is_part_of(&a, &b)
        || is_part_of(&b, &a)
        || is_abbreviation(&a, other)
        || is_abbreviation(&b, one)
    {
        NameMatch::Variant
    } else if is_latin(&a) != is_latin(&b) {
        NameMatch::Unknown
    } else {
        NameMatch::Other
    }
}

/// Whether one name contains all words of the other.
fn one_contains_other(one: &str, other: &str) -> bool {
    let within = |small: &str, large: &str| {
        let large: Vec<&str> = large.split(' ').collect();
        small.split(' ').all(|word| large.contains(&word))
    };
    within(one, other) || within(other, one)
}

/// Whether a compact name that is long enough to be telling occurs in another.
pub(in super::super) fn is_part_of(small: &str, large: &str) -> bool {
    small.chars().count() >= 4 && large.contains(small)
}

/// Whether a compact name consists of the initials of another: `bbc`, `british broadcasting` (whose last
/// word, Corporation, is a legal form).
fn is_abbreviation(short: &str, long: &str) -> bool {
    let initials: String = long.split(' ').filter_map(|word| word.chars().next()).collect();
    let without_small_words: String = long
        .split(' ')
        .filter(|word| word.chars().count() > 3)
        .filter_map(|word| word.chars().next())
        .collect();
    [initials, without_small_words].iter().any(|initials| {
        initials.chars().count() >= 2
            && short.starts_with(initials.as_str())
            && short.chars().count() <= initials.chars().count() + 1
    })
}

fn is_latin(name: &str) -> bool {
    name.chars().any(|c| c.is_ascii_alphanumeric())
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
            ("The Limited Edition Shop", "limited edition shop"),
            ("株式会社錫", "錫"),
            ("ООО Ромашка", "ромашка"),
            ("Salon.com", "salon"),
            ("www.salon.co.uk", "salon"),
            ("Libération.fr", "liberation"),
            ("The Guardian", "guardian"),
            ("The", "the"),
            ("Node.js", "nodejs"),
            ("Booking.com B.V.", "booking"),
            ("", ""),
        ] {
            assert_eq!(normalize_name(written), plain, "{written}");
        }
        use NameMatch::*;
        for (one, other, expected) in [
            ("Joe's Cafe", "Joe’s Café Leeds", Variant),
            ("Joe's Cafe", "Joe's Bar", Other),
            ("PC Gamer", "pcgamer", Same),
            ("Salon.com", "Salon", Same),
            ("Libération", "Libération.fr", Same),
            ("PC Gamer", "PCGamer | The global authority on games", Variant),
            ("BBC", "British Broadcasting Corporation", Variant),
            ("MoMA", "Museum of Modern Art", Variant),
            ("錫", "Suzu", Unknown),
            ("Harbour Books", "Quayside Toys", Other),
        ] {
            let (one, other) = (normalize_name(one), normalize_name(other));
            assert_eq!(compare_names(&one, &other), expected, "{one} {other}");
            assert_eq!(compare_names(&other, &one), expected, "{one} {other}");
        }
        assert!(has_legal_form("Tin Ltd") && !has_legal_form("Tin"));
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
