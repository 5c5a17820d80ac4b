//! Responses as registries send them, and as nobody should.

mod bootstrap_files;
mod dates;
mod properties;

use contract::Timestamp;
use serde_json::{Value, json};

use super::*;

fn at(text: &str) -> Option<Timestamp> {
    Some(text.parse().unwrap())
}

/// A complete domain object as a large registry sends it.
fn full_object() -> Value {
    json!({
        "objectClassName": "domain",
        "handle": "123_DOMAIN-LAB",
        "ldhName": "SHOP.EXAMPLE",
        "status": ["client transfer prohibited", "active"],
        "events": [
            {"eventAction": "registration", "eventDate": "2019-03-04T10:11:12Z"},
            {"eventAction": "expiration", "eventDate": "2027-03-04T10:11:12Z"},
            {"eventAction": "last changed", "eventDate": "2026-03-01T08:00:00Z"},
            {"eventAction": "last update of RDAP database", "eventDate": "2026-11-15T00:00:00Z"},
        ],
        "entities": [{
            "objectClassName": "entity",
            "handle": "9999",
            "roles": ["registrar"],
            "publicIds": [{"type": "IANA Registrar ID", "identifier": "9999"}],
            "vcardArray": ["vcard", [
                ["version", {}, "text", "4.0"],
                ["fn", {}, "text", "Plain Names Ltd."],
            ]],
            "entities": [{"roles": ["abuse"], "vcardArray": ["vcard", [["fn", {}, "text", "Abuse desk"]]]}],
        }],
        "nameservers": [{"ldhName": "NS2.HOST.EXAMPLE."}, {"ldhName": "ns1.host.example"}],
        "secureDNS": {"delegationSigned": false},
    })
}

fn parse(object: &Value) -> Result<Registration, RdapFault> {
    parse_domain_object(object.to_string().as_bytes(), "shop.example")
}

/// The registration in [`full_object`] after a change.
fn parse_changed(change: impl FnOnce(&mut Value)) -> Result<Registration, RdapFault> {
    let mut object = full_object();
    change(&mut object);
    parse(&object)
}

#[test]
fn every_fact_of_a_complete_object_is_read() {
    assert_eq!(
        parse(&full_object()),
        Ok(Registration {
            registrar: Some("Plain Names Ltd.".into()),
            registrar_iana_id: Some("9999".into()),
            created: at("2019-03-04T10:11:12Z"),
            expires: at("2027-03-04T10:11:12Z"),
            changed: at("2026-03-01T08:00:00Z"),
            transferred_at: None,
            reregistered_at: None,
            nameservers: vec!["ns1.host.example".into(), "ns2.host.example".into()],
            dnssec: Some(false),
            status: vec!["active".into(), "client transfer prohibited".into()],
            redacted: Vec::new(),
        })
    );
}

#[test]
fn an_object_with_nothing_but_its_name_is_a_registration() {
    let bare = json!({"objectClassName": "domain", "ldhName": "shop.example"});
    assert_eq!(parse(&bare), Ok(Registration::default()));
    let nulls = json!({"objectClassName": "domain", "ldhName": "shop.example", "events": null,
        "entities": null, "nameservers": null, "secureDNS": null, "status": null, "redacted": null});
    assert_eq!(parse(&nulls), Ok(Registration::default()));
    let wrong = json!({"objectClassName": "domain", "ldhName": "shop.example", "events": 1,
        "entities": "x", "nameservers": true, "secureDNS": [], "status": {"a": 1}, "redacted": 7});
    assert_eq!(parse(&wrong), Ok(Registration::default()));
}

#[test]
fn the_name_must_be_the_requested_one() {
    for (ldh, unicode, expected) in [
        (json!("shop.example"), json!(null), Ok(())),
        (json!("Shop.Example."), json!(null), Ok(())),
        (json!(null), json!("shop.example"), Ok(())),
        (json!(""), json!("shop.example"), Ok(())),
        // The name in A-labels is what counts.
        (json!("shop.example"), json!("other.example"), Ok(())),
        (json!("other.example"), json!("shop.example"), Err(RdapFault::OtherName)),
        (json!("www.shop.example"), json!(null), Err(RdapFault::OtherName)),
        (json!("example"), json!(null), Err(RdapFault::OtherName)),
        (json!(null), json!(null), Err(RdapFault::Unnamed)),
        (json!(["shop.example"]), json!(null), Err(RdapFault::Unnamed)),
        (json!("a b"), json!(null), Err(RdapFault::Unnamed)),
    ] {
        let parsed = parse_changed(|object| {
            object["ldhName"] = ldh.clone();
            object["unicodeName"] = unicode.clone();
        });
        assert_eq!(parsed.map(drop), expected, "{ldh} {unicode}");
    }
}

