//! Streams of server-sent events: the parser, which knows no sockets, and the bounded reader.

pub(crate) mod fuzzing;
mod parser;
pub(crate) mod stream;

pub use parser::Event;
