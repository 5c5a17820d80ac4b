//! The parser itself: one pass over the bytes, recursive, without knowledge of what is built.

use serde_json::Number;

use super::builder::{Builder, PathStep};
use super::error::{ErrorKind, Failure};
use super::limits::Limits;
use super::string_scan::plain_length;

// The words of `serde_json`.
const END_OF_VALUE: &str = "EOF while parsing a value";
const END_OF_LIST: &str = "EOF while parsing a list";
const END_OF_OBJECT: &str = "EOF while parsing an object";
const END_OF_STRING: &str = "EOF while parsing a string";
const TRAILING_COMMA: &str = "trailing comma";
const INVALID_ESCAPE: &str = "invalid escape";
const INVALID_NUMBER: &str = "invalid number";
const LONE_SURROGATE: &str = "lone leading surrogate in hex escape";
const END_OF_ESCAPE: &str = "unexpected end of hex escape";
const OUT_OF_RANGE: &str = "number out of range";

pub(super) struct Reader<'a, 'b, B> {
    bytes: &'a [u8],
    /// The same bytes as text, unless they are not UTF-8. Such bytes are parsed as well, only to find
    /// their first error.
    text: Option<&'a str>,
    at: usize,
    /// How many more values may be read.
    values_left: usize,
    limits: Limits,
    builder: &'b mut B,
}

impl<'a, 'b, B: Builder> Reader<'a, 'b, B> {
    pub(super) fn of_text(text: &'a str, limits: &Limits, builder: &'b mut B) -> Self {
        Self {
            bytes: text.as_bytes(),
            text: Some(text),
            at: 0,
            values_left: limits.values,
            limits: *limits,
            builder,
        }
    }

    pub(super) fn of_bytes(bytes: &'a [u8], limits: &Limits, builder: &'b mut B) -> Self {
        Self { bytes, text: None, at: 0, values_left: limits.values, limits: *limits, builder }
    }

