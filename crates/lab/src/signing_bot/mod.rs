//! An agent that signs its requests (Web Bot Auth, RFC 9421), and hosts that publish its key: a good
//! directory at `signing-bot.lab`, and others with one fault each ([`signing_hosts`]).
//!
//! Its private keys follow from texts in this source, so that every lab and every test has the same
//! ones. They are worth nothing.

mod behaviour;
mod directory;
mod hosts;
mod key;
mod sign;
mod state;

pub use behaviour::DirectoryBehaviour;
pub use directory::{DIRECTORY_MEDIA_TYPE, DIRECTORY_PATH};
pub use hosts::{SIGNING_BOT_HOST, signing_hosts};
pub use key::BotKey;
pub use sign::{BotRequest, BotSignature, SignatureAgent, SignedFields, sign_as_bot};

pub(crate) use directory::reply;
pub(crate) use state::DirectoryState;
