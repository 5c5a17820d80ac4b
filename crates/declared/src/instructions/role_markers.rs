//! Markers that separate the speakers of a conversation with a model.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

/// Markers of chat formats, which have no other meaning.
const CHAT_FORMAT_MARKERS: [&str; 14] = [
    "<|im_start|>",
    "<|im_end|>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|start_header_id|>",
    "<|begin_of_text|>",
    "[/inst]",
    "[inst]",
    "<<sys>>",
    "<start_of_turn>",
    "<|end_of_turn|>",
];

/// Markers that ordinary documents use as well; the text around them decides.
const AMBIGUOUS_MARKERS: [&str; 18] = [
    "### system:",
    "### system\n",
    "### system prompt",
    "### system message",
    "### instruction:",
    "### instructions:",
    "### new instructions",
    "### assistant:",
    "</system>",
    "<system>",
    "</system_prompt>",
    "<system_prompt>",
    "</user_input>",
    "[system]",
    "[system message]",
    "begin system prompt",
    "end of system prompt",
    "system override",
];

#[derive(Debug, PartialEq, Eq)]
pub(super) struct RoleMarker {
    pub(super) at: usize,
    pub(super) is_chat_format: bool,
}

static CHAT_FORMAT: LazyLock<Option<Regex>> = LazyLock::new(|| any_of(&CHAT_FORMAT_MARKERS));
static AMBIGUOUS: LazyLock<Option<Regex>> = LazyLock::new(|| any_of(&AMBIGUOUS_MARKERS));

/// One expression for all markers, so that a text is searched once and not once for each of them. None
/// only if it did not compile, which a test excludes.
fn any_of(markers: &[&str]) -> Option<Regex> {
    let escaped: Vec<String> = markers.iter().map(|marker| regex::escape(marker)).collect();
    RegexBuilder::new(&escaped.join("|")).unicode(false).case_insensitive(true).build().ok()
}

/// The first marker of each kind, whatever the case of its ASCII letters.
pub(super) fn find_markers(text: &str) -> Vec<RoleMarker> {
    if !may_have_marker(text) {
        return Vec::new();
    }
    let first = |markers: &Option<Regex>| Some(markers.as_ref()?.find(text.as_bytes())?.start());
    let mut found = Vec::new();
    found.extend(first(&CHAT_FORMAT).map(|at| RoleMarker { at, is_chat_format: true }));
    found.extend(first(&AMBIGUOUS).map(|at| RoleMarker { at, is_chat_format: false }));
    found
}

/// Whether a text has a sign or the word of which every marker has one. Most texts have neither.
fn may_have_marker(text: &str) -> bool {
    const WORD: &[u8] = b"system";
    let bytes = text.as_bytes();
    let is_word = |at: usize| {
        let word = at.checked_sub(1).and_then(|from| bytes.get(from..from + WORD.len()));
        word.is_some_and(|word| word.eq_ignore_ascii_case(WORD))
    };
    memchr::memchr3(b'<', b'[', b'#', bytes).is_some()
        || memchr::memchr2_iter(b'y', b'Y', bytes).any(is_word)
}

/// Whether the text is a template with placeholders, not a message.
pub(super) fn is_template(text: &str) -> bool {
    // Each placeholder has one of these two, and ordinary text has neither.
    memchr::memchr2(b'{', b'%', text.as_bytes()).is_some()
        && ["{{", "{%", "<%", "${", "%s", "#{"].iter().any(|sign| text.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_marker_is_found() {
        for marker in CHAT_FORMAT_MARKERS.iter().chain(&AMBIGUOUS_MARKERS) {
            let text = format!("é {} x", marker.to_uppercase());
            assert_eq!(find_markers(&text).first().map(|found| found.at), Some(3), "{marker}");
        }
        assert_eq!(find_markers("a ſystem override"), []);
    }

    #[test]
    fn marks_are_found_whatever_their_case() {
        assert_eq!(find_markers("a [INST] b"), [RoleMarker { at: 2, is_chat_format: true }]);
        assert_eq!(find_markers("### SYSTEM: b"), [RoleMarker { at: 0, is_chat_format: false }]);
        assert_eq!(find_markers("### System requirements"), []);
    }
}
