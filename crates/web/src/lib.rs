//! One screen of routes, the error shape, limits, OpenAPI, pages.

mod body;
mod client_address;
pub mod edge;
pub mod errors;
mod negotiation;
mod pages;
mod server;
mod telemetry;

pub use body::StrictJson;
pub use client_address::ClientAddress;
pub use edge::WebOptions;
pub use errors::ApiError;
pub use server::{PeerAddress, ServeReport, ServerOptions, serve};
