//! Start tags: what an element is, and what its attributes say about the text inside.

use std::ops::Range;

use super::{MAX_DEPTH, OpenElement, PageReader};
use crate::page::css::{InlineStyle, PresentationHints, StyleState, StyledElement};
use crate::page::element_role::{self, bit, name};
use crate::page::microdata::MicrodataAttributes;
use crate::page::model::TextSurface;
use crate::page::rdfa::{RdfaAttributes, RdfaScope};
use crate::page::tag::{self, Attributes, name_key};

impl<'a> PageReader<'a> {
    pub(super) fn start_tag(&mut self, place: Range<usize>) {
        self.advance(place.start, place.end);
        let html = self.html;
        let raw = html.get(place.clone()).unwrap_or_default();
        let (tag_name, attributes) = tag::split_start(raw);
        let tag = name_key(tag_name.as_bytes());
        if element_role::closes_itself(tag)
            && self.open_elements.last().is_some_and(|top| top.tag == tag)
        {
            self.close_top();
        }
        if element_role::ends_paragraph(tag)
            && self.open_elements.last().is_some_and(|top| top.tag == name::P)
        {
            self.close_top();
        }
        let inline = element_role::is_inline(tag);
        if !inline {
            self.end_block();
        }
        let around = self.bits();
        let parent = self.open_elements.last();
        let in_body = parent.is_none_or(|parent| parent.tag == name::BODY);
        let outer_item = parent.and_then(|parent| parent.item);
        let mut bits = element_role::bits_by_name(tag, around, in_body);
        let surface = (tag == name::TEMPLATE).then_some(TextSurface::Template);
        let outer_rdfa = parent.map_or(RdfaScope::default(), |parent| parent.rdfa);
        let outer_card = parent.map(|parent| parent.card).unwrap_or_default();
        let mut marks = MicrodataAttributes::default();
        let mut rdfa = RdfaAttributes::default();
        let mut classes = None;
        let mut id = None;
        let mut inline_style = None;
        let mut hints = PresentationHints {
            own_colour: element_role::has_own_colour(tag),
            ..PresentationHints::default()
        };
        let (mut aria_hidden, mut is_open) = (false, false);
        if attributes.len() > 1 {
            for (attribute, value) in Attributes(attributes) {
                match name_key(attribute.as_bytes()) {
                    attribute::CLASS => {
                        classes = classes.or(Some(value));
                        if !inline && !is_page_wrapper(tag) {
                            bits |= element_role::bits_by_class(value);
                        }
                    }
                    attribute::ID => {
                        id = id.or(Some(value));
                        if !inline && !is_page_wrapper(tag) {
                            bits |= element_role::bits_by_class(value);
                        }
                    }
                    attribute::STYLE => {
                        let style = InlineStyle::read(value);
                        if style.hides_alone() {
                            bits |= bit::HIDDEN;
                        }
                        inline_style = inline_style.or(Some(style));
                    }
                    attribute::HIDDEN => {
                        hints.hidden_attribute = true;
                        bits |= bit::HIDDEN;
                    }
                    attribute::BGCOLOR => hints.background = Some(value),
                    attribute::COLOR if tag == name::FONT => hints.colour = Some(value),
                    attribute::TEXT if tag == name::BODY => hints.colour = Some(value),
                    attribute::ARIA_HIDDEN => aria_hidden |= value.trim() == "true",
                    attribute::OPEN => is_open = true,
                    attribute::ROLE => bits |= element_role::bits_by_role_attribute(value),
                    attribute::ALT
                    | attribute::TITLE
                    | attribute::ARIA_LABEL
                    | attribute::ARIA_DESCRIPTION
                    | attribute::PLACEHOLDER => {
                        self.hidden_texts.add_raw(TextSurface::Attribute, value)
                    }
                    attribute::VALUE if tag == name::INPUT => {
                        self.hidden_texts.add_raw(TextSurface::Attribute, value);
                    }
                    attribute::ITEMSCOPE => marks.scope = true,
                    attribute::ITEMPROP => marks.property = Some(value),
                    attribute::ITEMTYPE => marks.types = Some(value),
                    attribute::ITEMID => marks.id = Some(value),
                    attribute::ITEMREF => marks.references = Some(value),
                    attribute::VOCAB => rdfa.vocabulary = Some(value),
                    attribute::TYPEOF => rdfa.types = Some(value),
                    attribute::PROPERTY => rdfa.property = Some(value),
                    attribute::RESOURCE => rdfa.resource = Some(value),
                    attribute::PREFIX => rdfa.prefix = Some(value),
                    _ if is_data_attribute(attribute) && is_prose(value) => {
                        self.hidden_texts.add_raw(TextSurface::Attribute, value);
                    }
                    _ => {}
                }
            }
            self.read_element_attributes(tag, attributes);
        } else {
            self.read_element_attributes(tag, "");
        }
        hints.style = inline_style.as_ref();
        let (style, concealed, is_styled) =
            self.style_of(tag, tag_name, attributes, hints, aria_hidden, is_open);
        bits |= match bits & bit::MAIN {
            0 => around,
            // The main part keeps its role, whatever element contains it.
            _ => around & !(bit::CHROME | bit::ASIDE | bit::EDGE),
        };
        if tag == name::FOREIGN_OBJECT {
            bits &= !bit::SVG;
        }
        // Of nested templates only the outermost is recorded, because it contains the others.
        let surface = surface.filter(|_| around & bit::UNSEEN == 0).or_else(|| {
            let drawn = matches!(tag, name::TEXT | name::TITLE | name::DESC);
            (around & bit::SVG != 0 && drawn).then_some(TextSurface::SvgText)
        });

        let mut frame = OpenElement {
            tag,
            bits,
            opened: if bits & bit::UNSEEN == 0 { self.text.len() } else { self.unseen.len() },
            surface,
            slot: None,
            item: outer_item,
            rdfa: outer_rdfa,
            rdfa_slot: None,
            card: outer_card,
            card_slot: None,
            id: id.and_then(|id| byte_range(html, id)),
            is_app_root: tag == name::APP_ROOT || id.is_some_and(element_role::is_app_root),
            style,
            concealed,
            is_styled,
            has_image: false,
        };
        if marks.scope || marks.property.is_some() {
            self.read_microdata(&mut frame, &marks, attributes, outer_item);
        }
        if !rdfa.is_empty() {
            let value = stated_value(tag, attributes);
            (frame.rdfa, frame.rdfa_slot) = self.rdfa.open_element(&rdfa, outer_rdfa, value);
        }
        if let Some(classes) = classes {
            (frame.card, frame.card_slot) =
                self.cards.open_element(tag, classes, attributes, outer_card);
        }
        self.has_frameset |= tag == name::FRAMESET;
        if element_role::shows_without_text(tag) {
            self.note_image();
        }
        let closed = element_role::is_void(tag) || (bits & bit::SVG != 0 && raw.ends_with("/>"));
        if closed {
            self.close_styled(is_styled);
            return;
        }
        // In SVG, `title` contains ordinary text.
        if element_role::holds_raw_text(tag) && (tag != name::TITLE || around & bit::SVG == 0) {
            self.raw = Some(tag);
        }
        if self.open_elements.len() >= MAX_DEPTH {
            self.depth_beyond_limit += 1;
            self.close_styled(is_styled);
            return;
        }
        if (bits ^ around) & bit::SETS_APART != 0 {
            self.blocks.end_block(self.text.len());
        }
        self.open_elements.push(frame);
        self.update_span();
    }

