//! Separates the main text of a page from menus, headers, footers and other boilerplate.

use super::element_role::bit;
use super::prices;
use super::text_spans::TextSpans;

/// How much text of the page's header and footer is kept.
const MAX_EDGE_BYTES: usize = 16 << 10;
/// A block of link text with fewer words is a menu entry, not a sentence.
const SENTENCE_WORDS: usize = 12;

#[derive(Clone, Copy)]
struct Block {
    start: usize,
    end: usize,
    bits: u32,
    link_bytes: usize,
    anchors: usize,
}

/// The blocks of text read so far, as ranges of the text.
#[derive(Default)]
pub(super) struct Blocks {
    list: Vec<Block>,
    start: usize,
    bits: u32,
    link_bytes: usize,
    anchors: usize,
}

impl Blocks {
    /// Counts text that was added to the current block.
    pub(super) fn add_text(&mut self, bytes: usize, bits: u32) {
        self.bits = bits;
        if bits & bit::LINK != 0 {
            self.link_bytes += bytes;
        }
    }

    pub(super) fn count_anchor(&mut self) {
        self.anchors += 1;
    }

    /// Ends the block at a length of the text.
    pub(super) fn end_block(&mut self, end: usize) {
        if end > self.start {
            let Self { start, bits, link_bytes, anchors, .. } = *self;
            // Links are counted per block, so that a paragraph does not hide that the next block is
            // a menu.
            self.list.push(Block { start, end, bits: bits & !bit::LINK, link_bytes, anchors });
            self.start = end;
            self.link_bytes = 0;
            self.anchors = 0;
        }
    }

    /// The text that people see, without menus and the parts in `spans`; each block is a line.
    pub(super) fn visible(&mut self, text: &str, spans: &TextSpans) -> String {
        self.end_block(text.len());
        let mut visible = String::with_capacity(text.len());
        for block in &self.list {
            let words = text.get(block.start..block.end).unwrap_or_default();
            let menu = block.bits & bit::CHROME != 0 && block.bits & bit::EDGE == 0;
            if menu || (block.bits & bit::HIDDEN != 0) || is_link_list(block, words) {
                continue;
            }
            for part in spans.visible_in(text, block.start, block.end) {
                visible.push_str(part.trim());
                visible.push('\n');
            }
        }
        visible
    }

    /// The main text, and the text of the page's header and footer.
    pub(super) fn into_main_and_edges(mut self, text: &str) -> (String, String) {
        self.end_block(text.len());
        let mut main = String::with_capacity(text.len());
        let mut edges = String::new();
        let mut kept_to = 0;
        for block in &self.list {
            let words = text.get(block.start..block.end).unwrap_or_default();
            if block.bits & bit::EDGE != 0 && edges.len() + words.len() < MAX_EDGE_BYTES {
                append(&mut edges, words, false);
            }
            if is_main(block, words) {
                append(&mut main, words, block.start == kept_to);
                kept_to = block.end;
            }
        }
        if !main.bytes().any(|byte| byte.is_ascii_alphanumeric() || byte > 0x7f) {
            main = text.to_owned();
        }
        (main, edges)
    }
}

fn append(to: &mut String, words: &str, touches: bool) {
    let words = if to.is_empty() { words.trim_start() } else { words };
    if !to.is_empty() && !touches && !words.starts_with(' ') {
        to.push(' ');
    }
    to.push_str(words);
}

fn is_main(block: &Block, words: &str) -> bool {
    if block.bits & (bit::CHROME | bit::HIDDEN) != 0 {
        return false;
    }
    if block.bits & bit::ASIDE == 0 && !is_link_list(block, words) {
        return true;
    }
    // Prices count as main text wherever they are.
    prices::has_price(words)
}

fn is_link_list(block: &Block, words: &str) -> bool {
    if block.bits & bit::HEADING != 0 || block.link_bytes * 4 < words.len() * 3 {
        return false;
    }
    block.anchors >= 3 || words.split(' ').take(SENTENCE_WORDS).count() < SENTENCE_WORDS
}