#[test]
fn internationalised_names_are_compared_as_a_labels() {
    for object in [
        json!({"objectClassName": "domain", "ldhName": "xn--bcher-kva.example", "unicodeName": "bücher.example"}),
        json!({"objectClassName": "domain", "ldhName": "XN--BCHER-KVA.EXAMPLE."}),
        json!({"objectClassName": "domain", "unicodeName": "BÜCHER.example"}),
        json!({"objectClassName": "domain", "ldhName": "bücher.example"}),
    ] {
        let parsed = parse_domain_object(object.to_string().as_bytes(), "xn--bcher-kva.example");
        assert_eq!(parsed, Ok(Registration::default()), "{object}");
    }
    // Cyrillic е in place of e.
    let lookalike = json!({"objectClassName": "domain", "ldhName": "shop.еxample"});
    assert_eq!(parse(&lookalike), Err(RdapFault::OtherName));
}

#[test]
fn what_is_not_a_domain_is_told_apart() {
    for (object, expected) in [
        (json!({"errorCode": 404, "title": "Not found"}), RdapFault::ErrorObject(Some(404))),
        (json!({"errorCode": "429"}), RdapFault::ErrorObject(Some(429))),
        (json!({"errorCode": 70_000}), RdapFault::ErrorObject(None)),
        (json!({"errorCode": null}), RdapFault::ErrorObject(None)),
        (json!({"objectClassName": "entity", "handle": "X"}), RdapFault::NotADomain),
        (json!({"domainSearchResults": [full_object()]}), RdapFault::NotADomain),
        (json!([full_object()]), RdapFault::NotADomain),
        (json!("shop.example"), RdapFault::NotADomain),
        (json!({}), RdapFault::NotADomain),
    ] {
        assert_eq!(parse(&object), Err(expected), "{object}");
    }
    // An error that came in with a domain does not hide it.
    let both = parse_changed(|object| object["errorCode"] = json!(200));
    assert_eq!(both, parse(&full_object()));
}

#[test]
fn registrars_are_found_wherever_they_are() {
    let named = |name: &str, id: Option<&str>| {
        let ids = id.map(|id| json!([{"type": "IANA Registrar ID", "identifier": id}]));
        json!({"roles": ["registrar"], "publicIds": ids,
            "vcardArray": ["vcard", [["fn", {}, "text", name]]]})
    };
    let nest = |inner: Value| json!({"roles": ["technical"], "entities": [inner]});
    for (entities, expected) in [
        (json!([named("A", Some("1"))]), (Some("A"), Some("1"))),
        (json!([nest(named("A", Some("1")))]), (Some("A"), Some("1"))),
        (json!([nest(nest(named("A", None)))]), (Some("A"), None)),
        (json!([nest(nest(nest(nest(named("A", None)))))]), (None, None)),
        // Several: with an id rather than without one, then the first, and none that is deeper.
        (
            json!([named("A", None), named("B", Some("2")), named("C", Some("3"))]),
            (Some("B"), Some("2")),
        ),
        (json!([nest(named("B", Some("2"))), named("A", None)]), (Some("A"), None)),
        // One value in place of a list, and other forms of the card.
        (named("A", Some("1")), (Some("A"), Some("1"))),
        (json!([{"roles": "Registrar", "handle": "REG-1"}]), (Some("REG-1"), None)),
        (
            json!([{"roles": ["registrar"], "publicIds": {"type": "iana registrar id", "identifier": 292}}]),
            (None, Some("292")),
        ),
        (
            json!([{"roles": ["registrar"], "vcardArray": ["vcard", [["org", {}, "text", ["Org", "Unit"]]]]}]),
            (Some("Org"), None),
        ),
        (
            json!([{"roles": ["registrar"], "vcardArray": ["vcard", [["FN", {}, "text", "  "], ["org", {}, "text", "Org"]]]}]),
            (Some("Org"), None),
        ),
        (
            json!([{"roles": ["registrar"], "jscard_0": {"name": {"full": "JS Names"}}}]),
            (Some("JS Names"), None),
        ),
        (
            json!([{"roles": ["registrar"], "jscard": {"organizations": {"o": {"name": "JS Org"}}}}]),
            (Some("JS Org"), None),
        ),
        // Not a registrar, and not an id.
        (json!([{"roles": ["reseller", "registrant"], "handle": "X"}]), (None, None)),
        (
            json!([{"roles": ["registrar"], "handle": "A", "publicIds": [{"type": "IANA Registrar ID", "identifier": "12a"}, {"type": "VAT", "identifier": "12"}]}]),
            (Some("A"), None),
        ),
        (json!([{"roles": ["registrar"], "vcardArray": []}]), (None, None)),
    ] {
        let parsed = parse_changed(|object| object["entities"] = entities.clone()).unwrap();
        let found = (parsed.registrar.as_deref(), parsed.registrar_iana_id.as_deref());
        assert_eq!(found, expected, "{entities}");
    }
}

