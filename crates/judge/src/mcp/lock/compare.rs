//! The differences between a lock and a surface.

use std::collections::{BTreeMap, BTreeSet};

use contract::records::{
    McpChange, McpDrift, McpDriftLevel, McpDriftSummary, McpItem, McpLock, McpLockItem, McpLockTool,
};

use super::breaking::breaks_callers;
use super::make::{lock_tool, tool_inputs};
use super::parse::ParsedLock;
use super::policy::DriftPolicy;
use crate::mcp::surface::{Item, ListKind, Surface};
use crate::mcp::untrusted::{display_name, lock_name};

/// All differences, and the items that changed or were added.
#[derive(Debug, Default)]
pub(super) struct Comparison<'a> {
    pub(super) drift: Vec<McpDrift>,
    pub(super) summary: McpDriftSummary,
    pub(super) added: Vec<String>,
    pub(super) removed: Vec<String>,
    pub(super) modified: Vec<String>,
    pub(super) touched: Vec<&'a Item>,
    pub(super) instructions_changed: bool,
}

/// A locked item and its counterpart, by name; each side is used once, also with repeated names.
struct Pairing<'l, 's, L> {
    both: Vec<(&'l L, &'s Item)>,
    gone: Vec<&'l L>,
    new: Vec<&'s Item>,
}

fn pair<'l, 's, L>(
    locked: &'l [L],
    name_of: impl Fn(&L) -> String,
    same: impl Fn(&L, &Item) -> bool,
    current: impl Iterator<Item = (String, &'s Item)>,
) -> Pairing<'l, 's, L> {
    let mut by_name: BTreeMap<String, Vec<&'s Item>> = BTreeMap::new();
    for (name, item) in current {
        by_name.entry(name).or_default().push(item);
    }
    let mut pairing = Pairing { both: Vec::new(), gone: Vec::new(), new: Vec::new() };
    for entry in locked {
        let Some(candidates) = by_name.get_mut(&name_of(entry)).filter(|items| !items.is_empty())
        else {
            pairing.gone.push(entry);
            continue;
        };
        let index = candidates.iter().position(|item| same(entry, item)).unwrap_or(0);
        pairing.both.push((entry, candidates.remove(index)));
    }
    pairing.new = by_name.into_values().flatten().collect();
    pairing.new.sort_by_key(|item| item.index);
    pairing
}

fn drift(
    item: McpItem,
    name: Option<String>,
    change: McpChange,
    level: McpDriftLevel,
    why: &str,
) -> McpDrift {
    McpDrift {
        first_seen: None,
        item,
        name,
        change,
        fields: Vec::new(),
        locked_sha256: None,
        current_sha256: None,
        renamed_from: None,
        breaking: false,
        level,
        why: why.to_owned(),
        untrusted_diff: None,
    }
}

fn bump(count: &mut u32) {
    *count = count.saturating_add(1);
}

/// Compares with the public client's digests only.
pub(super) fn compare_plain<'a>(
    lock: &ParsedLock,
    surface: &'a Surface,
    policy: &DriftPolicy,
) -> Comparison<'a> {
    let mut found = Comparison::default();
    let digest = |item: &Item| item.digests.as_ref().and_then(|digests| digests.tool.clone());
    let pairing = pair(
        &lock.tools,
        |tool| tool.name.clone(),
        |tool, item| digest(item).as_deref() == Some(&tool.sha256),
        surface.list(ListKind::Tools).map(|item| (cut_name(&item.name, lock), item)),
    );
    for (tool, item) in pairing.both {
        let current = digest(item);
        if current.as_deref() == Some(&tool.sha256) {
            bump(&mut found.summary.unchanged);
            continue;
        }
        bump(&mut found.summary.other);
        found.modified.push(display_name(&item.name));
        found.touched.push(item);
        found.drift.push(McpDrift {
            first_seen: None,
            locked_sha256: Some(tool.sha256.clone()),
            current_sha256: current,
            ..drift(
                McpItem::Tool,
                Some(display_name(&item.name)),
                McpChange::DefinitionChanged,
                policy.contract.clone(),
                "The tool changed. The lock does not say in which member.",
            )
        });
    }
    for tool in pairing.gone {
        found.remove(McpItem::Tool, display_name(&tool.name), &tool.sha256, policy);
    }
    for item in pairing.new {
        found.add(item, digest(item), policy);
    }
    found
}

/// Names in plain locks are as the client wrote them, in ours hidden characters are spelled out.
fn cut_name(name: &str, lock: &ParsedLock) -> String {
    let plain: String = name.chars().take(120).collect();
    if lock.tools.iter().any(|tool| tool.name == plain) { plain } else { lock_name(name) }
}

