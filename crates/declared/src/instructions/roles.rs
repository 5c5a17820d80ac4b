//! Marks that part the speakers of a conversation with a model.

/// Marks of chat formats, which mean nothing else.
const FORMAT: [&str; 14] = [
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

/// Marks that documents use as well; what stands around them decides.
const LOOSE: [&str; 18] = [
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
pub(super) struct Mark {
    pub(super) at: usize,
    pub(super) format: bool,
}

/// The first mark of each kind. One pass in lower case; ASCII letters keep their places.
pub(super) fn marks(text: &str) -> Vec<Mark> {
    let lower = text.to_ascii_lowercase();
    let first = |marks: &[&str]| marks.iter().filter_map(|mark| lower.find(mark)).min();
    let mut found = Vec::new();
    found.extend(first(&FORMAT).map(|at| Mark { at, format: true }));
    found.extend(first(&LOOSE).map(|at| Mark { at, format: false }));
    found
}

/// Whether the text is a mould to be filled in, not a message.
pub(super) fn is_mould(text: &str) -> bool {
    ["{{", "{%", "<%", "${", "%s", "#{"].iter().any(|sign| text.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_whatever_their_case() {
        assert_eq!(marks("a [INST] b"), [Mark { at: 2, format: true }]);
        assert_eq!(marks("### SYSTEM: b"), [Mark { at: 0, format: false }]);
        assert_eq!(marks("### System requirements"), []);
    }
}