#[test]
fn names_of_registrars_are_safe_to_display() {
    let hostile = format!("a\u{202e}b\n{}", "x".repeat(5_000));
    let parsed = parse_changed(|object| {
        object["entities"][0]["vcardArray"][1][1][3] = json!(hostile);
    });
    let name = parsed.unwrap().registrar.unwrap();
    assert!(name.starts_with("a\u{fffd}b x"), "{name}");
    assert_eq!(name.chars().count(), 200);
}

#[test]
fn nothing_about_the_registrant_is_read() {
    let parsed = parse_changed(|object| {
        let person = json!({"roles": ["registrant"], "handle": "P1", "vcardArray": ["vcard", [
            ["fn", {}, "text", "Jane Person"], ["email", {}, "text", "jane@person.example"]]]});
        object["entities"].as_array_mut().unwrap().insert(0, person);
    });
    let shown = format!("{:?}", parsed.unwrap());
    assert!(!shown.contains("Person") && !shown.contains("person"), "{shown}");
}

#[test]
fn the_newest_event_of_each_kind_counts() {
    let parsed = parse_changed(|object| {
        object["events"] = json!([
            {"eventAction": "registration", "eventDate": "2012-01-01T00:00:00Z"},
            {"eventAction": "Registration", "eventDate": "2020-01-01T00:00:00Z"},
            {"eventAction": "transfer", "eventDate": "2021-01-01T00:00:00Z"},
            {"eventAction": "transfer", "eventDate": "2024-01-01T00:00:00Z"},
            {"eventAction": "transfer", "eventDate": "2022-01-01T00:00:00Z"},
            {"eventAction": "transfer", "eventDate": "soon"},
            {"eventAction": "reregistration", "eventDate": "2020-01-01T00:00:00Z"},
            {"eventAction": "reinstantiation", "eventDate": "2020-02-01T00:00:00Z"},
            {"eventAction": "registrar expiration", "eventDate": "2028-01-01T00:00:00Z"},
            {"eventAction": "last changed"},
            {"eventAction": 5, "eventDate": "2020-02-01T00:00:00Z"},
            null,
        ]);
    });
    let parsed = parsed.unwrap();
    assert_eq!(parsed.created, at("2020-01-01T00:00:00Z"));
    assert_eq!(parsed.transferred_at, at("2024-01-01T00:00:00Z"));
    assert_eq!(parsed.reregistered_at, at("2020-02-01T00:00:00Z"));
    assert_eq!(parsed.changed, None);
    // The registrar's date stands in for the registry's only where there is no other.
    assert_eq!(parsed.expires, at("2028-01-01T00:00:00Z"));
    let both = parse_changed(|object| {
        let events = object["events"].as_array_mut().unwrap();
        events.push(
            json!({"eventAction": "registrar expiration", "eventDate": "2029-01-01T00:00:00Z"}),
        );
    });
    assert_eq!(both.unwrap().expires, at("2027-03-04T10:11:12Z"));
}

#[test]
fn status_words_are_those_of_rdap() {
    for (words, expected) in [
        (json!(["clientTransferProhibited", "ok"]), vec!["active", "client transfer prohibited"]),
        (
            json!(["client_hold", "SERVER-HOLD", "Pending Delete"]),
            vec!["client hold", "pending delete", "server hold"],
        ),
        (json!(["clientHold https://icann.org/epp#clientHold"]), vec!["client hold"]),
        (json!("redemptionPeriod"), vec!["redemption period"]),
        (json!(["client hold", "clientHold"]), vec!["client hold"]),
        (json!(["linked"]), vec!["associated"]),
        (json!(["someNewWord", "OTHER_NEW"]), vec!["other new", "some new word"]),
        (json!(["", " ", "https://icann.org/epp", 5, null]), vec![]),
    ] {
        let parsed = parse_changed(|object| object["status"] = words.clone()).unwrap();
        assert_eq!(parsed.status, expected, "{words}");
    }
}

#[test]
fn a_name_about_to_be_released_is_recognised() {
    for (word, expected) in [
        ("redemptionPeriod", true),
        ("pending delete", true),
        ("removed", true),
        ("pendingRestore", false),
        ("autoRenewPeriod", false),
    ] {
        let parsed = parse_changed(|object| object["status"] = json!([word])).unwrap();
        assert_eq!(parsed.is_being_released(), expected, "{word}");
    }
}

