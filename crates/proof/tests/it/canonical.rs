//! RFC 8785: the official files, numbers, and what must hold for any value.

use std::fs;

use proof::canonical::{parse_strict, to_vec, value_to_vec};
use proptest::prelude::*;
use serde_json::{Map, Number, Value};

use crate::vectors;

#[test]
fn official_files() {
    for name in ["arrays", "french", "structures", "unicode", "values", "weird"] {
        let Some(input) = vectors::path(&format!("jcs/input/{name}.json")) else { return };
        let output = fs::read(vectors::path(&format!("jcs/output/{name}.json")).unwrap()).unwrap();
        let hex =
            fs::read_to_string(vectors::path(&format!("jcs/outhex/{name}.txt")).unwrap()).unwrap();
        let hex: Vec<u8> =
            hex.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
        let value = parse_strict(&fs::read(input).unwrap()).unwrap();
        let canonical = value_to_vec(&value).unwrap();
        assert_eq!(canonical, hex, "{name}");
        assert_eq!(canonical, output, "{name}");
        assert_eq!(to_vec(&value).unwrap(), hex, "{name}");
    }
}

/// A second way to write a number: the shortest digits from the standard library, laid out by the
/// rules of ECMAScript's Number::toString.
fn by_the_book(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{:e}", number.abs());
    let (digits, exponent) = scientific.split_once('e').unwrap();
    let digits = nearest_even(digits.replace('.', ""), exponent, number.abs());
    let count = digits.len() as i32;
    // The decimal point stands after `point` digits.
    let point = exponent.parse::<i32>().unwrap() + 1;
    let body = if count <= point && point <= 21 {
        format!("{digits}{}", "0".repeat((point - count) as usize))
    } else if 0 < point && point <= 21 {
        format!("{}.{}", &digits[..point as usize], &digits[point as usize..])
    } else if -6 < point && point <= 0 {
        format!("0.{}{digits}", "0".repeat(-point as usize))
    } else {
        let sign = if point > 0 { '+' } else { '-' };
        let exponent = (point - 1).abs();
        match digits.split_at(1) {
            (digit, "") => format!("{digit}e{sign}{exponent}"),
            (first, rest) => format!("{first}.{rest}e{sign}{exponent}"),
        }
    };
    if number < 0.0 { format!("-{body}") } else { body }
}

/// Where two shortest forms are equally near, ECMAScript takes the one with the even digit; the
/// standard library takes the upper.
fn nearest_even(digits: String, exponent: &str, number: f64) -> String {
    let (start, last) = digits.split_at(digits.len() - 1);
    let last: u32 = last.parse().unwrap();
    if last.is_multiple_of(2) || start.is_empty() {
        return digits;
    }
    let lower = format!("{start}{}", last - 1);
    let scale = exponent.parse::<i32>().unwrap() - start.len() as i32;
    if format!("{lower}e{scale}").parse() != Ok(number) {
        return digits;
    }
    // All the digits the double has.
    let exact = format!("{number:.780e}").replace('.', "");
    let exact = exact.split('e').next().unwrap().trim_end_matches('0');
    if exact == format!("{lower}5") { lower } else { digits }
}

fn check_number(number: f64) {
    let value = Value::Number(Number::from_f64(number).unwrap());
    let canonical = String::from_utf8(value_to_vec(&value).unwrap()).unwrap();
    assert_eq!(canonical, by_the_book(number), "{:016x}", number.to_bits());
    let back: f64 = canonical.parse().unwrap();
    assert_eq!(back, number, "{canonical}");
    // Read back it is a double or, where it looks like one, a whole number.
    if let Ok(read) = parse_strict(canonical.as_bytes()) {
        assert_eq!(value_to_vec(&read).unwrap(), canonical.as_bytes());
    }
}

#[test]
fn numbers_at_every_edge() {
    for exponent in -324..=308 {
        let power: f64 = format!("1e{exponent}").parse().unwrap();
        let bits = power.to_bits();
        for near in bits.saturating_sub(3)..=bits + 3 {
            check_number(f64::from_bits(near));
            check_number(-f64::from_bits(near));
        }
    }
    for exponent in 0..2047_u64 {
        for mantissa in [0, 1, 2, (1 << 52) - 2, (1 << 52) - 1, 1 << 51] {
            check_number(f64::from_bits(exponent << 52 | mantissa));
        }
    }
    for bits in 0..1000 {
        check_number(f64::from_bits(bits));
        check_number(f64::from_bits(0x0010_0000_0000_0000 + bits));
        check_number(f64::from_bits(0x4340_0000_0000_0000 + bits));
        check_number(f64::from_bits(0x4340_0000_0000_0000 - bits));
    }
}