/// Compares with all digests.
pub(super) fn compare_full<'a>(
    lock: &McpLock,
    surface: &'a Surface,
    policy: &DriftPolicy,
) -> Comparison<'a> {
    let mut found = Comparison::default();
    if lock.instructions_sha256 != surface.digests.instructions {
        found.instructions_changed = true;
        bump(&mut found.summary.prose_changed);
        found.drift.push(McpDrift {
            first_seen: None,
            fields: vec!["instructions".to_owned()],
            locked_sha256: lock.instructions_sha256.clone(),
            current_sha256: surface.digests.instructions.clone(),
            ..drift(
                McpItem::Instructions,
                None,
                McpChange::InstructionsChanged,
                policy.prose.clone(),
                "The server's instructions for the model changed.",
            )
        });
    }
    let definition = |item: &Item| item.digests.as_ref().map(|digests| digests.definition.clone());
    let mut pairing = pair(
        &lock.tools,
        |tool| tool.name.clone(),
        |tool, item| definition(item).as_deref() == Some(&tool.definition_sha256),
        surface.list(ListKind::Tools).map(|item| (lock_name(&item.name), item)),
    );
    for (tool, item) in &pairing.both {
        found.compare_tool(tool, item, policy);
    }
    found.renames(&mut pairing, policy);
    for tool in pairing.gone {
        found.remove(McpItem::Tool, tool.name.clone(), &tool.definition_sha256, policy);
    }
    for item in pairing.new {
        found.add(item, definition(item), policy);
    }
    for (list, locked) in [
        (ListKind::Prompts, &lock.prompts),
        (ListKind::Resources, &lock.resources),
        (ListKind::ResourceTemplates, &lock.resource_templates),
    ] {
        found.compare_items(list, locked, surface, policy);
    }
    found
}

impl<'a> Comparison<'a> {
    fn add(&mut self, item: &'a Item, current: Option<String>, policy: &DriftPolicy) {
        bump(&mut self.summary.added);
        if item.list == ListKind::Tools {
            self.added.push(display_name(&item.name));
        }
        self.touched.push(item);
        let why = "This item is not in the lock.";
        self.drift.push(McpDrift {
            first_seen: None,
            current_sha256: current,
            ..drift(
                item.list.item(),
                Some(display_name(&item.name)),
                McpChange::Added,
                policy.added.clone(),
                why,
            )
        });
    }

    fn remove(&mut self, item: McpItem, name: String, locked: &str, policy: &DriftPolicy) {
        bump(&mut self.summary.removed);
        if item == McpItem::Tool {
            self.removed.push(name.clone());
        }
        self.drift.push(McpDrift {
            first_seen: None,
            locked_sha256: Some(locked.to_owned()),
            breaking: true,
            ..drift(
                item,
                Some(name),
                McpChange::Removed,
                policy.removed.clone(),
                "The server no longer lists this item.",
            )
        });
    }

    /// A tool that is gone and a new one that is the same apart from its name.
    fn renames(&mut self, pairing: &mut Pairing<'_, 'a, McpLockTool>, policy: &DriftPolicy) {
        let same = |tool: &McpLockTool, item: &Item| {
            item.digests.as_ref().is_some_and(|digests| {
                digests.fields == tool.fields && tool.fields.input_schema.is_some()
            })
        };
        let mut taken = BTreeSet::new();
        let gone = std::mem::take(&mut pairing.gone);
        for tool in gone {
            let Some(index) = pairing
                .new
                .iter()
                .position(|item| !taken.contains(&item.index) && same(tool, item))
            else {
                pairing.gone.push(tool);
                continue;
            };
            let Some(item) = pairing.new.get(index).copied() else { continue };
            taken.insert(item.index);
            bump(&mut self.summary.renamed);
            self.removed.push(tool.name.clone());
            self.added.push(display_name(&item.name));
            self.touched.push(item);
            self.drift.push(McpDrift {
                first_seen: None,
                fields: vec!["name".to_owned()],
                locked_sha256: Some(tool.definition_sha256.clone()),
                current_sha256: item.digests.as_ref().map(|digests| digests.definition.clone()),
                renamed_from: Some(tool.name.clone()),
                breaking: true,
                ..drift(
                    McpItem::Tool,
                    Some(display_name(&item.name)),
                    McpChange::Renamed,
                    policy.contract.clone(),
                    "The tool has another name. Everything else is the same.",
                )
            });
        }
        pairing.new.retain(|item| !taken.contains(&item.index));
    }