#[test]
fn signed_delegations_are_found_in_any_form() {
    for (secure, expected) in [
        (json!({"delegationSigned": true}), Some(true)),
        (json!({"delegationSigned": "true"}), Some(true)),
        (json!({"delegationSigned": "False"}), Some(false)),
        (json!({"delegationSigned": 1}), Some(true)),
        (json!({"delegationSigned": "perhaps"}), None),
        (
            json!({"dsData": [{"keyTag": 1, "algorithm": 13, "digest": "00", "digestType": 2}]}),
            Some(true),
        ),
        (json!({"keyData": {"flags": 257}}), Some(true)),
        (json!({"dsData": []}), None),
        (json!({"zoneSigned": true}), None),
        (json!("true"), None),
    ] {
        let parsed = parse_changed(|object| object["secureDNS"] = secure.clone()).unwrap();
        assert_eq!(parsed.dnssec, expected, "{secure}");
    }
}

#[test]
fn name_servers_come_in_one_form() {
    for (servers, expected) in [
        (
            json!([{"ldhName": "NS1.A.EXAMPLE."}, {"ldhName": "ns1.a.example"}]),
            vec!["ns1.a.example"],
        ),
        (json!(["b.example", "a.example."]), vec!["a.example", "b.example"]),
        (json!([{"unicodeName": "ns.bücher.example"}]), vec!["ns.xn--bcher-kva.example"]),
        (json!({"ldhName": "only.example"}), vec!["only.example"]),
        (json!([{"handle": "X"}, null, {"ldhName": "a b"}, {"ldhName": ""}]), vec![]),
    ] {
        let parsed = parse_changed(|object| object["nameservers"] = servers.clone()).unwrap();
        assert_eq!(parsed.nameservers, expected, "{servers}");
    }
    let many: Vec<Value> =
        (0..1_000).map(|n| json!({"ldhName": format!("ns{n}.example")})).collect();
    let parsed = parse_changed(|object| object["nameservers"] = json!(many)).unwrap();
    assert_eq!(parsed.nameservers.len(), 64);
}

#[test]
fn redactions_are_listed_by_name() {
    let parsed = parse_changed(|object| {
        object["redacted"] = json!([
            {"name": {"type": "Registrant Name"}, "prePath": "$.entities[0]", "method": "removal"},
            {"name": {"description": "Expiry date"}, "reason": {"description": "Server policy"}},
            {"name": {}}, {"name": {"type": ""}}, {}, null,
        ]);
    });
    assert_eq!(parsed.unwrap().redacted, ["Expiry date", "Registrant Name"]);
}

#[test]
fn too_much_is_refused_and_broken_json_is_told_apart() {
    let large =
        format!("{{\"ldhName\":\"shop.example\",\"x\":\"{}\"}}", "x".repeat(MAX_RESPONSE_BYTES));
    let deep =
        format!("{{\"ldhName\":\"shop.example\",\"x\":{}{}}}", "[".repeat(100), "]".repeat(100));
    let wide = format!("{{\"ldhName\":\"shop.example\",\"x\":[{}1]}}", "1,".repeat(60_000));
    for body in [&large, &deep, &wide] {
        assert_eq!(parse_domain_object(body.as_bytes(), "shop.example"), Err(RdapFault::TooLarge));
    }
    let whole = full_object().to_string();
    let half: String = whole.chars().take(whole.len() / 2).collect();
    for body in [half.as_str(), "", "<!doctype html><title>RDAP</title>", "{'a': 1}"] {
        assert_eq!(parse_domain_object(body.as_bytes(), "shop.example"), Err(RdapFault::NotJson));
    }
    assert_eq!(
        parse_domain_object(b"{\"ldhName\":\"\xff\"}", "shop.example"),
        Err(RdapFault::NotJson)
    );
    let marked = format!("\u{feff}{whole}");
    assert_eq!(parse_domain_object(marked.as_bytes(), "shop.example"), parse(&full_object()));
}

#[test]
fn of_duplicate_members_the_last_counts() {
    let twice =
        r#"{"objectClassName":"domain","ldhName":"other.example","ldhName":"shop.example"}"#;
    assert_eq!(parse_domain_object(twice.as_bytes(), "shop.example"), Ok(Registration::default()));
    let other =
        r#"{"objectClassName":"domain","ldhName":"shop.example","ldhName":"other.example"}"#;
    assert_eq!(parse_domain_object(other.as_bytes(), "shop.example"), Err(RdapFault::OtherName));
}
