use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;
use serde::Serialize;
use serde_json::json;

use super::*;

fn canonical(value: &Value) -> String {
    String::from_utf8(value_to_vec(value).unwrap()).unwrap()
}

#[test]
fn writes_the_one_form() {
    for (value, expected) in [
        (json!(null), "null"),
        (json!([]), "[]"),
        (json!({}), "{}"),
        (json!([true, false, [], {}]), "[true,false,[],{}]"),
        (json!({ "b": 1, "a": { "d": [], "c": null } }), r#"{"a":{"c":null,"d":[]},"b":1}"#),
        (json!({ "": 0, "10": 0, "1": 0, "A": 0, "a": 0 }), r#"{"":0,"1":0,"10":0,"A":0,"a":0}"#),
    ] {
        assert_eq!(canonical(&value), expected);
    }
}

#[test]
fn orders_names_by_utf16_units_not_by_bytes() {
    // In UTF-8 and by code point the last two stand the other way round.
    let value = json!({ "\u{ffff}": 1, "\u{10000}": 2, "\u{e000}": 3, "z": 4, "\u{1f600}a": 5 });
    let expected = "{\"z\":4,\"\u{10000}\":2,\"\u{1f600}a\":5,\"\u{e000}\":3,\"\u{ffff}\":1}";
    assert_eq!(canonical(&value), expected);
    assert_eq!(to_vec(&value).unwrap(), expected.as_bytes());
}

/// Text with many characters from both sides of the borders where UTF-8 and UTF-16 sort differently.
fn near_the_borders() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        Just('a'),
        Just('\u{7f}'),
        Just('\u{80}'),
        Just('\u{d7ff}'),
        Just('\u{e000}'),
        Just('\u{ffff}'),
        Just('\u{10000}'),
        Just('\u{10ffff}'),
        any::<char>(),
    ];
    proptest::collection::vec(character, 0..6).prop_map(|text| text.into_iter().collect())
}

proptest! {
    #[test]
    fn compares_names_by_utf16_units(a in near_the_borders(), b in near_the_borders()) {
        prop_assert_eq!(compare_utf16(&a, &b), a.encode_utf16().cmp(b.encode_utf16()));
    }
}

/// Serialised with its members out of order, on several levels.
#[derive(Serialize)]
struct OutOfOrder {
    z: Inner,
    b: Vec<Inner>,
    a: BTreeMap<String, Inner>,
    kind: &'static str,
}

#[derive(Clone, Serialize)]
enum Inner {
    Tuple(u8, bool),
    Struct { y: u8, x: Box<Option<Inner>> },
    Unit,
}

#[test]
fn members_are_put_in_order_on_every_level() {
    let leaf = Inner::Struct { y: 1, x: Box::new(None) };
    let inner = Inner::Struct { y: 2, x: Box::new(Some(leaf)) };
    let names = ["\u{ffff}", "\u{10000}", ""].map(|name| (name.to_owned(), inner.clone()));
    let record = OutOfOrder {
        z: inner.clone(),
        b: vec![Inner::Unit, inner, Inner::Tuple(3, true)],
        a: names.into(),
        kind: "svc-a",
    };
    let value = serde_json::to_value(&record).unwrap();
    let expected = value_to_vec(&value).unwrap();
    assert_eq!(to_vec(&record).unwrap(), expected);
    assert_eq!(append(b"before".to_vec(), &record).unwrap(), [b"before", &expected[..]].concat());
    let object = serialize_object(&record).unwrap();
    assert_eq!(object.member("kind"), Some(&b"\"svc-a\""[..]));
    assert_eq!(object.member("b"), Some(&value_to_vec(&value["b"]).unwrap()[..]));
}

