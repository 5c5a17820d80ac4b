//! Microdata: items and their properties, as far as a single pass can collect them.

use super::text;

const MAX_ITEMS: usize = 200;
const MAX_PROPERTIES: usize = 1_000;
/// Limit for properties outside any item, to which an `itemref` may refer.
const MAX_LOOSE: usize = 200;
const MAX_REFERENCES: usize = 20;
const MAX_VALUE: usize = 1_024;

/// One microdata item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MicrodataItem {
    /// `itemtype`, split at spaces.
    pub types: Vec<String>,
    pub id: Option<String>,
    pub properties: Vec<(String, MicrodataValue)>,
    /// Whether it is the value of a property of another item.
    pub nested: bool,
}

/// The value of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MicrodataValue {
    Text(String),
    /// Another item, by its index in [`Page::microdata`](super::Page::microdata).
    Item(usize),
}

/// The microdata attributes of one element.
#[derive(Default)]
pub(super) struct MicrodataAttributes<'a> {
    pub(super) scope: bool,
    pub(super) property: Option<&'a str>,
    pub(super) types: Option<&'a str>,
    pub(super) id: Option<&'a str>,
    pub(super) references: Option<&'a str>,
}

/// The properties that receive the text of an element when it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PendingValue {
    Item { item: usize, first: usize, count: usize },
    Loose { first: usize, count: usize },
}

#[derive(Default)]
pub(super) struct MicrodataCollector {
    items: Vec<MicrodataItem>,
    references: Vec<(usize, Vec<String>)>,
    loose: Vec<(Vec<String>, String, String)>,
    properties: usize,
}

impl MicrodataCollector {
    /// Opens an element with `itemscope`. Returns its item index, or none if there are too many.
    pub(super) fn open_item(
        &mut self,
        marks: &MicrodataAttributes<'_>,
        parent: Option<usize>,
    ) -> Option<usize> {
        if self.items.len() >= MAX_ITEMS {
            return None;
        }
        let number = self.items.len();
        let nested = marks.property.is_some() && parent.is_some();
        self.items.push(MicrodataItem {
            types: words(marks.types, 10).map(|word| text::clean_text(word, 200)).collect(),
            id: marks.id.map(|id| text::clean_text(id, 500)).filter(|id| !id.is_empty()),
            properties: Vec::new(),
            nested,
        });
        let references: Vec<String> =
            words(marks.references, MAX_REFERENCES).map(Into::into).collect();
        if !references.is_empty() {
            self.references.push((number, references));
        }
        if let (Some(names), Some(parent)) = (marks.property, parent) {
            for name in words(Some(names), 10) {
                self.push_property(parent, name, MicrodataValue::Item(number));
            }
        }
        Some(number)
    }

    /// Adds a property. If the value is not known yet, returns where to put the text of the element.
    pub(super) fn add_property(
        &mut self,
        names: &str,
        value: Option<&str>,
        item: Option<usize>,
        ids: impl FnOnce() -> Vec<String>,
    ) -> Option<PendingValue> {
        let written = value.map(|v| text::clean_text(v, MAX_VALUE)).unwrap_or_default();
        let slot = if let Some(item) = item {
            let first = self.items.get(item)?.properties.len();
            for name in words(Some(names), 10) {
                self.push_property(item, name, MicrodataValue::Text(written.clone()));
            }
            let count = self.items.get(item)?.properties.len() - first;
            PendingValue::Item { item, first, count }
        } else {
            if self.loose.len() >= MAX_LOOSE {
                return None;
            }
            let ids = ids();
            if ids.is_empty() {
                return None;
            }
            let first = self.loose.len();
            for name in words(Some(names), 10) {
                self.loose.push((ids.clone(), text::clean_text(name, 200), written.clone()));
            }
            PendingValue::Loose { first, count: self.loose.len() - first }
        };
        value.is_none().then_some(slot)
    }

    pub(super) fn fill_value(&mut self, slot: PendingValue, value: &str) {
        let value = text::truncate_str(value, MAX_VALUE).trim_end();
        match slot {
            PendingValue::Item { item, first, count } => {
                let Some(item) = self.items.get_mut(item) else { return };
                for (_, old) in item.properties.iter_mut().skip(first).take(count) {
                    *old = MicrodataValue::Text(value.to_owned());
                }
            }
            PendingValue::Loose { first, count } => {
                for (_, _, old) in self.loose.iter_mut().skip(first).take(count) {
                    value.clone_into(old);
                }
            }
        }
    }

    pub(super) fn finish(mut self) -> Vec<MicrodataItem> {
        for (item, references) in std::mem::take(&mut self.references) {
            let fetched: Vec<(String, String)> = self
                .loose
                .iter()
                .filter(|(ids, _, _)| ids.iter().any(|id| references.contains(id)))
                .map(|(_, name, value)| (name.clone(), value.clone()))
                .collect();
            for (name, value) in fetched {
                self.push_property(item, &name, MicrodataValue::Text(value));
            }
        }
        self.items
    }

    fn push_property(&mut self, item: usize, name: &str, value: MicrodataValue) {
        if self.properties < MAX_PROPERTIES
            && let Some(item) = self.items.get_mut(item)
        {
            self.properties += 1;
            item.properties.push((text::clean_text(name, 200), value));
        }
    }
}

fn words(value: Option<&str>, most: usize) -> impl Iterator<Item = &str> {
    value.unwrap_or_default().split_ascii_whitespace().take(most)
}
