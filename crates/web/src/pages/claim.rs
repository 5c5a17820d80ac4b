//! The pages about claiming a domain: the state and the methods, and what to publish.

use askama::Template;
use contract::records::{
    ClaimChallenge, ClaimMethod, ClaimOffer, ClaimState, ControlMethod, ControlRecord,
    ProofStrength,
};
use service::domains::control::transition_rows;

use super::dates::{minute, second};
use super::status::Status;

/// The page with the state of a domain and the form that begins a claim.
#[derive(Template)]
#[template(path = "claim.html")]
struct ClaimPage<'a> {
    offer: &'a ClaimOffer,
    record: &'a ControlRecord,
    status: Status,
    methods: Vec<MethodRow<'a>>,
    /// For the forms of the page.
    token: &'a str,
    is_owner: bool,
    problem: Option<&'a str>,
    rules: Vec<[String; 3]>,
}

struct MethodRow<'a> {
    method: &'a ClaimMethod,
    name: &'static str,
    strength: Status,
}

/// What to publish, and the button that looks for it.
#[derive(Template)]
#[template(path = "claim_challenge.html")]
struct ChallengePage<'a> {
    challenge: &'a ClaimChallenge,
    method: &'static str,
    place: &'a str,
    token: &'a str,
    problem: Option<&'a str>,
    /// What was seen at the last attempt.
    seen: &'a [String],
    organization: &'a str,
    contact: &'a str,
}

pub(crate) struct ClaimPageParts<'a> {
    pub(crate) offer: &'a ClaimOffer,
    pub(crate) record: &'a ControlRecord,
    pub(crate) token: &'a str,
    pub(crate) is_owner: bool,
    pub(crate) problem: Option<&'a str>,
}

pub(crate) fn render(parts: &ClaimPageParts<'_>) -> String {
    let methods = parts.offer.methods.iter();
    super::render(&ClaimPage {
        offer: parts.offer,
        record: parts.record,
        status: state_status(&parts.record.state),
        methods: methods
            .map(|method| MethodRow {
                name: method_name(&method.method),
                strength: strength_status(&method.strength),
                method,
            })
            .collect(),
        token: parts.token,
        is_owner: parts.is_owner,
        problem: parts.problem,
        rules: transition_rows(),
    })
}

/// What the page of a challenge shows besides the challenge.
#[derive(Default)]
pub(crate) struct ChallengeParts<'a> {
    pub(crate) token: &'a str,
    pub(crate) problem: Option<&'a str>,
    pub(crate) seen: &'a [String],
    pub(crate) organization: &'a str,
    pub(crate) contact: &'a str,
}

pub(crate) fn render_challenge(challenge: &ClaimChallenge, parts: &ChallengeParts<'_>) -> String {
    let place = challenge.place.name.as_deref().or(challenge.place.url.as_deref());
    super::render(&ChallengePage {
        challenge,
        method: method_name(&challenge.method),
        place: place.unwrap_or_default(),
        token: parts.token,
        problem: parts.problem,
        seen: parts.seen,
        organization: parts.organization,
        contact: parts.contact,
    })
}

/// A state as icon, word and colour.
pub(crate) fn state_status(state: &ClaimState) -> Status {
    match state {
        ClaimState::Proven => Status::ok("Proven"),
        ClaimState::ProofMissing => Status::warn("Proof missing"),
        ClaimState::ZoneNotRechecked => Status::warn("Not checked again"),
        ClaimState::Lapsed => Status::bad("Lapsed"),
        ClaimState::SuspendedTransfer => Status::bad("Suspended: transferred"),
        ClaimState::SuspendedExpired => Status::bad("Suspended: expired"),
        ClaimState::Unproven => Status::off("Not claimed"),
        ClaimState::Unrecognised(_) => Status::off("Unknown"),
    }
}

pub(crate) fn method_name(method: &ControlMethod) -> &'static str {
    match method {
        ControlMethod::DnsTxt => "DNS record",
        ControlMethod::WellKnownFile => "File on the web server",
        ControlMethod::MetaTag => "Meta tag on the home page",
        ControlMethod::Unrecognised(_) => "Another method",
    }
}

fn strength_status(strength: &ProofStrength) -> Status {
    match strength {
        ProofStrength::Strong => Status::ok("Strong"),
        ProofStrength::Medium => Status::warn("Medium"),
        _ => Status::off("Weak"),
    }
}

/// An event's type in words.
pub(crate) fn event_words(word: &str) -> String {
    let text = word.replace('_', " ");
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
