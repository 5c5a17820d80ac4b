use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// As wide as `serde_json`, which refuses the 128th level.
const WIDE: Limits = Limits {
    bytes: usize::MAX,
    depth: 127,
    values: usize::MAX,
    max_integer: None,
    bom: Bom::Reject,
};
const KEEP: OnDuplicate = OnDuplicate::KeepLast { report_at_most: 1_000 };

fn parse_wide(bytes: &[u8]) -> Result<Parsed, Error> {
    parse(bytes, &WIDE, KEEP)
}

fn kind_of(text: &str, limits: &Limits, on_duplicate: OnDuplicate) -> Option<ErrorKind> {
    parse(text.as_bytes(), limits, on_duplicate).err().map(|error| error.kind)
}

/// Same value or same error text as `serde_json`.
fn assert_agrees(bytes: &[u8]) {
    let ours = parse_wide(bytes);
    let theirs = serde_json::from_slice::<Value>(bytes);
    let shown = String::from_utf8_lossy(bytes);
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => assert_eq!(ours.value, theirs, "{shown:?}"),
        (Err(ours), Err(theirs)) => {
            assert_eq!(ours.to_string(), theirs.to_string(), "{shown:?}");
            assert_eq!(ours.kind == ErrorKind::NotUtf8, std::str::from_utf8(bytes).is_err());
        }
        (ours, theirs) => panic!("{shown:?}: {ours:?} and {theirs:?}"),
    }
}

