//! Blocks of a robots.txt file that a CDN or hoster added.
//!
//! They put their own groups before the site's and mark them with a pair of comments. An owner who
//! searches the site's own files for such a rule will not find it there.

use super::line::{self, LineContent};
use super::model::Robots;
use crate::evidence_excerpt::evidence_excerpt;

/// A block between a pair of `BEGIN … managed content` / `END …` comments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagedBlock {
    /// Who added it, as the comment says: `Cloudflare`.
    pub managed_by: String,
    /// The line of the opening comment.
    pub first_line: u32,
    /// The line of the closing comment, or the last line when it is missing.
    pub last_line: u32,
    /// Whether the closing comment was found.
    pub closed: bool,
}

impl ManagedBlock {
    #[must_use]
    pub fn contains_line(&self, line: u32) -> bool {
        (self.first_line..=self.last_line).contains(&line)
    }
}

/// How many blocks are read; no honest file has more.
const MAX_BLOCKS: usize = 16;

impl Robots {
    /// Parts of the file that a layer in front of the origin put there, by their comments.
    #[must_use]
    pub fn managed_blocks(&self) -> Vec<ManagedBlock> {
        find_blocks(self.file_bytes())
    }
}

fn find_blocks(file: &[u8]) -> Vec<ManagedBlock> {
    let mut blocks: Vec<ManagedBlock> = Vec::new();
    let mut last = 0;
    for raw_line in line::raw_lines(file) {
        last = raw_line.number;
        let LineContent::Comment(comment) = line::parse_line(raw_line.bytes) else { continue };
        let Some((opens, by)) = parse_marker(comment) else { continue };
        if let Some(open) = blocks.last_mut().filter(|block| !block.closed) {
            // A second opening comment ends the first block on the line before it.
            open.closed = !opens;
            open.last_line = raw_line.number.saturating_sub(u32::from(opens));
        }
        if opens && blocks.len() < MAX_BLOCKS {
            let first_line = raw_line.number;
            blocks.push(ManagedBlock {
                managed_by: by,
                first_line,
                last_line: first_line,
                closed: false,
            });
        }
    }
    if let Some(open) = blocks.last_mut().filter(|block| !block.closed) {
        open.last_line = last;
    }
    blocks
}

/// `BEGIN <who> managed content` or `END <who> managed content`: whether it opens, and who.
fn parse_marker(comment: &[u8]) -> Option<(bool, String)> {
    // Longer comments are prose.
    let text = std::str::from_utf8(comment).ok().filter(|text| text.len() <= 120)?;
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let is =
        |word: Option<&str>, wanted: &str| word.is_some_and(|w| w.eq_ignore_ascii_case(wanted));
    if !is(words.pop(), "content") || !is(words.pop(), "managed") {
        return None;
    }
    let (first, by) = words.split_first()?;
    let opens = first.eq_ignore_ascii_case("begin");
    (opens || first.eq_ignore_ascii_case("end")).then(|| (opens, evidence_excerpt(&by.join(" "))))
}