    fn compare_tool(&mut self, tool: &McpLockTool, item: &'a Item, policy: &DriftPolicy) {
        let name = display_name(&item.name);
        let Some(current) = item.digests.as_ref().and_then(|digests| lock_tool(item, digests))
        else {
            bump(&mut self.summary.other);
            self.modified.push(name.clone());
            self.touched.push(item);
            let why = "The tool can no longer be compared: it has no canonical form.";
            self.drift.push(drift(
                McpItem::Tool,
                Some(name),
                McpChange::DefinitionChanged,
                McpDriftLevel::Block,
                why,
            ));
            return;
        };
        let (before, now) = (&tool.fields, &current.fields);
        let inputs = before.input_schema != now.input_schema;
        let contract = tool.contract_sha256 != current.contract_sha256;
        let annotations = before.annotations != now.annotations;
        // The contract has the annotations, so schemas changed beyond prose only if more than these differ.
        let schemas =
            before.input_schema != now.input_schema || before.output_schema != now.output_schema;
        let changes: Vec<(&str, McpChange, bool)> = [
            ("description", McpChange::DescriptionChanged, before.description != now.description),
            ("title", McpChange::TitleChanged, before.title != now.title),
            ("input_schema", McpChange::InputSchemaChanged, inputs),
            (
                "output_schema",
                McpChange::OutputSchemaChanged,
                before.output_schema != now.output_schema,
            ),
            ("annotations", McpChange::AnnotationsChanged, annotations),
            ("other", McpChange::OtherMembersChanged, before.other != now.other),
        ]
        .into_iter()
        .filter(|(_, _, changed)| *changed)
        .collect();
        if changes.is_empty() && tool.definition_sha256 == current.definition_sha256 {
            bump(&mut self.summary.unchanged);
            return;
        }
        // A lock whose own digests disagree was edited: say so instead of passing it.
        let changes = if changes.is_empty() {
            vec![("definition", McpChange::DefinitionChanged, true)]
        } else {
            changes
        };
        let schemas_beyond_prose = schemas && contract;
        let breaking = inputs && breaks_callers(&tool.inputs, &tool_inputs(item));
        if tool.sha256 != current.sha256 {
            self.modified.push(name.clone());
        }
        if schemas_beyond_prose {
            bump(&mut self.summary.contract_changed);
        } else if annotations {
            bump(&mut self.summary.annotations_changed);
        } else if before.description != now.description || before.title != now.title || schemas {
            bump(&mut self.summary.prose_changed);
        } else {
            bump(&mut self.summary.other);
        }
        self.touched.push(item);
        for (field, change, _) in changes {
            let (level, why) = match change {
                McpChange::DescriptionChanged | McpChange::TitleChanged => (
                    policy.prose.clone(),
                    if contract {
                        "The text that the model reads changed."
                    } else {
                        "The text that the model reads changed. The contract did not."
                    },
                ),
                McpChange::InputSchemaChanged | McpChange::OutputSchemaChanged if !contract => {
                    (policy.prose.clone(), "Texts in the schema changed. The contract did not.")
                }
                McpChange::AnnotationsChanged => (
                    policy.contract.clone(),
                    "What the server says about the effects of the tool changed.",
                ),
                McpChange::OtherMembersChanged => (
                    McpDriftLevel::Info,
                    "Members outside of the definition changed, such as icons.",
                ),
                McpChange::DefinitionChanged => {
                    (McpDriftLevel::Block, "The digests of the lock contradict each other.")
                }
                _ if breaking => {
                    (policy.contract.clone(), "The contract changed in a way that breaks callers.")
                }
                _ => (policy.contract.clone(), "The contract changed."),
            };
            self.drift.push(McpDrift {
                first_seen: None,
                fields: vec![field.to_owned()],
                locked_sha256: Some(tool.definition_sha256.clone()),
                current_sha256: Some(current.definition_sha256.clone()),
                breaking: breaking && field == "input_schema",
                ..drift(McpItem::Tool, Some(name.clone()), change, level, why)
            });
        }
    }

    fn compare_items(
        &mut self,
        list: ListKind,
        locked: &[McpLockItem],
        surface: &'a Surface,
        policy: &DriftPolicy,
    ) {
        let definition =
            |item: &Item| item.digests.as_ref().map(|digests| digests.definition.clone());
        let pairing = pair(
            locked,
            |entry| entry.name.clone(),
            |entry, item| definition(item).as_deref() == Some(&entry.definition_sha256),
            surface.list(list).map(|item| (display_name(&item.name), item)),
        );
        for (entry, item) in pairing.both {
            let current = definition(item);
            if current.as_deref() == Some(&entry.definition_sha256) {
                bump(&mut self.summary.unchanged);
                continue;
            }
            let contract = item.digests.as_ref().map(|digests| &digests.contract)
                != Some(&entry.contract_sha256);
            let (level, why) = if contract {
                bump(&mut self.summary.contract_changed);
                (policy.contract.clone(), "The contract of the item changed.")
            } else {
                bump(&mut self.summary.prose_changed);
                (
                    policy.prose.clone(),
                    "The text that the model reads changed. The contract did not.",
                )
            };
            let change =
                if contract { McpChange::DefinitionChanged } else { McpChange::DescriptionChanged };
            self.touched.push(item);
            self.drift.push(McpDrift {
                first_seen: None,
                locked_sha256: Some(entry.definition_sha256.clone()),
                current_sha256: current,
                ..drift(list.item(), Some(display_name(&item.name)), change, level, why)
            });
        }
        for entry in pairing.gone {
            self.remove(list.item(), entry.name.clone(), &entry.definition_sha256, policy);
        }
        for item in pairing.new {
            self.add(item, definition(item), policy);
        }
    }
}