#[test]
fn agrees_with_serde_json() {
    for text in [
        "",
        " ",
        "\n\n",
        "nul",
        "nulL",
        "truex",
        "True",
        "NaN",
        "{",
        "{}}",
        "{} {}",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{\"a\" 1}",
        "{a:1}",
        "{\"a\":1 \"b\":2}",
        "{,}",
        "{\n\"a\":\n}",
        "[1]//",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800",
        "\"\\ud800\\",
        "\"\\ud800x\"",
        "\"\\ud800\\n\"",
        "\"\\ud800\\ud800\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12",
        "\"\\u12g4\"",
        "\"\\u+123\"",
        "\"\\",
        "\"\\\"",
        "\"a\nb\"",
        "\"",
        "\"\0\"",
        "01",
        "-01",
        "[01]",
        "{\"a\":00}",
        "0 1",
        "-",
        "-x",
        "+1",
        ".5",
        "5.",
        "5.x",
        "1e",
        "1e+",
        "1e+x",
        "0x10",
        "1_0",
        "--1",
        "1e309",
        "-1e999999999999999",
        "0e999999999999",
        "-0e-999999999999",
        "1e-999999999999",
        "0",
        "-0",
        "-0.0",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "9007199254740993.0",
        "5e-324",
        "2.5e-324",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "123456789012345678901234567890e-10",
        "0.1234567890123456789012345678901234567890",
        "\u{feff}1",
        "\u{a0}1",
        "1\u{c}",
        "\"\\u00e9\\ud83d\\ude00\\/\"",
    ] {
        assert_agrees(text.as_bytes());
    }
    for bytes in [
        &b"\"\xff\""[..],
        b"[\"ab\\n\xff c\"]",
        b"\"a\xe2\\u00e9\"",
        b"\"a\xff\\q\"",
        b"[1,] \xff",
        b"\xff",
        b"\"\xff",
        b"{\"\xc0\x80\":1}",
    ] {
        assert_agrees(bytes);
    }
    assert_agrees("9".repeat(400).as_bytes());
    for depth in [126, 127, 128, 129, 100_000] {
        assert_agrees("[".repeat(depth).as_bytes());
        assert_agrees(format!("{}{}", "[".repeat(depth), "]".repeat(depth)).as_bytes());
    }
}

#[test]
fn limits_hold() {
    let limits = Limits { bytes: 10, depth: 2, values: 5, max_integer: Some(99), bom: Bom::Reject };
    let kind = |text| kind_of(text, &limits, KEEP);
    assert_eq!(kind("[[1,2,3]] "), None);
    assert_eq!(kind("[[1,2,3]]  "), Some(ErrorKind::TooLarge));
    assert_eq!(kind("[{\"a\":[]}]"), Some(ErrorKind::TooDeep));
    assert_eq!(kind("[99,-99]"), None);
    assert_eq!(kind("[1,2,3,4]"), None);
    for text in ["[1,2,3,4,5]", "[[],[],[],[],[]]", r#"{"a":[1,2,3,4]}"#] {
        let limits = Limits { bytes: 100, ..limits };
        assert_eq!(kind_of(text, &limits, KEEP), Some(ErrorKind::TooManyValues), "{text}");
    }
    for number in ["100", "-100", "18446744073709551616", "-18446744073709551616"] {
        let limits = Limits { bytes: 100, ..limits };
        assert_eq!(kind_of(number, &limits, KEEP), Some(ErrorKind::IntegerTooLarge), "{number}");
    }
    assert_eq!(parse(b"-0", &limits, KEEP).unwrap().value, json!(0));
    assert_eq!(parse(b"1e3", &limits, KEEP).unwrap().value, json!(1000.0));
}

#[test]
fn a_byte_order_mark_is_skipped_or_refused() {
    let marked = b"\xef\xbb\xbf[1";
    let error = parse_wide(marked).unwrap_err();
    assert_eq!((error.kind, error.column), (ErrorKind::ExpectedValue, 1));
    let limits = Limits { bytes: 3, bom: Bom::Skip, ..WIDE };
    let error = parse(marked, &limits, KEEP).unwrap_err();
    assert_eq!((error.kind, error.column), (ErrorKind::ExpectedArrayEnd, 2));
    assert!(parse(b"\xef\xbb\xbf[1]", &limits, KEEP).unwrap().had_bom);
    assert!(!parse(b"[1]", &limits, KEEP).unwrap().had_bom);
}

#[test]
fn duplicates_are_refused_or_listed() {
    let text = r#"{"a":[0,{"x/y":1,"x~y":2,"x\u002fy":3}],"b":{"":1,"":2},"a":4}"#;
    let error = parse(text.as_bytes(), &WIDE, OnDuplicate::Reject).unwrap_err();
    assert_eq!((error.kind, error.offset), (ErrorKind::DuplicateMember, 25));
    let parsed = parse_wide(text.as_bytes()).unwrap();
    assert_eq!(parsed.value, json!({"a": 4, "b": {"": 2}}));
    let listed: Vec<&str> = parsed.duplicates.iter().map(Pointer::as_str).collect();
    assert_eq!(listed, ["/a/1/x~1y", "/b/", "/a"]);
    assert_eq!(parsed.duplicates[0].tokens().collect::<Vec<_>>(), ["a", "1", "x/y"]);
    let two = OnDuplicate::KeepLast { report_at_most: 2 };
    assert_eq!(parse(text.as_bytes(), &WIDE, two).unwrap().duplicates, parsed.duplicates[..2]);
    let error = parse_wide(&text.as_bytes()[..text.len() - 1]).unwrap_err();
    assert_eq!(error.duplicates, parsed.duplicates, "also those before an error");
}

#[test]
fn a_long_name_does_not_make_long_pointers() {
    let name = "é".repeat(100_000);
    let text = format!("{{\"{name}\":{{\"a\":1,\"a\":2}}}}");
    let parsed = parse_wide(text.as_bytes()).unwrap();
    assert_eq!(parsed.duplicates[0].as_str(), format!("/{}/a", "é".repeat(256)));
}

/// The values that ordinary and odd texts have, so that a change is noticed also if `serde_json` makes
/// the same one.
#[test]
fn values_of_ordinary_texts() {
    for (text, value) in [
        ("9007199254740993", json!(9_007_199_254_740_993_u64)),
        ("18446744073709551615", json!(u64::MAX)),
        ("-9223372036854775808", json!(i64::MIN)),
        ("18446744073709551616", json!(18_446_744_073_709_551_616.0)),
        ("1e20", json!(1e20)),
        ("1E-400", json!(0.0)),
        ("0.1", json!(0.1)),
        (r#""\u0000\u001f\u007f""#, json!("\0\u{1f}\u{7f}")),
        (r#""\ud83d\udc68\u200d\ud83d\udc69""#, json!("👨\u{200d}👩")),
        ("\"\u{202e}\u{feff}\u{e0041}\u{ffff}\"", json!("\u{202e}\u{feff}\u{e0041}\u{ffff}")),
        ("{\"é\":1,\"e\u{301}\":2}", json!({"é": 1, "e\u{301}": 2})),
        (r#"{"":{"":[]}}"#, json!({"": {"": []}})),
    ] {
        let parsed = parse_wide(text.as_bytes()).unwrap();
        assert_eq!(parsed.value, value, "{text}");
        assert!(parsed.duplicates.is_empty(), "{text}");
    }
    let minus_zero = parse_wide(b"-0").unwrap().value.as_f64().unwrap();
    assert!(minus_zero == 0.0 && minus_zero.is_sign_negative());
}

#[test]
fn hostile_texts_have_a_bounded_error() {
    const MIB: usize = 1 << 20;
    let limits = Limits { bytes: MIB + 16, depth: 64, bom: Bom::Skip, ..WIDE };
    let kind = |bytes: &[u8]| parse(bytes, &limits, KEEP).err().map(|error| error.kind);
    for (byte, expected) in [
        (b'[', ErrorKind::TooDeep),
        (b'9', ErrorKind::NumberTooLarge),
        (b' ', ErrorKind::UnexpectedEnd),
        (b'"', ErrorKind::TrailingData),
        (0, ErrorKind::ExpectedValue),
        (0xff, ErrorKind::NotUtf8),
    ] {
        assert_eq!(kind(&vec![byte; MIB]), Some(expected), "{byte:#x}");
    }
    let long = |begin: &str, repeated: &str, end: &str| {
        format!("{begin}{}{end}", repeated.repeat(MIB / repeated.len() - 16)).into_bytes()
    };
    assert_eq!(
        kind(&long("\"", "\\ud83d\\ude00", "\\ud800\"")),
        Some(ErrorKind::UnpairedSurrogate)
    );
    assert_eq!(kind(&long("1e", "9", "")), Some(ErrorKind::NumberTooLarge));
    assert_eq!(kind(&long("1e-", "9", "")), None);
    assert_eq!(kind(&long("0.", "0", "1")), None);
    // Only the first byte order mark is skipped.
    assert_eq!(kind(b"\xef\xbb\xbf\xef\xbb\xbf1"), Some(ErrorKind::ExpectedValue));
    assert_eq!(kind(b"1\xef\xbb\xbf"), Some(ErrorKind::TrailingData));
    assert_eq!(kind(b"1\0"), Some(ErrorKind::TrailingData));
    // Overlong forms, surrogates and cut sequences are not UTF-8.
    for bytes in
        [&b"\"\xc0\xaf\""[..], b"\"\xed\xa0\x80\"", b"\"\xf4\x90\x80\x80\"", b"\"\xe2\x82\""]
    {
        assert_eq!(kind(bytes), Some(ErrorKind::NotUtf8), "{bytes:x?}");
    }
}

#[test]
fn many_duplicates_under_long_names_are_listed_briefly() {
    let open = format!("{{\"{}\":", "~".repeat(1_000)).repeat(60);
    let text = format!("{open}{{{}\"a\":0}}{}", "\"a\":0,".repeat(10_000), "}".repeat(60));
    let twenty = OnDuplicate::KeepLast { report_at_most: 20 };
    let duplicates = parse(text.as_bytes(), &WIDE, twenty).unwrap().duplicates;
    assert_eq!(duplicates.len(), 20);
    assert!(duplicates.iter().all(|pointer| pointer.as_str().len() == 60 * (1 + 2 * 256) + 2));
}

/// Pieces of JSON in any order, good and bad.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        &b"{"[..],
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"{\"a\":",
        b",\"a\":",
        b",\"b\":",
        b"\"",
        b"\"a\"",
        b"1",
        b"0",
        b"-",
        b"-0",
        b".5",
        b"e9",
        b"e99999999999",
        b"true",
        b"tru",
        b"null",
        b" ",
        b"\n",
        b"\"\\u",
        b"\\ud83d",
        b"\\ude00",
        b"00e9",
        b"\\n",
        b"\\",
        b"\xc3\xa9",
        b"\xff",
        b"\x01",
        b"[]",
        b"x",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// A JSON text with few names, so that duplicates are common, and how many duplicates it has.
fn text_with_duplicates() -> impl Strategy<Value = (String, usize)> {
    let leaf = prop::sample::select(vec!["1", "-2.5", "\"x\"", "null", "\"\\u0061\""]);
    leaf.prop_map(|leaf| (leaf.to_owned(), 0)).prop_recursive(4, 40, 5, |inner| {
        let names = prop::sample::select(vec!["a", "b", "c", "d", "/~"]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| {
                let texts: Vec<&str> = items.iter().map(|(text, _)| text.as_str()).collect();
                (format!("[{}]", texts.join(" ,")), items.iter().map(|(_, count)| count).sum())
            }),
            prop::collection::vec((names, inner), 0..5).prop_map(|members| {
                let unique: HashSet<&str> = members.iter().map(|(name, _)| *name).collect();
                let inside: usize = members.iter().map(|(_, (_, count))| count).sum();
                let texts: Vec<String> =
                    members.iter().map(|(name, (text, _))| format!("\"{name}\": {text}")).collect();
                (format!("{{{}}}", texts.join(",\n")), inside + members.len() - unique.len())
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn any_bytes_as_serde_json(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        assert_agrees(&bytes);
    }

    #[test]
    fn any_pieces_as_serde_json(bytes in pieces()) {
        assert_agrees(&bytes);
    }

    #[test]
    fn damaged_texts_as_serde_json(
        (text, _) in text_with_duplicates(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        assert_agrees(text.as_bytes());
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        assert_agrees(&bytes);
        assert_agrees(&bytes[..at]);
    }

    #[test]
    fn doubles_as_serde_json(number in prop::num::f64::ANY, digits in "-?[0-9]{1,40}(\\.[0-9]{1,40})?([eE][+-]?[0-9]{1,4})?") {
        assert_agrees(number.to_string().as_bytes());
        assert_agrees(digits.as_bytes());
    }

    #[test]
    fn duplicates_are_found_exactly((text, count) in text_with_duplicates()) {
        let parsed = parse_wide(text.as_bytes()).unwrap();
        prop_assert_eq!(parsed.duplicates.len(), count);
        for pointer in &parsed.duplicates {
            // Inside a value that was replaced later, it may point nowhere.
            let outermost = pointer.tokens().count() == 1;
            prop_assert!(!outermost || parsed.value.pointer(pointer.as_str()).is_some());
        }
        let refused = kind_of(&text, &WIDE, OnDuplicate::Reject);
        prop_assert_eq!(refused, (count > 0).then_some(ErrorKind::DuplicateMember));
    }

    #[test]
    fn narrow_limits_never_panic(bytes in pieces(), depth in 0_usize..4, most in 0_usize..40) {
        let limits = Limits { bytes: most, depth, values: most, max_integer: Some(7), bom: Bom::Skip };
        if let Ok(parsed) = parse(&bytes, &limits, OnDuplicate::Reject) {
            prop_assert!(bytes.len() <= most && parsed.duplicates.is_empty());
        }
    }
}
