//! Words that imitations combine with a well-known name.

/// Lure words: about signing in and paying. With a well-known name they suggest a request for a secret or
/// for money.
pub(super) const LURE_WORDS: &[&str] = &[
    "2fa",
    "account",
    "accounts",
    "auth",
    "bank",
    "banking",
    "billing",
    "confirm",
    "id",
    "invoice",
    "login",
    "logon",
    "password",
    "pay",
    "payment",
    "payments",
    "recovery",
    "refund",
    "secure",
    "signin",
    "sso",
    "unlock",
    "verification",
    "verify",
    "wallet",
];

/// Other words that are put before or after a name without a hyphen.
pub(super) const OTHER_WORDS: &[&str] = &[
    "app", "claim", "download", "giveaway", "help", "helpdesk", "mail", "official", "online",
    "security", "service", "services", "shop", "store", "support", "team", "update", "web",
];

/// The shortest lure word that is looked for without a hyphen. Shorter ones end many ordinary words.
const MIN_JOINED_LURE: usize = 3;

pub(super) fn is_lure(word: &str) -> bool {
    LURE_WORDS.contains(&word)
}

/// The rest of `label` after removing a word from one of its ends, and whether that word is a lure.
pub(super) fn split_off(label: &str) -> impl Iterator<Item = (&str, bool)> {
    let words = LURE_WORDS
        .iter()
        .filter(|word| word.len() >= MIN_JOINED_LURE)
        .map(|word| (*word, true))
        .chain(OTHER_WORDS.iter().map(|word| (*word, false)));
    words.flat_map(move |(word, lure)| {
        let ends = [label.strip_prefix(word), label.strip_suffix(word)];
        ends.into_iter().flatten().map(move |rest| (rest.trim_matches('-'), lure))
    })
}
