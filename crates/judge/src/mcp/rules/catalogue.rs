//! Every rule with its tier, severity and reason.

use contract::records::{McpSeverity, McpTier};

/// A rule as data.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub(super) id: &'static str,
    pub(super) hard: bool,
    pub(super) severity: &'static str,
    /// Percent.
    pub(super) confidence: u8,
    pub(super) why: &'static str,
    pub(super) references: &'static [&'static str],
}

impl Rule {
    pub(super) fn tier(&self) -> McpTier {
        if self.hard { McpTier::Hard } else { McpTier::Soft }
    }

    pub(super) fn severity(&self) -> McpSeverity {
        McpSeverity::from_word(self.severity).unwrap_or(McpSeverity::Medium)
    }
}

const POISONING: &[&str] = &["MCP03:2025", "CWE-1427"];
const SECRETS: &[&str] = &["MCP01:2025", "CWE-522"];
const SHARING: &[&str] = &["MCP10:2025", "CWE-200"];
const INTENT: &[&str] = &["MCP06:2025", "CWE-1427"];
const AUTH: &[&str] = &["MCP07:2025"];
const SUPPLY: &[&str] = &["MCP04:2025"];
const SCOPE: &[&str] = &["MCP02:2025"];
const COMMANDS: &[&str] = &["MCP05:2025", "CWE-78"];

const fn rule(
    id: &'static str,
    hard: bool,
    severity: &'static str,
    confidence: u8,
    references: &'static [&'static str],
    why: &'static str,
) -> Rule {
    Rule { id, hard, severity, confidence, why, references }
}

