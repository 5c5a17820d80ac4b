//! HTTP message signatures (RFC 9421) with Ed25519, and Content-Digest (RFC 9530).
//!
//! A signature covers a list of components: derived ones such as `@status`, and fields. The signed
//! bytes begin with a quotation mark, so they can never be the message of a signed document.
//!
//! Unsupported components and parameters (`sf`, `bs`, `tr`, `@query-param`, `@request-target`) are
//! an error; they are never skipped.

mod accept;
mod bot_request;
mod component;
mod content_digest;
mod directory;
mod error;
mod limits;
mod message;
mod params;
mod sign;
mod verify;
mod web_bot_auth;
mod webhook_request;

pub use accept::{RequestedSignature, parse_accept_signature};
pub use bot_request::{BotRequest, sign_bot_request};
pub use component::Component;
pub use content_digest::content_digest;
pub use directory::{DIRECTORY_TAG, sign_directory};
pub use error::HttpSignatureError;
pub use limits::{MAX_BASE_BYTES, MAX_COMPONENTS, MAX_FIELD_BYTES, MAX_SIGNATURES};
pub use message::{Fields, Message, Request, Response};
pub use params::{ALG, SignatureParams};
pub use sign::{SignatureFields, sign};
pub use verify::{SignatureRequirements, VerifiedSignature, verify};
pub use web_bot_auth::{BotSignature, BotSignatureError, WEB_BOT_AUTH_TAG};
pub use webhook_request::{WEBHOOK_ID_FIELD, WEBHOOK_TAG, WebhookRequest, sign_webhook_request};

#[cfg(test)]
mod tests;
