//! Remarks beside an address that say that it is no longer the website.

use super::super::super::normalize::fold;

/// Longer texts are not searched for remarks.
const MAX_BYTES: usize = 1000;
/// Parts of such remarks, in lower case without accents.
const GONE: &[&str] = &[
    "expired",
    "parked",
    "for sale",
    "no longer",
    "not working",
    "doesn't work",
    "does not work",
    "defunct",
    "offline",
    "dead link",
    "out of date",
    "outdated",
    "formerly",
    "old website",
    "old site",
    "former website",
    "previously",
    "discontinued",
    "shut down",
    "taken down",
    "hacked",
    "not the website",
    "isn't the website",
    "unreachable",
    "abgelaufen",
    "nicht mehr",
    "veraltet",
    "fruher",
    "ehemalig",
    "ehemals",
    "geparkt",
    "nicht erreichbar",
    "abgeschaltet",
    "alte website",
    "alte adresse",
    "n'existe plus",
    "n'est plus",
    "hors ligne",
    "ancien site",
    "anciennement",
    "ya no",
    "caducad",
    "fuera de servicio",
    "antigua web",
    "anteriormente",
    "nao existe mais",
    "fora do ar",
    "antigo site",
    "non piu",
    "scadut",
    "vecchio sito",
    "niet meer",
    "verlopen",
    "voorheen",
    "nieaktualn",
    "wygasl",
    "не работает",
    "больше не",
    "закрыт",
    "бывший",
    "已失效",
    "已过期",
    "閉鎖",
    "移転",
];

/// Whether a text says of its address that it leads nowhere, or is an old one.
pub(super) fn says_gone(text: &str) -> bool {
    // An address alone has no remark, whatever words are in it; a long text is about more than one.
    if text.len() > MAX_BYTES || text.split_whitespace().take(2).count() < 2 {
        return false;
    }
    let folded = fold(text).replace('\u{2019}', "'");
    let words: Vec<&str> = folded.split_whitespace().filter(|word| !word.contains("://")).collect();
    let plain = words.join(" ");
    GONE.iter().any(|remark| plain.contains(remark))
}