    /// The style inside an element, why its text is not seen, and whether it was added to the stack of
    /// styled elements.
    fn style_of(
        &mut self,
        tag: u64,
        tag_name: &'a str,
        attributes: &'a str,
        hints: PresentationHints<'_>,
        aria_hidden: bool,
        is_open: bool,
    ) -> (StyleState, Option<TextSurface>, bool) {
        let parent = self.open_elements.last();
        let around = parent.map_or(self.document_style, |parent| parent.style);
        let above = parent.and_then(|parent| parent.concealed);
        let in_details = parent.is_some_and(|parent| parent.tag == name::DETAILS);
        let is_document = matches!(tag, name::HTML | name::BODY);
        let is_styled = !(is_document || tag == name::HEAD || self.rules.is_empty());
        let style = if is_document {
            self.styled.set_document_element(StyledElement::new(tag_name, attributes));
            let body = tag == name::BODY;
            around.inside_document_element(&mut self.rules, &self.styled, body, hints)
        } else {
            if is_styled {
                self.styled.push(StyledElement::new(tag_name, attributes));
            }
            around.inside_top(&mut self.rules, &self.styled, is_styled, hints)
        };
        let concealed = if style.hides() {
            match above {
                Some(TextSurface::CssHidden | TextSurface::HiddenAttribute) => above,
                _ if hints.hidden_attribute => Some(TextSurface::HiddenAttribute),
                _ => Some(TextSurface::CssHidden),
            }
        } else if tag == name::SUMMARY && in_details && above == Some(TextSurface::ClosedDetails) {
            None
        } else if tag == name::DETAILS && !is_open {
            Some(TextSurface::ClosedDetails)
        } else if aria_hidden {
            above
                .filter(|above| *above == TextSurface::ClosedDetails)
                .or(Some(TextSurface::AriaHidden))
        } else {
            // A descendant may be shown again by its style, but not out of these two.
            above.filter(|above| {
                matches!(above, TextSurface::ClosedDetails | TextSurface::AriaHidden)
            })
        };
        (style, concealed, is_styled)
    }

