//! The same document written in different ways: equal values are accepted, other values are refused, and
//! JSON on which parsers disagree is rejected.

use proof::verify::Conclusion::{Accepted, Refused};
use serde_json::{Value, json};

use super::cases::Cases;
use super::test_log::{TestKey, TestLog, signed_by};

const TIME: &str = "2026-11-14T12:00:01Z";

pub(crate) fn add(log: &TestLog, cases: &mut Cases) {
    whole_answers(log, cases);
    numbers(log, cases);
    texts(log, cases);
    broken(log, cases);
    depths(log, cases);
    damaged_bytes(log, cases);
}

/// A signed document with one extra member, and its text with `HERE` in place of that member's value.
fn with_hole(log: &TestLog, value: &Value) -> (String, String) {
    let brand = &log.brand;
    let document = json!({ "kind": brand.kind("note"), "v": 1, "value": value });
    let mut document = signed_by(document, TestKey::Documents, TIME, brand);
    let whole = document.to_string();
    document["value"] = json!("HERE");
    (whole, document.to_string())
}

fn whole_answers(log: &TestLog, cases: &mut Cases) {
    let answer = log.answer(2);
    let plain = answer.to_string();
    cases.text("indented", serde_json::to_string_pretty(&answer).unwrap(), Accepted, None);
    cases.text("white space around", format!(" \t\r\n{plain}\n\n"), Accepted, None);
    cases.text("members in reverse", reversed(&answer), Accepted, None);
    cases.text("every letter escaped", escaped(&plain), Accepted, None);
    cases.text("solidus escaped", plain.replace('/', "\\/"), Accepted, None);
    cases.text("byte order mark", format!("\u{feff}{plain}"), Refused, Some("parse"));
    cases.text("something behind", format!("{plain}x"), Refused, Some("parse"));
    cases.text("twice", format!("{plain}{plain}"), Refused, Some("parse"));
    cases.text("a zero byte behind", format!("{plain}\0"), Refused, Some("parse"));
    cases.text("a comma behind", format!("{plain},"), Refused, Some("parse"));
    cases.text("cut by one byte", &plain.as_bytes()[..plain.len() - 1], Refused, Some("parse"));
    cases.text("cut in half", &plain.as_bytes()[..plain.len() / 2], Refused, Some("parse"));
    cases.text("a form feed behind", format!("{plain}\u{c}"), Refused, Some("parse"));
    cases.text("a no-break space behind", format!("{plain}\u{a0}"), Refused, Some("parse"));
    cases.text("in a list", format!("[{plain}]"), Refused, Some("document"));
    cases.text("as a text", json!(plain).to_string(), Refused, Some("document"));
    let utf16: Vec<u8> = plain.encode_utf16().flat_map(u16::to_le_bytes).collect();
    cases.text("in UTF-16", utf16, Refused, Some("parse"));
    for (name, twice) in [
        ("domain first", plain.replacen('{', r#"{"domain":"else.example","#, 1)),
        ("domain last", format!("{},\"domain\":\"else.example\"}}", &plain[..plain.len() - 1])),
        ("v, the same", plain.replacen('{', r#"{"v":1,"#, 1)),
        ("kind, escaped", plain.replacen('{', r#"{"\u006bind":"x","#, 1)),
        ("signature", plain.replacen('{', r#"{"signature":null,"#, 1)),
        (
            "a decision, deep inside",
            plain.replacen(r#""read":{"#, r#""read":{"decision":"block","#, 1),
        ),
        ("the sth's batch", plain.replacen(r#""sth":{"#, r#""sth":{"batch":2,"#, 1)),
        ("a kid", plain.replacen(r#""jwk":{"#, r#""kid":"x","jwk":{"#, 1)),
    ] {
        assert_ne!(twice, plain, "{name}");
        cases.text(format!("twice: {name}"), twice, Refused, Some("parse"));
    }
    for text in [
        "", " ", "null", "true", "1", "\"\"", "[]", "{", "}", "nul", "nulll", "[1,]", "{,}",
        "tru e",
    ] {
        cases.text(format!("only {text:?}"), text, Refused, Some("document"));
    }
}

fn numbers(log: &TestLog, cases: &mut Cases) {
    let good: [(Value, &[&str]); 10] = [
        (json!(1), &["1", "1.0", "1e0", "10e-1", "0.1E+1", "1.00000000000000000001"]),
        (json!(100), &["100", "1e2", "1E2", "1e+2", "1e02", "100.0", "1000e-1"]),
        (json!(0), &["0", "-0", "0.0", "-0.0", "0e9", "1e-400", "-1e-400"]),
        (
            json!(0.1),
            &[
                "0.1",
                "1e-1",
                "0.10",
                "0.1000000000000000055511151231257827",
                "0.10000000000000000999",
            ],
        ),
        (json!(1e21), &["1e21", "1000000000000000000000.0", "1e+21", "1E21"]),
        (json!(1e-7), &["1e-7", "0.0000001", "1.0e-07"]),
        (json!(5e-324), &["5e-324", "4.9406564584124654e-324", "3e-324"]),
        (json!(f64::MAX), &["1.7976931348623157e308", "1.7976931348623158e308"]),
        (json!(-9_007_199_254_740_991_i64), &["-9007199254740991", "-9007199254740991.0"]),
        (
            json!(9_007_199_254_740_993.0_f64),
            &["9007199254740992.0", "9.007199254740993e15", "9007199254740992.5"],
        ),
    ];
    for (value, forms) in good {
        let (whole, hole) = with_hole(log, &value);
        cases.text(format!("number {value}"), whole, Accepted, None);
        for form in forms {
            let text = hole.replace("\"HERE\"", form);
            cases.text(format!("number {value} as {form}"), text, Accepted, None);
        }
    }
    let (_, hole) = with_hole(log, &json!(1));
    for other in
        ["1.0000000000000002", "2", "-1", "0.9999999999999999", "\"1\"", "true", "null", "[1]"]
    {
        let text = hole.replace("\"HERE\"", other);
        cases.text(format!("number 1 as {other}"), text, Refused, Some("digest"));
    }
    for broken in [
        "9007199254740992",
        "-9007199254740992",
        "18446744073709551616",
        "1e309",
        "-1e400",
        "01",
        "-01",
        "00",
        "+1",
        "1.",
        ".1",
        "1.e1",
        "1e",
        "1e+",
        "-",
        "--1",
        "1..2",
        "1e1.5",
        "0x10",
        "1_000",
        "NaN",
        "Infinity",
        "-Infinity",
        "1f",
        "\u{661}",
        "1 2",
        "1e1e1",
        "-.5",
        "- 1",
        "1,",
    ] {
        let text = hole.replace("\"HERE\"", broken);
        cases.text(format!("number {broken}"), text, Refused, Some("parse"));
    }
    // Where an integer is required, other spellings of the same value are refused.
    let answer = log.answer(2).to_string();
    let text = answer.replacen("Z\",\"v\":1}", "Z\",\"v\":1.0}", 1);
    assert_ne!(text, answer);
    cases.text("signature.v as 1.0", text, Refused, Some("signature form"));
    let index = log.answer(2)["transparency"]["index"].as_u64().unwrap();
    for (from, to) in [
        (format!("\"index\":{index},"), format!("\"index\":{index}.0,")),
        (
            "\"batch_size\":7,\"content_rule\"".to_owned(),
            "\"batch_size\":7e0,\"content_rule\"".to_owned(),
        ),
    ] {
        let text = answer.replacen(&from, &to, 1);
        assert_ne!(text, answer, "{from}");
        cases.text(format!("place with {to}"), text, Refused, Some("place"));
    }
}

fn texts(log: &TestLog, cases: &mut Cases) {
    let value = json!("é\u{7f}\u{2028}\u{1f310}\u{1}\t\"\\/");
    let (whole, hole) = with_hole(log, &value);
    cases.text("text plain", whole, Accepted, None);
    for form in [
        r#""\u00e9\u007F\u2028\uD83C\uDF10\u0001\u0009\u0022\u005c\u002f""#,
        "\"é\u{7f}\u{2028}\u{1f310}\\u0001\\t\\\"\\\\\\/\"",
    ] {
        cases.text(format!("text as {form}"), hole.replace("\"HERE\"", form), Accepted, None);
    }
    let other = hole.replace("\"HERE\"", "\"e\u{301}\u{7f}\u{2028}\u{1f310}\\u0001\\t\\\"\\\\/\"");
    cases.text("text decomposed", other, Refused, Some("digest"));
    for broken in [
        r#""\ud800""#,
        r#""\udc00""#,
        r#""\ud800\ud800""#,
        r#""\udc00\ud800""#,
        r#""\ud800x""#,
        r#""\ud800\n""#,
        r#""\ud800\u0041""#,
        r#""\u12g4""#,
        r#""\u123""#,
        r#""\x41""#,
        r#""\'""#,
        r#""\U0041""#,
        r#""\u{41}""#,
        "\"\t\"",
        "\"\n\"",
        "\"\u{0}\"",
        "\"\u{1f}\"",
        "\"",
        "'a'",
        "a",
        r#""\"#,
        r#""\u""#,
        "\"a\"\"b\"",
    ] {
        let text = hole.replace("\"HERE\"", broken);
        cases.text(format!("text {broken:?}"), text, Refused, Some("parse"));
    }
    let (before, after) = hole.split_once("HERE").unwrap();
    for (name, bytes) in [
        ("a byte of no letter", &[0xFF][..]),
        ("a letter cut short", &[0xC3]),
        ("a longer form than needed", &[0xC0, 0xAF]),
        ("half a pair as bytes", &[0xED, 0xA0, 0x80]),
        ("a pair as bytes", &[0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80]),
        ("beyond the last character", &[0xF4, 0x90, 0x80, 0x80]),
        ("a tail without a head", &[0x80]),
    ] {
        let text = [before.as_bytes(), bytes, after.as_bytes()].concat();
        cases.text(format!("not UTF-8: {name}"), text, Refused, Some("parse"));
    }
    let names = json!({ "\u{10000}": 1, "\u{ffff}": 2, "\u{e000}": 3, "z": 4, "é": 5, "e\u{301}": 6, "__proto__": 7,
        "constructor": { "__proto__": null }, "hasOwnProperty": [], "10": 1, "9": 2, "": 3, "\u{fb33}": 9 });
    let (whole, hole) = with_hole(log, &names);
    cases.text("names of all kinds", whole, Accepted, None);
    cases.text("names in reverse", hole.replace("\"HERE\"", &reversed(&names)), Accepted, None);
    let text = reversed(&names).replacen('{', r#"{"\u005f_proto__":7,"#, 1);
    cases.text("__proto__ twice", hole.replace("\"HERE\"", &text), Refused, Some("parse"));
    let swapped =
        reversed(&names).replace("\"é\":5", "\"é\":6").replace("\"e\u{301}\":6", "\"e\u{301}\":5");
    cases.text(
        "composed and decomposed swapped",
        hole.replace("\"HERE\"", &swapped),
        Refused,
        Some("digest"),
    );
    let proto = r#"{"__proto__":{"kind":"x"}}"#;
    cases.text(
        "__proto__ for all the rest",
        hole.replace("\"HERE\"", proto),
        Refused,
        Some("digest"),
    );
}

fn broken(log: &TestLog, cases: &mut Cases) {
    let (_, hole) = with_hole(log, &json!([1, { "a": 2 }]));
    for form in ["[1,{\"a\":2}]", " [ 1 , { \"a\" : 2 } ] ", "[\n1,\r\n\t{\"a\":\n2}]"] {
        cases.text(format!("list as {form:?}"), hole.replace("\"HERE\"", form), Accepted, None);
    }
    for form in [
        "[1,{\"a\":2},]",
        "[1,{\"a\":2,}]",
        "[,1]",
        "[1 2]",
        "[1,,2]",
        "[1",
        "{\"a\"}",
        "{\"a\":}",
        "{a:1}",
        "{1:1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":1,,}",
        "[1,{\"a\":2}]]",
        "/* */1",
        "1//",
        "#1",
        "True",
        "None",
        "undefined",
        "[1;2]",
        "(1)",
        "{\"a\":1}}",
        "{'a':1}",
        "\u{feff}1",
        "\u{a0}1",
        "\u{b}1",
    ] {
        cases.text(
            format!("list {form:?}"),
            hole.replace("\"HERE\"", form),
            Refused,
            Some("parse"),
        );
    }
}

fn depths(log: &TestLog, cases: &mut Cases) {
    let (_, hole) = with_hole(log, &json!(0));
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    // The document itself is one level.
    let mut deepest = json!([]);
    for _ in 1..127 {
        deepest = json!([deepest]);
    }
    let (whole, _) = with_hole(log, &deepest);
    cases.text("as deep as is read", whole, Accepted, None);
    cases.text("too deep by one", hole.replace("\"HERE\"", &nested(128)), Refused, Some("parse"));
    cases.text("far too deep", hole.replace("\"HERE\"", &nested(200_000)), Refused, Some("parse"));
    let objects = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    cases.text("objects far too deep", hole.replace("\"HERE\"", &objects), Refused, Some("parse"));
}

/// Random byte changes with a fixed seed: none may be accepted if the value changed, and both verifiers
/// must agree on each.
fn damaged_bytes(log: &TestLog, cases: &mut Cases) {
    let answer = log.answer(2);
    let plain = answer.to_string().into_bytes();
    let palette = b"\"\\{}[],:0123456789eE+-.tfnu \t\n\x00\x7f\xc3\xed\xff/aZ";
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut damaged_count = 0;
    while damaged_count < 300 {
        let place = next(plain.len());
        let mut damaged = plain.clone();
        match next(3) {
            0 => damaged[place] = palette[next(palette.len())],
            1 => damaged.insert(place, palette[next(palette.len())]),
            _ => drop(damaged.remove(place)),
        }
        // Changes that keep the value, or change only unsigned members, are skipped.
        let value: Option<Value> = serde_json::from_slice(&damaged).ok();
        let covered = |value: &Value| {
            let mut value = value.clone();
            for block in ["/signature", "/transparency/sth/signature"] {
                let Some(Value::Object(block)) = value.pointer_mut(block) else { continue };
                block.retain(|name, _| {
                    ["v", "alg", "over", "kid", "message", "sig", "key"].contains(&name.as_str())
                });
                let Some(Value::Object(key)) = block.get_mut("key") else { continue };
                key.retain(|name, _| matches!(name.as_str(), "kid" | "jwk"));
            }
            value
        };
        if value.is_some_and(|value| covered(&value) == covered(&answer)) {
            continue;
        }
        damaged_count += 1;
        cases.text(format!("damage {damaged_count} at byte {place}"), damaged, Refused, None);
    }
}

/// Members last to first, at every level.
fn reversed(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .rev()
                .map(|(name, value)| format!("{}:{}", json!(name), reversed(value)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(reversed).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

/// Every letter of every string and name as an escape.
fn escaped(text: &str) -> String {
    let (mut out, mut inside, mut after_escape) = (String::new(), false, false);
    for letter in text.chars() {
        match letter {
            '"' if !after_escape => {
                inside = !inside;
                out.push(letter);
            }
            _ if after_escape || letter == '\\' || !inside => out.push(letter),
            _ => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04X}"));
                }
            }
        }
        after_escape = letter == '\\' && !after_escape;
    }
    out
}
