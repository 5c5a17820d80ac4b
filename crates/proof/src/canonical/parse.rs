//! The strict reader: what is ambiguous to somebody is refused.
//!
//! A verifier must see the document that everybody else sees. Readers differ on repeated members
//! (first or last?), on half surrogates (error or replacement?), on whole numbers a double cannot
//! hold, and on bytes after the end; so none of these is read at all.

use serde_json::{Map, Number, Value};

use super::{MAX_DEPTH, MAX_INTEGER};
use crate::ProofError;

/// Reads one JSON value and nothing after it. Refused: invalid UTF-8, a byte order mark, repeated
/// members, half surrogates, nesting deeper than [`MAX_DEPTH`], whole numbers beyond ±(2^53 − 1)
/// and numbers too large for a double.
pub fn parse_strict(bytes: &[u8]) -> Result<Value, ProofError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| ProofError::Parse { at: error.valid_up_to(), why: "not UTF-8" })?;
    let mut reader = Reader { text, at: 0 };
    reader.skip_space();
    let value = reader.value(0)?;
    reader.skip_space();
    if reader.peek().is_some() {
        return Err(reader.error("something follows the value"));
    }
    Ok(value)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn error(&self, why: &'static str) -> ProofError {
        ProofError::Parse { at: self.at, why }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Takes `byte` if it comes next.
    fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// The text from `from` up to here. Both are at ASCII bytes, so this is never cut in half.
    fn since(&self, from: usize) -> &'a str {
        self.text.get(from..self.at).unwrap_or_default()
    }

    fn value(&mut self, depth: usize) -> Result<Value, ProofError> {
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            Some(_) => Err(self.error("expected a value")),
            None => Err(self.error("it ends where a value is expected")),
        }
    }

    fn word(&mut self, word: &'static str, value: Value) -> Result<Value, ProofError> {
        let there = self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word));
        if !there {
            return Err(self.error("expected a value"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn deeper(&self, depth: usize) -> Result<usize, ProofError> {
        if depth < MAX_DEPTH { Ok(depth + 1) } else { Err(self.error("nested too deep")) }
    }

    fn object(&mut self, depth: usize) -> Result<Value, ProofError> {
        let depth = self.deeper(depth)?;
        self.at += 1;
        let mut members = Map::new();
        self.skip_space();
        if self.eat(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.error("expected the name of a member"));
            }
            let name_at = self.at;
            let name = self.string()?;
            self.skip_space();
            if !self.eat(b':') {
                return Err(self.error("expected a colon"));
            }
            self.skip_space();
            let value = self.value(depth)?;
            if members.insert(name, value).is_some() {
                return Err(ProofError::Parse {
                    at: name_at,
                    why: "a member of this name was before",
                });
            }
            self.skip_space();
            if self.eat(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.eat(b',') {
                return Err(self.error("expected a comma or the end of the object"));
            }
            self.skip_space();
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, ProofError> {
        let depth = self.deeper(depth)?;
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.eat(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.skip_space();
            if self.eat(b']') {
                return Ok(Value::Array(items));
            }
            if !self.eat(b',') {
                return Err(self.error("expected a comma or the end of the array"));
            }
            self.skip_space();
        }
    }

    fn string(&mut self) -> Result<String, ProofError> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let from = self.at;
            while self.peek().is_some_and(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
                self.at += 1;
            }
            text.push_str(self.since(from));
            match self.next() {
                Some(b'"') => return Ok(text),
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => {
                    self.at -= 1;
                    return Err(self.error("a control character inside a string"));
                }
                None => return Err(self.error("a string without end")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, ProofError> {
        Ok(match self.next() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(self.error("an unknown escape")),
        })
    }

    fn unicode_escape(&mut self) -> Result<char, ProofError> {
        let unit = self.four_hex()?;
        let code = match unit {
            0xD800..=0xDBFF => {
                if !(self.eat(b'\\') && self.eat(b'u')) {
                    return Err(self.error("half a surrogate pair"));
                }
                let low = self.four_hex()?;
                if !(0xDC00..=0xDFFF).contains(&low) {
                    return Err(self.error("half a surrogate pair"));
                }
                0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)
            }
            _ => unit,
        };
        // What is left over is a low half without a high one.
        char::from_u32(code).ok_or_else(|| self.error("half a surrogate pair"))
    }

    fn four_hex(&mut self) -> Result<u32, ProofError> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.next().and_then(|byte| char::from(byte).to_digit(16));
            unit = unit * 16 + digit.ok_or_else(|| self.error("expected four hex digits"))?;
        }
        Ok(unit)
    }

    fn number(&mut self) -> Result<Value, ProofError> {
        let from = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        let mut whole = true;
        if self.eat(b'.') {
            whole = false;
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            whole = false;
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        let text = self.since(from);
        if whole {
            let number: Option<i64> = text.parse().ok();
            match number.filter(|number| number.unsigned_abs() <= MAX_INTEGER) {
                Some(number) => Ok(Value::from(number)),
                None => Err(ProofError::Parse { at: from, why: "a whole number beyond 2^53 - 1" }),
            }
        } else {
            let number = text.parse().ok().and_then(Number::from_f64);
            number
                .map(Value::Number)
                .ok_or(ProofError::Parse { at: from, why: "a number too large for a double" })
        }
    }

    /// One digit or more.
    fn digits(&mut self) -> Result<(), ProofError> {
        let from = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == from { Err(self.error("expected a digit")) } else { Ok(()) }
    }
}
