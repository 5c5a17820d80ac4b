//! Random ids and secrets. The random source is an argument, so that tests can replace it.

use std::fmt;

use aws_lc_rs::rand::{SecureRandom, SystemRandom};
use data_encoding::BASE32_NOPAD;

/// A source of random ids and secrets.
pub trait Ids: Send + Sync + fmt::Debug {
    /// A random id of 26 lower-case letters and digits (128 bits).
    fn random_id(&self) -> Result<String, RandomnessError>;

    /// 256 random bits.
    fn random_bytes(&self) -> Result<[u8; 32], RandomnessError>;
}

/// The system's random source failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system's random source failed")]
pub struct RandomnessError;

/// The system's random source.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemIds;

impl Ids for SystemIds {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where ids read the system's random source"
    )]
    fn random_id(&self) -> Result<String, RandomnessError> {
        let mut bytes = [0; 16];
        SystemRandom::new().fill(&mut bytes).map_err(|_| RandomnessError)?;
        Ok(BASE32_NOPAD.encode(&bytes).to_ascii_lowercase())
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where secrets read the system's random source"
    )]
    fn random_bytes(&self) -> Result<[u8; 32], RandomnessError> {
        let mut bytes = [0; 32];
        SystemRandom::new().fill(&mut bytes).map_err(|_| RandomnessError)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_long_plain_and_different() {
        let one = SystemIds.random_id().unwrap();
        assert_eq!(one.len(), 26);
        assert!(one.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()));
        assert_ne!(one, SystemIds.random_id().unwrap());
    }
}
