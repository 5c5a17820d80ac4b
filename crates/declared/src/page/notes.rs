//! Text that stands in a page and that a person does not see.

use super::text;
use super::{Hidden, Surface};

const MAX_NOTES: usize = 100;
const MAX_NOTE_BYTES: usize = 4_096;
/// From here on a note joins the last one of its surface, so that a hundred harmless comments do
/// not leave a place where nobody looks.
const JOIN_FROM: usize = 60;

#[derive(Default)]
pub(super) struct Notes {
    list: Vec<Hidden>,
    cut: bool,
}

impl Notes {
    /// Notes text as it stands in the page, with its character references.
    pub(super) fn raw(&mut self, surface: Surface, raw: &str) {
        if is_worth_noting(raw) {
            self.cut |= raw.len() > MAX_NOTE_BYTES * 2;
            let text = text::clean(raw, MAX_NOTE_BYTES);
            self.clean(surface, &text);
        }
    }

    /// Notes text that was cleaned already.
    pub(super) fn clean(&mut self, surface: Surface, whole: &str) {
        if !is_worth_noting(whole) {
            return;
        }
        let text = text::cut(whole, MAX_NOTE_BYTES).trim_end();
        self.cut |= text.len() < whole.trim_end().len();
        if self.list.len() >= JOIN_FROM
            && let Some(last) = self.list.iter_mut().rev().find(|note| note.surface == surface)
            && last.text.len() + text.len() < MAX_NOTE_BYTES
        {
            last.text.push('\n');
            last.text.push_str(text);
        } else if self.list.len() < MAX_NOTES {
            self.list.push(Hidden { surface, text: text.to_owned() });
        } else {
            self.cut = true;
        }
    }

    /// The notes, and whether there was more than is kept.
    pub(super) fn finish(self) -> (Vec<Hidden>, bool) {
        (self.list, self.cut)
    }
}

/// A single short word (`Logo`) says nothing to anybody.
fn is_worth_noting(text: &str) -> bool {
    let text = text.trim();
    text.len() >= 4
        && (text.len() >= 16 || text.contains(char::is_whitespace))
        && text.chars().take(200).any(char::is_alphabetic)
}
