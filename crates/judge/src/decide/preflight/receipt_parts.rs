//! The rest of a receipt: when it expires, which obligations it sets, what it means, which alternatives
//! there are, and what the business publishes about itself.

use contract::limits;
use contract::records::{
    Action, Actions, Basis, Decision, Doubt, Obligation, ObligationType, PublishedFacts, Section,
};
use contract::{Quotient, Timestamp};

use super::super::decision_rules::Effect;
use super::decision_steps::DecisionSteps;
use super::robots_check::RobotsFile;
use crate::resolve::sections::Sections;

/// The longest validity of a receipt for an action.
pub(super) fn max_validity_seconds(action: &Action) -> u32 {
    match action {
        Action::Read => limits::READ_RECEIPT_SECONDS,
        Action::Cite => limits::CITE_RECEIPT_SECONDS,
        Action::Connect => limits::CONNECT_RECEIPT_SECONDS,
        Action::Transact => limits::TRANSACT_RECEIPT_SECONDS,
        Action::Administer | Action::Unrecognised(_) => limits::ADMINISTER_RECEIPT_SECONDS,
    }
}

/// The shortest validity of a receipt. A receipt that ends when it begins can be checked by nobody.
const MIN_VALIDITY_MILLIS: i64 = 60_000;

/// Whether the agent is kept from acting only because evidence is missing, so that asking again later
/// can help.
pub(super) fn lacks_evidence(steps: &DecisionSteps) -> bool {
    steps.effect >= Effect::Confirm && steps.lacks_evidence()
}

/// When a receipt expires: with its evidence or after its longest validity, whichever comes first, and
/// never within a minute. If evidence is missing and there can be more at a known time, it lasts until
/// then: it is time to ask again.
pub(super) fn expires_at(
    action: &Action,
    observed_at: Option<Timestamp>,
    max_age_hours: u32,
    next_evidence: Option<Timestamp>,
    now: Timestamp,
) -> Timestamp {
    let soonest = now.plus_millis(MIN_VALIDITY_MILLIS);
    let life = now.plus_millis(i64::from(max_validity_seconds(action)) * 1000);
    if let Some(next) = next_evidence {
        return next.min(life).max(soonest);
    }
    let Some(observed_at) = observed_at else { return life };
    // Administration is blocked by rule, regardless of the evidence and its age.
    let evidence = if *action == Action::Administer {
        life
    } else {
        observed_at.plus_millis(i64::from(max_age_hours) * 3_600_000).whole_seconds()
    };
    evidence.min(life).max(soonest)
}

/// When there can be more evidence, if some is missing: with the queued full scan, or, if the home page was
/// not received, with the next live reading. A page that was received is kept for hours, so that a live
/// reading adds nothing.
pub(super) fn next_evidence(
    steps: &DecisionSteps,
    sections: &Sections,
    observed_at: Option<Timestamp>,
    now: Timestamp,
) -> Option<Timestamp> {
    if !lacks_evidence(steps) && observed_at.is_some() {
        return None;
    }
    let pause = i64::try_from(limits::LIVE_READ_PAUSE.as_millis()).unwrap_or(i64::MAX);
    let queued = sections.upgrade.as_ref().and_then(|upgrade| upgrade.expected.parse().ok());
    let live = match &sections.basis {
        _ if sections.delivery.body().is_some() => None,
        Basis::JustInTime(basis) => Some(basis.measured_at.plus_millis(pause)),
        _ => Some(now.plus_millis(pause)),
    };
    [queued, live].into_iter().flatten().filter(|at: &Timestamp| *at > now).min().or_else(|| {
        // It could be read already, and was not: by the next minute somebody may have asked for it.
        live.map(|_| now)
    })
}

/// Why the decision is what it is. If nothing was received from the site, also why not.
pub(super) fn why(steps: &DecisionSteps, sections: &Sections) -> String {
    let why = steps.why();
    match &sections.delivery {
        Section::NotMeasured { why: unread, .. } if lacks_evidence(steps) => {
            let unread = contract::text::display_safe(unread, MAX_TEXT);
            format!("{why} The home page was not received: {unread}")
        }
        _ => why,
    }
}

