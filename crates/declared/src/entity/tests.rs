use super::*;
use crate::page::Page;

fn entity(html: &str) -> Entity {
    read_entity(&Page::read(html.as_bytes(), None), "tin.example")
}

fn json_ld(json: &str) -> Entity {
    entity(&format!("<script type=\"application/ld+json\">{json}</script>"))
}

fn normals(entity: &Entity, fact: FactName) -> Vec<&str> {
    entity.facts.iter().filter(|s| s.fact == fact).map(|s| s.normalized.as_str()).collect()
}

fn codes(entity: &Entity) -> Vec<&str> {
    entity.faults.iter().map(|fault| fault.code).collect()
}

const BAKERY: &str = r##"{
  "@context": "https://schema.org", "@type": ["Bakery", "https://schema.org/Store"], "@id": "#us",
  "name": "Tin & Co Ltd", "telephone": "020 7946 0000", "url": "https://www.tin.example/",
  "address": {"@type": "PostalAddress", "streetAddress": "1 High St", "addressLocality": "Leeds",
              "postalCode": "LS1 1AA", "addressCountry": {"@type": "Country", "name": "GB"}},
  "openingHoursSpecification": [
    {"@type": "OpeningHoursSpecification", "dayOfWeek": ["Monday", "Tuesday"], "opens": "09:00", "closes": "17:00"}],
  "sameAs": ["https://social.example/tin", "https://wiki.example/Tin"]
}"##;

#[test]
fn declared_facts_are_those_that_machines_read() {
    let html = format!(
        "<html lang=en><meta property='og:site_name' content='Tin'><meta property='og:email' content='a@tin.example'>\
         <script type=\"application/ld+json\">{BAKERY}</script><header>Call 020 7946 0001</header>\
         <p>Open Monday to Friday, 9am to 5pm.</p><a href='tel:+44 20 7946 0002'>x</a>\
         <a href='mailto:b@tin.example'>y</a><address>2 High Street, Leeds</address>"
    );
    let page = Page::read(html.as_bytes(), None);
    let mut all = read_entity(&page, "tin.example").facts;
    let declared = read_declared_facts(&page, "tin.example");
    assert!(all.iter().filter(|fact| fact.carrier.is_visible()).count() >= 4);
    all.retain(|fact| !fact.carrier.is_visible());
    assert_eq!(declared, all);
}

#[test]
fn a_business_is_read_with_all_it_says() {
    let entity = json_ld(BAKERY);
    assert!(entity.owner_found && entity.faults.is_empty(), "{:?}", entity.faults);
    assert_eq!(entity.name.as_deref(), Some("Tin & Co Ltd"));
    assert_eq!(entity.types, ["Bakery", "Store"]);
    assert_eq!((entity.subject.as_deref(), entity.business_place_count), (Some("#us"), 1));
    assert_eq!(normals(&entity, FactName::Name), ["tin"]);
    assert_eq!(normals(&entity, FactName::Telephone), ["+442079460000"], "region of the address");
    assert_eq!(normals(&entity, FactName::Url), ["tin.example"]);
    assert_eq!(
        normals(&entity, FactName::Address),
        ["pc:ls11aa|cc:gb|no:1|st:high street|lo:leeds"]
    );
    assert_eq!(normals(&entity, FactName::Hours), ["Mo 09:00-17:00; Tu 09:00-17:00"]);
    assert_eq!(normals(&entity, FactName::SameAs).len(), 2);
    let telephone = entity.facts.iter().find(|s| s.fact == FactName::Telephone).unwrap();
    assert_eq!(telephone.at, "/json_ld/0/telephone");
    assert_eq!((telephone.carrier, telephone.value.as_str()), (Carrier::JsonLd, "020 7946 0000"));
}

