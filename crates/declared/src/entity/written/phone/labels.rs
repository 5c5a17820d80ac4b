//! Words beside a telephone number that say what it is for.

use std::sync::LazyLock;

use super::super::super::normalize::fold;
use super::super::plain_characters;

/// What a number is for, as far as the text says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberUse {
    Call,
    /// Calls, and the text says that it is a mobile or that it is none.
    Mobile,
    Landline,
    /// Messages only: the business may have another number for calls.
    Message,
    Fax,
    /// Tax numbers and the like.
    Other,
}

/// How many characters before a number are searched for its label.
const MAX_LABEL: usize = 48;

/// Fax in the scripts that separate words. Longer words that begin so mean the same: `Faxnummer`.
const FAX_STARTS: &[&str] = &["fax", "telefax", "faks", "telefaks", "факс", "телефакс", "φαξ"];
const FAX_WORDS: &[&str] = &[
    "fx",
    "telecopie",
    "telecopieur",
    "telecopia",
    "belgegecer",
    "ficsi",
    "ffacs",
    "פקס",
    "فاكس",
    "فکس",
    "نمابر",
    "دورنگار",
    "ֆաքս",
    "ფაქსი",
];
/// Scripts that do not separate words, or whose marks are no letters.
const FAX_PARTS: &[&str] = &[
    "传真",
    "傳真",
    "ファックス",
    "ファクス",
    "ファクシミリ",
    "팩스",
    "โทรสาร",
    "แฟกซ์",
    "แฟ็กซ์",
    "फैक्स",
    "फ़ैक्स",
    "ফ্যাক্স",
    "தொலைநகல்",
];
const MESSAGE_WORDS: &[&str] = &[
    "whatsapp",
    "whatsap",
    "wapp",
    "wsp",
    "viber",
    "telegram",
    "sms",
    "text",
    "texts",
    "wechat",
    "weixin",
    "zalo",
    "imessage",
    "kakaotalk",
    "kakao",
    "ватсап",
    "вотсап",
    "вайбер",
    "телеграм",
    "واتساب",
    "واتس",
    "וואטסאפ",
    "ווטסאפ",
];
const MOBILE_WORDS: &[&str] = &[
    "mobile",
    "mob",
    "mobil",
    "mobiltelefon",
    "mobilni",
    "mobilny",
    "mobiel",
    "handy",
    "natel",
    "cell",
    "cellphone",
    "cellulare",
    "cel",
    "celular",
    "movil",
    "telemovel",
    "portable",
    "gsm",
    "komorka",
    "komorkowy",
    "kannykka",
    "matkapuhelin",
    "cep",
    "κινητο",
    "κιν",
    "мобильный",
    "моб",
    "мобілний",
    "мобилен",
    "جوال",
    "موبايل",
    "محمول",
    "موبایل",
    "נייד",
    "携帯",
    "携帯電話",
    "手机",
    "手機",
];
const LANDLINE_WORDS: &[&str] = &[
    "landline",
    "festnetz",
    "festnetznummer",
    "fixe",
    "fixo",
    "fijo",
    "fisso",
    "fastnet",
    "fasttelefon",
    "stacjonarny",
    "pevna",
    "vezetekes",
    "sabit",
    "городской",
    "стаціонарний",
    "σταθερο",
    "σταθ",
    "固话",
    "座机",
    "市話",
    "固定電話",
    "ثابت",
];
const CALL_WORDS: &[&str] = &[
    "tel",
    "t",
    "phone",
    "phones",
    "ph",
    "p",
    "fon",
    "fono",
    "telefon",
    "telephone",
    "telefono",
    "telefone",
    "telefoon",
    "telefonnummer",
    "tlf",
    "tfn",
    "puh",
    "puhelin",
    "simi",
    "call",
    "calls",
    "ring",
    "dial",
    "voice",
    "hotline",
    "toll",
    "freephone",
    "tollfree",
    "notruf",
    "anruf",
    "rufnummer",
    "fixed",
    "office",
    "тел",
    "телефон",
    "звоните",
    "τηλ",
    "τηλεφωνο",
    "هاتف",
    "تلفون",
    "تلفن",
    "טלפון",
    "טל",
    "电话",
    "電話",
    "전화",
    "โทร",
    "โทรศัพท์",
    "फोन",
    "दूरभाष",
];
/// Numbers of registers, accounts and places.
const OTHER_WORDS: &[&str] = &[
    "iban",
    "bic",
    "vat",
    "ust",
    "ustid",
    "uid",
    "idnr",
    "steuernummer",
    "hrb",
    "hra",
    "siret",
    "siren",
    "rcs",
    "tva",
    "iva",
    "piva",
    "nif",
    "cif",
    "nie",
    "cnpj",
    "cpf",
    "creci",
    "rut",
    "ruc",
    "rfc",
    "nit",
    "cuit",
    "инн",
    "огрн",
    "кпп",
    "бин",
    "едрпоу",
    "gst",
    "gstin",
    "abn",
    "acn",
    "ein",
    "crn",
    "krs",
    "nip",
    "regon",
    "ico",
    "dic",
    "oib",
    "pib",
    "еик",
    "cui",
    "kvk",
    "btw",
    "orgnr",
    "cvr",
    "license",
    "licence",
    "lic",
    "registration",
    "zip",
    "plz",
    "postcode",
    "pin",
];
/// Words between a label and its number that say nothing themselves.
const FILLERS: &[&str] = &[
    "no",
    "nr",
    "number",
    "num",
    "numero",
    "nummer",
    "n",
    "is",
    "at",
    "on",
    "us",
    "our",
    "only",
    "de",
    "der",
    "del",
    "номер",
    "番号",
    "号码",
    "號碼",
    "번호",
    "рф",
    "o",
    "id",
];

