//! Walks over the lists of an MCP server: finds out which era it speaks, reads every page of the lists
//! that it declares, reads the tools a second time, and ends its session. Nothing else is asked: no
//! tool is called, no prompt is got, no resource is read, and no credential is sent.
//!
//! `walk` → `handshake` (era) → `lists` (pages) → `stability`; `conversation` asks one question, over
//! `http_client` or `legacy_stream`; `auth` reads what a 401 refers to, `card` the server card (both over
//! `json_file`). `line_walk` is the same for a process that takes a message on each line, over
//! `line_client`.

mod auth;
mod budget;
mod card;
mod challenge;
mod conversation;
mod handshake;
mod http_client;
mod json_file;
mod legacy_stream;
mod line_client;
mod line_walk;
mod lists;
mod messages;
mod problem;
mod raw_json;
mod stability;
mod walk;

pub use budget::McpBudget;
pub use line_walk::McpLineWalk;
pub use walk::{CollectedMcp, McpWalk};