#[test]
fn escapes_what_must_be_and_nothing_else() {
    for (text, expected) in [
        ("\u{8}\t\n\u{c}\r\"\\/", r#""\b\t\n\f\r\"\\/""#),
        ("\0\u{1}\u{1f}\u{b}", r#""\u0000\u0001\u001f\u000b""#),
        ("\u{7f}\u{80}\u{2028}é€😀<>&", "\"\u{7f}\u{80}\u{2028}é€😀<>&\""),
    ] {
        assert_eq!(canonical(&json!(text)), expected);
    }
    // At every distance from the borders of the blocks that are tested as a whole.
    for length in 0..70 {
        for at in 0..=length {
            let text = format!("{}\"{}", "x".repeat(at), "y".repeat(length - at));
            let expected = format!("\"{}\\\"{}\"", "x".repeat(at), "y".repeat(length - at));
            assert_eq!(canonical(&json!(text)), expected);
        }
    }
}

#[test]
fn writes_numbers_as_ecmascript_does() {
    for (number, expected) in [
        (json!(0), "0"),
        (json!(-0.0), "0"),
        (json!(-1), "-1"),
        (json!(10), "10"),
        (json!(9_007_199_254_740_991_u64), "9007199254740991"),
        (json!(-9_007_199_254_740_991_i64), "-9007199254740991"),
        (json!(1.0), "1"),
        (json!(0.1), "0.1"),
        (json!(1e21), "1e+21"),
        (json!(1e20), "100000000000000000000"),
        (json!(1e-6), "0.000001"),
        (json!(1e-7), "1e-7"),
        (json!(5e-324), "5e-324"),
        (json!(f64::MAX), "1.7976931348623157e+308"),
        (json!(0.3333), "0.3333"),
        (json!(-1.5e-9), "-1.5e-9"),
    ] {
        assert_eq!(canonical(&number), expected);
    }
    for refused in [
        json!(9_007_199_254_740_992_u64),
        json!(u64::MAX),
        json!(-9_007_199_254_740_992_i64),
        json!(i64::MIN),
    ] {
        assert!(matches!(value_to_vec(&refused), Err(ProofError::NotCanonical(_))), "{refused}");
        assert!(matches!(to_vec(&refused), Err(ProofError::NotCanonical(_))), "{refused}");
    }
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(
        json!(0),
        |inner, level| if level % 2 == 0 { json!([inner]) } else { json!({ "a": inner }) },
    )
}

#[test]
fn nests_so_deep_and_no_deeper() {
    let deepest = nested(MAX_DEPTH);
    let bytes = value_to_vec(&deepest).unwrap();
    assert_eq!(to_vec(&deepest).unwrap(), bytes);
    assert_eq!(parse_strict(&bytes).unwrap(), deepest);
    let too_deep = nested(MAX_DEPTH + 1);
    assert!(value_to_vec(&too_deep).is_err());
    assert!(to_vec(&too_deep).is_err());
    assert!(parse_strict(too_deep.to_string().as_bytes()).is_err());
    assert!(parse_strict("[".repeat(1_000_000).as_bytes()).is_err());
    assert!(parse_strict("{\"a\":".repeat(1_000_000).as_bytes()).is_err());
}

#[derive(Serialize)]
struct Types {
    zebra: Option<u8>,
    apple: (i32, char, bool),
    unit: (),
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u8>,
    bytes: [u8; 2],
    shapes: Vec<Shape>,
    by_number: BTreeMap<u32, &'static str>,
    wide: u128,
    double: f64,
}

#[derive(Serialize)]
enum Shape {
    Plain,
    New(i64),
    Pair(u8, u8),
    Named { z: u8, a: u8 },
}

#[test]
fn types_and_values_give_the_same_bytes() {
    let types = Types {
        zebra: None,
        apple: (-5, 'ä', true),
        unit: (),
        left_out: None,
        bytes: [1, 2],
        shapes: vec![Shape::Plain, Shape::New(1), Shape::Pair(2, 3), Shape::Named { z: 1, a: 2 }],
        by_number: BTreeMap::from([(9, "nine"), (10, "ten")]),
        wide: 12,
        double: 0.25,
    };
    let expected = concat!(
        r#"{"apple":[-5,"ä",true],"by_number":{"10":"ten","9":"nine"},"bytes":[1,2],"double":0.25,"#,
        r#""shapes":["Plain",{"New":1},{"Pair":[2,3]},{"Named":{"a":2,"z":1}}],"unit":null,"wide":12,"zebra":null}"#
    );
    assert_eq!(String::from_utf8(to_vec(&types).unwrap()).unwrap(), expected);
    assert_eq!(canonical(&serde_json::to_value(&types).unwrap()), expected);
}

#[test]
fn refuses_types_without_a_form() {
    assert!(to_vec(&f64::NAN).is_err());
    assert!(to_vec(&[f64::INFINITY]).is_err());
    assert!(to_vec(&0.5_f32).is_err(), "two decimal forms");
    assert!(to_vec(&u128::MAX).is_err());
    assert!(to_vec(&i128::MIN).is_err());
    assert!(to_vec(&HashMap::from([((1, 2), 3)])).is_err(), "a name that is no text");
    struct Twice;
    impl Serialize for Twice {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map([("a", 1), ("a", 2)])
        }
    }
    assert!(to_vec(&Twice).is_err(), "a name that comes twice");
}

#[test]
fn digests_cover_all_but_the_seal() {
    let mut document =
        json!({ "kind": "svc-a", "sha": 1, "nested": { "sha256": "kept", "signature": "kept" } });
    let output = canonicalize_and_hash(document.as_object().unwrap()).unwrap();
    assert_eq!(output.canonical, canonical(&document).into_bytes());
    assert_eq!(output.digest, sha256(&output.canonical));
    document["sha256"] = json!("x");
    document["signature"] = json!({});
    let members = document.as_object().unwrap();
    assert_eq!(document_digest(members).unwrap(), output.digest);
    assert!(canonicalize_and_hash(members).is_err());
    assert_eq!(
        document_digest(json!({ "sha256": 1 }).as_object().unwrap()).unwrap(),
        sha256(b"{}")
    );
}

#[test]
fn reads_json() {
    for text in [
        r#" { "a" : [ 1 , -2.5e+3 , 0 , -0 , 0.0 , 1E2 , 1e-2 ] , "b" : "\u0041\/\b\f\n\r\t\"\\" , "c":null }	"#,
        r#"["\ud83d\ude00", "\uD83D\uDE00", "😀", "\u0000", "\uffff"]"#,
        "\r\n\t true",
        "false",
        "\"\"",
        "9007199254740991",
        "-9007199254740991",
        "9007199254740993.0",
        "1e300",
        "1e-400",
        "{\"\":{}}",
    ] {
        let strict =
            parse_strict(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
        let usual: Value = serde_json::from_str(text).unwrap();
        assert_eq!(canonical(&strict), canonical(&usual), "{text}");
    }
}

#[test]
fn refuses_what_some_reader_would_read_otherwise() {
    for text in [
        "",
        " ",
        "nul",
        "truex",
        "True",
        "NaN",
        "Infinity",
        "'a'",
        "{",
        "{}}",
        "{} {}",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"a\":1,}",
        "{\"a\" 1}",
        "{a:1}",
        "{\"a\":1 \"b\":2}",
        "{,}",
        "[1]//",
        "/**/1",
        // repeated members, also when written otherwise
        r#"{"a":1,"a":1}"#,
        r#"{"a":1,"b":2,"\u0061":3}"#,
        r#"{"x":{"a":1,"a":2}}"#,
        // half surrogates
        r#""\ud800""#,
        r#""\udc00""#,
        r#""\ud800x""#,
        r#""\ud800\n""#,
        r#""\ud800\ud800""#,
        r#""\udc00\ud800""#,
        r#"{"\ud800":1}"#,
        // escapes and control characters
        r#""\x""#,
        r#""\u12""#,
        r#""\u12g4""#,
        r#""\u+123""#,
        r#""\""#,
        "\"a\nb\"",
        "\"\0\"",
        "\"",
        // numbers
        "01",
        "-",
        "+1",
        ".5",
        "5.",
        "1e",
        "1e+",
        "0x10",
        "1_0",
        "--1",
        "9007199254740992",
        "-9007199254740992",
        "18446744073709551616",
        "1e309",
        "-1e999999999",
        // marks and spaces that are none of JSON's
        "\u{feff}1",
        "\u{a0}1",
        "1\u{c}",
    ] {
        assert!(parse_strict(text.as_bytes()).is_err(), "{text:?}");
    }
    for bytes in [&b"\"\xff\""[..], b"\"\xed\xa0\x80\"", b"\"\xc0\x80\"", b"\xff", b"\"\xe2\x82\""]
    {
        assert!(
            matches!(parse_strict(bytes), Err(ProofError::Parse { why: "not UTF-8", .. })),
            "{bytes:?}"
        );
    }
}

#[test]
fn an_error_names_its_position() {
    let error = parse_strict(br#"{"a":1,"a":2}"#).unwrap_err();
    assert_eq!(error, ProofError::Parse { at: 7, why: "repeated member name" });
}
