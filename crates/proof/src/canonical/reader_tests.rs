use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::{document_digest, parse_strict, value_to_vec};
use super::*;

fn members(value: &Value) -> &Map<String, Value> {
    value.as_object().unwrap()
}

/// What is read here must be what the strict parser reads, with the same digest.
fn read(bytes: &[u8]) -> Option<Value> {
    let tree = read_object(bytes)?;
    let root = tree.root().unwrap();
    let strict = parse_strict(bytes).unwrap();
    assert_eq!(root.to_value(), strict);
    for (name, value) in members(&strict) {
        let member = root.get(name).unwrap();
        assert_eq!(&member.to_value(), value, "{name}");
        assert_eq!(member.as_str(), value.as_str());
        assert_eq!(member.as_u64(), value.as_u64());
        assert_eq!(member.source().as_bytes(), value_to_vec(value).unwrap());
        assert!(member.get("").is_none() || value.get("").is_some());
    }
    assert_eq!(root.children().count(), members(&strict).len());
    assert!(root.get("no such member").is_none());
    assert_eq!(root.document_digest(), document_digest(members(&strict)).unwrap());
    Some(strict)
}

#[test]
fn reads_what_is_canonical() {
    for text in [
        "{}",
        r#"{"a":1}"#,
        r#"{"a":{},"b":[],"c":[[{"x":null}],true,false]}"#,
        r#"{"a":-1,"b":0,"c":0.5,"d":1e+21,"e":5e-324,"f":9007199254740991,"g":-9007199254740991}"#,
        r#"{"a":"\"\\\b\t\n\f\r\u0000\u000b\u001f/ä€😀","ä":"","ﬀ":1}"#,
        // Where signing puts the two members, where sorting puts them, and one of them only.
        r#"{"a":1,"z":{"sha256":1,"signature":2},"sha256":"x","signature":{"a":1}}"#,
        r#"{"a":1,"sha256":"x","signature":{"a":1},"z":2}"#,
        r#"{"z":1,"sha256":"x"}"#,
        r#"{"sha256":"x"}"#,
        "{\"a\":1} \r\n\t",
    ] {
        assert!(read(text.as_bytes()).is_some(), "{text}");
    }
}

#[test]
fn leaves_everything_else_to_the_strict_parser() {
    let deep = |levels: usize| format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
    assert!(read(deep(MAX_DEPTH).as_bytes()).is_some());
    for text in [
        &deep(MAX_DEPTH + 1),
        "",
        " {}",
        "[]",
        "1",
        "{",
        "{}{}",
        "{} 1",
        r#"{"a" :1}"#,
        r#"{"a": 1}"#,
        r#"{"a":1 }"#,
        r#"{"a":[1, 2]}"#,
        r#"{"a":[1,]}"#,
        r#"{"a":1,}"#,
        r#"{,"a":1}"#,
        r#"{"a"}"#,
        r#"{"a":}"#,
        r#"{a:1}"#,
        r#"{"a":tru}"#,
        // Order and repetition.
        r#"{"b":1,"a":2}"#,
        r#"{"a":1,"a":2}"#,
        r#"{"x":{"z":1,"sha256":"x"}}"#,
        r#"{"z":1,"signature":{}}"#,
        r#"{"z":1,"signature":{},"sha256":"x"}"#,
        r#"{"z":1,"sha256":"x","signature":{},"a":1}"#,
        r#"{"z":1,"sha256":"x","a":1}"#,
        r#"{"z":1,"sha256":"x","zz":1}"#,
        r#"{"sha256":"x","z":1,"sha256":"y"}"#,
        r#"{"sha256":"x","signature":1,"z":1,"sha256":"y","signature":2}"#,
        r#"{"z":1,"sha256":"x","signature":{},"signature":{}}"#,
        r#"{"😀":1}"#,
        // Texts that could be written shorter, or not at all.
        r#"{"a":"\/"}"#,
        r#"{"a":"\u0041"}"#,
        r#"{"a":"\u000A"}"#,
        r#"{"a":"\u000a"}"#,
        r#"{"a":"\u000B"}"#,
        r#"{"a":"\u0022"}"#,
        r#"{"a":"\ud83d\ude00"}"#,
        r#"{"a":"\ud83d"}"#,
        r#"{"a":"\x"}"#,
        r#"{"a":"\u00"#,
        r#"{"a":"\"#,
        r#"{"a":"x"#,
        "{\"a\":\"\n\"}",
        "\u{feff}{}",
        // Numbers.
        r#"{"a":01}"#,
        r#"{"a":-0}"#,
        r#"{"a":-}"#,
        r#"{"a":+1}"#,
        r#"{"a":1.0}"#,
        r#"{"a":0.50}"#,
        r#"{"a":.5}"#,
        r#"{"a":1e2}"#,
        r#"{"a":1e21}"#,
        r#"{"a":1E+21}"#,
        r#"{"a":-0.0}"#,
        r#"{"a":1e999}"#,
        r#"{"a":1-1}"#,
        r#"{"a":9007199254740992}"#,
        r#"{"a":-9007199254740992}"#,
        r#"{"a":100000000000000000000}"#,
    ] {
        assert!(read_object(text.as_bytes()).is_none(), "{text}");
    }
    assert!(read_object(b"{\"a\":\"\xff\"}").is_none());
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-9_007_199_254_740_991_i64..=9_007_199_254_740_991).prop_map(Value::from),
        any::<f64>().prop_map(|double| json!(double)),
        "[ -~]{0,20}".prop_map(Value::from),
        "\\PC{0,9}[\u{0}-\u{20}\"\\\\]?\\PC{0,9}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[a-z\u{e000}\"]{0,4}", inner, 0..6)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn canonical_form_is_read(value in any_json(), unsigned: bool) {
        let mut document = json!({ "value": value, "zz": 1 });
        let mut bytes = value_to_vec(&document).unwrap();
        if unsigned {
            bytes.pop();
            bytes.extend_from_slice(br#","sha256":"x","signature":{"v":1}}"#);
            document["sha256"] = "x".into();
            document["signature"] = json!({ "v": 1 });
        }
        // A whole number beyond 2^53 that was a double is no integer for the strict parser.
        if let Ok(strict) = parse_strict(&bytes) {
            prop_assert_eq!(read(&bytes), Some(strict));
        } else {
            prop_assert!(read_object(&bytes).is_none());
        }
    }

    /// Bytes are changed, removed and added at random: whatever is still read is read alike.
    #[test]
    fn what_is_read_here_is_what_the_strict_parser_reads(
        value in any_json(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3, any::<u8>()), 1..4),
    ) {
        let mut bytes = value_to_vec(&json!({ "v": value, "w": [1, -2.5], "x": "y" })).unwrap();
        const LIKELY: &[u8] = b"{}[]\",:\\ 0123456789-+.eEutfn\x00\x1f\xc3\xf0";
        for (place, edit, byte) in edits {
            let place = place.index(bytes.len());
            let byte = LIKELY.get(usize::from(byte)).copied().unwrap_or(byte);
            match edit {
                0 => bytes[place] = byte,
                1 => bytes.insert(place, byte),
                _ => drop(bytes.remove(place)),
            }
        }
        // Compares inside.
        read(&bytes);
    }
}
