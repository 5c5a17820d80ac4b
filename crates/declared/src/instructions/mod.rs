//! Finds text on a page that gives instructions to AI agents (prompt injection).
//!
//! Most text that looks like an instruction is harmless: articles about injection, notes to crawlers,
//! notices to people, developers' comments. So no phrase decides alone. A sentence counts if it
//! addresses a machine and tells it to ignore or hide its instructions; if it addresses a machine,
//! requests something and is hidden from people; or if it is written in invisible characters.
//! Quoted and reported sentences do not count. Files that are instructions by design (llms.txt) count
//! only if they override instructions, keep something secret or send data away.

mod base64_text;
mod excerpt;
pub mod fold;
mod harmless_lines;
mod invisible;
mod model;
mod passage_search;
mod phrase_context;
mod phrases;
mod role_markers;
mod sentences;
#[cfg(test)]
mod tests;

use model::MAX_HITS;
use passage_search::PassageSearch;
use phrases::{PhraseClass, contains_phrase, find_phrases};
use sentences::SplitPassage;

pub use harmless_lines::HarmlessLines;
pub use model::{InstructionHit, PageContext, Passage};
pub use phrases::PHRASES;

/// Hits of one passage, so that one passage does not crowd out the others.
const MAX_HITS_OF_PASSAGE: usize = 5;
/// Bytes read of one passage, and of all together.
const MAX_PASSAGE: usize = 1 << 20;
const MAX_TOTAL: usize = 4 << 20;

/// Finds instructions in passages, in their order; at most twenty hits.
#[must_use]
pub fn find_instructions(passages: &[Passage<'_>], context: PageContext) -> Vec<InstructionHit> {
    find_instructions_among(passages, context, &mut HarmlessLines::default())
}

/// The same for one of several pages, of which lines are known to be harmless. Adds those of this page.
#[must_use]
pub fn find_instructions_among<'a>(
    passages: &[Passage<'a>],
    context: PageContext,
    harmless: &mut HarmlessLines<'a>,
) -> Vec<InstructionHit> {
    let mut hits = Vec::new();
    let mut left = MAX_TOTAL;
    for passage in passages {
        let text = truncate_str(passage.text, MAX_PASSAGE.min(left));
        left = left.saturating_sub(text.len());
        // In a file, sentences that address nobody count too.
        if passage.surface != "file" && harmless.include(text) {
            if left == 0 {
                break;
            }
            continue;
        }
        let mut found = PassageSearch::new(passage.surface, text, context).find_hits();
        found.sort_by_key(|hit| hit.offset);
        found.truncate(MAX_HITS_OF_PASSAGE);
        hits.append(&mut found);
        if hits.len() >= MAX_HITS || left == 0 {
            break;
        }
    }
    hits.truncate(MAX_HITS);
    hits
}

/// Whether a page is about prompt injection or model security. The title is enough; otherwise the text
/// must mention it three times, because a single mention is easily planted.
#[must_use]
pub fn is_about_security(title: Option<&str>, text: &str) -> bool {
    const MENTIONS: usize = 3;
    const READ: usize = 128 << 10;
    let sentences = |text| SplitPassage::from_text(truncate_str(text, READ)).sentences;
    if sentences(title.unwrap_or_default())
        .iter()
        .any(|title| contains_phrase(PhraseClass::Topic, &title.text))
    {
        return true;
    }
    let mut mentions = 0_usize;
    for sentence in sentences(text) {
        mentions = mentions.saturating_add(find_phrases(PhraseClass::Topic, &sentence.text).len());
        if mentions >= MENTIONS {
            return true;
        }
    }
    false
}

fn truncate_str(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}
