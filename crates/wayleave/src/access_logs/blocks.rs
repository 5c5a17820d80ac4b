//! Cuts a log into blocks of whole lines.

use std::io::{self, Read};
use std::ops::Range;

use agents::access_log::LogParser;
use memchr::{memchr_iter, memmem, memrchr};

/// How much is read at once: little enough that a block is still in the cache of the core when it is parsed.
const BLOCK_BYTES: usize = 256 * 1024;
/// The longest line that is read. No server writes longer ones about a request that it answered.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// Whole lines, and a parser that knows what earlier lines said about the columns.
pub(crate) struct Block {
    buffer: Vec<u8>,
    /// Where in the buffer the lines are.
    lines: Range<usize>,
    parser: LogParser,
}

impl Block {
    /// Parses each line. Returns the number of lines that were too long.
    pub(crate) fn for_each_line(&self, mut each: impl FnMut(&mut LogParser, &[u8])) -> u64 {
        let bytes = self.buffer.get(self.lines.clone()).unwrap_or_default();
        let mut parser = self.parser.clone();
        let mut too_long = 0;
        let mut start = 0;
        let ends = memchr_iter(b'\n', bytes).chain(std::iter::once(bytes.len()));
        for end in ends {
            let line = bytes.get(start..end).unwrap_or_default();
            start = end + 1;
            match line.len() {
                0 => {}
                MAX_LINE_BYTES.. => too_long += 1,
                _ => each(&mut parser, line),
            }
        }
        too_long
    }

    /// The memory of the block, for the next one.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }
}

/// The blocks of one log, in order.
pub(crate) struct LogBlocks<R> {
    source: R,
    /// The beginning of a line whose end has not been read. Shorter than a block.
    rest: Vec<u8>,
    parser: LogParser,
    /// Whether the line that is being read is too long; it is skipped to its end.
    is_skipping: bool,
    /// Lines that were longer than a block.
    pub(crate) skipped_lines: u64,
    is_over: bool,
}

impl<R: Read> LogBlocks<R> {
    pub(crate) fn new(source: R) -> Self {
        Self {
            source,
            rest: Vec::new(),
            parser: LogParser::new(),
            is_skipping: false,
            skipped_lines: 0,
            is_over: false,
        }
    }

    /// The next block; `None` at the end. It is read into `buffer`, which is that of an earlier block or empty:
    /// fresh memory would cost as much as the reading.
    pub(crate) fn next_block(&mut self, mut buffer: Vec<u8>) -> io::Result<Option<Block>> {
        while !self.is_over {
            let filled = self.fill(&mut buffer)?;
            let read = buffer.get(..filled).unwrap_or_default();
            let start = if self.is_skipping { self.skip_to_line_end(read) } else { 0 };
            let read = read.get(start..).unwrap_or_default();
            let end = match memrchr(b'\n', read) {
                _ if self.is_over || self.is_skipping => read.len(),
                Some(end) => end + 1,
                None => {
                    self.is_skipping = true;
                    self.skipped_lines += 1;
                    continue;
                }
            };
            let (lines, rest) = read.split_at_checked(end).unwrap_or((read, b""));
            self.rest.extend_from_slice(rest);
            if lines.is_empty() {
                continue;
            }
            let parser = self.parser.clone();
            self.follow_comments(lines);
            return Ok(Some(Block { buffer, lines: start..start + end, parser }));
        }
        Ok(None)
    }

    /// Fills the buffer with the rest of the last block and a block of new bytes. Returns how many there are.
    fn fill(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        let mut filled = self.rest.len();
        let wanted = filled + BLOCK_BYTES;
        if buffer.len() < wanted {
            buffer.resize(wanted, 0);
        }
        if let Some(start) = buffer.get_mut(..filled) {
            start.copy_from_slice(&self.rest);
        }
        self.rest.clear();
        while let Some(free @ [_, ..]) = buffer.get_mut(filled..wanted) {
            match self.source.read(free) {
                Ok(0) => {
                    self.is_over = true;
                    break;
                }
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    /// Where the first line begins after one that is too long: no part of such a line is taken for a line.
    fn skip_to_line_end(&mut self, bytes: &[u8]) -> usize {
        match memchr::memchr(b'\n', bytes) {
            Some(end) => {
                self.is_skipping = false;
                end + 1
            }
            None => bytes.len(),
        }
    }

    /// A line of the W3C format names the columns of the lines after it, also in the next blocks.
    fn follow_comments(&mut self, bytes: &[u8]) {
        let first = bytes.starts_with(b"#").then_some(0);
        let others = memmem::find_iter(bytes, b"\n#").map(|at| at + 1);
        for start in first.into_iter().chain(others) {
            let line = bytes.get(start..).unwrap_or_default();
            let end = memchr::memchr(b'\n', line).unwrap_or(line.len());
            self.parser.parse(line.get(..end.min(MAX_LINE_BYTES)).unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use agents::access_log::LogLine;

    use super::*;

    /// The user agents of a log, and how many lines were too long.
    fn user_agents(log: &[u8]) -> (Vec<String>, u64) {
        let mut blocks = LogBlocks::new(log);
        let (mut found, mut too_long) = (Vec::new(), 0);
        while let Some(block) = blocks.next_block(Vec::new()).unwrap() {
            too_long += block.for_each_line(|parser, line| {
                if let LogLine::Request(request) = parser.parse(line) {
                    let user_agent = request.user_agent.decode();
                    found.push(String::from_utf8_lossy(&user_agent).into_owned());
                }
            });
        }
        (found, too_long + blocks.skipped_lines)
    }

    fn line(name: &str) -> String {
        format!("44.10.0.7 - - [x] \"GET / HTTP/1.1\" 200 1 \"-\" \"{name}\"\n")
    }

    #[test]
    fn lines_across_blocks_are_whole() {
        let log: String = (0..40_000).map(|n| line(&format!("agent {n}"))).collect();
        assert!(log.len() > 2 * BLOCK_BYTES);
        let (found, too_long) = user_agents(log.trim_end().as_bytes());
        let expected: Vec<String> = (0..40_000).map(|n| format!("agent {n}")).collect();
        assert!(found == expected && too_long == 0);
    }

    #[test]
    fn no_part_of_a_long_line_is_taken_for_a_line() {
        for length in [MAX_LINE_BYTES, BLOCK_BYTES, 3 * BLOCK_BYTES + 5] {
            let log = format!("{}{}{}{}", line("a"), "x".repeat(length), line("b"), line("c"));
            let (found, too_long) = user_agents(log.as_bytes());
            assert_eq!((found, too_long), (vec!["a".to_owned(), "c".to_owned()], 1), "{length}");
        }
    }

    #[test]
    fn columns_are_known_in_the_next_block() {
        let mut log = b"#Fields: c-ip cs(User-Agent)\n".to_vec();
        for _ in 0..100_000 {
            log.extend(b"44.10.0.7 GPTBot/1.3+x\n");
        }
        assert!(log.len() > BLOCK_BYTES);
        let (found, _) = user_agents(&log);
        assert_eq!(found.len(), 100_000);
        assert!(found.iter().all(|one| one == "GPTBot/1.3 x"));
    }
}
