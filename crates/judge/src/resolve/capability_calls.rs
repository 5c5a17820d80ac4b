//! What calls of a declared operation showed, from the evidence.
//!
//! A response is compared by `declared::capability`. Here the readings of one operation are taken together:
//! it matches if a response matched, and differs only if every one of at least two responses did. A wall or
//! a fault says nothing about the declaration.

use contract::evidence::{Evidence, Exchange, ExchangeOutcome, ReadTarget, Reading};
use contract::records::{CallDifference, CallReading, CallResult, Capabilities, CapabilityCall};
use contract::text::display_safe;
use declared::capability::{CallComparison, CallResponse, ReadCall};

use crate::Bodies;
use crate::walls::WallDetector;

/// The note of a section without calls.
pub(super) const NOTE: &str =
    "Read from declarations only. No capability was called, so none is verified.";

const URL_CHARS: usize = 1_024;
const TYPE_CHARS: usize = 120;

const WALL: &str = "A block or challenge page came instead of the response.";
const BODY_GONE: &str = "The body of the response is no longer stored.";
const NOT_CONFIRMED: &str =
    "A response differed from the declaration, but no second one confirmed it.";
const CHANGING: &str = "One response matched the declaration and another did not.";

/// Whether calls showed that the operation behaves as declared.
pub(super) fn as_declared(call: &CapabilityCall) -> Option<bool> {
    match call.result {
        CallResult::AsDeclared => Some(true),
        CallResult::Differs => Some(false),
        CallResult::NotMeasured | CallResult::Unrecognised(_) => None,
    }
}

/// Counts the operations that matched and those that did not.
pub(super) fn count_calls(body: &mut Capabilities) {
    let count = |wanted: bool| {
        let items = body.items.iter().filter(|item| item.as_declared == Some(wanted));
        u32::try_from(items.count()).unwrap_or(u32::MAX)
    };
    (body.verified, body.mismatches) = (count(true), count(false));
}

/// What the calls of an operation showed; `None` if it was not called.
pub(super) fn calls_of(
    call: &ReadCall,
    evidence: &Evidence,
    bodies: &dyn Bodies,
) -> Option<CapabilityCall> {
    let made = |reading: &&Reading| {
        reading.target == ReadTarget::CapabilityCall
            && reading.exchange.method == "GET"
            && reading.exchange.url == call.url
    };
    let compared: Vec<(&Reading, Compared)> = evidence
        .reads
        .iter()
        .filter(made)
        .map(|reading| (reading, compare(call, &reading.exchange, bodies)))
        .collect();
    let (first, _) = compared.first()?;
    let called_at = first.exchange.started_at.whole_seconds();
    let readings = compared.iter().map(|(reading, one)| shown_reading(reading, one)).collect();
    let matched = compared.iter().find_map(|(_, one)| match one {
        Compared::Response(CallComparison::AsDeclared(parts)) => Some(parts),
        _ => None,
    });
    let differences: Vec<_> = compared
        .iter()
        .filter_map(|(_, one)| match one {
            Compared::Response(CallComparison::Differs(difference)) => Some(difference),
            _ => None,
        })
        .collect();
    let mut result = CapabilityCall {
        result: CallResult::NotMeasured,
        why: String::new(),
        called_at,
        compared: Vec::new(),
        not_compared: Vec::new(),
        difference: None,
        readings,
    };
    match (matched, differences.last()) {
        (Some(parts), None) => {
            result.result = CallResult::AsDeclared;
            result.why = "The response matched the declaration.".to_owned();
            result.compared = parts.compared.iter().map(|part| (*part).to_owned()).collect();
            result.not_compared =
                parts.not_compared.iter().map(|part| (*part).to_owned()).collect();
        }
        (Some(_), Some(_)) => result.why = CHANGING.to_owned(),
        (None, Some(difference)) if differences.len() >= 2 => {
            result.result = CallResult::Differs;
            result.why = "Two responses differed from the declaration.".to_owned();
            result.difference = Some(CallDifference {
                part: difference.part.as_str().to_owned(),
                untrusted_declared: difference.declared.clone(),
                untrusted_found: difference.found.clone(),
            });
        }
        (None, Some(_)) => result.why = NOT_CONFIRMED.to_owned(),
        (None, None) => {
            let why = compared.iter().find_map(|(_, one)| one.why());
            result.why = why.unwrap_or_default();
        }
    }
    Some(result)
}

/// What one exchange showed.
enum Compared {
    Response(CallComparison),
    /// No response, or one that does not come from the operation.
    Nothing(String),
}

impl Compared {
    fn why(&self) -> Option<String> {
        match self {
            Self::Response(CallComparison::NotMeasured(why)) => Some((*why).to_owned()),
            Self::Response(_) => None,
            Self::Nothing(why) => Some(why.clone()),
        }
    }

    fn result(&self) -> CallResult {
        match self {
            Self::Response(CallComparison::AsDeclared(_)) => CallResult::AsDeclared,
            Self::Response(CallComparison::Differs(_)) => CallResult::Differs,
            Self::Response(CallComparison::NotMeasured(_)) | Self::Nothing(_) => {
                CallResult::NotMeasured
            }
        }
    }
}

fn compare(call: &ReadCall, exchange: &Exchange, bodies: &dyn Bodies) -> Compared {
    let response = match &exchange.outcome {
        ExchangeOutcome::Failed(failure) => return Compared::Nothing(failure.detail.clone()),
        ExchangeOutcome::Response(response) => response,
    };
    let Some(body) = bodies.body(&response.body.sha256) else {
        return Compared::Nothing(BODY_GONE.to_owned());
    };
    let compared = call.compare(&CallResponse {
        status: response.status,
        content_type: response.header("content-type"),
        body,
        is_cut: response.body.cut.is_some(),
    });
    // Looked for only where it matters: what matches its declaration is not a wall.
    if matches!(compared, CallComparison::Differs(_))
        && WallDetector::built_in().recognise(response, body).is_some_and(|wall| {
            // A demand for credentials is a wall too, but it is what the declaration rules out.
            wall.certain && (wall.vendor.is_some() || response.status != 401)
        })
    {
        return Compared::Nothing(WALL.to_owned());
    }
    Compared::Response(compared)
}

fn shown_reading(reading: &Reading, compared: &Compared) -> CallReading {
    let response = reading.exchange.response();
    CallReading {
        reading: reading.id.clone(),
        at: reading.exchange.started_at.whole_seconds(),
        method: reading.exchange.method.clone(),
        untrusted_url: display_safe(&reading.exchange.url, URL_CHARS),
        status: response.map(|response| response.status),
        untrusted_content_type: response
            .and_then(|response| response.header("content-type"))
            .map(|value| display_safe(value, TYPE_CHARS)),
        body_sha256: response.map(|response| response.body.sha256.clone()),
        result: compared.result(),
    }
}
