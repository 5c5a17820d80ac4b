//! Keys: what each is for, how one signs and checks, and where they are kept.

pub mod events;
mod mark;
mod private_file;
mod public;
mod purpose;
mod ring;
mod secret;
mod signing;
mod store;

pub use events::{KeyEvent, events};
pub use mark::{LogMark, MARK_NAME, Marked};
pub use private_file::PrivateDir;
pub use public::PublicKey;
pub use purpose::KeyPurpose;
pub use ring::{KeyRecord, KeyRing};
pub use secret::Secret;
pub use signing::SigningKey;
pub use store::KeyStore;
