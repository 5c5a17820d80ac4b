//! Words that stand beside a name in a domain.

/// What goes with signing in and paying: beside somebody's name it asks for a secret or for money.
pub(super) const LURES: &[&str] = &[
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

/// What is put before or after a name without a hyphen, besides the lures.
pub(super) const ADDED: &[&str] = &[
    "app", "claim", "download", "giveaway", "help", "helpdesk", "mail", "official", "online",
    "security", "service", "services", "shop", "store", "support", "team", "update", "web",
];

/// The shortest lure that is looked for without a hyphen before or after it: shorter ones end many a
/// word.
const SHORTEST_JOINED: usize = 3;

pub(super) fn is_lure(word: &str) -> bool {
    LURES.contains(&word)
}

/// What is left of `label` when a word is taken from one of its ends, and whether that is a lure.
pub(super) fn split_off(label: &str) -> impl Iterator<Item = (&str, bool)> {
    let words = LURES
        .iter()
        .filter(|word| word.len() >= SHORTEST_JOINED)
        .map(|word| (*word, true))
        .chain(ADDED.iter().map(|word| (*word, false)));
    words.flat_map(move |(word, lure)| {
        let ends = [label.strip_prefix(word), label.strip_suffix(word)];
        ends.into_iter().flatten().map(move |rest| (rest.trim_matches('-'), lure))
    })
}
