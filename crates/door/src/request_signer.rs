//! Signatures of our own requests. The door does not know how they are made: it only adds the fields
//! that a signer gives it, on every hop anew, because a signature names the host it is meant for.

use std::fmt;
use std::sync::Arc;

use crate::guard::url::CheckedTarget;

/// Makes the header fields by which a site can tell who sent a request.
pub trait RequestSigner: fmt::Debug + Send + Sync {
    /// The fields for a request to this host (and port, unless it is the usual one), in the order in
    /// which they are sent after all others. Empty if it cannot be signed now.
    fn sign_request(&self, authority: &str) -> Vec<(String, String)>;
}

/// The identity whose requests are signed, and who signs them.
#[derive(Debug)]
pub(crate) struct SignedIdentity {
    pub(crate) identity: String,
    pub(crate) signer: Arc<dyn RequestSigner>,
}

impl SignedIdentity {
    /// The fields of the signature, if requests of this identity are signed. Plain http is not: whoever
    /// listens could send the request again in our name.
    pub(crate) fn sign(&self, identity: &str, target: &CheckedTarget) -> Vec<(String, String)> {
        if self.identity == identity && target.url.scheme() == "https" {
            self.signer.sign_request(&target.authority())
        } else {
            Vec::new()
        }
    }
}
