//! What holds for any response.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::*;
use super::full_object;

/// Any JSON, with the words of domain objects as names.
fn any_json() -> impl Strategy<Value = Value> {
    let names = [
        "entities",
        "roles",
        "events",
        "eventAction",
        "eventDate",
        "vcardArray",
        "publicIds",
        "type",
        "identifier",
        "nameservers",
        "ldhName",
        "unicodeName",
        "secureDNS",
        "delegationSigned",
        "status",
        "redacted",
        "name",
        "handle",
        "jscard",
        "errorCode",
        "objectClassName",
        "services",
    ];
    let name = prop::sample::select(names.to_vec()).prop_map(str::to_owned);
    let words = prop::sample::select(vec![
        "registrar",
        "registration",
        "domain",
        "fn",
        "2026-11-15",
        "shop.example",
        "IANA Registrar ID",
        "9",
        "",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        words.prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(name.clone(), inner, 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn check_bounds(registration: &Registration) {
    assert!(registration.nameservers.len() <= 64);
    assert!(registration.status.len() <= 32 && registration.redacted.len() <= 32);
    let texts =
        registration.nameservers.iter().chain(&registration.status).chain(&registration.redacted);
    let texts = texts.chain(&registration.registrar).chain(&registration.registrar_iana_id);
    for text in texts {
        assert!(!text.is_empty() && text.chars().count() <= 253, "{text:?}");
    }
    // What is stored comes back.
    let stored = serde_json::to_string(registration).unwrap();
    assert_eq!(serde_json::from_str::<Registration>(&stored).unwrap(), *registration);
}

proptest! {
    #[test]
    fn no_bytes_panic(body in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse_domain_object(&body, "shop.example");
        let _ = Bootstrap::parse(&body);
    }

    #[test]
    fn any_json_is_read_within_bounds(members in any_json(), replaced in any_json()) {
        let mut object = full_object();
        if let (Some(object), Value::Object(members)) = (object.as_object_mut(), members) {
            object.extend(members);
            object.insert("ldhName".into(), json!("shop.example"));
            object.insert("objectClassName".into(), json!("domain"));
        }
        let parsed = parse_domain_object(object.to_string().as_bytes(), "shop.example");
        check_bounds(&parsed.unwrap());
        if let Ok(parsed) = parse_domain_object(replaced.to_string().as_bytes(), "shop.example") {
            check_bounds(&parsed);
        }
        let _ = Bootstrap::parse(json!({"services": [[replaced, ["https://a.example/"]]]}).to_string().as_bytes());
    }

    #[test]
    fn a_part_of_a_response_is_never_a_registration(length in 0_usize..2_000) {
        let whole = full_object().to_string();
        let part = whole.get(..length.min(whole.len() - 1)).unwrap_or_default();
        prop_assert_eq!(parse_domain_object(part.as_bytes(), "shop.example"), Err(RdapFault::NotJson));
    }
}
