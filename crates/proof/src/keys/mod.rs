//! Signing keys: their purposes, signing and verifying, and the key store on disk.

pub mod events;
mod key_copy;
mod log_mark;
mod log_place;
mod next_entry;
mod private_dir;
mod public;
mod purpose;
mod ring;
mod secret;
mod signing;
mod store;

pub use events::{KeyEvent, key_events};
pub use key_copy::copy_keys;
pub use log_mark::{LogMark, LogPosition, MARK_FILE_NAME};
pub use log_place::{LogPlace, PLACE_FILE_NAME};
pub use next_entry::{NEXT_ENTRY_FILE_NAME, read_next_entry, remove_next_entry, write_next_entry};
pub use private_dir::PrivateDir;
pub use public::PublicKey;
pub use purpose::KeyPurpose;
pub use ring::{KeyRecord, KeyRing};
pub use secret::DeploymentSecret;
pub use signing::SigningKey;
pub use store::KeyStore;
