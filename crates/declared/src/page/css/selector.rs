//! Selectors: parsed by the `selectors` crate, matched here, because a match may be uncertain.

use std::fmt;

use cssparser::{CowRcStr, Parser as CssParser, ParserInput, SourceLocation, ToCss};
use selectors::attr::{
    AttrSelectorOperator, CaseSensitivity, ParsedAttrSelectorOperation, ParsedCaseSensitivity,
};
use selectors::parser::{
    Combinator, Component, NonTSPseudoClass, NthType, ParseRelative, Parser, PseudoElement,
    SelectorImpl, SelectorList, SelectorParseErrorKind,
};

use super::element::{ElementRef, StyledElement};
use super::truth::Truth;

/// Bytes of one list of selectors, and brackets inside brackets. Parsing is recursive.
const MAX_BYTES: usize = 4_096;
const MAX_NESTING: usize = 6;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageSelectors;

pub(super) type Selector = selectors::parser::Selector<PageSelectors>;
pub(super) type Selectors = SelectorList<PageSelectors>;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Name(Box<str>);

impl Name {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl ToCss for Name {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        dest.write_str(&self.0)
    }
}

impl precomputed_hash::PrecomputedHash for Name {
    fn precomputed_hash(&self) -> u32 {
        // Only the matcher of the crate uses hashes, and it is not used.
        0
    }
}

impl SelectorImpl for PageSelectors {
    type AttrValue = Name;
    type Identifier = Name;
    type LocalName = Name;
    type NamespacePrefix = Name;
    type NamespaceUrl = Name;
    type BorrowedNamespaceUrl = Name;
    type BorrowedLocalName = Name;
    type NonTSPseudoClass = PseudoClass;
    type PseudoElement = AnyPseudoElement;
    type ExtraMatchingData<'unused> = ();
}

/// Pseudo-classes that the parser does not know by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PseudoClass {
    /// Needs an action of the user: `:hover`, `:focus`, `:target`. Does not hold while somebody
    /// only reads the page.
    Action,
    Checked,
    Disabled,
    Link,
    Defined,
    Unknown,
}

impl NonTSPseudoClass for PseudoClass {
    type Impl = PageSelectors;

    fn is_active_or_hover(&self) -> bool {
        false
    }

    fn is_user_action_state(&self) -> bool {
        false
    }
}

impl ToCss for PseudoClass {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        dest.write_str(":x")
    }
}

/// `::before` and the like. They are not the element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AnyPseudoElement;

impl PseudoElement for AnyPseudoElement {
    type Impl = PageSelectors;
}

impl ToCss for AnyPseudoElement {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        dest.write_str("::x")
    }
}

struct SelectorReader;

impl<'i> Parser<'i> for SelectorReader {
    type Impl = PageSelectors;
    type Error = SelectorParseErrorKind<'i>;

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn parse_parent_selector(&self) -> bool {
        true
    }

    fn parse_non_ts_pseudo_class(
        &self,
        _location: SourceLocation,
        name: CowRcStr<'i>,
    ) -> Result<PseudoClass, cssparser::ParseError<'i, Self::Error>> {
        Ok(match name.to_ascii_lowercase().as_str() {
            "hover" | "active" | "focus" | "focus-within" | "focus-visible" | "target"
            | "visited" | "fullscreen" | "modal" | "popover-open" | "playing" | "autofill"
            | "user-invalid" | "user-valid" | "target-within" => PseudoClass::Action,
            "checked" => PseudoClass::Checked,
            "disabled" => PseudoClass::Disabled,
            "link" | "any-link" => PseudoClass::Link,
            "defined" => PseudoClass::Defined,
            _ => PseudoClass::Unknown,
        })
    }

    fn parse_non_ts_functional_pseudo_class<'t>(
        &self,
        _name: CowRcStr<'i>,
        parser: &mut CssParser<'i, 't>,
        _after_part: bool,
    ) -> Result<PseudoClass, cssparser::ParseError<'i, Self::Error>> {
        while parser.next().is_ok() {}
        Ok(PseudoClass::Unknown)
    }

    fn parse_pseudo_element(
        &self,
        _location: SourceLocation,
        _name: CowRcStr<'i>,
    ) -> Result<AnyPseudoElement, cssparser::ParseError<'i, Self::Error>> {
        Ok(AnyPseudoElement)
    }

    fn parse_functional_pseudo_element<'t>(
        &self,
        _name: CowRcStr<'i>,
        arguments: &mut CssParser<'i, 't>,
    ) -> Result<AnyPseudoElement, cssparser::ParseError<'i, Self::Error>> {
        while arguments.next().is_ok() {}
        Ok(AnyPseudoElement)
    }
}

