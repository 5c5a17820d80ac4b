//! Microdata: items and their properties, as far as one pass can gather them.

use super::text;

const MAX_ITEMS: usize = 200;
const MAX_PROPERTIES: usize = 1_000;
/// Properties outside of any item, which an `itemref` may fetch.
const MAX_LOOSE: usize = 200;
const MAX_REFERENCES: usize = 20;
const MAX_VALUE: usize = 1_024;

/// One microdata item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Item {
    /// `itemtype`, split at spaces.
    pub types: Vec<String>,
    pub id: Option<String>,
    pub properties: Vec<(String, ItemValue)>,
    /// Whether it is the value of a property of another item.
    pub nested: bool,
}

/// The value of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemValue {
    Text(String),
    /// Another item, by its place in [`Page::microdata`](super::Page::microdata).
    Item(usize),
}

/// The microdata attributes of one element.
#[derive(Default)]
pub(super) struct Marks<'a> {
    pub(super) scope: bool,
    pub(super) property: Option<&'a str>,
    pub(super) types: Option<&'a str>,
    pub(super) id: Option<&'a str>,
    pub(super) references: Option<&'a str>,
}

/// Where the text of a property goes when its element ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    Item { item: usize, first: usize, count: usize },
    Loose { first: usize, count: usize },
}

#[derive(Default)]
pub(super) struct Gathered {
    items: Vec<Item>,
    references: Vec<(usize, Vec<String>)>,
    loose: Vec<(Vec<String>, String, String)>,
    properties: usize,
}

impl Gathered {
    /// An element with `itemscope`. Returns its item, none when there are too many.
    pub(super) fn open(&mut self, marks: &Marks<'_>, parent: Option<usize>) -> Option<usize> {
        if self.items.len() >= MAX_ITEMS {
            return None;
        }
        let number = self.items.len();
        let nested = marks.property.is_some() && parent.is_some();
        self.items.push(Item {
            types: words(marks.types, 10).map(|word| text::clean(word, 200)).collect(),
            id: marks.id.map(|id| text::clean(id, 500)).filter(|id| !id.is_empty()),
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
                self.add(parent, name, ItemValue::Item(number));
            }
        }
        Some(number)
    }

    /// A property with a plain value. The slot takes the text of the element when the value is not
    /// yet known.
    pub(super) fn property(
        &mut self,
        names: &str,
        value: Option<&str>,
        item: Option<usize>,
        ids: impl FnOnce() -> Vec<String>,
    ) -> Option<Slot> {
        let written = value.map(|v| text::clean(v, MAX_VALUE)).unwrap_or_default();
        let slot = if let Some(item) = item {
            let first = self.items.get(item)?.properties.len();
            for name in words(Some(names), 10) {
                self.add(item, name, ItemValue::Text(written.clone()));
            }
            let count = self.items.get(item)?.properties.len() - first;
            Slot::Item { item, first, count }
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
                self.loose.push((ids.clone(), text::clean(name, 200), written.clone()));
            }
            Slot::Loose { first, count: self.loose.len() - first }
        };
        value.is_none().then_some(slot)
    }

    pub(super) fn fill(&mut self, slot: Slot, value: &str) {
        let value = text::cut(value, MAX_VALUE).trim_end();
        match slot {
            Slot::Item { item, first, count } => {
                let Some(item) = self.items.get_mut(item) else { return };
                for (_, old) in item.properties.iter_mut().skip(first).take(count) {
                    *old = ItemValue::Text(value.to_owned());
                }
            }
            Slot::Loose { first, count } => {
                for (_, _, old) in self.loose.iter_mut().skip(first).take(count) {
                    value.clone_into(old);
                }
            }
        }
    }

    pub(super) fn finish(mut self) -> Vec<Item> {
        for (item, references) in std::mem::take(&mut self.references) {
            let fetched: Vec<(String, String)> = self
                .loose
                .iter()
                .filter(|(ids, _, _)| ids.iter().any(|id| references.contains(id)))
                .map(|(_, name, value)| (name.clone(), value.clone()))
                .collect();
            for (name, value) in fetched {
                self.add(item, &name, ItemValue::Text(value));
            }
        }
        self.items
    }

    fn add(&mut self, item: usize, name: &str, value: ItemValue) {
        if self.properties < MAX_PROPERTIES
            && let Some(item) = self.items.get_mut(item)
        {
            self.properties += 1;
            item.properties.push((text::clean(name, 200), value));
        }
    }
}

fn words(value: Option<&str>, most: usize) -> impl Iterator<Item = &str> {
    value.unwrap_or_default().split_ascii_whitespace().take(most)
}
