//! The size limits of the mark file.

use serde::Deserialize;

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Limits {
    /// How many bytes of a body are searched for marks.
    pub(super) body_bytes: usize,
    /// A page longer than this never counts as short.
    pub(super) long_page_bytes: usize,
    /// With a success status, a vendor's words in the text count only on pages of at most this many
    /// words. Longer pages are probably *about* the vendor.
    pub(super) vendor_text_words: usize,
    /// The same for scripts and URLs in the source of a page.
    pub(super) vendor_markup_words: usize,
    /// The most words of a challenge page of an unknown vendor.
    pub(super) unnamed_words: usize,
    /// The most words of a page that counts as empty.
    pub(super) blank_words: usize,
}

impl Limits {
    /// On a served page with more words than this, no mark in the body counts.
    pub(super) fn max_words(&self) -> usize {
        self.vendor_text_words.max(self.vendor_markup_words).max(self.unnamed_words)
    }

    /// No rule asks whether a page has more words than this.
    pub(super) fn most_asked_words(&self) -> usize {
        self.max_words().max(self.blank_words)
    }
}
