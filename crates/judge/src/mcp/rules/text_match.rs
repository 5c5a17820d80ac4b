//! What a rule found in one text.

/// A rule that matched in a text. Positions are characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TextMatch {
    pub(super) rule: &'static str,
    pub(super) start: usize,
    pub(super) length: usize,
    pub(super) decoded: Option<String>,
    pub(super) codepoints: Vec<String>,
    /// The text only reports the phrase: the finding counts little.
    pub(super) reported: bool,
}
