//! Parts of a file that a layer in front of the origin writes.
//!
//! Content delivery networks and hosters put their own groups before the site's and mark them with a
//! pair of comments. An owner who searches the repository for such a rule will not find it there.

use super::line::{self, Said};
use crate::rights::quoted;

/// A marked part of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagedBlock {
    /// Who says to have written it, in the words of the comment: `Cloudflare`.
    pub by: String,
    /// The line of the opening comment.
    pub first_line: u32,
    /// The line of the closing comment, or the last line when it is missing.
    pub last_line: u32,
    /// Whether the closing comment was found.
    pub closed: bool,
}

impl ManagedBlock {
    #[must_use]
    pub fn holds(&self, line: u32) -> bool {
        (self.first_line..=self.last_line).contains(&line)
    }
}

/// No honest file has more layers in front of it.
const MAX_BLOCKS: usize = 16;

pub(super) fn blocks(file: &[u8]) -> Vec<ManagedBlock> {
    let mut blocks: Vec<ManagedBlock> = Vec::new();
    let mut last = 0;
    for row in line::rows(file) {
        last = row.number;
        let Said::Comment(comment) = line::said(row.bytes) else { continue };
        let Some((opens, by)) = mark(comment) else { continue };
        if let Some(open) = blocks.last_mut().filter(|block| !block.closed) {
            // A second opening ends the first part just before itself.
            open.closed = !opens;
            open.last_line = row.number.saturating_sub(u32::from(opens));
        }
        if opens && blocks.len() < MAX_BLOCKS {
            let first_line = row.number;
            blocks.push(ManagedBlock { by, first_line, last_line: first_line, closed: false });
        }
    }
    if let Some(open) = blocks.last_mut().filter(|block| !block.closed) {
        open.last_line = last;
    }
    blocks
}

/// `BEGIN <who> managed content` or `END <who> managed content`: whether it opens, and who.
fn mark(comment: &[u8]) -> Option<(bool, String)> {
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
    (opens || first.eq_ignore_ascii_case("end")).then(|| (opens, quoted(&by.join(" "))))
}