/// What the agent must do if it proceeds. There are none where it must not proceed.
pub(super) fn obligations(
    steps: &DecisionSteps,
    action: &Action,
    agent: Option<&str>,
    robots: RobotsFile<'_>,
    token: &str,
    cited: &str,
    expires_at: Timestamp,
) -> Vec<Obligation> {
    if steps.effect >= Effect::Unsupported {
        return Vec::new();
    }
    let duty = |what: ObligationType, why: &str| Obligation {
        obligation_type: what,
        why: why.to_owned(),
        seconds: None,
        user_agent: None,
        at: None,
        address: None,
        protocol: None,
    };
    let mut duties = Vec::new();
    if steps.effect == Effect::Confirm {
        duties.push(duty(
            ObligationType::HumanConfirmation,
            "A person must agree before the action.",
        ));
    }
    if let RobotsFile::Read(robots) = robots
        && let Some(delay) = robots.crawl_delay(token)
        && delay.seconds > 0.0
    {
        duties.push(Obligation {
            seconds: Quotient::new(delay.seconds),
            ..duty(ObligationType::CrawlDelay, "robots.txt sets this delay between two requests.")
        });
    }
    if let Some(agent) = agent {
        duties.push(Obligation {
            user_agent: Some(agent.to_owned()),
            ..duty(
                ObligationType::Identify,
                "The decision is only for the agent named in the request.",
            )
        });
    }
    if *action == Action::Cite {
        duties.push(Obligation {
            address: Some(cited.to_owned()),
            ..duty(ObligationType::CiteSource, "A citation must name its source.")
        });
    }
    if steps.has_reason(&Doubt::PaymentRequired) {
        duties.push(Obligation {
            protocol: Some("http_402".to_owned()),
            address: Some(cited.to_owned()),
            ..duty(ObligationType::Pay, "The site asked AI identities to pay.")
        });
    }
    duties.push(Obligation {
        at: Some(expires_at),
        ..duty(
            ObligationType::Recheck,
            "The decision expires at this time. Request a new one then.",
        )
    });
    duties
}

/// What the decision means, in one sentence.
pub(super) fn meaning(decision: &Decision, action: &Action) -> String {
    let what = match action {
        Action::Read => "Reading",
        Action::Cite => "Citing",
        Action::Connect => "Connecting",
        Action::Transact => "The transaction",
        Action::Administer | Action::Unrecognised(_) => "Administration",
    };
    match decision {
        Decision::Allow => format!("{what} may go ahead. The obligations apply."),
        Decision::Warn => {
            format!("{what} may go ahead with care. See the reasons.")
        }
        Decision::RequireConfirmation => {
            format!("{what} must wait until a person agrees.")
        }
        Decision::Unsupported => {
            format!("{what} is not possible here: there is nothing to act on.")
        }
        Decision::Block | Decision::Unrecognised(_) => format!("{what} must not go ahead."),
    }
}

/// What the agent can do instead.
pub(super) fn alternatives(
    steps: &DecisionSteps,
    action: &Action,
    actions: &Actions,
    sections: &Sections,
    ask_again_at: Option<Timestamp>,
) -> Vec<String> {
    let mut list = Vec::new();
    if steps.effect <= Effect::Doubt {
        return list;
    }
    if let Some(at) = ask_again_at {
        list.push(format!(
            "Ask again after {at}: evidence is missing, and there can be more of it then."
        ));
    }
    for (other, word, decision) in [
        (Action::Read, "read", &actions.read.decision),
        (Action::Cite, "cite", &actions.cite.decision),
    ] {
        if other != *action && matches!(decision, Decision::Allow | Decision::Warn) {
            list.push(format!(
                "Request {word} instead: this answer's decision for it is {decision}."
            ));
        }
    }
    if steps.effect == Effect::Confirm {
        list.push("Show the reasons to a person and proceed if they agree.".to_owned());
    }
    if steps.has_reason(&Doubt::RobotsDisallow) || steps.has_reason(&Doubt::RightsDisallowed) {
        list.push("Ask the site's owner for permission.".to_owned());
    }
    if steps.has_reason(&Doubt::McpLockDrift) {
        list.push("Review what changed in the tool list and approve the new list.".to_owned());
    }
    let measurable = [
        Doubt::NotMeasured,
        Doubt::StaleEvidence,
        Doubt::EntityUnobserved,
        Doubt::CallerMaxAge,
        Doubt::LiveBudgetSpent,
        Doubt::LiveReadFailed,
    ];
    if measurable.iter().any(|code| steps.has_reason(code)) {
        list.push(format!(
            "Request a scan of the domain ({} {}), then ask again.",
            sections.evidence.rescan.method, sections.evidence.rescan.url
        ));
    }
    if *action == Action::Administer {
        list.push("Act under the owner's authority, outside this service.".to_owned());
    }
    list
}

/// The most characters shown of a text that the site wrote.
const MAX_TEXT: usize = 160;
const MAX_ITEMS: usize = 20;

/// What the business publishes about itself. It depends on the sections alone, so that it can be kept with them.
#[must_use]
pub fn published_facts(sections: &Sections) -> Option<PublishedFacts> {
    let entity = sections.entity.body()?;
    let text = |text: &String| contract::text::display_safe(text, MAX_TEXT);
    let texts = |list: &[String]| list.iter().take(MAX_ITEMS).map(text).collect();
    Some(PublishedFacts {
        untrusted_name: entity.untrusted_name.as_ref().map(text),
        untrusted_types: texts(&entity.types),
        untrusted_url: entity.url.as_ref().map(text),
        untrusted_same_as: texts(&entity.same_as),
        read_from: texts(&entity.sources),
        observed_at: sections.entity.observed_at(),
    })
}
