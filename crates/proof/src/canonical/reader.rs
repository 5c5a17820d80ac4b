//! Reads a document that is in canonical form already, as every document that we serve is.
//!
//! For such bytes nothing has to be sorted, written again or copied, and a repeated member shows at
//! once. Anything else is not an error here, but left to [`super::parse_strict`], which also finds the
//! words for what is wrong. So this reader may refuse too much, but must never accept what that one
//! refuses, or read it differently: `what_is_read_here_is_what_the_strict_parser_reads`.

use contract::json::plain_length;

use super::limits::{MAX_DEPTH, MAX_INTEGER, MAX_VALUES};
use super::tree::{CanonicalTree, Kind, Node, Text};
use super::unsigned_members::UNSIGNED_MEMBERS;

/// About how many bytes a value and its name take, and how much room is made in advance at most.
const BYTES_PER_VALUE: usize = 24;
const INITIAL_NODES: usize = 4096;

/// The object in these bytes, if they are canonical JSON. `sha256` and `signature` may also stand at the
/// end of the outermost object, where signing puts them, and white space may follow it.
pub(crate) fn read_object(bytes: &[u8]) -> Option<CanonicalTree<'_>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.trim_end_matches([' ', '\t', '\n', '\r']);
    // Every place in the text must fit.
    u32::try_from(text.len()).ok()?;
    let nodes = Vec::with_capacity((text.len() / BYTES_PER_VALUE).min(INITIAL_NODES));
    let tree = CanonicalTree { text, nodes, unescaped: Vec::new() };
    let mut reader = Reader { bytes: text.as_bytes(), at: 0, tree };
    if reader.peek() != Some(b'{') {
        return None;
    }
    reader.value(0, Text::Plain, 0)?;
    (reader.at == text.len()).then_some(reader.tree)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// What was read so far.
    tree: CanonicalTree<'a>,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Consumes `byte` if it comes next.
    fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.eat(byte).then_some(())
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let there = self.bytes.get(self.at..)?.starts_with(word.as_bytes());
        self.at += word.len();
        there.then_some(())
    }

    /// The place of the next byte.
    fn here(&self) -> Option<u32> {
        u32::try_from(self.at).ok()
    }

    /// Reads a value, whose member began at `from` with this name.
    fn value(&mut self, from: u32, name: Text, depth: usize) -> Option<()> {
        let index = self.tree.nodes.len();
        if index >= MAX_VALUES {
            return None;
        }
        let value_from = self.here()?;
        let kind = Kind::Null;
        self.tree.nodes.push(Node { from, name, value_from, to: 0, kind, next: 0 });
        let kind = match self.peek()? {
            b'{' => self.object(depth).map(|()| Kind::Object)?,
            b'[' => self.array(depth).map(|()| Kind::Array)?,
            b'"' => Kind::Text(self.string()?),
            b'-' | b'0'..=b'9' => self.number().map(|()| Kind::Number)?,
            b't' => self.word("true").map(|()| Kind::Bool(true))?,
            b'f' => self.word("false").map(|()| Kind::Bool(false))?,
            b'n' => self.word("null").map(|()| Kind::Null)?,
            _ => return None,
        };
        let (to, next) = (self.here()?, u32::try_from(self.tree.nodes.len()).ok()?);
        let node = self.tree.nodes.get_mut(index)?;
        (node.to, node.kind, node.next) = (to, kind, next);
        Some(())
    }

    fn array(&mut self, depth: usize) -> Option<()> {
        let depth = next_depth(depth)?;
        self.expect(b'[')?;
        if self.eat(b']') {
            return Some(());
        }
        loop {
            self.value(self.here()?, Text::Plain, depth)?;
            if self.eat(b']') {
                return Some(());
            }
            self.expect(b',')?;
        }
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        let outermost = depth == 0;
        let depth = next_depth(depth)?;
        self.expect(b'{')?;
        if self.eat(b'}') {
            return Some(());
        }
        let first = self.tree.nodes.len();
        let mut previous = None;
        let mut appended = 0;
        loop {
            let member = self.tree.nodes.len();
            self.member(depth)?;
            if appended > 0 || !self.is_in_order(previous, member)? {
                if !(outermost && self.is_appended(first, member, appended)?) {
                    return None;
                }
                appended += 1;
            }
            previous = Some(member);
            if self.eat(b'}') {
                return Some(());
            }
            self.expect(b',')?;
        }
    }

    fn member(&mut self, depth: usize) -> Option<()> {
        let from = self.here()?;
        let name = self.string()?;
        self.expect(b':')?;
        self.value(from, name, depth)
    }

    fn name(&self, member: usize) -> Option<&str> {
        self.tree.nodes.get(member).map(|node| self.tree.name(node))
    }

    /// Whether the name of this member may follow that of the previous one.
    fn is_in_order(&self, previous: Option<usize>, member: usize) -> Option<bool> {
        let name = self.name(member)?;
        // Up to here the order of bytes is that of UTF-16 units, which is the canonical one.
        if !name.is_ascii() && name.bytes().any(|byte| byte >= 0xF0) {
            return Some(false);
        }
        Some(match previous {
            Some(previous) => self.name(previous)? < name,
            None => true,
        })
    }

    /// Whether this is the member that signing appends after so many others, and there is no other of
    /// its name since `first`.
    fn is_appended(&self, first: usize, member: usize, appended: usize) -> Option<bool> {
        let name = self.name(member)?;
        if UNSIGNED_MEMBERS.get(appended) != Some(&name) {
            return Some(false);
        }
        let mut other = first;
        while other < member {
            if self.name(other)? == name {
                return Some(false);
            }
            other = self.tree.nodes.get(other)?.next as usize;
        }
        Some(true)
    }

    fn string(&mut self) -> Option<Text> {
        self.expect(b'"')?;
        let from = self.at;
        self.skip_plain()?;
        if self.eat(b'"') {
            return Some(Text::Plain);
        }
        let mut text = self.tree.text.get(from..self.at)?.to_owned();
        loop {
            self.expect(b'\\')?;
            text.push(self.escaped()?);
            let from = self.at;
            self.skip_plain()?;
            text.push_str(self.tree.text.get(from..self.at)?);
            if self.eat(b'"') {
                break;
            }
        }
        let index = u32::try_from(self.tree.unescaped.len()).ok()?;
        self.tree.unescaped.push(text);
        Some(Text::Unescaped(index))
    }

    /// Up to the next quote, escape or control character.
    fn skip_plain(&mut self) -> Option<()> {
        self.at += plain_length(self.bytes.get(self.at..)?);
        Some(())
    }

    /// A character that is escaped the one way that is canonical for it.
    fn escaped(&mut self) -> Option<char> {
        let byte = self.peek()?;
        self.at += 1;
        Some(match byte {
            b'"' => '"',
            b'\\' => '\\',
            b'b' => '\u{8}',
            b't' => '\t',
            b'n' => '\n',
            b'f' => '\u{c}',
            b'r' => '\r',
            b'u' => {
                let digits = self.bytes.get(self.at..)?.first_chunk::<4>()?;
                self.at += 4;
                let [b'0', b'0', high @ (b'0' | b'1'), low] = *digits else { return None };
                let low = match low {
                    b'0'..=b'9' => low - b'0',
                    b'a'..=b'f' => low - b'a' + 10,
                    _ => return None,
                };
                let code = (high - b'0') * 16 + low;
                // These have a short form.
                (!matches!(code, 8 | 9 | 10 | 12 | 13)).then_some(char::from(code))?
            }
            _ => return None,
        })
    }

    fn number(&mut self) -> Option<()> {
        let rest = self.bytes.get(self.at..)?;
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let length = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let text = self.tree.text.get(self.at..self.at + length)?;
        self.at += length;
        if text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
            let double: f64 = text.parse().ok()?;
            // There is one canonical text for each double.
            let canonical =
                double.is_finite() && ryu_js::Buffer::new().format_finite(double) == text;
            return canonical.then_some(());
        }
        let digits = text.strip_prefix('-').unwrap_or(text);
        let canonical = match digits.as_bytes() {
            [b'0'] => digits.len() == text.len(),
            [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
            _ => false,
        };
        let size: u64 = digits.parse().ok()?;
        (canonical && size <= MAX_INTEGER).then_some(())
    }
}

fn next_depth(depth: usize) -> Option<usize> {
    (depth < MAX_DEPTH).then_some(depth + 1)
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
