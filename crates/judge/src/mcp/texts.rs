//! Texts of a server in a scan record, on request: spelled out, and bounded one by one and together.

use contract::records::{McpScan, McpTexts};
use serde_json::Value;

use super::surface::{Item, ListKind, Surface};
use super::untrusted::spell_out_within;

/// The most bytes of all texts of a record.
const MAX_RECORD_BYTES: usize = 512 * 1024;
/// The longest description or instructions, and the longest schema, in characters.
const MAX_TEXT_CHARS: usize = 8_192;
const MAX_SCHEMA_CHARS: usize = 32_768;

/// Which texts a record shall have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TextParts {
    /// Descriptions and instructions.
    pub text: bool,
    /// The schemas of tools, as JSON.
    pub schemas: bool,
}

impl TextParts {
    #[must_use]
    pub const fn any(self) -> bool {
        self.text || self.schemas
    }
}

/// What is left of the bound, and what did not fit.
struct Budget {
    left: usize,
    shortened: u32,
    left_out: u32,
}

impl Budget {
    /// The text as the record shows it, and whether it is not whole.
    fn spend(&mut self, text: &str, max_chars: usize) -> (Option<String>, bool) {
        let (spelled, is_cut) = spell_out_within(text, max_chars);
        let Some(left) = self.left.checked_sub(spelled.len()) else {
            self.left_out = self.left_out.saturating_add(1);
            return (None, true);
        };
        self.left = left;
        self.shortened = self.shortened.saturating_add(u32::from(is_cut));
        (Some(spelled), is_cut)
    }

    /// The same for one member of an item; a text that is not whole is named in `cut`.
    fn spend_member(
        &mut self,
        text: Option<&str>,
        max_chars: usize,
        member: &str,
        cut: &mut Option<Vec<String>>,
    ) -> Option<String> {
        let (spelled, is_cut) = self.spend(text?, max_chars);
        if is_cut {
            cut.get_or_insert_default().push(member.to_owned());
        }
        spelled
    }
}

/// Adds the texts to the scan of this surface. Descriptions come before schemas, so that large schemas do
/// not push out what a model reads first.
pub fn add_texts(scan: &mut McpScan, surface: &Surface, wanted: TextParts) {
    let mut budget = Budget { left: MAX_RECORD_BYTES, shortened: 0, left_out: 0 };
    if wanted.text {
        add_descriptions(scan, surface, &mut budget);
    }
    if wanted.schemas {
        for (entry, tool) in scan.tools.iter_mut().zip(surface.list(ListKind::Tools)) {
            let (input, output) = (schema(tool, "inputSchema"), schema(tool, "outputSchema"));
            let cut = &mut entry.cut;
            entry.untrusted_input_schema = budget.spend_member(
                input.as_deref(),
                MAX_SCHEMA_CHARS,
                "untrusted_input_schema",
                cut,
            );
            entry.untrusted_output_schema = budget.spend_member(
                output.as_deref(),
                MAX_SCHEMA_CHARS,
                "untrusted_output_schema",
                cut,
            );
        }
    }
    let included = [("text", wanted.text), ("schemas", wanted.schemas)];
    let bytes = MAX_RECORD_BYTES.saturating_sub(budget.left);
    scan.texts = Some(McpTexts {
        included: included.iter().filter(|part| part.1).map(|part| part.0.to_owned()).collect(),
        bytes: u64::try_from(bytes).unwrap_or(u64::MAX),
        limit_bytes: u64::try_from(MAX_RECORD_BYTES).unwrap_or(u64::MAX),
        shortened: budget.shortened,
        left_out: budget.left_out,
    });
}

fn add_descriptions(scan: &mut McpScan, surface: &Surface, budget: &mut Budget) {
    let member = "untrusted_description";
    if let Some(text) = &surface.instructions {
        let (text, is_cut) = budget.spend(text, MAX_TEXT_CHARS);
        scan.server.instructions.untrusted_text = text;
        scan.server.instructions.text_cut = Some(is_cut);
    }
    for (entry, tool) in scan.tools.iter_mut().zip(surface.list(ListKind::Tools)) {
        let text = tool.text_member("description");
        entry.untrusted_description =
            budget.spend_member(text, MAX_TEXT_CHARS, member, &mut entry.cut);
    }
    for (list, entries) in [
        (ListKind::Prompts, &mut scan.prompts),
        (ListKind::Resources, &mut scan.resources),
        (ListKind::ResourceTemplates, &mut scan.resource_templates),
    ] {
        for (entry, item) in entries.iter_mut().zip(surface.list(list)) {
            let text = item.text_member("description");
            entry.untrusted_description =
                budget.spend_member(text, MAX_TEXT_CHARS, member, &mut entry.cut);
        }
    }
}

fn schema(tool: &Item, member: &str) -> Option<String> {
    let schema = tool.members.get(member).filter(|schema| !schema.is_null())?;
    serde_json::to_string::<Value>(schema).ok()
}
