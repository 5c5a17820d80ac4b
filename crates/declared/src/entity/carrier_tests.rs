//! Owners in RDFa and in cards, `rel=me` links, and pointers into JSON-LD.

use super::*;
use crate::page::Page;

fn entity(html: &str) -> Entity {
    read_entity(&Page::read(html.as_bytes(), None), "tin.example")
}

/// Value and carrier of all statements of one fact.
fn stated(entity: &Entity, fact: FactName) -> Vec<(&str, Carrier)> {
    let facts = entity.facts.iter().filter(|stated| stated.fact == fact);
    facts.map(|stated| (stated.value.as_str(), stated.carrier)).collect()
}

#[test]
fn an_owner_is_read_from_rdfa() {
    let entity = entity(
        "<body vocab='https://schema.org/'><div typeof='Bakery' resource='#us'><h1 property=name>Tin</h1>\
         <span property=telephone>+44 20 7946 0000</span>\
         <p property=address typeof=PostalAddress><span property=streetAddress>1 High St</span>, \
         <span property=addressLocality>Leeds</span> <span property=postalCode>LS1 1AA</span>\
         <meta property=addressCountry content=GB></p>\
         <time property=openingHours datetime='Mo-Fr 09:00-17:00'>9 to 5</time>\
         <a property=sameAs href='https://social.example/tin'>us</a></div>",
    );
    assert!(entity.owner_found && entity.is_local_business);
    assert_eq!((entity.name.as_deref(), entity.subject.as_deref()), (Some("Tin"), Some("#us")));
    assert_eq!(entity.types, ["Bakery"]);
    assert_eq!(stated(&entity, FactName::Telephone), [("+44 20 7946 0000", Carrier::Rdfa)]);
    assert_eq!(
        stated(&entity, FactName::Address),
        [("1 High St, LS1 1AA, Leeds, GB", Carrier::Rdfa)]
    );
    assert_eq!(stated(&entity, FactName::Hours), [("Mo-Fr 09:00-17:00", Carrier::Rdfa)]);
    assert_eq!(stated(&entity, FactName::SameAs), [("https://social.example/tin", Carrier::Rdfa)]);
}

#[test]
fn rdfa_and_json_ld_of_one_owner_are_compared() {
    let entity = entity(
        "<script type='application/ld+json'>{\"@context\":\"https://schema.org\",\"@type\":\"Store\",\
         \"name\":\"Tin\",\"telephone\":\"+44 20 7946 0000\"}</script>\
         <div vocab='https://schema.org/' typeof=Store><b property=name>Tin</b>\
         <i property=telephone>+44 20 7946 0009</i></div>",
    );
    assert_eq!(entity.owner_count, 1);
    let found = find_disagreements(&entity);
    assert!(found.iter().any(|found| {
        found.fact == FactName::Telephone && found.agreement == Agreement::Conflict
    }));
}

const CARD: &str = "<p class=p-name>Tin</p><p class=p-tel>+44 20 7946 0000</p>\
     <p class='p-adr h-adr'><i class=p-street-address>1 High St</i> <i class=p-locality>Leeds</i> \
     <i class=p-postal-code>LS1 1AA</i> <i class=p-country-name>UK</i></p>";

#[test]
fn cards_that_are_clearly_the_owners_are_read() {
    for html in [
        format!("<div class=h-card>{CARD}</div>"),
        format!(
            "<div class=h-card>{CARD}<a class=u-url href='https://tin.example/'>home</a></div>"
        ),
        format!(
            "<div class=h-card>{CARD}</div><article class=h-entry><a class='p-author h-card' href=/ann>Ann</a></article>"
        ),
    ] {
        let entity = entity(&html);
        assert_eq!((entity.owner_found, entity.name.as_deref()), (true, Some("Tin")), "{html}");
        assert_eq!(stated(&entity, FactName::Telephone), [("+44 20 7946 0000", Carrier::HCard)]);
        assert_eq!(
            stated(&entity, FactName::Address),
            [("1 High St, LS1 1AA, Leeds, UK", Carrier::HCard)]
        );
    }
    let person = entity("<a class=h-card rel=me href='https://tin.example/'>Ann Tin</a>");
    assert_eq!((person.owner_found, person.name.as_deref()), (true, Some("Ann Tin")));
}

