//! All rules of a page, found by the rightmost part of their selectors.

use std::collections::HashMap;

use super::declarations::{Declaration, PROPERTIES, Value};
use super::element::ElementRef;
use super::media;
use super::selector::{IndexKey, Matcher, Selector, asks_for_siblings, index_key};
use super::sheet::{ReadSheets, declarations_of, read_sheet};
use super::truth::Truth;

/// Bytes of all sheets of a page that are read.
const MAX_SHEET_BYTES: usize = 1 << 20;
const MAX_RULES: usize = 20_000;
const MAX_SELECTORS: usize = 40_000;
/// Selector components that are compared on one page.
const MATCH_BUDGET: u32 = 8_000_000;

/// The values that an element gets, by property.
pub(super) type ElementValues = [Option<(Priority, Value)>; PROPERTIES];

/// Which of two declarations wins: the one with the greater priority, or the later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Priority {
    important: bool,
    /// 0 in a layer, 1 in a sheet, 2 in a style attribute.
    origin: u8,
    specificity: u32,
    order: u32,
}

struct IndexedSelector {
    selector: Selector,
    rule: u32,
}

struct Rule {
    declarations: Vec<Declaration>,
    applies: Truth,
    layered: bool,
}

/// The rules of all style sheets of a page that can hide text or show it again.
pub(in crate::page) struct StyleRules {
    rules: Vec<Rule>,
    selectors: Vec<IndexedSelector>,
    by_id: HashMap<Box<str>, Vec<u32>>,
    by_class: HashMap<Box<str>, Vec<u32>>,
    by_tag: HashMap<Box<str>, Vec<u32>>,
    others: Vec<u32>,
    matcher: Matcher,
    asks_for_siblings: bool,
}

impl StyleRules {
    /// Reads sheets in their order: each with the media it is for.
    pub(in crate::page) fn read<'a>(sheets: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut read = ReadSheets { rules_left: MAX_RULES, ..ReadSheets::default() };
        let mut left = MAX_SHEET_BYTES;
        for (css, for_media) in sheets {
            let css = crate::page::text::truncate_str(css, left);
            left -= css.len();
            match media::applies(for_media) {
                Truth::No => {}
                applies => read_sheet(css, applies, &mut read),
            }
        }
        Self::index(read)
    }

    fn index(read: ReadSheets) -> Self {
        let mut rules = Self {
            rules: Vec::with_capacity(read.rules.len()),
            selectors: Vec::new(),
            by_id: HashMap::new(),
            by_class: HashMap::new(),
            by_tag: HashMap::new(),
            others: Vec::new(),
            matcher: Matcher { budget: MATCH_BUDGET },
            asks_for_siblings: false,
        };
        let variables: HashMap<&str, &str> =
            read.variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        for rule in read.rules {
            let mut declarations = rule.declarations;
            for (property, variable, important) in &rule.from_variables {
                // A variable of another element is not followed; its value counts as unknown.
                let value = resolve_variable(variable, &rule.own_variables, &variables);
                let value = value.unwrap_or("inherit");
                declarations.extend(declarations_of(property, value, *important));
            }
            let Ok(number) = u32::try_from(rules.rules.len()) else { break };
            for selector in rule.selectors.slice() {
                rules.add_selector(selector, number);
            }
            rules.rules.push(Rule { declarations, applies: rule.applies, layered: rule.layered });
        }
        rules
    }

    fn add_selector(&mut self, selector: &Selector, rule: u32) {
        let Ok(number) = u32::try_from(self.selectors.len()) else { return };
        if self.selectors.len() >= MAX_SELECTORS {
            return;
        }
        let list = match index_key(selector) {
            IndexKey::Id(id) => self.by_id.entry(id.into()).or_default(),
            IndexKey::Class(class) => self.by_class.entry(class.into()).or_default(),
            IndexKey::Tag(tag) => self.by_tag.entry(tag.into()).or_default(),
            IndexKey::Any => &mut self.others,
            IndexKey::Nothing => return,
        };
        list.push(number);
        self.asks_for_siblings |= asks_for_siblings(selector);
        self.selectors.push(IndexedSelector { selector: selector.clone(), rule });
    }

    pub(in crate::page) fn is_empty(&self) -> bool {
        self.selectors.is_empty()
    }

    pub(in crate::page) fn asks_for_siblings(&self) -> bool {
        self.asks_for_siblings
    }

    /// The values of an element: those of its rules and of its style attribute.
    pub(super) fn values(
        &mut self,
        at: ElementRef<'_, '_>,
        inline: &[Declaration],
    ) -> ElementValues {
        let mut values: ElementValues = [None; PROPERTIES];
        let Self { rules, selectors, by_id, by_class, by_tag, others, matcher, .. } = self;
        let Some(element) = at.element() else { return values };
        let lists = element
            .id
            .as_deref()
            .and_then(|id| by_id.get(id))
            .into_iter()
            .chain(element.class_names().filter_map(|class| by_class.get(class)))
            .chain(by_tag.get(element.name.to_ascii_lowercase().as_str()))
            .chain(std::iter::once(&*others));
        for number in lists.flatten() {
            let Some(candidate) = selectors.get(*number as usize) else { continue };
            let Some(rule) = rules.get(candidate.rule as usize) else { continue };
            let certain = rule.applies.and(matcher.matches(&candidate.selector, at));
            if certain == Truth::No {
                continue;
            }
            let origin = u8::from(!rule.layered);
            let specificity = candidate.selector.specificity();
            for declaration in &rule.declarations {
                set(&mut values, declaration, certain, origin, specificity, candidate.rule);
            }
        }
        set_inline(&mut values, inline);
        values
    }
}

/// The value of a custom property that the rule sets, or else the document. The value may be another
/// custom property.
fn resolve_variable<'a>(
    name: &str,
    own: &'a [(String, String)],
    document: &HashMap<&'a str, &'a str>,
) -> Option<&'a str> {
    const MAX_STEPS: usize = 4;
    let mut wanted = name.to_owned();
    for step in 0..MAX_STEPS {
        let here = own.iter().rfind(|(known, _)| *known == wanted).filter(|_| step == 0);
        let value = match here {
            Some((_, value)) => value.as_str(),
            None => document.get(wanted.as_str()).copied()?,
        };
        let inner = value.strip_prefix("var(").and_then(|rest| rest.strip_suffix(')'));
        match inner {
            Some(next) => next.split(',').next().unwrap_or_default().trim().clone_into(&mut wanted),
            None => return Some(value),
        }
    }
    None
}

/// The values of a style attribute alone.
pub(super) fn inline_values(inline: &[Declaration]) -> ElementValues {
    let mut values: ElementValues = [None; PROPERTIES];
    set_inline(&mut values, inline);
    values
}

fn set_inline(values: &mut ElementValues, inline: &[Declaration]) {
    for declaration in inline {
        set(values, declaration, Truth::Yes, 2, 0, u32::MAX);
    }
}

fn set(
    values: &mut ElementValues,
    declaration: &Declaration,
    certain: Truth,
    origin: u8,
    specificity: u32,
    order: u32,
) {
    use super::declarations::Colour;
    let mut value = declaration.value;
    if certain == Truth::Unknown {
        if declaration.can_hide() {
            return;
        }
        if matches!(value, Value::Colour(_)) {
            value = Value::Colour(Colour::Unknown);
        }
    }
    let priority = Priority { important: declaration.important, origin, specificity, order };
    if let Some(slot) = values.get_mut(declaration.property as usize)
        && slot.is_none_or(|(before, _)| before <= priority)
    {
        *slot = Some((priority, value));
    }
}
