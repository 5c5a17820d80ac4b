//! Cards of people and organisations in class names (microformats2 h-card).

use super::element_role::name;
use super::tag;
use super::text;

const MAX_CARDS: usize = 50;
const MAX_PROPERTIES: usize = 300;
const MAX_VALUE: usize = 512;
/// How many class names of one element are read.
const MAX_CLASSES: usize = 30;

/// One card.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HCard {
    /// Names without their prefix (`name`, `street-address`), with their values.
    pub properties: Vec<(String, String)>,
    /// Whether it belongs to something else on the page, such as the author of an entry.
    pub is_part: bool,
    /// Whether a link of it has `rel=me`.
    pub is_me: bool,
}

impl HCard {
    /// The first value of a property.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&str> {
        self.properties.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What applies to the classes inside an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CardScope {
    card: Option<usize>,
    /// Whether it is inside an entry, an event or the like.
    in_entry: bool,
}

/// The properties that get the text of an element when it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CardSlot {
    card: usize,
    first: usize,
    count: usize,
    /// Whether the element is the card itself, whose text is its name if it has no other.
    is_root: bool,
}

#[derive(Default)]
pub(super) struct CardCollector {
    cards: Vec<HCard>,
    properties: usize,
}

impl CardCollector {
    /// Reads the classes of an element. Returns the scope inside it, and where to put its text.
    pub(super) fn open_element(
        &mut self,
        element: u64,
        classes: &str,
        attributes: &str,
        outer: CardScope,
    ) -> (CardScope, Option<CardSlot>) {
        if outer.card.is_none() && !classes.contains("h-") {
            return (outer, None);
        }
        let words = || classes.split_ascii_whitespace().take(MAX_CLASSES);
        let is_card = words().any(|word| word == "h-card");
        let properties: Vec<(char, &str)> = words().filter_map(property).collect();
        let slot = outer.card.and_then(|card| self.add(card, element, &properties, attributes));
        let in_entry = outer.in_entry || words().any(is_entry);
        if !is_card {
            return (CardScope { in_entry, ..outer }, slot);
        }
        if self.cards.len() >= MAX_CARDS {
            return (CardScope { card: None, in_entry }, slot);
        }
        let is_property = words().any(is_role);
        let card = self.cards.len();
        self.cards.push(HCard {
            properties: Vec::new(),
            is_part: outer.in_entry || outer.card.is_some() || is_property,
            is_me: is_me_link(attributes),
        });
        if element == name::A
            && let Some(href) = tag::attribute(attributes, "href")
        {
            self.push(card, "url", href);
        }
        let root = CardSlot { card, first: 0, count: 0, is_root: true };
        (CardScope { card: Some(card), in_entry }, slot.or(Some(root)))
    }

    fn add(
        &mut self,
        card: usize,
        element: u64,
        properties: &[(char, &str)],
        attributes: &str,
    ) -> Option<CardSlot> {
        if properties.is_empty() {
            return None;
        }
        if properties.iter().any(|(_, name)| *name == "url")
            && is_me_link(attributes)
            && let Some(card) = self.cards.get_mut(card)
        {
            card.is_me = true;
        }
        let first = self.cards.get(card)?.properties.len();
        let mut waits = false;
        for (prefix, name) in properties {
            let value = stated_value(*prefix, element, attributes);
            waits |= value.is_none();
            self.push(card, name, value.unwrap_or_default());
        }
        let count = self.cards.get(card)?.properties.len() - first;
        waits.then_some(CardSlot { card, first, count, is_root: false })
    }

    fn push(&mut self, card: usize, name: &str, value: &str) {
        if self.properties < MAX_PROPERTIES
            && let Some(card) = self.cards.get_mut(card)
        {
            self.properties += 1;
            card.properties.push((name.to_owned(), text::clean_text(value, MAX_VALUE)));
        }
    }

    /// Gives the text of an element to the properties that have no other value.
    pub(super) fn fill_value(&mut self, slot: CardSlot, value: &str) {
        let value = text::truncate_str(value, MAX_VALUE).trim();
        if slot.is_root {
            let is_unnamed = self
                .cards
                .get(slot.card)
                .is_some_and(|card| card.properties.iter().all(|(name, _)| name == "url"));
            if is_unnamed {
                self.push(slot.card, "name", value);
            }
            return;
        }
        let Some(card) = self.cards.get_mut(slot.card) else { return };
        for (_, old) in card.properties.iter_mut().skip(slot.first).take(slot.count) {
            if old.is_empty() {
                value.clone_into(old);
            }
        }
    }

    pub(super) fn finish(mut self) -> Vec<HCard> {
        for card in &mut self.cards {
            card.properties.retain(|(_, value)| !value.is_empty());
        }
        self.cards
    }
}

