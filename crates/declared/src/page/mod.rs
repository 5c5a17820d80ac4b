//! Reads an HTML page as a client without JavaScript sees it: its text, metadata and hidden text.

mod blocks;
mod element_role;
mod hidden_texts;
mod markup_pieces;
mod microdata;
mod model;
mod prices;
mod reader;
mod shingles;
mod style;
mod tag;
mod text;

pub use microdata::{MicrodataItem, MicrodataValue};
pub use model::{HiddenText, Page, PageLink, TextSurface};
pub use prices::prices;
pub(crate) use reader::MAX_DATA_BYTES;
pub use shingles::{SHINGLE_WORDS, Shingles, shingles};
pub(crate) use text::truncate_str;

#[cfg(test)]
mod tests;
