//! This service as an MCP server, at `/mcp` (Streamable HTTP, without sessions).
//!
//! A tool call becomes a request to the API, inside this process: limits, errors, checks of the input and
//! signatures are those of the API. Both eras of the protocol are spoken: 2026-07-28, which has no handshake, and
//! the versions before it, which begin with `initialize`.

mod caller;
mod dispatch;
mod endpoint;
mod host_guard;
mod local_message;
mod messages;
mod server;
mod tool_call;
mod tools;
mod versions;

pub(crate) use endpoint::router;
pub use local_message::{LocalReply, answer_local_message};
pub(crate) use server::McpServer;
pub(crate) use versions::SUPPORTED_VERSIONS;
