//! Thousands of random texts with a fixed seed: both parsers accept the same ones as JSON, and both give
//! them the same canonical form.

use data_encoding::BASE64;
use proof::canonical::{parse_strict, value_to_vec};
use serde_json::json;

use super::test_log::write;
use crate::tools;

const TEXTS: usize = 20_000;

/// A pseudo-random generator with a fixed seed.
struct SeededRandom(u64);

impl SeededRandom {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }

    fn one_of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

const STRINGS: [&str; 18] = [
    r#""a""#,
    r#""b""#,
    r#""\u0061""#,
    r#""""#,
    r#""é""#,
    "\"e\u{301}\"",
    r#""\u00e9""#,
    "\"\u{10000}\"",
    r#""\ud800\udc00""#,
    "\"\u{e000}\"",
    r#""\uffff""#,
    r#""__proto__""#,
    r#""\n\t\"\\\/""#,
    r#""\u0000""#,
    "\"\u{7f}\u{2028}\"",
    r#""\ud800""#,
    r#""\udc00\ud800""#,
    "\"\t\"",
];
const OTHERS: [&str; 26] = [
    "0",
    "-0",
    "1",
    "-1",
    "10",
    "0.1",
    "1.0",
    "1e2",
    "1E-2",
    "1e+2",
    "-0.0",
    "123456789012345680000.0",
    "1e21",
    "1e-7",
    "0.000001",
    "5e-324",
    "2e-324",
    "1.7976931348623158e308",
    "9007199254740991",
    "9007199254740992",
    "-9007199254740993",
    "1e309",
    "01",
    "true",
    "false",
    "null",
];

fn value(dice: &mut SeededRandom, depth: usize, out: &mut String) {
    let space = |dice: &mut SeededRandom| dice.one_of(&["", "", "", " ", "\n", "\t\r "]).to_owned();
    let what = if depth == 0 { dice.below(4) } else { dice.below(8) };
    match what {
        0 | 1 => out.push_str(dice.one_of(&STRINGS)),
        2 | 3 => out.push_str(dice.one_of(&OTHERS)),
        4 | 5 => {
            out.push('[');
            for n in 0..dice.below(4) {
                out.push_str(if n > 0 { "," } else { "" });
                out.push_str(&space(dice));
                value(dice, depth - 1, out);
                out.push_str(&space(dice));
            }
            out.push(']');
        }
        _ => {
            out.push('{');
            for n in 0..dice.below(5) {
                out.push_str(if n > 0 { "," } else { "" });
                out.push_str(&space(dice));
                out.push_str(dice.one_of(&STRINGS));
                out.push_str(&space(dice));
                out.push(':');
                value(dice, depth - 1, out);
                out.push_str(&space(dice));
            }
            out.push('}');
        }
    }
}

fn texts() -> Vec<Vec<u8>> {
    let palette =
        b"\"\\{}[],:0123456789eE+-.tfnulrsa \t\n\x00\x1f\x7f\x80\xc3\xa9\xed\xa0\xf0\xff/";
    let mut dice = SeededRandom(0x2545_F491_4F6C_DD1D);
    let mut texts = Vec::new();
    while texts.len() < TEXTS {
        let mut text = String::new();
        value(&mut dice, 3, &mut text);
        let mut bytes = text.into_bytes();
        // A third is valid, the others are damaged once or twice.
        for _ in 0..dice.below(3) {
            let place = dice.below(bytes.len() + 1);
            let byte = palette[dice.below(palette.len())];
            match dice.below(3) {
                0 if place < bytes.len() => bytes[place] = byte,
                1 if place < bytes.len() => drop(bytes.remove(place)),
                _ => bytes.insert(place, byte),
            }
        }
        texts.push(bytes);
    }
    texts
}

#[test]
fn agree_on_what_is_json_and_on_its_form() {
    let Some(mut node) = tools::node() else { return };
    let texts = texts();
    let ours: Vec<Option<String>> = texts
        .iter()
        .map(|text| {
            let value = parse_strict(text).ok()?;
            Some(String::from_utf8(value_to_vec(&value).unwrap()).unwrap())
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("texts.json");
    let encoded: Vec<String> = texts.iter().map(|text| BASE64.encode(text)).collect();
    write(&file, json!(encoded).to_string());
    let program = format!(
        "import {{ canonical, parseStrict, NotStrict }} from {};
         import {{ readFileSync }} from 'node:fs';
         const read = (text) => {{
           try {{
             return canonical(parseStrict(Buffer.from(text, 'base64')));
           }} catch (error) {{
             if (error instanceof NotStrict) return null;
             throw error;
           }}
         }};
         process.stdout.write(JSON.stringify(JSON.parse(readFileSync({})).map(read)));",
        json!(tools::verifier()),
        json!(file)
    );
    let output = node.args(["--input-type=module", "--eval", &program]).output().unwrap();
    let theirs: Vec<Option<String>> =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let differ =
        texts.iter().zip(ours.iter().zip(&theirs)).filter(|(_, (ours, theirs))| ours != theirs);
    let differ: Vec<String> = differ
        .map(|(text, results)| format!("{:?}: {results:?}", String::from_utf8_lossy(text)))
        .collect();
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
    let good = ours.iter().flatten().count();
    assert!(good > TEXTS / 10 && good < TEXTS / 10 * 9, "{good} of {TEXTS} are JSON");
    eprintln!("{good} of {TEXTS} texts are JSON to both readers, with the same form");
}