#[test]
fn which_nodes_count_as_owner() {
    let context = r#""@context":"https://schema.org""#;
    for (json, name) in [
        (r#"{C,"@type":"Organization","name":"Tin"}"#, Some("Tin")),
        (r#"[{C,"@type":"WebPage","name":"Home"},{C,"@type":"NGO","name":"Tin"}]"#, Some("Tin")),
        (
            r#"{C,"@graph":[{"@type":"WebSite","name":"Site","publisher":{"@id":"x"}},{"@type":"Person","@id":"y","name":"Author"},{"@type":"Person","@id":"x","name":"Owner"}]}"#,
            Some("Owner"),
        ),
        (
            r#"{C,"@type":"WebSite","name":"Site","publisher":{"@type":"Organization","name":"Tin"}}"#,
            Some("Tin"),
        ),
        (r#"{C,"@type":"TinMender","name":"Tin","address":"1 High Street"}"#, Some("Tin")),
        (
            r#"{"@context":{"@vocab":"http://schema.org/"},"@type":"schema:Organization","schema:name":"Tin"}"#,
            Some("Tin"),
        ),
        // The one whose address is ours speaks for the site.
        (
            r#"{C,"@graph":[{"@type":"Organization","name":"Agency","url":"https://agency.example"},{"@type":"Organization","name":"Tin","url":"https://tin.example"}]}"#,
            Some("Tin"),
        ),
        (r#"{C,"@type":"WebSite","name":"Site"}"#, None),
        (r#"{C,"@type":"Organization"}"#, None),
        (
            r#"{C,"@type":"Product","name":"Rope","brand":{"@type":"Brand","name":"Other"},"manufacturer":{"@type":"Organization","name":"Other"}}"#,
            None,
        ),
        (r#"{C,"@graph":[{"@type":"Person","name":"A"},{"@type":"Person","name":"B"}]}"#, None),
        (
            r#"{"@context":"https://www.w3.org/ns/activitystreams","@type":"Organization","name":"Tin"}"#,
            None,
        ),
        (r#""Organization""#, None),
    ] {
        let entity = json_ld(&json.replace('C', context));
        assert_eq!((entity.owner_found, entity.name.as_deref()), (name.is_some(), name), "{json}");
    }
}

#[test]
fn blocks_that_are_not_quite_json_are_read_and_noted() {
    for (json, found, code) in [
        (
            r#"{"@context":"https://schema.org","@type":"Organization","name":"Tin",}"#,
            true,
            "json_ld_loose_syntax",
        ),
        (
            r#"<!-- {"@context":"https://schema.org","@type":"Organization","name":"Tin"} -->"#,
            true,
            "json_ld_wrapped",
        ),
        (r#"{"@type":"Organization","name":"Tin"}"#, true, "json_ld_no_context"),
        (
            r#"{"@context":"https://other.example","@type":"Organization","name":"Tin"}"#,
            false,
            "json_ld_foreign_context",
        ),
        (r#"{"@type":"Organization""#, false, "json_ld_invalid"),
        (
            r#"{"@context":"https://schema.org","@type":"Organization","name":"Tin","telephone":"12"}"#,
            true,
            "telephone_no_region",
        ),
        (
            r#"{"@context":"https://schema.org","@type":"Store","name":"Tin","openingHours":"daily"}"#,
            true,
            "hours_not_understood",
        ),
    ] {
        let entity = json_ld(json);
        assert_eq!((entity.owner_found, codes(&entity)), (found, vec![code]), "{json}");
    }
}

#[test]
fn facts_come_from_microdata_open_graph_and_visible_text() {
    let entity = entity(
        "<meta property=og:site_name content='Tin'><meta name='og:url' content='https://tin.example/'>\
         <div itemscope itemtype='http://schema.org/Restaurant'><b itemprop=name>Tin</b>\
         <i itemprop=telephone>+44 20 7946 0000</i>\
         <div itemprop=address itemscope itemtype='http://schema.org/PostalAddress'><i itemprop=postalCode>LS1 1AA</i></div>\
         <time itemprop=openingHours datetime='Mo-Tu 09:00-17:00'>9 to 5</time></div>\
         <a href='tel:+442079460000'>Call</a><a href=mailto:A@tin.example>write</a>\
         <address>1 High Street</address><footer>Phone: 020 7946 0001, VAT 123456789, +44 20 7946 0002</footer>",
    );
    assert!(entity.owner_found);
    assert_eq!(entity.types, ["Restaurant"]);
    assert_eq!(normals(&entity, FactName::Hours), ["Mo 09:00-17:00; Tu 09:00-17:00"]);
    let carriers: Vec<(Carrier, &str)> = entity
        .facts
        .iter()
        .filter(|s| s.fact == FactName::Telephone)
        .map(|s| (s.carrier, s.normalized.as_str()))
        .collect();
    assert_eq!(
        carriers,
        [
            (Carrier::Microdata, "+442079460000"),
            (Carrier::TelLink, "+442079460000"),
            (Carrier::VisibleText, "~2079460001"),
            (Carrier::VisibleText, "+442079460002"),
        ]
    );
    assert_eq!(normals(&entity, FactName::Email), ["a@tin.example"]);
    assert!(entity.facts.iter().any(|s| s.carrier == Carrier::AddressElement));
    assert_eq!(entity.facts.iter().filter(|s| s.carrier == Carrier::OpenGraph).count(), 2);
}

#[test]
fn the_region_of_a_number_is_that_of_the_domain_when_nobody_says_more() {
    let page = Page::read(b"<a href=tel:02079460000>x</a>", None);
    for (domain, normal) in
        [("tin.co.uk", "+442079460000"), ("tin.example", "~2079460000"), ("tin.io", "~2079460000")]
    {
        assert_eq!(normals(&read_entity(&page, domain), FactName::Telephone), [normal], "{domain}");
    }
}

#[test]
fn an_app_shell_without_markup_is_marked() {
    assert!(entity("<div id=root></div><script src=a.js></script>").script_only);
    assert!(!entity("<p>Hello</p>").script_only);
    let marked = "<script type=application/ld+json>{}</script><div id=root></div><script></script>";
    assert!(!entity(marked).script_only);
}

#[test]
fn a_page_disagrees_with_itself_only_about_one_subject() {
    use Agreement::*;
    let script = |json: &str| format!("<script type='application/ld+json'>{json}</script>");
    let other = |from: &str, to: &str| script(&BAKERY.replace(from, to));
    let bakery = script(BAKERY);
    for (html, expected) in [
        (bakery.clone(), vec![]),
        (format!("{bakery}<a href='tel:+442079460000'>x</a>"), vec![]),
        (
            format!("{bakery}<a href='tel:+442079460009'>x</a>"),
            vec![(FactName::Telephone, Conflict)],
        ),
        // One of several visible numbers is enough.
        (
            format!("{bakery}<a href='tel:+442079460009'>x</a><a href='tel:02079460000'>x</a>"),
            vec![],
        ),
        // The same node twice.
        (format!("{bakery}{}", other("LS1 1AA", "LS2 1AA")), vec![(FactName::Address, Conflict)]),
        (format!("{bakery}{}", other("17:00", "18:00")), vec![(FactName::Hours, Conflict)]),
        // The text of the page states the same days with the same or with other hours.
        (format!("{bakery}<p>Open Monday and Tuesday, 9am to 5pm.</p>"), vec![]),
        (
            format!("{bakery}<h2>Opening hours</h2><p>Mon 9am–6pm</p>"),
            vec![(FactName::Hours, Conflict)],
        ),
        (format!("{bakery}<p>Open Saturday 9am to 6pm.</p>"), vec![(FactName::Hours, Weak)]),
        (
            format!("{bakery}<p>Open Monday 9am–6pm.</p><p>Open Monday 9am–5pm.</p>"),
            vec![(FactName::Hours, Variant)],
        ),
        (format!("{bakery}<p>Open daily. Kitchen: Monday 12am–2pm.</p>"), vec![]),
        (
            format!("{bakery}{}", other("Tin & Co Ltd", "Tin Leeds")),
            vec![(FactName::Name, Variant)],
        ),
        // Two branches are two subjects.
        (format!("{bakery}{}", other("#us", "#them").replace("LS1 1AA", "LS2 1AA")), vec![]),
        (format!("{bakery}{}<a href='tel:+442079460009'>x</a>", other("#us", "#them")), vec![]),
        (
            format!("{bakery}<meta property=og:site_name content=Rope>"),
            vec![(FactName::Name, Conflict)],
        ),
        (format!("{bakery}<address>1 High Street, Leeds LS1 1AA</address>"), vec![]),
        (
            format!("{bakery}<address>7 High Street, Leeds</address>"),
            vec![(FactName::Address, Conflict)],
        ),
    ] {
        let entity = entity(&html);
        let found: Vec<(FactName, Agreement)> =
            find_disagreements(&entity).iter().map(|d| (d.fact, d.agreement)).collect();
        assert_eq!(found, expected, "{html}");
    }
}

fn graph(nodes: &str) -> String {
    format!(
        r#"<script type="application/ld+json">{{"@context":"https://schema.org","@graph":[{nodes}]}}</script>"#
    )
}

fn conflicts(html: &str) -> Vec<FactName> {
    let entity = entity(html);
    find_disagreements(&entity)
        .iter()
        .filter(|found| found.agreement == Agreement::Conflict)
        .map(|found| found.fact)
        .collect()
}

#[test]
fn ordinary_pages_do_not_contradict_themselves() {
    let shop = r##"{"@type":"Store","name":"Tin","telephone":"+44 20 7946 0000",
        "address":{"streetAddress":"1 High St","postalCode":"LS1 1AA","addressCountry":"GB"}}"##;
    for (why, html) in [
        ("site name", graph(r#"{"@type":"NewsMediaOrganization","name":"Salon.com"}"#)
            + "<title>Salon.com: news</title><meta property=og:site_name content=Salon>"),
        ("spacing", graph(r#"{"@type":"Organization","name":"PC Gamer"}"#)
            + "<title>PC Gamer</title><meta property=og:site_name content=pcgamer>"),
        ("accent and ending", graph(r#"{"@type":"Organization","name":"Libération"}"#)
            + "<title>Libération</title><meta property=og:site_name content='Libération.fr'>"),
        ("company and brand", graph(r#"{"@type":"Organization","name":"Ziff Holdings"}"#)
            + "<title>PCMag: reviews</title><meta property=og:site_name content=PCMag>"),
        ("other name", graph(r#"{"@type":"Store","name":"Tin","alternateName":"Rope House"}"#)
            + "<title>Tin</title><meta property=og:site_name content='Rope House'>"),
        ("author", graph(r##"{"@type":"NewsArticle","author":{"@id":"#a"},"publisher":{"@id":"#o"}},
            {"@type":"Person","@id":"#a","name":"Ann Author","telephone":"+44 20 7946 0008"},
            {"@type":"Organization","@id":"#o","name":"Daily Tin","telephone":"+44 20 7946 0000"}"##)
            + "<footer>Phone: 020 7946 0000</footer>"),
        ("department", graph(r##"{"@type":"Organization","name":"Tin","telephone":"+44 20 7946 0000",
            "department":{"@type":"Store","name":"Tin","telephone":"+44 20 7946 0009"}}"##)
            + "<a href='tel:+442079460009'>Shop</a>"),
        ("department by id", graph(r##"{"@type":"Organization","@id":"#o","name":"Tin","subOrganization":{"@id":"#d"},
            "telephone":"+44 20 7946 0000"},{"@type":"Organization","@id":"#d","name":"Tin","telephone":"+44 20 7946 0009"}"##)),
        ("two branches", graph(&format!("{shop},{}", shop.replace("1 High", "9 Low").replace("LS1", "LS9").replace("0000", "0001")))),
        ("event venue", graph(&format!(r##"{shop},{{"@type":"MusicEvent","name":"Gig","location":{{"@type":"MusicVenue",
            "name":"Hall","telephone":"+44 20 7946 0007","address":"7 Low Street, LS9 9ZZ"}}}}"##))),
        ("fax", graph(shop) + "<footer>Tel +44 20 7946 0000, Fax +44 20 7946 0001</footer>"),
        ("only fax", graph(shop) + "<footer>Fax: +44 20 7946 0001</footer>"),
        ("mobile", graph(shop) + "<footer>Call +44 7700 900123</footer>"),
        ("freephone", graph(shop) + "<a href='tel:+448000113344'>Free</a>"),
        ("several other numbers", graph(shop) + "<a href='tel:+442079460005'>a</a><a href='tel:+442079460006'>b</a>"),
        ("dashes", graph(shop) + "<footer>Call +44 20 7946\u{2011}0000</footer>"),
        ("number and year", graph(shop) + "<footer>Call +44 20 7946 0000 2026</footer>"),
        ("national", graph(shop) + "<footer>Phone (0)20 7946 0000</footer>"),
        ("suite", graph(shop) + "<address>Suite 4, 1 High Street, Leeds LS1 1AA</address>"),
        ("address with telephone", graph(&shop.replace("LS1 1AA", "50667").replace("GB", "DE").replace("1 High St", "Hauptstr. 5"))
            + "<address>Hauptstraße 5 Köln Tel 02211 23456</address>"),
        ("signature", graph(shop) + "<address>By Ann Author, 12 May 2026</address>"),
        ("season", graph(&format!("{},{}",
            shop.replace("\"name\"", "\"@id\":\"#s\",\"openingHours\":\"Mo-Fr 09:00-17:00\",\"name\""),
            shop.replace("\"name\"", r##""@id":"#s","openingHoursSpecification":[{"dayOfWeek":"Monday","opens":"10:00","closes":"12:00","validFrom":"2026-12-24"}],"name""##)))),
        ("more days", graph(&format!("{},{}",
            shop.replace("\"name\"", "\"@id\":\"#s\",\"openingHours\":\"Mo-Fr 09:00-17:00\",\"name\""),
            shop.replace("\"name\"", "\"@id\":\"#s\",\"openingHours\":\"Mo-Sa 09:00-17:00\",\"name\"")))),
        ("parent", graph(&format!(r##"{{"@type":"Organization","@id":"#p","name":"Group","telephone":"+44 20 7946 0099"}},{}"##,
            shop.replace("\"name\"", "\"parentOrganization\":{\"@id\":\"#p\"},\"name\"")))),
    ] {
        assert_eq!(conflicts(&html), [], "{why}: {:#?}", entity(&html).facts);
    }
}

#[test]
fn real_contradictions_are_found() {
    use FactName::*;
    let shop = r##"{"@type":"Store","name":"Harbour Books","telephone":"+44 20 7946 0000",
        "address":{"streetAddress":"12 Harbour Street","addressLocality":"Whitby","postalCode":"YO21 3PU","addressCountry":"GB"}}"##;
    let microdata = "<div itemscope itemtype='https://schema.org/Store'><b itemprop=name>Harbour Books</b>\
        <i itemprop=telephone>+44 20 7946 0009</i></div>";
    for (html, expected) in [
        (graph(shop) + "<footer>Phone: 020 7946 0009</footer>", Telephone),
        (graph(shop) + "<address>48 Mill Lane, Whitby YO22 4QQ</address>", Address),
        (graph(shop) + "<address>48 Mill Lane, Whitby</address>", Address),
        (graph(shop) + "<address>14 Harbour Street, Whitby</address>", Address),
        (graph(shop) + microdata, Telephone),
        (graph(&format!("{shop},{}", shop.replace("0000", "0001"))), Telephone),
        (
            graph(shop)
                + "<title>Harbour Books</title><meta property=og:site_name content='Quayside Toys'>",
            Name,
        ),
        (
            graph(r#"{"@type":"Organization","name":"Harbour Books"}"#)
                + "<title>Harbour Books, Whitby</title><meta property=og:site_name content='Quayside Toys'>",
            Name,
        ),
        (
            graph(&format!(
                "{},{}",
                shop.replace(
                    "\"name\"",
                    "\"@id\":\"#s\",\"openingHours\":\"Mo-Fr 09:00-17:00\",\"name\""
                ),
                shop.replace(
                    "\"name\"",
                    "\"@id\":\"#s\",\"openingHours\":\"Mo-Fr 10:00-18:00\",\"name\""
                )
            )),
            Hours,
        ),
    ] {
        assert_eq!(conflicts(&html), [expected], "{html}: {:#?}", entity(&html).facts);
    }
}

#[test]
fn authors_and_subjects_of_articles_are_not_the_owner() {
    for (nodes, name) in [
        (
            r##"{"@type":"BlogPosting","author":{"@id":"#a"}},{"@type":"Person","@id":"#a","name":"Ann"}"##,
            None,
        ),
        (
            r##"{"@type":"BlogPosting","author":{"@type":"Person","name":"Ann"},"publisher":{"@type":"Person","name":"Owner"}}"##,
            Some("Owner"),
        ),
        (
            r##"{"@type":"NewsArticle","about":{"@type":"Organization","name":"Apple"},"publisher":{"@type":"Organization","name":"Daily"}}"##,
            Some("Daily"),
        ),
        (r##"{"@type":"WebPage","about":{"@type":"Organization","name":"Tin"}}"##, Some("Tin")),
        (
            r##"{"@type":"Book","name":"Rope","publisher":{"@type":"Organization","name":"Big House"}}"##,
            None,
        ),
        (r##"{"@type":"Person","name":"Ann"}"##, Some("Ann")),
        (
            r##"{"@type":"Organization","name":"Tin","founder":{"@id":"#f"}},{"@type":"Person","@id":"#f","name":"Fay"}"##,
            Some("Tin"),
        ),
        (
            r##"{"@type":"MusicVenue","@id":"#v","name":"Hall","address":"1 Low Street"},{"@type":"Event","location":{"@id":"#v"}}"##,
            Some("Hall"),
        ),
    ] {
        assert_eq!(entity(&graph(nodes)).name.as_deref(), name, "{nodes}");
    }
}

#[test]
fn entity_limits_hold() {
    let many: Vec<String> = (0..2_000)
        .map(|n| {
            format!(r#"{{"@type":"Store","name":"Shop {n}","telephone":"+44 20 7946 {n:04}"}}"#)
        })
        .collect();
    let entity =
        json_ld(&format!(r#"{{"@context":"https://schema.org","@graph":[{}]}}"#, many.join(",")));
    assert!(entity.facts.len() <= 200 && entity.owner_found && entity.faults.len() <= 50);
    let long = format!(r#"{{"@context":"https://schema.org","a":"{}"}}"#, "x".repeat(300_000));
    assert_eq!(codes(&json_ld(&long)), ["json_ld_too_long"]);
    let deep = format!(
        r#"{{"@context":"https://schema.org","@type":"Organization","name":"Tin","department":{}1{}}}"#,
        r#"{"@type":"Organization","department":"#.repeat(100),
        "}".repeat(100)
    );
    assert!(json_ld(&deep).owner_found);
}

fn stated(fact: FactName, value: &str) -> EntityFact {
    let html = match fact {
        FactName::Telephone => format!("<a href='tel:{value}'>x</a>"),
        FactName::Address => format!("<address>{value}</address>"),
        _ => format!("<meta property=og:site_name content='{value}'>"),
    };
    let nothing = EntityFact {
        fact,
        value: String::new(),
        normalized: String::new(),
        carrier: Carrier::VisibleText,
        subject: None,
        at: String::new(),
        pointer: None,
    };
    entity(&html).facts.into_iter().find(|s| s.fact == fact).unwrap_or(nothing)
}

proptest::proptest! {
    #[test]
    fn any_bytes_have_an_entity(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300)) {
        let page = Page { json_ld: vec![String::from_utf8_lossy(&bytes).into_owned()], header_footer: String::from_utf8_lossy(&bytes).into_owned(), ..Page::read(&bytes, None) };
        let entity = read_entity(&page, "tin.example");
        let _ = find_disagreements(&entity);
    }

    #[test]
    fn any_graph_has_an_entity(json in "[\\[\\]{},:]{0,8}(\"(@type|@id|@graph|name|address|telephone|publisher|Organization|Person|x)\"[:,\\]}\\[{]{0,3}){0,20}") {
        let entity = json_ld(&json);
        proptest::prop_assert_eq!(entity.owner_found, entity.name.is_some() && entity.subject.is_some());
    }

    #[test]
    fn comparing_is_symmetric(a in "[0-9a-zA-Z+() .,]{0,20}", b in "[0-9a-zA-Z+() .,]{0,20}") {
        for fact in [FactName::Name, FactName::Telephone, FactName::Address] {
            let (x, y) = (stated(fact, &a), stated(fact, &b));
            proptest::prop_assert_eq!(compare_facts(fact, &x, &y), compare_facts(fact, &y, &x));
            if !x.normalized.is_empty() && fact != FactName::Telephone {
                proptest::prop_assert_eq!(compare_facts(fact, &x, &x), Agreement::Same);
            }
        }
    }
}
