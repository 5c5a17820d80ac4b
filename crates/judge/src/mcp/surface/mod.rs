//! The lists of an MCP server as raw JSON, page by page, with the faults of each item.

mod digests;
mod item;
mod numbers;
mod page;
#[cfg(test)]
mod tests;
mod texts;

use std::collections::BTreeSet;

pub(crate) use digests::HASH_SCHEME;
pub use digests::MAX_CLIENT_TOOLS;
pub use item::{FaultKind, Item, ItemDigests, ItemFault, ListKind, Surface, SurfaceDigests};
pub use page::PageFault;
pub(crate) use texts::ItemText;

/// The most items of all lists together.
pub const MAX_ITEMS: usize = 2_000;
/// The most bytes of instructions that are kept.
pub const MAX_INSTRUCTIONS: usize = 1 << 20;

/// Joins pages to a surface.
#[derive(Debug, Default)]
pub struct SurfaceBuilder {
    surface: Surface,
    counts: [usize; 4],
    names: BTreeSet<(ListKind, String)>,
}

impl SurfaceBuilder {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one page: a JSON-RPC response, its result, or the bare list. A page that cannot be read
    /// leaves the surface incomplete.
    pub fn add_page(&mut self, list: ListKind, bytes: &[u8]) -> Result<usize, PageFault> {
        match page::parse_page(list, bytes) {
            Ok(items) => {
                self.surface.pages = self.surface.pages.saturating_add(1);
                Ok(self.add_items(list, items))
            }
            Err(fault) => {
                self.mark_incomplete(fault.sentence());
                Err(fault)
            }
        }
    }

    /// Adds the lists that a caller supplied: an object with `tools`, `prompts`, `resources`,
    /// `resourceTemplates`, `instructions`; each is optional.
    pub fn add_observed(&mut self, bytes: &[u8]) -> Result<usize, PageFault> {
        let observed = page::parse_observed(bytes).inspect_err(|fault| {
            self.mark_incomplete(fault.sentence());
        })?;
        if let Some(text) = &observed.instructions {
            self.set_instructions(text);
        }
        let mut added = 0_usize;
        for (list, items) in observed.lists {
            self.surface.pages = self.surface.pages.saturating_add(1);
            added = added.saturating_add(self.add_items(list, items));
        }
        Ok(added)
    }

    pub fn set_instructions(&mut self, text: &str) {
        if text.len() > MAX_INSTRUCTIONS {
            self.mark_incomplete("The instructions are longer than 1 MiB.");
        }
        let end = text.floor_char_boundary(MAX_INSTRUCTIONS);
        self.surface.instructions = text.get(..end).map(str::to_owned);
    }

    /// Says that something of the lists is missing. The first reason is kept.
    pub fn mark_incomplete(&mut self, why: &str) {
        self.surface.incomplete.get_or_insert_with(|| why.to_owned());
    }

    fn add_items(&mut self, list: ListKind, items: Vec<page::RawItem>) -> usize {
        let mut added = 0_usize;
        for raw in items {
            if self.surface.items.len() >= MAX_ITEMS {
                self.mark_incomplete("The lists have more than 2,000 items.");
                break;
            }
            let Some(count) = self.counts.get_mut(list as usize) else { break };
            let mut item = raw.into_item(list, *count);
            *count = count.saturating_add(1);
            let fresh = self.names.insert((list, item.name.clone()));
            if !fresh && !item.name.is_empty() {
                let pointer = format!("/{}", list.name_member());
                item.faults.push(ItemFault { kind: FaultKind::DuplicateName, pointer });
            }
            item.digests = digests::item_digests(&item);
            self.surface.items.push(item);
            added = added.saturating_add(1);
        }
        added
    }

    #[must_use]
    pub fn finish(mut self) -> Surface {
        self.surface.digests = digests::surface_digests(&self.surface);
        self.surface
    }
}
