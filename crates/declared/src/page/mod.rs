//! Reads an HTML page as a client without JavaScript sees it: its text, metadata and hidden text.

mod anchors;
mod blocks;
mod css;
mod element_role;
mod h_card;
mod head_meta;
mod hidden_texts;
mod markup_pieces;
mod microdata;
mod model;
mod page_kind;
mod prices;
mod rdfa;
mod reader;
mod shingles;
mod start_tags;
mod tag;
mod text;
mod text_spans;
mod word_segments;

pub use anchors::anchor_targets;
pub use h_card::HCard;
pub use head_meta::head_meta_contents;
pub use microdata::{MicrodataItem, MicrodataValue};
pub use model::{HiddenText, MetaRefresh, Page, PageLink, TextSurface};
pub use page_kind::PageKind;
pub use prices::prices;
pub(crate) use reader::MAX_DATA_BYTES;
pub use shingles::{SHINGLE_WORDS, ShingleOverlap, Shingles, shingles};
pub(crate) use text::truncate_str;

#[cfg(test)]
mod tests;
