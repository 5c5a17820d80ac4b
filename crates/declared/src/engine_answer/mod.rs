//! What an AI engine states about a business, out of the text of its answer.
//!
//! The text is a stranger's: it may be prose, hold markup or instructions, or be made to mislead. Nothing in
//! it is followed. Four values and a list of addresses are taken from it, short and in one plain line each;
//! what is not one of them is not read. Where an engine did not answer in JSON, prose is read as far as
//! it is clear: a value of which there are two is not stated.

mod address;
mod json_answer;
mod prose;
#[cfg(test)]
mod tests;
mod value;

pub use value::{MAX_ADDRESS, MAX_HOURS, MAX_PHONE, MAX_SOURCE, MAX_SOURCES, MAX_WEBSITE};

use crate::page::truncate_str;

/// Bytes of a text that are read.
const MAX_BYTES: usize = 64 << 10;

/// What an engine states. Every text is one plain line and as short as the constants of this module say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EngineStatement {
    pub phone: Option<String>,
    pub address: Option<String>,
    /// A web address or the name of a host.
    pub website: Option<String>,
    pub hours: Option<String>,
    /// Web addresses and names of hosts, each once.
    pub sources: Vec<String>,
    pub form: AnswerForm,
}

impl EngineStatement {
    /// Whether it states anything about the business.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        [&self.phone, &self.address, &self.website, &self.hours].iter().all(|value| value.is_none())
    }
}

/// How a statement was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AnswerForm {
    Json,
    #[default]
    Prose,
}

/// Reads the text of an answer. `named_sources` are those that the engine named beside its text.
#[must_use]
pub fn read_engine_answer(text: &str, named_sources: &[String]) -> EngineStatement {
    let text = truncate_str(text, MAX_BYTES);
    let mut statement = json_answer::read_json(text).unwrap_or_else(|| prose::read_prose(text));
    let stated = std::mem::take(&mut statement.sources);
    let named = named_sources.iter().map(String::as_str);
    statement.sources = value::source_list(stated.iter().map(String::as_str).chain(named));
    statement
}
