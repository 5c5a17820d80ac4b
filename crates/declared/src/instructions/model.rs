//! Input and output types of the search, and its limits.

/// Hits reported of one page.
pub(super) const MAX_HITS: usize = 20;
/// Characters of an excerpt and of a decoded text.
pub(super) const MAX_EXCERPT: usize = 160;
pub(super) const MAX_DECODED: usize = 400;

/// A piece of text and where on the page it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage<'a> {
    /// `visible`, `css_hidden`, `hidden_attribute`, `comment`, `noscript`, `template`,
    /// `attribute`, `meta`, `json_ld`, `svg_text`, `header`, `closed_details` (shown when somebody
    /// opens it), `quoted` for quotations and code, or `file` for a file that is instructions by
    /// design (llms.txt, agents.md). Any other name counts as visible.
    pub surface: &'a str,
    pub text: &'a str,
}

/// Facts about the page as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageContext {
    /// Whether these passages were served to AI identities but not to the browser.
    pub only_ai: bool,
    /// Whether the page is about prompt injection or model security: see
    /// [`is_about_security`](super::is_about_security).
    pub about_security: bool,
}

/// One instruction that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstructionHit {
    pub surface: String,
    /// `override`, `secrecy`, `exfiltration`, `manipulates_ranking`, `concealed_action`,
    /// `role_tokens`, `encoded_instruction` or `invisible_text`.
    pub rule: &'static str,
    /// Whether a person who reads the page cannot see it.
    pub concealed: bool,
    /// Its start in the passage, in bytes.
    pub offset: usize,
    /// At most 160 characters; invisible characters are spelled out.
    pub excerpt: String,
    /// The text of invisible, reversed or encoded characters.
    pub decoded: Option<String>,
}
