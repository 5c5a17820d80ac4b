//! Chance as an argument.

use std::fmt;

use aws_lc_rs::rand::{SecureRandom, SystemRandom};
use data_encoding::BASE32_NOPAD;

/// Where unguessable names come from.
pub trait Ids: Send + Sync + fmt::Debug {
    /// A name nobody can guess: lower-case letters and digits, 26 of them (128 bits).
    fn unguessable(&self) -> Result<String, NoChance>;

    /// 256 bits nobody can guess.
    fn secret(&self) -> Result<[u8; 32], NoChance>;
}

/// The system's random source failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system's random source failed")]
pub struct NoChance;

/// The system's random source.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemIds;

impl Ids for SystemIds {
    #[expect(clippy::disallowed_methods, reason = "this is where ids get their chance from")]
    fn unguessable(&self) -> Result<String, NoChance> {
        let mut bytes = [0; 16];
        SystemRandom::new().fill(&mut bytes).map_err(|_| NoChance)?;
        Ok(BASE32_NOPAD.encode(&bytes).to_ascii_lowercase())
    }

    #[expect(clippy::disallowed_methods, reason = "this is where keys get their chance from")]
    fn secret(&self) -> Result<[u8; 32], NoChance> {
        let mut bytes = [0; 32];
        SystemRandom::new().fill(&mut bytes).map_err(|_| NoChance)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_long_plain_and_different() {
        let one = SystemIds.unguessable().unwrap();
        assert_eq!(one.len(), 26);
        assert!(one.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()));
        assert_ne!(one, SystemIds.unguessable().unwrap());
    }
}