#[test]
fn other_cards_are_left_out() {
    for html in [
        // Two branches or two people.
        format!("<div class=h-card>{CARD}</div><div class=h-card>{CARD}</div>"),
        "<div class=h-entry><a class='p-author h-card' href='https://tin.example/'>Ann</a></div>"
            .to_owned(),
        "<a class=h-card href='https://other.example/'>Bob</a>".to_owned(),
        "<div class=h-card><b class=p-name>Bob</b></div>".to_owned(),
    ] {
        let entity = entity(&html);
        assert!(!entity.owner_found, "{html}");
        assert!(!entity.facts.iter().any(|stated| stated.carrier == Carrier::HCard), "{html}");
    }
}

#[test]
fn profiles_are_read_from_every_carrier() {
    let address = "https://social.example/tin";
    for (html, carrier) in [
        (
            format!(
                "<script type='application/ld+json'>{{\"@context\":\"https://schema.org\",\"@type\":\"Store\",\"name\":\"Tin\",\"sameAs\":[\"{address}\"]}}</script>"
            ),
            Carrier::JsonLd,
        ),
        (
            format!(
                "<div itemscope itemtype='https://schema.org/Store'><b itemprop=name>Tin</b><link itemprop=sameAs href='{address}'></div>"
            ),
            Carrier::Microdata,
        ),
        (
            format!(
                "<div vocab='https://schema.org/' typeof=Store><b property=name>Tin</b><link property=sameAs href='{address}'></div>"
            ),
            Carrier::Rdfa,
        ),
        (format!("<link rel=me href='{address}'>"), Carrier::RelMe),
        (format!("<a rel='nofollow me' href='{address}'>us</a>"), Carrier::RelMe),
    ] {
        assert_eq!(stated(&entity(&html), FactName::SameAs), [(address, carrier)], "{html}");
    }
    assert_eq!(stated(&entity("<a rel=me href='/about'>us</a>"), FactName::SameAs), []);
}

#[test]
fn pointers_lead_to_the_values_in_their_blocks() {
    let first = "{\"@context\":\"https://schema.org\",\"@graph\":[{\"@type\":\"WebSite\",\"name\":\"Site\"},\
         {\"@type\":\"Store\",\"@id\":\"#us\",\"https://schema.org/name\":\"Tin\",\"telephone\":[\"+44 20 7946 0000\",\"+44 20 7946 0001\"],\
          \"sameAs\":[\"https://a.example/\",{\"@id\":\"https://b.example/\"}],\"logo\":{\"url\":\"/l.png\"},\
          \"contactPoint\":[{\"telephone\":\"+44 20 7946 0002\"}],\
          \"openingHours\":[\"Mo-Fr 09:00-17:00\"],\"address\":[{\"streetAddress\":\"1 High St\",\"addressCountry\":\"GB\"}]}]}";
    let second = "[{\"@context\":\"https://schema.org\",\"@type\":\"Store\",\"@id\":\"#us\",\"email\":\"a@tin.example\"}]";
    let script = |json: &str| format!("<script type='application/ld+json'>{json}</script>");
    let page = Page::read(format!("{}{}", script(first), script(second)).as_bytes(), None);
    let entity = read_entity(&page, "tin.example");
    let mut seen = 0;
    for fact in &entity.facts {
        let place = fact.pointer.as_ref().unwrap_or_else(|| panic!("{fact:?}"));
        let block: serde_json::Value = serde_json::from_str(&page.json_ld[place.block]).unwrap();
        let value = block.pointer(&place.pointer).unwrap_or_else(|| panic!("{fact:?}"));
        match value {
            serde_json::Value::String(text) => assert_eq!(*text, fact.value),
            other => assert!(matches!(fact.fact, FactName::Hours | FactName::Address), "{other}"),
        }
        seen += 1;
    }
    assert_eq!(seen, 10);
    let pointer = |value: &str| {
        let fact = entity.facts.iter().find(|fact| fact.value == value).unwrap();
        fact.pointer.as_ref().map(|place| (place.block, place.pointer.as_str())).unwrap()
    };
    assert_eq!(pointer("Tin"), (0, "/@graph/1/https:~1~1schema.org~1name"));
    assert_eq!(pointer("https://b.example/"), (0, "/@graph/1/sameAs/1/@id"));
    assert_eq!(pointer("+44 20 7946 0002"), (0, "/@graph/1/contactPoint/0/telephone"));
    assert_eq!(pointer("a@tin.example"), (1, "/0/email"));
}
