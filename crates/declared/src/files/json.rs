//! JSON from strangers: bounded in size and depth, and told when a name stands twice.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::http::Media;
use super::node::escaped;
use super::report::{Report, quoted};
use crate::shape::looks_like_html;
use crate::shown::shown;

/// Deeper nesting is refused.
const MAX_DEPTH: usize = 64;

/// Larger bodies are not parsed. Agents have bounds as well.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// From here on many agents stop reading.
const ADVISED_BYTES: usize = 1024 * 1024;

/// How many doubled names are remembered.
const MAX_DOUBLED: usize = 20;

/// Reads the body as JSON; what stands in the way becomes a fault.
pub(super) fn open(report: &mut Report<'_>, media: &Media) -> Option<Value> {
    let body = report.served.body;
    if looks_like_html(body) {
        report.spoil(
            "html_instead",
            "",
            "An HTML page came where JSON is expected; servers do this when they answer every unknown path with the home page.",
            "Serve the JSON file itself, or answer 404 for a file you do not have.",
        );
        return None;
    }
    report.media(media);
    if report.served.cut {
        report.not_read_whole();
        return None;
    }
    if body.len() > MAX_BYTES {
        report.spoil(
            "too_large",
            "",
            "The file is larger than 4 MiB and was not parsed; most agents stop long before.",
            "Keep it below 1 MiB; split it or leave out what can be read elsewhere.",
        );
        return None;
    }
    if body.len() > ADVISED_BYTES {
        report.warn(
            "large",
            "",
            "The file is larger than 1 MiB; agents with a bound will not read it.",
            "Keep it below 1 MiB.",
        );
    }
    let bare = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    if bare.len() < body.len() {
        report.warn(
            "byte_order_mark",
            "",
            "The file begins with a byte order mark, which RFC 8259 forbids and some parsers refuse.",
            "Save it as UTF-8 without a byte order mark.",
        );
    }
    let doubled = RefCell::new(Doubled::default());
    let parsed = parse(bare, &doubled);
    for at in doubled.into_inner().found {
        report.warn(
            "doubled_name",
            at,
            "The same name stands twice in one object; readers differ in which of the two they take.",
            "Keep one of them.",
        );
    }
    match parsed {
        Ok(value) => Some(value),
        Err(error) => {
            let at = format!("line {}, column {}", error.line(), error.column());
            let reason: String = error.to_string();
            let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(head, _)| head);
            report.spoil(
                if std::str::from_utf8(bare).is_err() { "not_utf8" } else { "not_json" },
                at,
                format!("It does not parse as JSON: {}.", shown(reason, 120)),
                "Run the file through a JSON checker; common causes are trailing commas, comments and quotes that are not closed.",
            );
            None
        }
    }
}

/// As [`open`], where only an object makes sense.
pub(super) fn open_object(report: &mut Report<'_>, media: &Media) -> Option<Value> {
    let value = open(report, media)?;
    if value.is_object() {
        return Some(value);
    }
    let found = super::node::word_for(&value);
    report.spoil(
        "wrong_top_level",
        "",
        format!("The file holds {found} where one JSON object is expected."),
        "Let the file begin with { and end with }.",
    );
    None
}

/// Reads a body under the same bounds where nobody is told of what is wrong with it.
pub(crate) fn quietly(body: &[u8]) -> Option<Value> {
    let bare = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    (bare.len() <= MAX_BYTES).then(|| parse(bare, &RefCell::default()).ok()).flatten()
}

fn parse(bare: &[u8], doubled: &RefCell<Doubled>) -> serde_json::Result<Value> {
    let mut reader = serde_json::Deserializer::from_slice(bare);
    let value = Seed { depth: 0, doubled }.deserialize(&mut reader)?;
    reader.end().map(|()| value)
}

#[derive(Default)]
struct Doubled {
    path: Vec<String>,
    found: Vec<String>,
}

#[derive(Clone, Copy)]
struct Seed<'s> {
    depth: usize,
    doubled: &'s RefCell<Doubled>,
}

impl<'s> Seed<'s> {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        let depth = self.depth + 1;
        if depth > MAX_DEPTH {
            return Err(E::custom("nested more than 64 levels deep"));
        }
        Ok(Self { depth, doubled: self.doubled })
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let deeper = self.deeper()?;
        let mut out = Vec::new();
        self.doubled.borrow_mut().path.push(String::new());
        loop {
            if let Some(last) = self.doubled.borrow_mut().path.last_mut() {
                *last = out.len().to_string();
            }
            match items.next_element_seed(deeper)? {
                Some(item) => out.push(item),
                None => break,
            }
        }
        self.doubled.borrow_mut().path.pop();
        Ok(Value::Array(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let deeper = self.deeper()?;
        let mut out = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            self.doubled.borrow_mut().path.push(escaped(&name));
            let value = members.next_value_seed(deeper)?;
            let mut doubled = self.doubled.borrow_mut();
            if out.insert(name, value).is_some() && doubled.found.len() < MAX_DOUBLED {
                let at = format!("/{}", doubled.path.join("/"));
                doubled.found.push(at);
            }
            doubled.path.pop();
        }
        Ok(Value::Object(out))
    }
}

/// A value that should be something else, in a few words.
pub(super) fn glimpse(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Number(number) => shown(&number.to_string(), 40),
        Value::Bool(truth) => truth.to_string(),
        other => super::node::word_for(other).to_owned(),
    }
}
