//! What goes with a decision: how long it holds, which duties it brings, what else could be done.

use contract::limits;
use contract::records::{
    Action, Actions, Decision, Doubt, Obligation, ObligationType, PublishedFacts,
};
use contract::{Quotient, Timestamp};

use super::super::rules::Effect;
use super::robots::RobotsKnown;
use super::steps::Steps;
use crate::resolve::Sections;

/// The longest a receipt of an action can be used.
pub(super) fn life_seconds(action: &Action) -> u32 {
    match action {
        Action::Read => limits::READ_RECEIPT_SECONDS,
        Action::Cite => limits::CITE_RECEIPT_SECONDS,
        Action::Connect => limits::CONNECT_RECEIPT_SECONDS,
        Action::Transact => limits::TRANSACT_RECEIPT_SECONDS,
        Action::Administer | Action::Unrecognised(_) => limits::ADMINISTER_RECEIPT_SECONDS,
    }
}

/// When a receipt ends: with its evidence or its life, and at once when there was no evidence.
pub(super) fn expires_at(
    steps: &Steps,
    action: &Action,
    observed_at: Option<Timestamp>,
    max_age_hours: u32,
    now: Timestamp,
) -> Timestamp {
    let for_want = steps.effect >= Effect::Unsupported && steps.lacks_evidence();
    let Some(observed_at) = observed_at.filter(|_| !for_want) else { return now };
    let life = now.plus_millis(i64::from(life_seconds(action)) * 1000);
    // Administration has no evidence to outlive: it is blocked by rule.
    let evidence = if *action == Action::Administer {
        life
    } else {
        observed_at.plus_millis(i64::from(max_age_hours) * 3_600_000).whole_seconds()
    };
    evidence.min(life).max(now)
}

/// The duties of whoever goes on. Whoever may not go on has none.
pub(super) fn obligations(
    steps: &Steps,
    action: &Action,
    agent: Option<&str>,
    robots: RobotsKnown<'_>,
    token: &str,
    cited: &str,
    expires_at: Timestamp,
) -> Vec<Obligation> {
    if steps.effect >= Effect::Unsupported {
        return Vec::new();
    }
    let duty = |what: ObligationType, why: &str| Obligation {
        what,
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
            "A person must agree before it is done.",
        ));
    }
    if let RobotsKnown::Read(robots) = robots
        && let Some(delay) = robots.crawl_delay(token)
        && delay.seconds > 0.0
    {
        duties.push(Obligation {
            seconds: Quotient::new(delay.seconds),
            ..duty(
                ObligationType::CrawlDelay,
                "robots.txt asks for this time between two requests.",
            )
        });
    }
    if let Some(agent) = agent {
        duties.push(Obligation {
            user_agent: Some(agent.to_owned()),
            ..duty(ObligationType::Identify, "The decision is for the agent that was named.")
        });
    }
    if *action == Action::Cite {
        duties.push(Obligation {
            address: Some(cited.to_owned()),
            ..duty(ObligationType::CiteSource, "A citation names its source.")
        });
    }
    if steps.has(&Doubt::PaymentRequired) {
        duties.push(Obligation {
            protocol: Some("http_402".to_owned()),
            address: Some(cited.to_owned()),
            ..duty(ObligationType::Pay, "The site asked AI identities to pay.")
        });
    }
    duties.push(Obligation {
        at: Some(expires_at),
        ..duty(ObligationType::Recheck, "The decision does not hold beyond this moment.")
    });
    duties
}

/// One sentence.
pub(super) fn meaning(decision: &Decision, action: &Action) -> String {
    let what = match action {
        Action::Read => "Reading",
        Action::Cite => "Citing",
        Action::Connect => "Connecting",
        Action::Transact => "The transaction",
        Action::Administer | Action::Unrecognised(_) => "Administration",
    };
    match decision {
        Decision::Allow => format!("{what} may go ahead, within the obligations."),
        Decision::Warn => {
            format!("{what} may go ahead with care: the reasons say what is in doubt.")
        }
        Decision::RequireConfirmation => {
            format!("{what} must wait until a person agrees.")
        }
        Decision::Unsupported => format!("{what} has nothing here to act upon."),
        Decision::Block | Decision::Unrecognised(_) => format!("{what} must not go ahead."),
    }
}

/// What else could be asked or done.
pub(super) fn alternatives(
    steps: &Steps,
    action: &Action,
    actions: &Actions,
    sections: &Sections,
) -> Vec<String> {
    let mut list = Vec::new();
    if steps.effect <= Effect::Doubt {
        return list;
    }
    for (other, word, decision) in [
        (Action::Read, "read", &actions.read.decision),
        (Action::Cite, "cite", &actions.cite.decision),
    ] {
        if other != *action && matches!(decision, Decision::Allow | Decision::Warn) {
            list.push(format!("Ask about {word}: the same answer says {decision}."));
        }
    }
    if steps.effect == Effect::Confirm {
        list.push("Show the reasons to a person and go on with their agreement.".to_owned());
    }
    if steps.has(&Doubt::RobotsDisallow) || steps.has(&Doubt::RightsDisallowed) {
        list.push("Ask the site's owner for permission.".to_owned());
    }
    if steps.has(&Doubt::McpLockDrift) {
        list.push("Look at what changed in the tool list and approve it anew.".to_owned());
    }
    let measurable = [
        Doubt::NotMeasured,
        Doubt::StaleEvidence,
        Doubt::EntityUnobserved,
        Doubt::CallerMaxAge,
        Doubt::LiveBudgetSpent,
        Doubt::LiveReadFailed,
    ];
    if measurable.iter().any(|code| steps.has(code)) {
        list.push(format!(
            "Have the domain scanned ({} {}) and ask again.",
            sections.evidence.rescan.method, sections.evidence.rescan.url
        ));
    }
    if *action == Action::Administer {
        list.push("Act under the owner's own authority, outside this service.".to_owned());
    }
    list
}

/// Characters shown of a site's own text.
const MAX_TEXT: usize = 160;
const MAX_ITEMS: usize = 20;

/// What the business publishes of itself.
pub(super) fn facts(sections: &Sections) -> Option<PublishedFacts> {
    let entity = sections.entity.body()?;
    let text = |text: &String| declared::shown(text, MAX_TEXT);
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