/// Parses a list of selectors. As in a browser, one that is faulty makes all of them void. `parent` is
/// the list of the rule around a nested rule.
pub(super) fn parse_selectors(list: &str, parent: Option<&Selectors>) -> Option<Selectors> {
    if list.len() > MAX_BYTES || nesting(list) > MAX_NESTING {
        return None;
    }
    let Some(parent) = parent else { return parse_list(list, ParseRelative::No) };
    // A nested selector without `&` is meant inside the parent.
    let inside;
    let list = if list.contains('&') || list.trim_start().starts_with(['>', '+', '~']) {
        list
    } else {
        inside = format!("& :is({list})");
        inside.as_str()
    };
    Some(parse_list(list, ParseRelative::ForNesting)?.replace_parent_selector(parent))
}

fn parse_list(list: &str, relative: ParseRelative) -> Option<Selectors> {
    let mut input = ParserInput::new(list);
    let mut parser = CssParser::new(&mut input);
    SelectorList::parse(&SelectorReader, &mut parser, relative).ok()
}

fn nesting(list: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in list.bytes() {
        match byte {
            b'(' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// What the rightmost part of a selector requires, so that rules can be found by it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum IndexKey<'a> {
    Id(&'a str),
    Class(&'a str),
    /// In lower case.
    Tag(&'a str),
    Any,
    /// A pseudo-element: matches no element.
    Nothing,
}

pub(super) fn index_key(selector: &Selector) -> IndexKey<'_> {
    let mut key = IndexKey::Any;
    for component in selector.iter_raw_match_order() {
        match component {
            Component::PseudoElement(_) => return IndexKey::Nothing,
            Component::Combinator(_) => break,
            Component::ID(id) => return IndexKey::Id(id.as_str()),
            Component::Class(class) => key = IndexKey::Class(class.as_str()),
            Component::LocalName(name) if key == IndexKey::Any => {
                key = IndexKey::Tag(name.lower_name.as_str());
            }
            _ => {}
        }
    }
    key
}

/// Whether a selector asks for siblings.
pub(super) fn asks_for_siblings(selector: &Selector) -> bool {
    selector.iter_raw_match_order().any(|component| match component {
        Component::Combinator(Combinator::NextSibling | Combinator::LaterSibling) => true,
        Component::Negation(list) | Component::Is(list) | Component::Where(list) => {
            list.slice().iter().any(asks_for_siblings)
        }
        _ => false,
    })
}

/// Matches selectors, with a limit for the work on one page.
pub(super) struct Matcher {
    /// Components that may still be compared.
    pub(super) budget: u32,
}

impl Matcher {
    pub(super) fn matches(&mut self, selector: &Selector, element: ElementRef<'_, '_>) -> Truth {
        self.matches_from(selector.iter_raw_match_order().as_slice(), element)
    }

    fn matches_from(
        &mut self,
        components: &[Component<PageSelectors>],
        at: ElementRef<'_, '_>,
    ) -> Truth {
        let mut result = Truth::Yes;
        let mut rest = components;
        while let [first, tail @ ..] = rest {
            let Some(budget) = self.budget.checked_sub(1) else { return Truth::No };
            self.budget = budget;
            rest = tail;
            if let Component::Combinator(combinator) = first {
                return result.and(self.matches_beyond(*combinator, tail, at));
            }
            result = result.and(self.component_matches(first, at));
            if result == Truth::No {
                return Truth::No;
            }
        }
        result
    }

    /// Matches what stands before a combinator.
    fn matches_beyond(
        &mut self,
        combinator: Combinator,
        rest: &[Component<PageSelectors>],
        at: ElementRef<'_, '_>,
    ) -> Truth {
        let (ancestors, repeats) = match combinator {
            Combinator::Child => (true, false),
            Combinator::Descendant => (true, true),
            Combinator::NextSibling => (false, false),
            Combinator::LaterSibling => (false, true),
            _ => return Truth::No,
        };
        let mut best = Truth::No;
        let mut here = at;
        while let Some(other) = if ancestors { here.parent() } else { here.previous_sibling() } {
            best = best.or(self.matches_from(rest, other));
            if best == Truth::Yes || !repeats || self.budget == 0 {
                break;
            }
            here = other;
        }
        best
    }

    fn component_matches(
        &mut self,
        component: &Component<PageSelectors>,
        at: ElementRef<'_, '_>,
    ) -> Truth {
        let Some(element) = at.element() else { return Truth::No };
        match component {
            Component::LocalName(name) => {
                Truth::from_bool(element.name.eq_ignore_ascii_case(name.lower_name.as_str()))
            }
            Component::ID(id) => Truth::from_bool(element.id.as_deref() == Some(id.as_str())),
            Component::Class(class) => class_matches(element, class.as_str()),
            Component::AttributeInNoNamespaceExists { local_name_lower, .. } => {
                let name = local_name_lower.as_str();
                let exists = element.attribute(name).is_some();
                // Scripts remove these when they have set up the page.
                if exists && matches!(name, "v-cloak" | "x-cloak" | "ng-cloak") {
                    return Truth::Unknown;
                }
                Truth::from_bool(exists)
            }
            Component::AttributeInNoNamespace { local_name, operator, value, case_sensitivity } => {
                attribute_matches(
                    element,
                    local_name.as_str(),
                    *operator,
                    value.as_str(),
                    *case_sensitivity,
                )
            }
            Component::AttributeOther(selector) => match &selector.operation {
                ParsedAttrSelectorOperation::Exists => Truth::from_bool(
                    element.attribute(selector.local_name_lower.as_str()).is_some(),
                ),
                ParsedAttrSelectorOperation::WithValue { operator, case_sensitivity, value } => {
                    attribute_matches(
                        element,
                        selector.local_name_lower.as_str(),
                        *operator,
                        value.as_str(),
                        *case_sensitivity,
                    )
                }
            },
            Component::ExplicitUniversalType | Component::ExplicitAnyNamespace => Truth::Yes,
            Component::Negation(list) => self.any_matches(list, at).not(),
            Component::Is(list) | Component::Where(list) => self.any_matches(list, at),
            Component::Root => Truth::from_bool(at.is_root()),
            Component::Scope => Truth::from_bool(at.is_root()),
            Component::Nth(nth) => match nth.ty {
                NthType::Child => Truth::from_bool(nth.an_plus_b.matches_index(element.position)),
                _ => Truth::Unknown,
            },
            Component::NonTSPseudoClass(class) => match class {
                PseudoClass::Action => Truth::No,
                PseudoClass::Checked => Truth::from_bool(
                    ["checked", "selected"].iter().any(|name| element.attribute(name).is_some()),
                ),
                PseudoClass::Disabled => Truth::from_bool(element.attribute("disabled").is_some()),
                PseudoClass::Link => Truth::from_bool(element.attribute("href").is_some()),
                PseudoClass::Defined => Truth::Yes,
                PseudoClass::Unknown => Truth::Unknown,
            },
            Component::PseudoElement(_) | Component::Invalid(_) => Truth::No,
            _ => Truth::Unknown,
        }
    }

    fn any_matches(&mut self, list: &Selectors, at: ElementRef<'_, '_>) -> Truth {
        let mut best = Truth::No;
        for selector in list.slice() {
            best = best.or(self.matches(selector, at));
        }
        best
    }
}

/// Scripts remove `no-js` from the page before anybody reads it.
fn class_matches(element: &StyledElement<'_>, class: &str) -> Truth {
    let has = element.class_names().any(|own| own == class);
    match class {
        "no-js" | "nojs" | "no_js" | "ng-cloak" if has => Truth::Unknown,
        _ => Truth::from_bool(has),
    }
}

fn attribute_matches(
    element: &StyledElement<'_>,
    name: &str,
    operator: AttrSelectorOperator,
    value: &str,
    case: ParsedCaseSensitivity,
) -> Truth {
    let case = match case {
        ParsedCaseSensitivity::ExplicitCaseSensitive | ParsedCaseSensitivity::CaseSensitive => {
            CaseSensitivity::CaseSensitive
        }
        _ => CaseSensitivity::AsciiCaseInsensitive,
    };
    let own = element.attribute(name);
    Truth::from_bool(own.is_some_and(|own| operator.eval_str(&own, value, case)))
}
