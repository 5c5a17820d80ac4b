//! Reads untrusted YAML as the JSON value it stands for: bounded in size, depth and number of values.
//!
//! Aliases are copied, and every copy counts, so that a short file cannot stand for a huge value.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use serde_json::{Map, Number, Value};

/// Larger files are not parsed.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Deeper nesting is rejected.
const MAX_DEPTH: usize = 64;
/// Values of one file, with those that aliases repeat.
const MAX_VALUES: usize = 400_000;
/// Bytes of texts that aliases may repeat.
const MAX_COPIED_BYTES: usize = 4 * 1024 * 1024;
/// How many duplicate names are reported.
const MAX_DUPLICATES: usize = 20;

/// A file that was read.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ParsedYaml {
    pub(super) value: Value,
    /// The lines in which a name appears for the second time in its mapping.
    pub(super) duplicate_lines: Vec<usize>,
}

/// Why a file could not be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct YamlError {
    pub(super) line: usize,
    pub(super) reason: &'static str,
}

/// Reads the first document of a file.
pub(super) fn parse(body: &[u8]) -> Result<ParsedYaml, YamlError> {
    let failed = |reason| YamlError { line: 1, reason };
    if body.len() > MAX_BYTES {
        return Err(failed("the file is larger than 4 MiB"));
    }
    let text = std::str::from_utf8(body).map_err(|_| failed("the file is not UTF-8"))?;
    let mut builder = ValueBuilder::default();
    for event in Parser::new_from_str(text.trim_start_matches('\u{feff}')) {
        let (event, span) = event.map_err(|error| YamlError {
            line: error.marker().line(),
            reason: "the syntax is wrong",
        })?;
        let line = span.start.line();
        if event == Event::DocumentEnd {
            break;
        }
        builder.add(event, line).map_err(|reason| YamlError { line, reason })?;
    }
    Ok(ParsedYaml {
        value: builder.root.unwrap_or_default(),
        duplicate_lines: builder.duplicate_lines,
    })
}

/// A sequence or mapping that is not finished.
struct OpenValue {
    value: Value,
    /// The name of the next member of a mapping.
    name: Option<String>,
    anchor: usize,
    /// How many values and bytes of text it contains.
    size: ValueSize,
}

#[derive(Debug, Clone, Copy, Default)]
struct ValueSize {
    values: usize,
    bytes: usize,
}

#[derive(Default)]
struct ValueBuilder {
    root: Option<Value>,
    open: Vec<OpenValue>,
    anchored: BTreeMap<usize, (Value, ValueSize)>,
    duplicate_lines: Vec<usize>,
    values: usize,
    copied_bytes: usize,
}

impl ValueBuilder {
    fn add(&mut self, event: Event<'_>, line: usize) -> Result<(), &'static str> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let size = ValueSize { values: 1, bytes: text.len() };
                let is_name = self.open.last().is_some_and(OpenValue::expects_name);
                let value = if is_name {
                    Value::String(text.into_owned())
                } else {
                    scalar(&text, style, tag.as_deref())
                };
                self.finish(value, size, anchor, line)
            }
            Event::SequenceStart(anchor, _) => self.open(Value::Array(Vec::new()), anchor),
            Event::MappingStart(anchor, _) => self.open(Value::Object(Map::new()), anchor),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(done) => self.finish(done.value, done.size, done.anchor, line),
                None => Ok(()),
            },
            Event::Alias(anchor) => {
                let known = self.anchored.get(&anchor);
                let (value, size) = known.ok_or("an alias names a value that contains it")?;
                let (value, size) = (value.clone(), *size);
                self.count_copy(size)?;
                self.finish(value, size, 0, line)
            }
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => Ok(()),
        }
    }

    fn open(&mut self, value: Value, anchor: usize) -> Result<(), &'static str> {
        if self.open.len() >= MAX_DEPTH {
            return Err("the values are nested more than 64 levels deep");
        }
        let size = ValueSize { values: 1, bytes: 0 };
        self.open.push(OpenValue { value, name: None, anchor, size });
        Ok(())
    }

    /// Adds a complete value to the one that contains it.
    fn finish(
        &mut self,
        value: Value,
        size: ValueSize,
        anchor: usize,
        line: usize,
    ) -> Result<(), &'static str> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err("the file contains more than 400,000 values");
        }
        if anchor > 0 {
            // What an alias may repeat is stored once more, which counts as well.
            self.count_copy(size)?;
            self.anchored.insert(anchor, (value.clone(), size));
        }
        let Some(parent) = self.open.last_mut() else {
            self.root = Some(value);
            return Ok(());
        };
        parent.size.values = parent.size.values.saturating_add(size.values);
        parent.size.bytes = parent.size.bytes.saturating_add(size.bytes);
        match &mut parent.value {
            Value::Array(items) => items.push(value),
            Value::Object(members) => match parent.name.take() {
                None => {
                    let Value::String(name) = value else {
                        return Err("a list or mapping is used as a name");
                    };
                    parent.name = Some(name);
                }
                Some(name) => {
                    let is_duplicate = members.insert(name, value).is_some();
                    if is_duplicate && self.duplicate_lines.len() < MAX_DUPLICATES {
                        self.duplicate_lines.push(line);
                    }
                }
            },
            _ => {}
        }
        Ok(())
    }

    fn count_copy(&mut self, size: ValueSize) -> Result<(), &'static str> {
        self.values = self.values.saturating_add(size.values);
        self.copied_bytes = self.copied_bytes.saturating_add(size.bytes);
        if self.values > MAX_VALUES || self.copied_bytes > MAX_COPIED_BYTES {
            return Err("its aliases stand for too many values");
        }
        Ok(())
    }
}

