//! Encoded parts of a text that decode to commands or instructions.

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER_PERMISSIVE};

use super::folded_text::FoldedText;
use super::phrases::find_phrases;
use super::text_match::TextMatch;

/// Shorter runs decode to nothing that could be an instruction.
const MIN_RUN: usize = 20;
/// How much of one run is decoded, and how many runs of a text are tried.
const MAX_RUN: usize = 16 << 10;
const MAX_RUNS: usize = 64;

/// The first encoded part that says something harmful.
pub(super) fn find_encoded(text: &str) -> Option<TextMatch> {
    let mut at = 0_usize;
    let mut tried = 0_usize;
    for chunk in text.split_inclusive(|c: char| {
        c.is_whitespace() || matches!(c, '"' | '`' | '\'' | ',' | '<' | '>' | '(' | ')')
    }) {
        let start = at;
        at = at.saturating_add(chunk.chars().count());
        if chunk.len() < MIN_RUN || tried >= MAX_RUNS {
            continue;
        }
        let run = chunk.trim_matches(|c: char| {
            !c.is_ascii_alphanumeric() && c != '%' && c != '=' && c != '+' && c != '/'
        });
        let run = run.get(..run.floor_char_boundary(MAX_RUN)).unwrap_or_default();
        tried = tried.saturating_add(1);
        if let Some(decoded) = decodings(run).into_iter().find(|decoded| is_harmful(decoded)) {
            return Some(matched(start, run.chars().count(), decoded));
        }
    }
    let turned = rot13(text);
    let plain = text.is_ascii() && text.len() <= MAX_RUN;
    if plain && says_order(&turned) && !says_order(text) {
        return Some(matched(0, text.chars().count(), turned));
    }
    None
}

fn matched(start: usize, length: usize, decoded: String) -> TextMatch {
    TextMatch {
        rule: "payload_decoded",
        start,
        length,
        decoded: Some(decoded),
        ..TextMatch::default()
    }
}

fn decodings(run: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut keep = |bytes: Option<Vec<u8>>| {
        if let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok())
            && text.chars().all(|c| !c.is_control() || c.is_whitespace())
        {
            found.push(text);
        }
    };
    let bytes = run.as_bytes();
    let plain = run.trim_start_matches("0x").replace("\\x", "");
    if plain.len().is_multiple_of(2) && plain.bytes().all(|b| b.is_ascii_hexdigit()) {
        keep(HEXLOWER_PERMISSIVE.decode(plain.as_bytes()).ok());
    }
    let unpadded = run.trim_end_matches('=').as_bytes();
    keep(
        BASE64
            .decode(bytes)
            .ok()
            .or_else(|| BASE64_NOPAD.decode(unpadded).ok())
            .or_else(|| BASE64URL_NOPAD.decode(unpadded).ok()),
    );
    if run.matches('%').count() >= 6 {
        keep(Some(percent_decoded(bytes)));
    }
    found
}

fn percent_decoded(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, tail)) = rest.split_first() {
        let digits = tail.get(..2).filter(|_| *first == b'%');
        match digits
            .and_then(|digits| HEXLOWER_PERMISSIVE.decode(digits).ok())
            .and_then(|b| b.first().copied())
        {
            Some(byte) => {
                out.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    out
}

fn rot13(text: &str) -> String {
    let turn = |c: char, base: u8| {
        let step = (u32::from(c).saturating_sub(u32::from(base)).saturating_add(13)) % 26;
        char::from_u32(u32::from(base).saturating_add(step)).unwrap_or(c)
    };
    text.chars()
        .map(|c| match c {
            'a'..='z' => turn(c, b'a'),
            'A'..='Z' => turn(c, b'A'),
            other => other,
        })
        .collect()
}

fn is_harmful(decoded: &str) -> bool {
    let lower = decoded.to_ascii_lowercase();
    let piped = (lower.contains("curl ") || lower.contains("wget ")) && lower.contains('|');
    let shell = [
        "/dev/tcp/",
        "rm -rf",
        "bash -i",
        "nc -e",
        "powershell -e",
        "mkfifo ",
        "| sh",
        "| bash",
        "invoke-expression",
        "os.system(",
    ]
    .iter()
    .any(|mark| lower.contains(mark));
    piped || shell || says_order(decoded)
}

fn says_order(text: &str) -> bool {
    find_phrases(&FoldedText::new(text), false).iter().any(|found| !found.reported)
}
