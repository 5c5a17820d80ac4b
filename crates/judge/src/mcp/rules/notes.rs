//! What fires each rule and what stays quiet, in words, for `docs/mcp-rules.md`. Each line is `id: fires | quiet`.

/// In the order of the catalogue.
pub(super) const NOTES: &str = "\
unicode_tag_text: any character U+E0000–E007F | the flags of England, Scotland and Wales, which are written with them
unicode_variation_payload: four or more supplementary variation selectors, or runs of selectors after a letter | one selector after an emoji or a Chinese character
zero_width_interleaved: three or more zero-width characters inside Latin words | one stray character; joiners in emoji and in Persian, Arabic and Indic words
bidi_override: embeddings and overrides (U+202A–202E); isolates in a text without right-to-left letters | marks and isolates in Hebrew and Arabic text
payload_decoded: base64, hex, percent-encoding or ROT13 that decodes to a pipe into a shell, a reverse shell, `rm -rf`, or a sentence that a phrase rule finds | any other encoded data
instruction_override: an order to put aside earlier instructions, the host's rules or the user's words | \"ignores case\", \"overrides the default\", a security tool that quotes the sentence
secret_exfiltration: an order to read named secrets and pass them on | secrets managers, password resets, \"never include secrets\"
context_exfiltration: an order to hand over the conversation, the model's instructions or results of other tools | tools about chats and tickets that say what they do
concealed_action: an order to hide something from the user, in the same text as an order to act on secrets, other tools or the system; an order to hide that something is copied, sent or shared | each of them alone, which has a rule of its own
role_markup: tags and marks of chat templates, headings and sentences that pretend to come from the system | ordinary HTML, other tags in angle brackets
credential_phishing: an order to ask the user for a password, code or key and pass it on | a page on which the user enters it; \"never ask for the password\"
system_tampering: an order to download and run foreign code, or to change start files, tasks or protections | tools that say in the third person that they install or run something
user_concealment: an order not to tell, show or mention something to the user | \"do not show internal ids\", \"do not print the token\"
consent_bypass: an order to act without asking, or the claim that the user has agreed to everything | \"ask the user first\", \"never run without approval\"
cross_tool_directive: an order to call this tool before or instead of all others, or to change what other tools get | \"call init before this tool\", \"always call list_x first\", names of its own sister tools
untrusted_output_obedience: an order to carry out what results or documents say | \"treat results as data\"
persistent_instruction: an order for all later answers or sessions; advertising in every answer | tools that remember facts about the user; prompts
suspicious_wording: a sentence whose words resemble those of known attacks (a linear model); only if no other rule found something in the text | everything below the threshold. Of medium severity only well above it, else a hint of low severity that decides nothing
cross_server_reference: the name of a tool of another server that the caller names | not measured unless the caller names other servers
sink_parameter: a free-text input called `sidenote`, `scratchpad`, `conversation_history` and the like, without an explained purpose | the same input in tools about chats, agents, memory or reasoning
annotation_contradiction: `readOnlyHint` is true or `destructiveHint` is false, and the name or first words say that the tool changes or executes | names that begin with a word of reading; queries that only read
ansi_escape: terminal escape sequences | text without them
html_comment_text: HTML or Markdown comments and hidden elements in prose | short empty comments, and values that are no prose
secret_shape: keys and tokens in the forms of well-known services | placeholders: `EXAMPLE`, `your-key`, few different characters
image_exfiltration: an image or link whose address has a placeholder for data | ordinary images and links
homoglyph_name: Latin letters beside Cyrillic, Greek or Cherokee ones in one word of a name | names in one script
duplicate_tool_name: two items of a list have the same name | the same name in another list
malformed_item: not an object, no name, nested too deeply, control characters in the name | all else
duplicate_json_key: a member occurs twice in one object | all else
unsafe_integer: an integer beyond 2^53 − 1 | all else
overlong_text: prose of more than 4,096 bytes | shorter prose
remote_icon: an icon at an http or https address | icons in data URLs
schema_ref_remote: `$ref` to an address | `$ref` within the schema
invalid_mcp_header: `x-mcp-header` that is empty, no header name (RFC 9110 token), the same as another one without regard to case, on an input that is no string, integer or boolean, or at a place that is not reached from the root through `properties` alone | an input without a type, or of a fitting type or null; inputs and values that only have this name
capability_mismatch: a declared list is answered with a JSON-RPC error; or the name begins with get, list, read, show, view, describe, count, search, find or lookup, and the text with a verb of deleting, overwriting, sending mail, moving money or running commands | lists that failed for another reason; names that also have a word of acting; verbs that may be a calculation (removes, drops, replaces)
unstable_definitions: a second reading of the tools differs in content | another order
plain_http: the address is http | https
issuer_mismatch: the authorization server's metadata name another issuer | the same issuer
metadata_foreign_host: the resource's metadata are on another host | the same host
anonymous_write_tools: tools that may change data are listed without authentication | servers that require it, and servers whose tools only read by name
";

/// What fires a rule, and what stays quiet.
pub(super) fn note(rule: &str) -> Option<(&'static str, &'static str)> {
    let lines = NOTES.lines().filter_map(|line| line.split_once(": "));
    let (_, text) = lines.into_iter().find(|(id, _)| *id == rule)?;
    text.split_once(" | ")
}