    pub(super) fn document(mut self) -> Result<B::Value, Failure> {
        self.skip_space();
        let value = self.value(0)?;
        self.skip_space();
        if self.peek().is_some() {
            let reason = self.unless_leading_zero("trailing characters");
            return Err(self.failure(ErrorKind::TrailingData, reason));
        }
        Ok(value)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next_byte(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// An error at the byte that comes next.
    #[cold]
    fn failure(&self, kind: ErrorKind, reason: &'static str) -> Failure {
        Failure { kind, reason, offset: self.at, stop: self.bytes.len().min(self.at + 1) }
    }

    /// An error at the byte that comes next, with another reason if there is none.
    #[cold]
    fn failure_or_end(
        &self,
        kind: ErrorKind,
        reason: &'static str,
        at_end: &'static str,
    ) -> Failure {
        self.failure(kind, if self.peek().is_none() { at_end } else { reason })
    }

    /// An error in the bytes that were just read.
    #[cold]
    fn failure_before(&self, kind: ErrorKind, reason: &'static str) -> Failure {
        Failure { kind, reason, offset: self.at, stop: self.at }
    }

    /// A number ends after a leading zero. If a digit follows, that zero is what is wrong.
    #[cold]
    fn unless_leading_zero(&self, reason: &'static str) -> &'static str {
        let digit = |at: usize| self.bytes.get(at).is_some_and(u8::is_ascii_digit);
        let zero = digit(self.at) && self.at.checked_sub(1).is_some_and(digit);
        if zero { INVALID_NUMBER } else { reason }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Consumes `byte` if it comes next.
    fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// The text from `from` up to here. Both are at ASCII bytes, so no character is cut. The error is
    /// how many of the bytes are valid.
    fn text_since(&self, from: usize) -> Result<&'a str, usize> {
        match self.text {
            Some(text) => Ok(text.get(from..self.at).unwrap_or_default()),
            None => std::str::from_utf8(self.bytes.get(from..self.at).unwrap_or_default())
                .map_err(|error| error.valid_up_to()),
        }
    }

    fn value(&mut self, depth: usize) -> Result<B::Value, Failure> {
        let Some(left) = self.values_left.checked_sub(1) else {
            return Err(self.failure(ErrorKind::TooManyValues, "too many values"));
        };
        self.values_left = left;
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(|text| self.builder.text(text)),
            Some(b'-' | b'0'..=b'9') => self.number().map(|number| self.builder.number(number)),
            Some(b't') => self.literal("true").map(|()| self.builder.boolean(true)),
            Some(b'f') => self.literal("false").map(|()| self.builder.boolean(false)),
            Some(b'n') => self.literal("null").map(|()| self.builder.null()),
            Some(_) => Err(self.failure(ErrorKind::ExpectedValue, "expected value")),
            None => Err(self.failure(ErrorKind::UnexpectedEnd, END_OF_VALUE)),
        }
    }

    fn literal(&mut self, word: &'static str) -> Result<(), Failure> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(());
        }
        let equal = rest.iter().zip(word.as_bytes()).take_while(|(a, b)| a == b).count();
        let (reason, read) =
            if equal < rest.len() { ("expected ident", equal + 1) } else { (END_OF_VALUE, equal) };
        let stop = self.at + read;
        Err(Failure { kind: ErrorKind::ExpectedValue, reason, offset: self.at, stop })
    }

    fn next_depth(&self, depth: usize) -> Result<usize, Failure> {
        if depth < self.limits.depth {
            Ok(depth + 1)
        } else {
            Err(self.failure(ErrorKind::TooDeep, "recursion limit exceeded"))
        }
    }

    fn object(&mut self, depth: usize) -> Result<B::Value, Failure> {
        let depth = self.next_depth(depth)?;
        self.at += 1;
        let mut members = B::Members::default();
        self.skip_space();
        if self.eat(b'}') {
            return Ok(self.builder.object(members));
        }
        let mut at_end = END_OF_OBJECT;
        loop {
            match self.peek() {
                Some(b'"') => {}
                Some(b'}') => return Err(self.failure(ErrorKind::ExpectedName, TRAILING_COMMA)),
                Some(_) => {
                    return Err(self.failure(ErrorKind::ExpectedName, "key must be a string"));
                }
                None => return Err(self.failure(ErrorKind::ExpectedName, at_end)),
            }
            let name_at = self.at;
            let name = self.string()?;
            self.builder.check_name(&members, &name).map_err(|_| self.duplicate_member(name_at))?;
            self.skip_space();
            if !self.eat(b':') {
                let kind = ErrorKind::ExpectedColon;
                return Err(self.failure_or_end(kind, "expected `:`", END_OF_OBJECT));
            }
            self.skip_space();
            let mark = self.builder.enter(PathStep::Member(&name));
            let value = self.value(depth)?;
            self.builder
                .add_member(&mut members, name, value)
                .map_err(|_| self.duplicate_member(name_at))?;
            self.builder.leave(mark);
            self.skip_space();
            if self.eat(b'}') {
                return Ok(self.builder.object(members));
            }
            if !self.eat(b',') {
                let reason = self.unless_leading_zero("expected `,` or `}`");
                let kind = ErrorKind::ExpectedObjectEnd;
                return Err(self.failure_or_end(kind, reason, END_OF_OBJECT));
            }
            self.skip_space();
            at_end = END_OF_VALUE;
        }
    }

    #[cold]
    fn duplicate_member(&self, name_at: usize) -> Failure {
        let kind = ErrorKind::DuplicateMember;
        Failure { kind, reason: "duplicate member", offset: name_at, stop: self.at }
    }

    fn array(&mut self, depth: usize) -> Result<B::Value, Failure> {
        let depth = self.next_depth(depth)?;
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.eat(b']') {
            return Ok(self.builder.array(items));
        }
        if self.peek().is_none() {
            return Err(self.failure(ErrorKind::UnexpectedEnd, END_OF_LIST));
        }
        loop {
            let mark = self.builder.enter(PathStep::Item(items.len()));
            items.push(self.value(depth)?);
            self.builder.leave(mark);
            self.skip_space();
            if self.eat(b']') {
                return Ok(self.builder.array(items));
            }
            if !self.eat(b',') {
                let reason = self.unless_leading_zero("expected `,` or `]`");
                let kind = ErrorKind::ExpectedArrayEnd;
                return Err(self.failure_or_end(kind, reason, END_OF_LIST));
            }
            self.skip_space();
            if self.peek() == Some(b']') {
                return Err(self.failure(ErrorKind::ExpectedValue, TRAILING_COMMA));
            }
        }
    }

    fn string(&mut self) -> Result<String, Failure> {
        self.at += 1;
        let mut text = String::new();
        // Only for bytes that are not UTF-8: how many bytes are missing in `text`, and where in the
        // whole the first invalid one is.
        let mut missing = 0;
        let mut invalid = None;
        loop {
            let from = self.at;
            self.at += plain_length(self.bytes.get(from..).unwrap_or_default());
            match self.text_since(from) {
                Ok(piece) => text.push_str(piece),
                Err(valid) => {
                    invalid.get_or_insert(text.len() + valid);
                    missing += self.at - from;
                }
            }
            match self.next_byte() {
                Some(b'"') => break,
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => {
                    self.at -= 1;
                    let reason = "control character (\\u0000-\\u001F) found while parsing a string";
                    return Err(self.failure(ErrorKind::ControlCharacter, reason));
                }
                None => return Err(self.failure(ErrorKind::UnterminatedString, END_OF_STRING)),
            }
        }
        let Some(invalid) = invalid else { return Ok(text) };
        let after_invalid = (text.len() + missing).saturating_sub(invalid);
        let stop = self.at.saturating_sub(after_invalid);
        let reason = "invalid unicode code point";
        Err(Failure { kind: ErrorKind::NotUtf8, reason, offset: stop, stop })
    }

    fn escape(&mut self) -> Result<char, Failure> {
        Ok(match self.next_byte() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            Some(_) => return Err(self.failure_before(ErrorKind::UnknownEscape, INVALID_ESCAPE)),
            None => return Err(self.failure(ErrorKind::UnknownEscape, END_OF_STRING)),
        })
    }

