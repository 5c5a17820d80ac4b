//! Whom a request is counted as: the holder of its licence, or its address.

use service::AddressBlock;

use super::{reason::TooMany, scopes::RateLimitClient};

/// The client of a request. A request without a valid credential is counted by its address.
#[derive(Debug, Clone)]
pub(crate) struct RequestClient {
    pub(super) block: AddressBlock,
    licence: Option<RateLimitClient>,
    /// Why the licence key of the request lifts no limit.
    key_problem: Option<&'static str>,
}

impl RequestClient {
    /// The licence is given by its id and by how many times the limits per licence it has.
    pub(crate) fn new(
        block: AddressBlock,
        licence: Option<(&str, u32)>,
        key_problem: Option<&'static str>,
    ) -> Self {
        let licence = licence.map(|(id, factor)| RateLimitClient::Licence {
            id: proof::sha256(id.as_bytes()),
            factor,
        });
        Self { block, licence, key_problem }
    }

    pub(super) fn counted_as(&self) -> RateLimitClient {
        self.licence.unwrap_or(RateLimitClient::Address(self.block))
    }

    /// The reason of a 429: what there was too much of, and whose limit it is.
    pub(super) fn too_many(&self, what: &'static str) -> TooMany {
        match &self.licence {
            Some(_) => TooMany::of(what).licensed(),
            None => TooMany::of(what).with_key_problem(self.key_problem),
        }
    }
}