/// All rules, hard ones first.
pub(super) const RULES: &[Rule] = &[
    rule(
        "unicode_tag_text",
        true,
        "critical",
        99,
        POISONING,
        "The text contains characters of the Unicode TAG block that form no flag. People cannot see them, models can read them.",
    ),
    rule(
        "unicode_variation_payload",
        true,
        "critical",
        97,
        POISONING,
        "The text contains a run of variation selectors, which can hide bytes.",
    ),
    rule(
        "zero_width_interleaved",
        true,
        "high",
        92,
        POISONING,
        "Zero-width characters stand inside words and can hide them from filters.",
    ),
    rule(
        "bidi_override",
        true,
        "high",
        95,
        POISONING,
        "Characters change the direction of the text, so that people see another order than models read.",
    ),
    rule(
        "payload_decoded",
        true,
        "critical",
        95,
        COMMANDS,
        "An encoded part decodes to a command or to an instruction for the model.",
    ),
    rule(
        "instruction_override",
        true,
        "critical",
        90,
        POISONING,
        "The text tells the model to put aside its instructions or the user's request.",
    ),
    rule(
        "secret_exfiltration",
        true,
        "critical",
        88,
        SECRETS,
        "The text tells the model to read secrets or private files and pass them on.",
    ),
    rule(
        "context_exfiltration",
        true,
        "high",
        85,
        SHARING,
        "The text asks for the conversation, the model's instructions or results of other tools.",
    ),
    rule(
        "concealed_action",
        true,
        "high",
        85,
        INTENT,
        "The text tells the model to do something and to hide it from the user.",
    ),
    rule(
        "role_markup",
        true,
        "high",
        85,
        POISONING,
        "The text imitates the markup of system messages or of other roles.",
    ),
    rule(
        "credential_phishing",
        true,
        "high",
        80,
        SECRETS,
        "The text tells the model to ask the user for a password or another secret.",
    ),
    rule(
        "system_tampering",
        true,
        "high",
        80,
        COMMANDS,
        "The text tells the model to run foreign code or to change the user's system.",
    ),
    rule(
        "user_concealment",
        false,
        "medium",
        70,
        INTENT,
        "The text tells the model to hide something from the user.",
    ),
    rule(
        "consent_bypass",
        false,
        "medium",
        70,
        INTENT,
        "The text tells the model to act without asking the user.",
    ),
    rule(
        "cross_tool_directive",
        false,
        "high",
        75,
        INTENT,
        "The text tells the model how to use other tools, or to use this one before or instead of them.",
    ),
    rule(
        "untrusted_output_obedience",
        false,
        "high",
        70,
        POISONING,
        "The text tells the model to carry out what results or documents say.",
    ),
    rule(
        "persistent_instruction",
        false,
        "medium",
        60,
        INTENT,
        "The text gives the model a lasting instruction that goes beyond this tool.",
    ),
    rule(
        "suspicious_wording",
        false,
        "medium",
        50,
        POISONING,
        "A sentence sounds like an order to the model that goes beyond the use of this item. The words were compared with those of known attacks.",
    ),
    rule(
        "cross_server_reference",
        false,
        "medium",
        60,
        INTENT,
        "The text names a tool of another server.",
    ),
    rule(
        "sink_parameter",
        false,
        "medium",
        70,
        SHARING,
        "An input without an explained purpose can take the conversation or other context.",
    ),
    rule(
        "annotation_contradiction",
        false,
        "medium",
        70,
        SCOPE,
        "The tool is annotated as read-only or not destructive, but its name or text says that it changes or executes something.",
    ),
    rule(
        "ansi_escape",
        false,
        "high",
        90,
        POISONING,
        "The text contains terminal escape sequences, which can hide text on a terminal.",
    ),
    rule(
        "html_comment_text",
        false,
        "medium",
        65,
        POISONING,
        "The text contains a comment that is not shown when it is rendered.",
    ),
    rule(
        "secret_shape",
        false,
        "high",
        80,
        SECRETS,
        "The definition contains what looks like a real key or token.",
    ),
    rule(
        "image_exfiltration",
        false,
        "high",
        75,
        SHARING,
        "The text contains an image or link whose address has room for data.",
    ),
    rule(
        "homoglyph_name",
        false,
        "high",
        85,
        SUPPLY,
        "The name mixes letters of several scripts that look alike.",
    ),
    rule(
        "duplicate_tool_name",
        false,
        "low",
        99,
        SUPPLY,
        "Two items of the list have the same name.",
    ),
    rule(
        "malformed_item",
        false,
        "low",
        99,
        SUPPLY,
        "The item is not an object, has no name, is nested too deeply, or has control characters in its name.",
    ),
    rule(
        "duplicate_json_key",
        false,
        "low",
        99,
        SUPPLY,
        "An object has a member twice. Readers differ in which one they use.",
    ),
    rule(
        "unsafe_integer",
        false,
        "info",
        99,
        &[],
        "A number is too large to be read exactly by every reader.",
    ),
    rule("overlong_text", false, "low", 99, &[], "The text is longer than 4,096 bytes."),
    rule("remote_icon", false, "info", 99, &[], "The item has an icon at a remote address."),
    rule(
        "schema_ref_remote",
        false,
        "low",
        95,
        SUPPLY,
        "A schema refers to a remote address, whose content can change.",
    ),
    rule(
        "invalid_mcp_header",
        false,
        "low",
        95,
        SUPPLY,
        "An input is marked to be sent as a header, but not as the protocol allows: the name is no header name or is used twice, the type does not fit in a header, or the input cannot be found before the call. Clients drop such a tool.",
    ),
    rule(
        "capability_mismatch",
        false,
        "medium",
        70,
        SCOPE,
        "The server declares a list and answers the question for it with an error, or the name of a tool promises only to look while its text begins by saying that it deletes, sends or executes.",
    ),
    rule(
        "unstable_definitions",
        false,
        "medium",
        90,
        SUPPLY,
        "Two readings of the list in a row differ.",
    ),
    rule("plain_http", false, "high", 99, AUTH, "The server is read over http without encryption."),
    rule(
        "issuer_mismatch",
        false,
        "high",
        95,
        AUTH,
        "The authorization server names another issuer than the one that was asked for.",
    ),
    rule(
        "metadata_foreign_host",
        false,
        "medium",
        80,
        AUTH,
        "The metadata of the protected resource is on another host.",
    ),
    rule(
        "anonymous_write_tools",
        false,
        "low",
        60,
        AUTH,
        "Tools that may change data can be listed without authentication.",
    ),
];

pub(super) fn find_rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}