/// Doubles from a chain of digests: the same hundred thousand on every machine.
#[test]
fn numbers_at_random() {
    let mut block = proof::sha256(b"numbers");
    let mut checked = 0;
    while checked < 100_000 {
        block = proof::sha256(block.as_bytes());
        for bits in block.as_bytes().as_chunks::<8>().0 {
            let number = f64::from_bits(u64::from_le_bytes(*bits));
            if number.is_finite() {
                check_number(number);
                checked += 1;
            }
        }
    }
}

/// Names and texts of all kinds, those that sort differently in UTF-8 and UTF-16 among them.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_]{0,8}",
        any::<String>(),
        prop::collection::vec(
            prop_oneof![
                Just('\u{e000}'),
                Just('\u{ffff}'),
                Just('\u{10000}'),
                Just('\u{10ffff}'),
                Just('a'),
                Just('\u{1}'),
                Just('"'),
                Just('\\'),
                Just('é')
            ],
            0..40
        )
        .prop_map(|chars| chars.into_iter().collect()),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let whole = -9_007_199_254_740_991_i64..=9_007_199_254_740_991;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        whole.prop_map(Value::from),
        prop::num::f64::NORMAL.prop_map(Value::from),
        prop::num::f64::SUBNORMAL.prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// The same value as somebody else might write it: members in another order, space in between,
/// everything escaped.
fn write_otherwise(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            out.push_str("{ ");
            for (nth, (name, value)) in members.iter().rev().enumerate() {
                out.push_str(if nth > 0 { ",\n" } else { "" });
                write_otherwise(&Value::from(name.as_str()), out);
                out.push_str(" :\t");
                write_otherwise(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (nth, item) in items.iter().enumerate() {
                out.push_str(if nth > 0 { " , " } else { "" });
                write_otherwise(item, out);
            }
            out.push(']');
        }
        Value::String(text) => {
            out.push('"');
            for unit in text.encode_utf16() {
                out.push_str(&format!("\\u{unit:04X}"));
            }
            out.push('"');
        }
        other => out.push_str(&other.to_string()),
    }
}

fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut other = Map::new();
            for (name, value) in members.iter().rev() {
                other.insert(name.clone(), reversed(value));
            }
            Value::Object(other)
        }
        Value::Array(items) => items.iter().map(reversed).collect(),
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn equal_to_the_oracle(value in value()) {
        let canonical = value_to_vec(&value).unwrap();
        prop_assert_eq!(&canonical, &serde_json_canonicalizer::to_vec(&value).unwrap());
        prop_assert_eq!(&canonical, &to_vec(&value).unwrap());
    }

    #[test]
    fn idempotent(value in value()) {
        let canonical = value_to_vec(&value).unwrap();
        // A double beyond 2^53 is written like a whole number and refused when read as one.
        if let Ok(read) = parse_strict(&canonical) {
            prop_assert_eq!(value_to_vec(&read).unwrap(), canonical);
        }
    }

    #[test]
    fn the_way_it_was_written_does_not_matter(value in value()) {
        let mut other = String::new();
        write_otherwise(&value, &mut other);
        let read = parse_strict(other.as_bytes()).unwrap();
        let canonical = value_to_vec(&value).unwrap();
        prop_assert_eq!(value_to_vec(&read).unwrap(), &canonical[..]);
        prop_assert_eq!(value_to_vec(&reversed(&value)).unwrap(), canonical);
    }

    #[test]
    fn doubles(number in prop::num::f64::ANY.prop_filter("finite", |n| n.is_finite())) {
        check_number(number);
    }

    #[test]
    fn strict_reading_agrees_with_the_usual_where_it_reads(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        if let Ok(read) = parse_strict(&bytes) {
            let usual: Value = serde_json::from_slice(&bytes).unwrap();
            prop_assert_eq!(value_to_vec(&read).unwrap(), value_to_vec(&usual).unwrap());
        }
    }

    #[test]
    fn damaged_documents_never_panic(value in value(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = value_to_vec(&value).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(read) = parse_strict(&bytes) {
            let usual: Value = serde_json::from_slice(&bytes).unwrap();
            prop_assert_eq!(value_to_vec(&read), value_to_vec(&usual));
        }
    }
}
