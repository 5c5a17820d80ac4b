//! Real MCP servers: the reference server from npm and servers on the Python libraries, each a process of
//! its own on a loopback address that the lab calls `peer.lab`.

mod client;
mod locks;
mod peer;
mod scans;
