//! The sentence of a refusal: what there was too much of, and whose limit it is.

use super::quota::RefusedNetwork;

/// What there was too much of.
#[derive(Debug, Clone, Copy)]
pub(super) struct TooMany {
    what: &'static str,
    is_licensed: bool,
    /// Why the licence key of the request lifts no limit.
    key_problem: Option<&'static str>,
    hint: Option<&'static str>,
}

impl TooMany {
    /// As in `too many scans`, counted by address.
    pub(super) const fn of(what: &'static str) -> Self {
        Self { what, is_licensed: false, key_problem: None, hint: None }
    }

    /// Counted by licence.
    pub(super) const fn licensed(self) -> Self {
        Self { is_licensed: true, ..self }
    }

    pub(super) const fn with_key_problem(self, key_problem: Option<&'static str>) -> Self {
        Self { key_problem, ..self }
    }

    pub(super) const fn with_hint(self, hint: &'static str) -> Self {
        Self { hint: Some(hint), ..self }
    }

    /// The reason, for the network whose count refused.
    pub(super) fn reason(self, refused_for: Option<RefusedNetwork>) -> String {
        let mut reason = self.what.to_owned();
        match refused_for {
            _ if self.is_licensed => reason.push_str(" with this licence"),
            None => reason.push_str(" from this address"),
            Some(RefusedNetwork { network, is_crowd }) => {
                reason.push_str(&format!(" from the network {network}"));
                if is_crowd {
                    reason.push_str(
                        ", whose addresses are counted together while very many clients ask at once",
                    );
                }
            }
        }
        if let Some(problem) = self.key_problem {
            reason.push_str(", and ");
            reason.push_str(problem);
        }
        if let Some(hint) = self.hint {
            reason.push_str(&format!(" ({hint})"));
        }
        reason
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_says_whose_limit_it_is() {
        let reads = TooMany::of("too many records read");
        let network = |text: &str, is_crowd| {
            Some(RefusedNetwork { network: text.parse().unwrap(), is_crowd })
        };
        assert_eq!(reads.reason(None), "too many records read from this address");
        assert_eq!(reads.licensed().reason(None), "too many records read with this licence");
        assert_eq!(
            reads.reason(network("2001:db8:1::/48", false)),
            "too many records read from the network 2001:db8:1::/48"
        );
        assert!(
            reads.reason(network("192.0.0.0/16", true)).contains("192.0.0.0/16, whose addresses")
        );
        assert_eq!(
            reads.with_key_problem(Some("the key is not valid")).with_hint("try less").reason(None),
            "too many records read from this address, and the key is not valid (try less)"
        );
    }
}
