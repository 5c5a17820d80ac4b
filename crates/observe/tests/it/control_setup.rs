//! Checks of proofs of control that tests publish in the lab.

use std::time::Duration;

use contract::control_proof::{proof_place, proof_value};
use contract::records::ControlMethod;
use contract::{Brand, Domain};
use door::Door;
use lab::{Lab, LabProof, ProofKind};
use observe::{ControlCheck, ControlCheckOutcome, ProofResult};

use crate::setup::{catalogue, door, lab};

/// Has both cases and the signs of base64url.
pub(crate) const TOKEN: &str = "Kq7-x2_MmZ4vBn8sW1tYpR";

/// A lab and a door, for the checks of one test.
pub(crate) struct Checks {
    pub(crate) lab: Lab,
    door: Door,
    method: ControlMethod,
}

impl Checks {
    pub(crate) async fn by(method: ControlMethod) -> Self {
        let lab = lab().await;
        let door = door(&lab);
        Self { lab, door, method }
    }

    /// Publishes the proof as a claimant would.
    pub(crate) fn publish(&self, domain: &str) {
        let value = proof_value(&self.method, TOKEN).unwrap();
        let kind = match self.method {
            ControlMethod::DnsTxt => ProofKind::Txt,
            ControlMethod::MetaTag => ProofKind::Meta,
            _ => ProofKind::File,
        };
        self.lab.publish(domain, LabProof::new(kind, &value)).unwrap();
    }

    pub(crate) async fn check(&self, domain: &str) -> ControlCheckOutcome {
        self.check_within(domain, Duration::from_secs(10)).await
    }

    pub(crate) async fn check_within(
        &self,
        domain: &str,
        deadline: Duration,
    ) -> ControlCheckOutcome {
        let name = Domain::parse(domain, &self.door.policy().names).unwrap();
        let outcome = ControlCheck {
            domain: &name,
            method: &self.method,
            brand: &Brand::default(),
            value: &proof_value(&self.method, TOKEN).unwrap(),
            door: &self.door,
            catalogue: &catalogue(),
            deadline,
        }
        .run()
        .await;
        let ControlCheckOutcome { detail, place, .. } = &outcome;
        assert!(!detail.contains(TOKEN), "{detail}");
        assert!(detail.ends_with('.') && detail.len() < 700, "{detail}");
        let expected_place = proof_place(&name, &self.method, &Brand::default()).unwrap();
        let www = expected_place.address().replace("https://", "https://www.");
        assert!(*place == expected_place.address() || *place == www, "{place}");
        self.assert_token_was_not_sent(domain);
        outcome
    }

    /// Publishes, checks, and expects this result with these words in the explanation.
    pub(crate) async fn expect(&self, domain: &str, result: ProofResult, words: &str) {
        self.publish(domain);
        let outcome = self.check(domain).await;
        assert_eq!(outcome.result, result, "{domain}: {}", outcome.detail);
        assert!(outcome.detail.contains(words), "{domain}: {}", outcome.detail);
    }

    /// No site may pass by repeating what it was asked.
    fn assert_token_was_not_sent(&self, domain: &str) {
        for hit in self.lab.hits(domain) {
            assert!(!format!("{hit:?}").contains(TOKEN), "{hit:?}");
        }
    }
}
