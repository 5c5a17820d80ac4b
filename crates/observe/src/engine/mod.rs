//! Asks AI engines what they know about a business, over the chat-completions protocol that most of them
//! speak, and its variant with web search.
//!
//! Two strangers meet here: the site, whose texts are in the question, and the engine, whose text is the
//! answer. The texts of the site are sent as data in a JSON object, short and without hidden characters.
//! The text of the engine is kept as evidence and decides nothing here: `declared::engine_answer` reads it.
//!
//! `settings.rs` is an engine, `question.rs` what it is told about a business, `prompt.rs` the fixed words
//! around it, `request.rs` and `response.rs` are the protocol, `ask.rs` is one question from start to end.

mod ask;
mod prompt;
mod question;
mod request;
mod response;
mod settings;

pub use ask::{ask_engine, spent_tokens};
pub use prompt::{PROMPT_VERSION, prompt_sha256};
pub use question::Question;
pub use settings::Engine;
