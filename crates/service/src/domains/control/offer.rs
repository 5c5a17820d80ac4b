//! How control of a domain can be proven, for people and programs.

use contract::control_proof::{proof_place, proof_value};
use contract::records::{ClaimMethod, ClaimOffer, ControlMethod, ProofStrength};
use contract::{Domain, Issuer};
use judge::control::describe_state;

use super::{ControlError, DomainControl};

/// What a claim gives, and what it does not.
const TERMS: [&str; 6] = [
    "A claim changes no decision about the site.",
    "Whoever proves control can see private scans of the domain, report incidents, and object to readings.",
    "Several people can prove control of one domain; nobody's claim ends another one.",
    "Leave the proof in place: it is read again every 30 days. If it is missing, you have 14 days to publish it again.",
    "After a lapse, a transfer of the domain or other nameservers, only a new token proves control.",
    "Proofs are read from one place at present, which the record names.",
];

impl DomainControl {
    pub async fn offer(&self, domain: &Domain) -> Result<ClaimOffer, ControlError> {
        let state = self.state_of(domain).await?;
        Ok(ClaimOffer {
            kind: self.issuer.brand.kind("claim-offer"),
            v: 1,
            domain: domain.clone(),
            means: describe_state(&state).to_owned(),
            state,
            methods: methods(domain, &self.issuer),
            control: self.issuer.domain_url("/api/v1/domain/control", domain),
            claim: claim_url(domain, &self.issuer),
            terms: TERMS.iter().map(|term| (*term).to_owned()).collect(),
        })
    }
}

/// The address to which a claim is sent.
pub(super) fn claim_url(domain: &Domain, issuer: &Issuer) -> String {
    issuer.url(&format!("/registry/{domain}/claim"))
}

/// Every method, the strongest first.
fn methods(domain: &Domain, issuer: &Issuer) -> Vec<ClaimMethod> {
    let all = [
        (
            ControlMethod::DnsTxt,
            ProofStrength::Strong,
            "That you can change the DNS zone of the domain.",
        ),
        (
            ControlMethod::WellKnownFile,
            ProofStrength::Medium,
            "That you can put a file on the web server of exactly this name. It is read over https, and redirects are \
             followed only between the name and its www form.",
        ),
        (
            ControlMethod::MetaTag,
            ProofStrength::Weak,
            "That you can change the head of the home page of exactly this name, which plug-ins and editors of a site \
             often can too. It is read over https, as a browser and as an unnamed client.",
        ),
    ];
    let method = |(method, strength, proves): (ControlMethod, ProofStrength, &str)| {
        let place = proof_place(domain, &method, &issuer.brand)?;
        let value = proof_value(&method, "TOKEN")?;
        Some(ClaimMethod {
            place: place.address().to_owned(),
            example: place.text_to_publish(&value),
            proves: proves.to_owned(),
            method,
            strength,
        })
    };
    all.into_iter().filter_map(method).collect()
}
