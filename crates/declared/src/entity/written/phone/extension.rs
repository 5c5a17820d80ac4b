//! What stands behind a telephone number: extensions, and the end of a range of numbers.

use std::sync::LazyLock;

use super::super::plain_characters;

/// Words before an extension, in lower case without accents.
const EXTENSION_WORDS: &[&str] = &[
    "ext",
    "extn",
    "extension",
    "exten",
    "extensao",
    "x",
    "durchwahl",
    "durchw",
    "dw",
    "nst",
    "nebenstelle",
    "klappe",
    "kl",
    "apparat",
    "app",
    "poste",
    "int",
    "interno",
    "interne",
    "interna",
    "interior",
    "anexo",
    "ramal",
    "rml",
    "toestel",
    "tst",
    "wew",
    "wewn",
    "wewnetrzny",
    "linka",
    "klapka",
    "доб",
    "добавочный",
    "доп",
    "дод",
    "додатковий",
    "вн",
    "внутр",
    "внутренний",
    "вътр",
    "вътрешен",
    "anknytning",
    "ankn",
    "lokal",
    "lok",
    "lokalnr",
    "linnr",
    "dahili",
    "mellek",
    "mell",
    "εσωτ",
    "εσωτερικο",
    "alanumero",
    "alanro",
    "sisenumber",
    "vid",
    "nhanh",
    "option",
    "opt",
    "opcion",
    "opcao",
    "optie",
    "שלוחה",
    "שלוחת",
    "تحويلة",
    "داخلی",
    "داخلي",
    "ต่อ",
    "轉",
    "转",
    "轉接",
    "转接",
    "分机",
    "分機",
    "分机号",
    "内線",
    "內線",
    "내선",
    "내선번호",
];
/// Words between the two ends of a range.
const RANGE_WORDS: &[&str] = &[
    "bis", "to", "through", "thru", "until", "till", "til", "tot", "a", "al", "ate", "do", "az",
    "по", "до", "až", "から", "至", "到", "-", "--", "...",
];
/// Digits of the longest extension.
const MAX_EXTENSION: usize = 7;

static PLAIN_WORDS: LazyLock<Vec<String>> =
    LazyLock::new(|| EXTENSION_WORDS.iter().map(|word| plain_characters(word)).collect());

/// Whether a word announces an extension. Korean is compared in the form that texts are read in.
pub(super) fn is_extension_word(word: &str) -> bool {
    EXTENSION_WORDS.contains(&word)
        || !word.is_ascii() && PLAIN_WORDS.iter().any(|known| known == word)
}

/// What stands behind a number, and the length of its writing.
#[derive(Debug, Default)]
pub(super) struct Behind {
    pub(super) extension: Option<String>,
    /// The calling code of a `tel:` link (`;phone-context=+44`).
    pub(super) code: Option<String>,
    pub(super) length: usize,
}

pub(super) fn read_parameters(after: &str) -> Behind {
    if let Some(context) = after.strip_prefix(";phone-context=+") {
        let code: String = context.chars().take_while(char::is_ascii_digit).take(3).collect();
        return Behind { code: (!code.is_empty()).then_some(code), ..Behind::default() };
    }
    if let Some(extension) = read_pauses(after) {
        return extension;
    }
    let text = after.trim_start_matches([' ', ',', ';', '(', '.', '/', '-', '[']);
    // Marks over and below letters are not alphabetic in all scripts.
    let is_part = |c: &char| c.is_alphabetic() || matches!(c, '\u{e47}'..='\u{e4e}');
    let (text, is_dialled) = without_fillers(text);
    let word: String = text.chars().take_while(is_part).take(14).collect();
    let rest = if is_extension_word(&word.to_lowercase()) {
        text.get(word.len()..).unwrap_or_default()
    } else if let Some(rest) = text.strip_prefix('#') {
        rest
    } else if is_dialled && text.starts_with(|c: char| c.is_ascii_digit()) {
        text
    } else {
        return Behind::default();
    };
    let number = rest.trim_start_matches([' ', '.', ':', '=', '#', '-']);
    let number = ["Nr", "nr", "No", "no", "number"]
        .iter()
        .find_map(|word| number.strip_prefix(word))
        .unwrap_or(number)
        .trim_start_matches([' ', '.', ':', '#']);
    let digits: String =
        number.chars().take_while(char::is_ascii_digit).take(MAX_EXTENSION + 1).collect();
    if digits.is_empty() || digits.len() > MAX_EXTENSION {
        return Behind::default();
    }
    let length = after.len() - number.len() + digits.len();
    Behind { extension: Some(digits), code: None, length }
}