/// The prefix and the name of a class that is a property of cards. Style sheets use similar names
/// (`p-4`), so that only known ones count.
fn property(class: &str) -> Option<(char, &str)> {
    let (prefix, name) = class.split_once('-')?;
    let prefix = match prefix {
        "p" => 'p',
        "u" => 'u',
        _ => return None,
    };
    let is_known = matches!(
        name,
        "name"
            | "org"
            | "tel"
            | "email"
            | "url"
            | "logo"
            | "adr"
            | "street-address"
            | "extended-address"
            | "locality"
            | "region"
            | "postal-code"
            | "country-name"
    );
    is_known.then_some((prefix, name))
}

/// Properties that a card is of something else. (Style sheets have classes such as `p-4`.)
fn is_role(class: &str) -> bool {
    class.strip_prefix("p-").or_else(|| class.strip_prefix("u-")).is_some_and(|name| {
        matches!(
            name,
            "author"
                | "contact"
                | "org"
                | "comment"
                | "attendee"
                | "organizer"
                | "reviewer"
                | "location"
                | "invitee"
                | "speaker"
                | "member"
                | "affiliation"
                | "experience"
                | "education"
                | "brand"
                | "item"
                | "like"
                | "repost"
                | "syndication"
        )
    })
}

/// Roots of things that have cards of their authors and guests.
fn is_entry(class: &str) -> bool {
    matches!(
        class,
        "h-entry"
            | "h-feed"
            | "h-event"
            | "h-review"
            | "h-review-aggregate"
            | "h-cite"
            | "h-product"
            | "h-recipe"
            | "h-resume"
            | "h-item"
            | "h-listing"
    )
}

/// The value of a property that an attribute states.
fn stated_value(prefix: char, element: u64, attributes: &str) -> Option<&str> {
    let attribute = |wanted| tag::attribute(attributes, wanted);
    match (prefix, element) {
        ('u', name::A | name::AREA | name::LINK) => attribute("href"),
        ('u', name::IMG | name::AUDIO | name::VIDEO | name::SOURCE | name::IFRAME) => {
            attribute("src")
        }
        ('u', name::OBJECT) => attribute("data"),
        ('p', name::LINK) => attribute("title"),
        ('p', name::IMG | name::AREA) => attribute("alt"),
        (_, name::DATA) => attribute("value"),
        _ => None,
    }
}

fn is_me_link(attributes: &str) -> bool {
    tag::attribute(attributes, "rel")
        .is_some_and(|rel| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("me")))
}

#[cfg(test)]
mod tests {
    use crate::page::{HCard, Page};

    fn cards(html: &str) -> Vec<HCard> {
        Page::read(html.as_bytes(), None).h_cards
    }

    fn properties(card: &HCard) -> Vec<(&str, &str)> {
        card.properties.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    #[test]
    fn properties_are_read_by_their_classes() {
        let cards = cards(
            "<div class='h-card p-4'><a class='p-name u-url' href='/' rel=me>Tin</a> <b class=p-tel>020</b>\
             <p class='p-adr h-adr'><i class=p-street-address>1 High St</i>, <i class=p-locality>Leeds</i></p>\
             <a class=u-email href='mailto:a@tin.example'>write</a><img class=u-logo src=/l.png></div>",
        );
        assert_eq!(cards.len(), 1);
        assert!(cards[0].is_me && !cards[0].is_part);
        assert_eq!(
            properties(&cards[0]),
            [
                ("name", "Tin"),
                ("url", "/"),
                ("tel", "020"),
                ("adr", "1 High St, Leeds"),
                ("street-address", "1 High St"),
                ("locality", "Leeds"),
                ("email", "mailto:a@tin.example"),
                ("logo", "/l.png"),
            ]
        );
    }

    #[test]
    fn cards_of_authors_are_parts() {
        let cards = cards(
            "<article class=h-entry><a class='p-author h-card' href=/ann>Ann</a></article>\
             <div class=h-event><p class=h-card>Bob</p></div><a class=h-card href=/>Tin</a>",
        );
        let parts: Vec<(bool, Option<&str>)> =
            cards.iter().map(|card| (card.is_part, card.value("name"))).collect();
        assert_eq!(parts, [(true, Some("Ann")), (true, Some("Bob")), (false, Some("Tin"))]);
        assert_eq!(cards[2].value("url"), Some("/"));
    }

    #[test]
    fn classes_of_style_sheets_are_no_cards() {
        assert_eq!(cards("<div class='h-100 p-4'><p class=p-name>x</p></div>"), []);
    }

    proptest::proptest! {
        #[test]
        fn any_markup_is_read(html in "(<div class='h-card'>|<a class='p-name u-url' href=x>|<b class=p-tel>|</div>|</b>|<p class=h-entry>|<p class='p-adr h-adr'>|x){0,60}") {
            proptest::prop_assert!(cards(&html).len() <= super::MAX_CARDS);
        }
    }
}
