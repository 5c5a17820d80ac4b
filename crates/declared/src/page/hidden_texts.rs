//! Collects text of a page that people do not see.

use super::model::{HiddenText, TextSurface};
use super::text;

const MAX_NOTES: usize = 100;
const MAX_NOTE_BYTES: usize = 4_096;
/// The same for text between tags, which style sheets may hide by the page.
const MAX_LONG_NOTE_BYTES: usize = 64 << 10;
/// Bytes of all texts between tags.
const MAX_LONG_BYTES: usize = 512 << 10;
/// From this number on, texts are appended to the last one of their surface, so that many harmless
/// comments cannot push later ones beyond the limit.
const JOIN_FROM: usize = 60;

#[derive(Default)]
pub(super) struct HiddenTexts {
    list: Vec<HiddenText>,
    cut: bool,
    long_bytes: usize,
}

impl HiddenTexts {
    /// Adds text as written in the page, with character references.
    pub(super) fn add_raw(&mut self, surface: TextSurface, raw: &str) {
        if is_worth_noting(raw) {
            self.cut |= raw.len() > MAX_NOTE_BYTES * 2;
            let text = text::clean_text(raw, MAX_NOTE_BYTES);
            self.add_clean(surface, &text);
        }
    }

    /// Adds text that is already cleaned.
    pub(super) fn add_clean(&mut self, surface: TextSurface, whole: &str) {
        self.add(surface, whole, MAX_NOTE_BYTES);
    }

    /// Adds text between tags, which may be long.
    pub(super) fn add_long(&mut self, surface: TextSurface, whole: &str) {
        let most = MAX_LONG_NOTE_BYTES.min(MAX_LONG_BYTES - self.long_bytes);
        self.long_bytes += whole.len().min(most);
        self.add(surface, whole, most);
    }

    fn add(&mut self, surface: TextSurface, whole: &str, most: usize) {
        if !is_worth_noting(whole) {
            return;
        }
        let text = text::truncate_str(whole, most).trim_end();
        self.cut |= text.len() < whole.trim_end().len();
        if self.list.len() >= JOIN_FROM
            && let Some(last) = self.list.iter_mut().rev().find(|note| note.surface == surface)
            && last.text.len() + text.len() < most
        {
            last.text.push('\n');
            last.text.push_str(text);
        } else if self.list.len() < MAX_NOTES {
            self.list.push(HiddenText { surface, text: text.to_owned() });
        } else {
            self.cut = true;
        }
    }

    /// The texts, and whether there was more than the limit.
    pub(super) fn finish(self) -> (Vec<HiddenText>, bool) {
        (self.list, self.cut)
    }
}

/// Single short words (`Logo`) are not worth keeping.
fn is_worth_noting(text: &str) -> bool {
    let text = text.trim();
    text.len() >= 4
        && (text.len() >= 16 || text.contains(char::is_whitespace))
        && text.chars().take(200).any(char::is_alphabetic)
}