static FAX_PLAIN_PARTS: LazyLock<Vec<String>> =
    LazyLock::new(|| FAX_PARTS.iter().map(|part| plain_characters(part)).collect());

/// Reads the label before a number and, if there is none, the one behind it: `Fax: …`, `… (fax)`.
pub(super) fn number_use(before: &str, after: &str) -> NumberUse {
    let label = label_before(before);
    let mut found = used_for(&label);
    if found.is_none() && is_fax_initial(&label) {
        found = Some(NumberUse::Fax);
    }
    match found {
        Some(NumberUse::Fax | NumberUse::Message) if is_also_for_calls(&label) => NumberUse::Call,
        Some(found) => found,
        None => match meaning(&label_behind(after)) {
            Some(NumberUse::Other) | None => NumberUse::Call,
            Some(found) => found,
        },
    }
}

/// Whether the text right before a number announces a telephone number.
pub(super) fn is_labelled(before: &str) -> bool {
    let label = label_before(before);
    matches!(used_for(&label), Some(NumberUse::Call | NumberUse::Mobile | NumberUse::Landline))
}

/// The text before a number that belongs to it: what stands before a digit belongs to another number.
fn label_before(before: &str) -> String {
    let start = before.char_indices().rev().nth(MAX_LABEL - 1).map_or(0, |(at, _)| at);
    let near = before.get(start..).unwrap_or_default();
    let own = near.rsplit(|c: char| c.is_ascii_digit() || matches!(c, '\n' | ';' | '|')).next();
    fold(own.unwrap_or_default())
}

/// What the words of a label say. Before a colon, one of the last few decides; without one, the last.
fn used_for(label: &str) -> Option<NumberUse> {
    if FAX_PLAIN_PARTS.iter().any(|part| label.contains(part.as_str())) {
        return Some(NumberUse::Fax);
    }
    let words = label.rsplit(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let mut words = words.filter(|word| !FILLERS.contains(word));
    if label.trim_end().ends_with(':') {
        words.take(5).find_map(meaning)
    } else {
        words.next().and_then(meaning)
    }
}

fn meaning(word: &str) -> Option<NumberUse> {
    let is_fax =
        FAX_STARTS.iter().any(|start| word.starts_with(start)) || FAX_WORDS.contains(&word);
    if is_fax || FAX_PLAIN_PARTS.iter().any(|part| word.contains(part.as_str())) {
        Some(NumberUse::Fax)
    } else if MESSAGE_WORDS.contains(&word) {
        Some(NumberUse::Message)
    } else if OTHER_WORDS.contains(&word) {
        Some(NumberUse::Other)
    } else if MOBILE_WORDS.contains(&word) {
        Some(NumberUse::Mobile)
    } else if LANDLINE_WORDS.contains(&word) {
        Some(NumberUse::Landline)
    } else if CALL_WORDS.contains(&word) {
        Some(NumberUse::Call)
    } else {
        None
    }
}

/// `F: 020 …` beside `T: 020 …`.
fn is_fax_initial(label: &str) -> bool {
    let mut characters = label.trim_end().chars().rev();
    matches!(characters.next(), Some(':' | '.'))
        && characters.next() == Some('f')
        && characters.next().is_none_or(|c| !c.is_alphanumeric())
}

/// One line for both: `Tel./Fax: …`, `Phone & fax …`, `Call or text …`.
fn is_also_for_calls(label: &str) -> bool {
    let words: Vec<&str> = label.split(|c: char| !c.is_alphanumeric()).collect();
    let joins = label.contains(['/', '&', '+', '|', '-'])
        || ["and", "or", "und", "oder", "et", "ou", "y", "o", "e", "en", "i", "и"]
            .iter()
            .any(|word| words.contains(word));
    let is_call = |word: &&str| {
        matches!(meaning(word), Some(NumberUse::Call | NumberUse::Mobile | NumberUse::Landline))
    };
    joins && words.iter().any(is_call)
}

/// A word in brackets or at the end of the line behind a number. A word with another number behind it is
/// the label of that one.
fn label_behind(after: &str) -> String {
    let text = after.trim_start_matches([' ', '(', '-', ',', '[']);
    let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end).unwrap_or_default();
    let is_closed =
        rest.trim_start_matches(' ').chars().next().is_none_or(|c| matches!(c, ')' | ']' | '\n'));
    if is_closed && word.len() <= 60 { fold(word) } else { String::new() }
}
