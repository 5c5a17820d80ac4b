//! The elements that selectors are matched against: the open ones and the siblings before them.

use std::borrow::Cow;

use crate::page::tag::{self, Attributes};
use crate::page::text;

/// Siblings remembered of one element.
const MAX_SIBLINGS: usize = 64;

/// An element with the attributes that selectors ask for.
#[derive(Debug, Clone)]
pub(in crate::page) struct StyledElement<'h> {
    /// As written.
    pub(super) name: &'h str,
    pub(super) id: Option<Cow<'h, str>>,
    pub(super) classes: Cow<'h, str>,
    attributes: &'h str,
    /// Its position among its siblings, from 1.
    pub(super) position: i32,
}

impl<'h> StyledElement<'h> {
    pub(in crate::page) fn new(name: &'h str, attributes: &'h str) -> Self {
        let (mut id, mut classes) = (None, Cow::Borrowed(""));
        if attributes.len() > 1 {
            for (attribute, value) in Attributes(attributes) {
                if id.is_none() && attribute.eq_ignore_ascii_case("id") {
                    id = Some(decode(value));
                } else if classes.is_empty() && attribute.eq_ignore_ascii_case("class") {
                    classes = decode(value);
                }
            }
        }
        Self { name, id, classes, attributes, position: 1 }
    }

    pub(super) fn attribute(&self, wanted: &str) -> Option<Cow<'h, str>> {
        tag::attribute(self.attributes, wanted).map(decode)
    }

    /// Its classes; at most forty count.
    pub(super) fn class_names(&self) -> impl Iterator<Item = &str> {
        self.classes.split_ascii_whitespace().take(40)
    }
}

/// A value with its character references decoded.
fn decode(value: &str) -> Cow<'_, str> {
    if value.contains('&') {
        Cow::Owned(text::clean_text(value, 1_000))
    } else {
        Cow::Borrowed(value)
    }
}

#[derive(Debug)]
struct Level<'h> {
    element: StyledElement<'h>,
    children: Vec<StyledElement<'h>>,
    /// All children, also those that are not remembered.
    child_count: i32,
}

impl<'h> Level<'h> {
    fn new(element: StyledElement<'h>) -> Self {
        Self { element, children: Vec::new(), child_count: 0 }
    }
}

/// The open elements. `html` and `body` are always there, as in a browser, whether or not the page
/// writes them.
#[derive(Debug)]
pub(in crate::page) struct ElementStack<'h> {
    levels: Vec<Level<'h>>,
    /// Whether any selector asks for siblings.
    keeps_siblings: bool,
}

impl<'h> ElementStack<'h> {
    pub(in crate::page) fn new(keeps_siblings: bool) -> Self {
        let [html, body] = ["html", "body"].map(|name| Level::new(StyledElement::new(name, "")));
        Self { levels: vec![html, body], keeps_siblings }
    }

    /// Replaces the assumed `html` or `body` by the one of the page.
    pub(in crate::page) fn set_document_element(&mut self, element: StyledElement<'h>) {
        let at = usize::from(element.name.eq_ignore_ascii_case("body"));
        if let Some(level) = self.levels.get_mut(at) {
            level.element = element;
        }
    }

    /// Opens an element. One that has no content is closed again by [`Self::pop`] at once.
    pub(in crate::page) fn push(&mut self, mut element: StyledElement<'h>) {
        if let Some(parent) = self.levels.last_mut() {
            parent.child_count = parent.child_count.saturating_add(1);
            element.position = parent.child_count;
            if self.keeps_siblings && parent.children.len() < MAX_SIBLINGS {
                parent.children.push(element.clone());
            }
        }
        self.levels.push(Level::new(element));
    }

    pub(in crate::page) fn pop(&mut self) {
        if self.levels.len() > 2 {
            self.levels.pop();
        }
    }

    /// The element that was opened last.
    pub(super) fn top(&self) -> ElementRef<'_, 'h> {
        ElementRef { stack: self, level: self.levels.len().saturating_sub(1), sibling: None }
    }

    /// `html` or `body`.
    pub(super) fn document_element(&self, body: bool) -> ElementRef<'_, 'h> {
        ElementRef { stack: self, level: usize::from(body), sibling: None }
    }
}

/// An open element, or an earlier sibling of one.
#[derive(Clone, Copy)]
pub(super) struct ElementRef<'s, 'h> {
    stack: &'s ElementStack<'h>,
    level: usize,
    /// The index among the remembered children of the parent.
    sibling: Option<usize>,
}

impl<'s, 'h> ElementRef<'s, 'h> {
    pub(super) fn element(&self) -> Option<&'s StyledElement<'h>> {
        match self.sibling {
            None => self.stack.levels.get(self.level).map(|level| &level.element),
            Some(at) => self.siblings().get(at),
        }
    }

    fn siblings(&self) -> &'s [StyledElement<'h>] {
        let parent = self.level.checked_sub(1).and_then(|level| self.stack.levels.get(level));
        parent.map_or(&[], |parent| parent.children.as_slice())
    }

    pub(super) fn parent(&self) -> Option<Self> {
        Some(Self { stack: self.stack, level: self.level.checked_sub(1)?, sibling: None })
    }

    /// The sibling before this one. `None` if there is none or it was not remembered.
    pub(super) fn previous_sibling(&self) -> Option<Self> {
        let siblings = self.siblings();
        let own = match self.sibling {
            Some(at) => at,
            // The element itself is the last that its parent remembers.
            None => siblings.len().checked_sub(1)?,
        };
        Some(Self { stack: self.stack, level: self.level, sibling: Some(own.checked_sub(1)?) })
    }

    pub(super) fn is_root(&self) -> bool {
        self.level == 0
    }
}
