//! MCP servers of each era and with each fault. They answer real questions over real HTTP; a test can
//! change what they list and see which methods were called.

mod auth;
mod behaviour;
mod card;
mod content;
mod further_hosts;
mod host;
mod hosts;
mod legacy_stream;
mod reply;
mod silence;
mod state;

pub use content::LabMcpServer;
pub use host::LabMcpHost;
pub use hosts::{MCP_PEER_HOST, mcp_servers};

pub(crate) use reply::reply;
pub(crate) use state::McpServers;
