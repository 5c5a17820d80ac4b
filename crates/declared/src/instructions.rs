//! Text on a page that tells AI agents what to do.
//!
//! Most text that looks like it is harmless: articles about injection, notes to crawlers, notices to
//! people, developers' remarks. So no phrase alone decides. A sentence counts when it speaks to a
//! machine and tells it to set aside or hide what it was told; when it speaks to a machine, wants
//! something done, and is kept from human eyes; or when it is written so that nobody can see it.
//! Sentences that are quoted or told of do not count. Files that are instructions by design count
//! only when they override, hide, or carry something off.

mod encoded;
mod fold;
mod invisible;
mod look;
mod mood;
mod phrases;
mod roles;
mod sentence;
#[cfg(test)]
mod tests;

use fold::is_invisible;
use look::Look;
use phrases::{Class, find, holds};
use sentence::Reading;

/// The phrases that are looked for, as the file has them: a part of the rules that judge.
pub const PHRASES: &str = include_str!("../data/instructions/phrases.txt");

/// Hits reported of one page.
const MAX_HITS: usize = 20;
/// Hits of one passage, so that one does not hide the others.
const MAX_HITS_OF_PASSAGE: usize = 5;
/// Bytes read of one passage, and of all together.
const MAX_PASSAGE: usize = 1 << 20;
const MAX_TOTAL: usize = 4 << 20;
/// Characters of an excerpt and of a decoded text.
const MAX_EXCERPT: usize = 160;
const MAX_DECODED: usize = 400;

/// A piece of text and where on the page it stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage<'a> {
    /// `visible`, `css_hidden`, `hidden_attribute`, `comment`, `noscript`, `template`,
    /// `attribute`, `meta`, `json_ld`, `svg_text`, `header`, or `file` for a file that is
    /// instructions by design (llms.txt, agents.md). Any other name counts as visible.
    pub surface: &'a str,
    pub text: &'a str,
}

/// What is known of the page as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Context {
    /// These passages were served to AI identities and not to the browser.
    pub only_ai: bool,
    /// The page's subject is prompt injection or the security of models: see [`about_security`].
    pub about_security: bool,
}

/// One place that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub surface: String,
    /// `override`, `secrecy`, `exfiltration`, `manipulates_ranking`, `concealed_action`,
    /// `role_tokens`, `encoded_instruction` or `invisible_text`.
    pub rule: &'static str,
    /// Whether a person who reads the page would not see it.
    pub concealed: bool,
    /// Where it begins in the passage, in bytes.
    pub offset: usize,
    /// At most 160 characters, invisible ones named.
    pub excerpt: String,
    /// What invisible, reversed or encoded characters say.
    pub decoded: Option<String>,
}

/// Finds what counts, in the order of the passages; at most twenty hits.
#[must_use]
pub fn detect(passages: &[Passage<'_>], context: Context) -> Vec<Hit> {
    let mut hits = Vec::new();
    let mut left = MAX_TOTAL;
    for passage in passages {
        let text = beginning(passage.text, MAX_PASSAGE.min(left));
        left = left.saturating_sub(text.len());
        let mut found = Look::new(passage.surface, text, context).hits();
        found.sort_by_key(|hit| hit.offset);
        found.truncate(MAX_HITS_OF_PASSAGE);
        hits.append(&mut found);
        if hits.len() >= MAX_HITS || left == 0 {
            break;
        }
    }
    hits.truncate(MAX_HITS);
    hits
}

/// Whether a page's subject is prompt injection or the security of models. A title that says so is
/// enough; otherwise the text must come back to it, for a single mention is easily planted.
#[must_use]
pub fn about_security(title: Option<&str>, text: &str) -> bool {
    const MENTIONS: usize = 3;
    const READ: usize = 128 << 10;
    let sentences = |text| Reading::of(beginning(text, READ)).sentences;
    if sentences(title.unwrap_or_default()).iter().any(|title| holds(Class::Topic, &title.text)) {
        return true;
    }
    let mut mentions = 0_usize;
    for sentence in sentences(text) {
        mentions = mentions.saturating_add(find(Class::Topic, &sentence.text).len());
        if mentions >= MENTIONS {
            return true;
        }
    }
    false
}

fn beginning(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}

/// The beginning of a text with invisible characters named and blanks squeezed.
fn shown(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut length = 0_usize;
    let mut chars = text.chars().peekable();
    let mut blank = false;
    while let Some(c) = chars.next() {
        let mut piece = String::new();
        if is_invisible(c) {
            let mut same = 1_usize;
            while chars.next_if(|next| is_invisible(*next)).is_some() {
                same = same.saturating_add(1);
            }
            piece = format!("[U+{:04X}", u32::from(c));
            if same > 1 {
                piece.push_str(&format!(" and {} more", same.saturating_sub(1)));
            }
            piece.push(']');
        } else if c.is_whitespace() || c.is_control() {
            if !blank && !out.is_empty() {
                piece.push(' ');
            }
        } else {
            piece.push(c);
        }
        blank = c.is_whitespace() || c.is_control();
        let long = piece.chars().count();
        if length.saturating_add(long) > most {
            break;
        }
        length = length.saturating_add(long);
        out.push_str(&piece);
    }
    out.truncate(out.trim_end().len());
    out
}