/// The text behind words that ask to dial something further, and whether there are such words: `then dial
/// extension 214`, `dann Durchwahl 12`, `and ask for ext. 3`.
fn without_fillers(text: &str) -> (&str, bool) {
    const FILLERS: [&str; 52] = [
        "then", "and", "dial", "press", "enter", "with", "use", "ask", "for", "on", "at", "the",
        "dann", "und", "mit", "der", "die", "wählen", "wahlen", "bitte", "puis", "et", "composez",
        "composer", "le", "tapez", "demander", "luego", "y", "marque", "marcar", "pulse", "la",
        "con", "después", "despues", "poi", "digitare", "comporre", "e", "daarna", "dan", "toets",
        "kies", "met", "depois", "disque", "o", "our", "your", "over", "via",
    ];
    // But not `press 2 for sales`, which is a menu.
    const DIALLING: [&str; 9] = [
        "dial", "wählen", "wahlen", "composez", "composer", "marque", "marcar", "digitare",
        "comporre",
    ];
    const MAX_FILLERS: usize = 4;
    let mut rest = text;
    let mut is_dialled = false;
    for _ in 0..MAX_FILLERS {
        let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        let Some((word, behind)) = rest.split_at_checked(end) else { break };
        let lower = word.to_lowercase();
        if !FILLERS.contains(&lower.as_str()) || !behind.starts_with([' ', ':']) {
            break;
        }
        is_dialled |= DIALLING.contains(&lower.as_str());
        rest = behind.trim_start_matches([' ', ':']);
    }
    (rest, is_dialled)
}

/// The pauses before an extension in a number to be dialled: `+14155550136,,22#`.
fn read_pauses(after: &str) -> Option<Behind> {
    let rest = after.trim_start_matches([',', ';']);
    let pauses = after.len() - rest.len();
    let digits: String =
        rest.chars().take_while(char::is_ascii_digit).take(MAX_EXTENSION + 1).collect();
    let behind = rest.get(digits.len()..).unwrap_or_default();
    let behind = behind.strip_prefix('#').unwrap_or(behind);
    let is_end = behind.chars().next().is_none_or(|c| matches!(c, ')' | '"' | '>' | '\n'));
    let is_extension = pauses > 0 && (1..=MAX_EXTENSION).contains(&digits.len()) && is_end;
    is_extension.then(|| Behind {
        length: after.len() - behind.len(),
        extension: Some(digits),
        code: None,
    })
}

/// The last digits of the end of a range behind a number (` bis -120`): how many, and the length of the
/// writing.
pub(super) fn read_range(after: &str) -> Option<(usize, usize)> {
    let text = after.trim_start_matches(' ');
    let end = text.find(|c: char| c == ' ' || c.is_ascii_digit())?;
    let (word, rest) = text.split_at_checked(end)?;
    let rest = rest.trim_start_matches([' ', '-']);
    let digits = rest.bytes().take(5).take_while(u8::is_ascii_digit).count();
    let behind = rest.get(digits..).unwrap_or_default();
    // More digits are another number, and hours have a unit or minutes.
    let is_end = behind
        .trim_start_matches(' ')
        .chars()
        .next()
        .is_none_or(|c| !c.is_alphanumeric() && !matches!(c, ':' | '-' | '/' | '.'));
    let is_range = RANGE_WORDS.contains(&word.trim_end_matches('-')) || word == "-";
    (is_range && (2..=4).contains(&digits) && is_end).then(|| (digits, after.len() - behind.len()))
}
