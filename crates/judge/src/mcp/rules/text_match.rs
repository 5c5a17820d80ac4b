//! What a rule found in one text.

use contract::records::McpSeverity;

/// How much a match says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Weight {
    /// As much as the rule says.
    #[default]
    Full,
    /// Words that an honest text may have as well, and nothing else in the text that shows malice. Such a
    /// finding is soft and of medium severity at most, whatever the rule says.
    Doubtful,
    /// The text only reports or quotes the words: a finding that counts little.
    Reported,
}

/// A rule that matched in a text. Positions are characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TextMatch {
    pub(super) rule: &'static str,
    pub(super) start: usize,
    pub(super) length: usize,
    pub(super) decoded: Option<String>,
    pub(super) codepoints: Vec<String>,
    pub(super) weight: Weight,
    /// The most severe that the finding may be; None: as severe as the rule says.
    pub(super) at_most: Option<McpSeverity>,
}