impl OpenValue {
    fn expects_name(&self) -> bool {
        self.value.is_object() && self.name.is_none()
    }
}

/// A scalar by the core schema of YAML 1.2.
fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    let is_text = tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
    if style != ScalarStyle::Plain || is_text {
        return Value::String(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

fn number(text: &str) -> Option<Number> {
    /// Longer texts are no numbers that anybody writes.
    const MAX_DIGITS: usize = 40;
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let starts = digits.bytes().next().is_some_and(|byte| byte.is_ascii_digit() || byte == b'.');
    if text.len() > MAX_DIGITS || !starts {
        return None;
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return u64::from_str_radix(octal, 8).ok().map(Number::from);
    }
    if let Some(hexadecimal) = text.strip_prefix("0x") {
        return u64::from_str_radix(hexadecimal, 16).ok().map(Number::from);
    }
    let is_number =
        digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    if !is_number {
        return None;
    }
    match text.parse::<i64>() {
        Ok(whole) => Some(Number::from(whole)),
        Err(_) => Number::from_f64(text.parse::<f64>().ok()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn value(text: &str) -> Value {
        parse(text.as_bytes()).unwrap().value
    }

    fn reason(text: &str) -> &'static str {
        parse(text.as_bytes()).unwrap_err().reason
    }

    #[test]
    fn yaml_is_read_as_the_json_it_stands_for() {
        let text = "# An API\nopenapi: 3.1.0\ninfo: {title: 'Ferry', version: \"1\"}\npaths:\n  /times:\n    get:\n      responses:\n        200: &ok\n          description: >-\n            All\n            times\n        404: *ok\n      deprecated: false\n      x-rate: [1, 2.5, 0x10, ~, no, !!str 7, 12:30]\n";
        let ok = json!({"description": "All times"});
        let expected = json!({"openapi": "3.1.0", "info": {"title": "Ferry", "version": "1"},
            "paths": {"/times": {"get": {"responses": {"200": ok, "404": ok}, "deprecated": false,
                "x-rate": [1, 2.5, 16, null, "no", "7", "12:30"]}}}});
        assert_eq!(value(text), expected);
        assert_eq!(value("\u{feff}---\na: 1\n...\n---\nb: 2\n"), json!({"a": 1}));
        assert_eq!(value(&expected.to_string()), expected);
        assert_eq!(value(""), Value::Null);
        assert_eq!(value("Not found"), json!("Not found"));
    }

    #[test]
    fn duplicate_names_are_counted_and_the_last_one_stays() {
        let parsed = parse(b"a: 1\nb: 2\na: 3\n").unwrap();
        assert_eq!(parsed.value, json!({"a": 3, "b": 2}));
        assert_eq!(parsed.duplicate_lines, [3]);
    }

    #[test]
    fn what_is_no_yaml_or_too_much_of_it_is_refused() {
        assert_eq!(reason("a: [1, 2\nb: 3"), "the syntax is wrong");
        assert_eq!(reason("a: b: c"), "the syntax is wrong");
        assert_eq!(parse(b"\xff").unwrap_err().reason, "the file is not UTF-8");
        assert_eq!(reason("? [a, b]\n: c\n"), "a list or mapping is used as a name");
        assert_eq!(reason("a: &x\n  b: *x\n"), "an alias names a value that contains it");
        let deep = format!("{}1", "- ".repeat(MAX_DEPTH + 1));
        assert_eq!(reason(&deep), "the values are nested more than 64 levels deep");
        let many = "- \n".repeat(MAX_VALUES + 1);
        assert_eq!(reason(&many), "the file contains more than 400,000 values");
    }

    #[test]
    fn aliases_cannot_multiply() {
        let mut bomb = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
        for level in 1..20 {
            let before = level - 1;
            let list = vec![format!("*a{before}"); 10].join(",");
            bomb.push_str(&format!("a{level}: &a{level} [{list}]\n"));
        }
        assert_eq!(reason(&bomb), "its aliases stand for too many values");
        let long = format!("a: &a \"{}\"\nb: [{}]", "x".repeat(50_000), vec!["*a"; 200].join(","));
        assert_eq!(reason(&long), "its aliases stand for too many values");
        // Anchors inside each other are stored as often as they are nested.
        let nested = format!("{}\"{}\"", "- &a ".repeat(60), "x".repeat(100_000));
        assert!(parse(nested.as_bytes()).is_err());
    }

    #[test]
    fn long_files_take_no_more_time_than_their_length() {
        for text in [
            "a: ".repeat(100_000),
            "[".repeat(300_000),
            "{a: ".repeat(100_000),
            "? ".repeat(150_000),
            "- ".repeat(150_000),
            "&a ".repeat(100_000),
            "!!str ".repeat(60_000),
            "\"a\\\n".repeat(80_000),
            "a\n".repeat(150_000),
            " \n".repeat(150_000),
            "#\n".repeat(150_000),
            "a: |\n \n".repeat(40_000),
        ] {
            let start = std::time::Instant::now();
            let _ = parse(text.as_bytes());
            assert!(start.elapsed().as_secs() < 20, "{:?}", text.get(..20));
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "([\\[\\]{}\"',:&*!|>?%@`#~a-c0-2 \n\t\\-]|\\PC|: |- |\\? |---\n|\\.\\.\\.\n|&a |\\*a|!!|\\\\x|\r){0,60}") {
            let _ = parse(text.as_bytes());
        }

        #[test]
        fn json_is_yaml(value in proptest::collection::btree_map("[a-z/]{1,8}", "[ -~]{0,12}", 0..8)) {
            let text = serde_json::to_string(&value).unwrap();
            proptest::prop_assert_eq!(parse(text.as_bytes()).unwrap().value, serde_json::to_value(&value).unwrap());
        }
    }
}