    /// Reads the microdata attributes of one element.
    fn read_microdata(
        &mut self,
        frame: &mut OpenElement,
        marks: &MicrodataAttributes<'_>,
        attributes: &str,
        outer: Option<usize>,
    ) {
        if marks.scope {
            frame.item = self.microdata.open_item(marks, outer);
            return;
        }
        let Some(names) = marks.property else { return };
        let value = stated_value(frame.tag, attributes);
        let (html, frames, own) = (self.html, &self.open_elements, frame.id);
        frame.slot = self.microdata.add_property(names, value, outer, || {
            let spans = frames.iter().filter_map(|frame| frame.id).chain(own);
            spans.filter_map(|(start, end)| html.get(start..end)).map(str::to_owned).collect()
        });
    }
}

/// The value of a property that the attributes of its element state; none if that is its text.
fn stated_value(tag: u64, attributes: &str) -> Option<&str> {
    let attribute = |wanted| tag::attribute(attributes, wanted);
    use name::*;
    attribute("content").or_else(|| match tag {
        A | LINK | AREA => attribute("href"),
        IMG | AUDIO | VIDEO | SOURCE | EMBED | IFRAME | TRACK => attribute("src"),
        OBJECT => attribute("data"),
        DATA | METER => attribute("value"),
        TIME => attribute("datetime"),
        META => Some(""),
        _ => None,
    })
}

fn is_data_attribute(name: &str) -> bool {
    name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data-"))
}

/// Whether a value reads like sentences: most data attributes contain names, settings or markup.
fn is_prose(value: &str) -> bool {
    const LEAST_BYTES: usize = 30;
    const LEAST_WORDS: usize = 5;
    value.len() >= LEAST_BYTES
        && !value.trim_start().starts_with(['{', '[', '<', '&', '/', '#', '.', '$'])
        && value.split_ascii_whitespace().take(LEAST_WORDS).count() == LEAST_WORDS
}

/// Elements that contain the whole page: their class names describe its state, not their role.
fn is_page_wrapper(tag: u64) -> bool {
    matches!(tag, name::HTML | name::BODY | name::MAIN | name::ARTICLE)
}

/// The byte range of a slice of the page.
fn byte_range(html: &str, part: &str) -> Option<(usize, usize)> {
    let start = (part.as_ptr() as usize).checked_sub(html.as_ptr() as usize)?;
    Some((start, start + part.len()))
}

/// Keys of the attribute names that may appear on any element.
mod attribute {
    use super::name_key;

    pub(super) const CLASS: u64 = name_key(b"class");
    pub(super) const ID: u64 = name_key(b"id");
    pub(super) const STYLE: u64 = name_key(b"style");
    pub(super) const HIDDEN: u64 = name_key(b"hidden");
    pub(super) const ARIA_HIDDEN: u64 = name_key(b"aria-hidden");
    pub(super) const OPEN: u64 = name_key(b"open");
    pub(super) const BGCOLOR: u64 = name_key(b"bgcolor");
    pub(super) const COLOR: u64 = name_key(b"color");
    pub(super) const TEXT: u64 = name_key(b"text");
    pub(super) const ROLE: u64 = name_key(b"role");
    pub(super) const ALT: u64 = name_key(b"alt");
    pub(super) const TITLE: u64 = name_key(b"title");
    pub(super) const VALUE: u64 = name_key(b"value");
    pub(super) const PLACEHOLDER: u64 = name_key(b"placeholder");
    pub(super) const ARIA_LABEL: u64 = name_key(b"aria-label");
    pub(super) const ARIA_DESCRIPTION: u64 = name_key(b"aria-description");
    pub(super) const ITEMSCOPE: u64 = name_key(b"itemscope");
    pub(super) const ITEMPROP: u64 = name_key(b"itemprop");
    pub(super) const ITEMTYPE: u64 = name_key(b"itemtype");
    pub(super) const ITEMID: u64 = name_key(b"itemid");
    pub(super) const ITEMREF: u64 = name_key(b"itemref");
    pub(super) const VOCAB: u64 = name_key(b"vocab");
    pub(super) const TYPEOF: u64 = name_key(b"typeof");
    pub(super) const PROPERTY: u64 = name_key(b"property");
    pub(super) const RESOURCE: u64 = name_key(b"resource");
    pub(super) const PREFIX: u64 = name_key(b"prefix");
}