    fn unicode_escape(&mut self) -> Result<char, Failure> {
        let unit = self.four_hex()?;
        let code = match unit {
            0xD800..=0xDBFF => {
                if !(self.eat(b'\\') && self.eat(b'u')) {
                    let kind = ErrorKind::UnpairedSurrogate;
                    return Err(self.failure_or_end(kind, END_OF_ESCAPE, END_OF_STRING));
                }
                let low = self.four_hex()?;
                if !(0xDC00..=0xDFFF).contains(&low) {
                    return Err(self.failure_before(ErrorKind::UnpairedSurrogate, LONE_SURROGATE));
                }
                0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)
            }
            _ => unit,
        };
        // Only a low surrogate without a high one fails here.
        char::from_u32(code)
            .ok_or_else(|| self.failure_before(ErrorKind::UnpairedSurrogate, LONE_SURROGATE))
    }

    fn four_hex(&mut self) -> Result<u32, Failure> {
        let from = self.at;
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.next_byte().and_then(|byte| char::from(byte).to_digit(16));
            unit = unit * 16 + digit.ok_or_else(|| self.not_four_hex(from))?;
        }
        Ok(unit)
    }

    #[cold]
    fn not_four_hex(&self, from: usize) -> Failure {
        let kind = ErrorKind::ExpectedHexDigits;
        let (reason, stop) = match from + 4 {
            end if end <= self.bytes.len() => (INVALID_ESCAPE, end),
            _ => (END_OF_STRING, self.bytes.len()),
        };
        Failure { kind, reason, offset: self.at, stop }
    }

    fn number(&mut self) -> Result<Number, Failure> {
        let from = self.at;
        let negative = self.eat(b'-');
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
        let text = self.text_since(from).unwrap_or_default();
        if whole {
            let number = if negative {
                text.parse().ok().map(|number: i64| (number.unsigned_abs(), Number::from(number)))
            } else {
                text.parse().ok().map(|number: u64| (number, Number::from(number)))
            };
            match (number, self.limits.max_integer) {
                (Some((size, number)), Some(max)) if size <= max => return Ok(number),
                (_, Some(_)) => return Err(self.integer_too_large(from)),
                // As a double, -0 keeps its sign.
                (Some((size, number)), None) if !(negative && size == 0) => return Ok(number),
                (_, None) => {}
            }
        }
        let number = text.parse().ok().and_then(Number::from_f64);
        number.ok_or_else(|| self.number_too_large(from))
    }

    /// One digit or more.
    fn digits(&mut self) -> Result<(), Failure> {
        let from = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at > from {
            return Ok(());
        }
        Err(self.failure_or_end(ErrorKind::ExpectedDigit, INVALID_NUMBER, END_OF_VALUE))
    }

    #[cold]
    fn integer_too_large(&self, from: usize) -> Failure {
        let kind = ErrorKind::IntegerTooLarge;
        Failure { kind, reason: OUT_OF_RANGE, offset: from, stop: self.at }
    }

    /// `serde_json` stops at the digit with which the exponent exceeds 32 bits, or else after the number.
    #[cold]
    fn number_too_large(&self, from: usize) -> Failure {
        let mut exponent: Option<i32> = None;
        let mut stop = from;
        for byte in self.bytes.get(from..self.at).unwrap_or_default() {
            stop += 1;
            match (byte, exponent) {
                (b'e' | b'E', _) => exponent = Some(0),
                (digit @ b'0'..=b'9', Some(so_far)) => {
                    let digit = i32::from(digit - b'0');
                    exponent = so_far.checked_mul(10).and_then(|tens| tens.checked_add(digit));
                    if exponent.is_none() {
                        break;
                    }
                }
                _ => {}
            }
        }
        Failure { kind: ErrorKind::NumberTooLarge, reason: OUT_OF_RANGE, offset: from, stop }
    }
}
