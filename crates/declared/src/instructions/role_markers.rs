//! Markers that separate the speakers of a conversation with a model.

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

/// The first marker of each kind. Lower-casing ASCII does not change the offsets.
pub(super) fn find_markers(text: &str) -> Vec<RoleMarker> {
    let lower = text.to_ascii_lowercase();
    let first = |marks: &[&str]| marks.iter().filter_map(|mark| lower.find(mark)).min();
    let mut found = Vec::new();
    found.extend(first(&CHAT_FORMAT_MARKERS).map(|at| RoleMarker { at, is_chat_format: true }));
    found.extend(first(&AMBIGUOUS_MARKERS).map(|at| RoleMarker { at, is_chat_format: false }));
    found
}

/// Whether the text is a template with placeholders, not a message.
pub(super) fn is_template(text: &str) -> bool {
    ["{{", "{%", "<%", "${", "%s", "#{"].iter().any(|sign| text.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_whatever_their_case() {
        assert_eq!(find_markers("a [INST] b"), [RoleMarker { at: 2, is_chat_format: true }]);
        assert_eq!(find_markers("### SYSTEM: b"), [RoleMarker { at: 0, is_chat_format: false }]);
        assert_eq!(find_markers("### System requirements"), []);
    }
}
