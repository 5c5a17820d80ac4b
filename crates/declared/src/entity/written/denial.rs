//! Sentences that say that a business has no telephone or no website. Not to know or not to name one is
//! something else.

use super::super::normalize::fold;
use super::not_knowing::NOT_KNOWING;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fact {
    Phone,
    Website,
}

/// Longer texts are no denial.
const MAX_WORDS: usize = 16;

const WEBSITE_WORDS: &[&str] = &[
    "website",
    "websites",
    "webseite",
    "homepage",
    "webpage",
    "internetseite",
    "internetauftritt",
    "webauftritt",
    "site",
    "web",
    "sitio",
    "pagina",
    "sito",
    "strony",
    "strona",
    "stranky",
    "hemsida",
    "hjemmeside",
    "nettside",
    "nettsted",
    "kotisivut",
    "verkkosivut",
    "kotisivuja",
    "weboldala",
    "honlapja",
    "honlap",
    "weboldal",
    "sitesi",
    "сайта",
    "сайт",
    "ιστοσελιδα",
    "موقع",
    "אתר",
];
const PHONE_WORDS: &[&str] = &[
    "phone",
    "telephone",
    "telefon",
    "telefonnummer",
    "telefonanschluss",
    "telefono",
    "telefone",
    "telefoon",
    "telefoonnummer",
    "telefonu",
    "telefonu",
    "телефона",
    "هاتف",
    "טלפון",
];
const NEGATIONS: &[&str] = &[
    "no",
    "not",
    "doesn",
    "don",
    "without",
    "kein",
    "keine",
    "keinen",
    "ohne",
    "pas",
    "aucun",
    "sans",
    "sin",
    "nao",
    "sem",
    "nessun",
    "non",
    "senza",
    "geen",
    "nie",
    "brak",
    "bez",
    "nema",
    "nemaji",
    "ingen",
    "inte",
    "ikke",
    "ei",
    "nincs",
    "yok",
    "нет",
    "без",
    "немає",
    "няма",
    "δεν",
    "χωρις",
    "لا",
    "אין",
    "nu",
];
/// Whole sentences in scripts that do not separate words.
const WEBSITE_DENIALS: &[&str] = &[
    "没有网站",
    "沒有網站",
    "无网站",
    "無網站",
    "ホームページなし",
    "ホームページはありません",
    "ウェブサイトなし",
    "ウェブサイトはありません",
    "サイトはありません",
    "홈페이지 없음",
    "웹사이트 없음",
    "ไม่มีเว็บไซต์",
];
const PHONE_DENIALS: &[&str] =
    &["没有电话", "沒有電話", "无电话", "電話なし", "電話はありません", "전화 없음", "ไม่มีโทรศัพท์"];

/// Whether a text says that there is no such thing.
pub(super) fn denies(text: &str, fact: Fact) -> bool {
    let (nouns, sentences) = match fact {
        Fact::Phone => (PHONE_WORDS, PHONE_DENIALS),
        Fact::Website => (WEBSITE_WORDS, WEBSITE_DENIALS),
    };
    if text.len() > 300 {
        return false;
    }
    let text = text.trim().trim_end_matches(['.', '。', '!']);
    if sentences.contains(&text) {
        return true;
    }
    let folded = fold(text);
    let words: Vec<&str> = folded
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
        .take(MAX_WORDS + 1)
        .collect();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    words.len() <= MAX_WORDS && has(NEGATIONS) && has(nouns) && !has(NOT_KNOWING)
}
