//! The service as an MCP server: over HTTP and over standard input and output, and real clients that ask it.

mod bad_input;
mod conformance;
mod exchange;
mod limits;
mod protocol;
mod real_clients;
mod stdio;
