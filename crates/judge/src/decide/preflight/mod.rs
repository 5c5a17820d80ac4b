//! "May this agent do this, here, now?": the answer's own decision, made stricter by whatever this
//! very question brings with it. Nothing in here can loosen; the order is told in
//! `docs/decisions.md` and in every receipt.

mod caller;
mod end;
mod robots;
mod steps;
mod target;
#[cfg(test)]
mod tests;

use contract::records::{
    Action, ActionDecision, Actions, AgentAsked, Assessed, AssessedTool, Decision, DecisionReceipt,
    Doubt, EvidenceAge, HeldDecision, McpState, PreflightCheck, PreflightRefusal, ReceiptAgent,
    ReceiptAnswer, ReceiptMcp, ReceiptResolve, ReceiptRevocation, ReceiptRules, ReceiptSubject,
};
use contract::{Brand, Timestamp, limits};
use proof::digest::sha256;

use self::steps::Steps;
use super::actions::applied;
use super::grounds::{Grounds, age, grounds};
use super::rules::{Effect, terms};
use super::templates::{TemplateTerms, template};
use crate::resolve::Sections;

pub use robots::RobotsKnown;
pub use target::{Place, Target};

/// What a receipt's kind is, behind the brand.
pub const DECISION_KIND: &str = "decision";

/// What is asked. The check was held against its bounds (`PreflightRequest::asks`).
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    pub check: &'a PreflightCheck,
    pub target: &'a Target,
    pub now: Timestamp,
}

/// What is known.
#[derive(Debug, Clone)]
pub struct Known<'a> {
    pub sections: &'a Sections,
    /// As the answer has them.
    pub actions: &'a Actions,
    pub robots: RobotsKnown<'a>,
    /// What is revoked at the domain, if anything is.
    pub standing: Option<StandingKnown<'a>>,
    /// The MCP server, held against what was approved; needed when the check names one.
    pub mcp: Option<ReceiptMcp>,
    /// What became of the decision that the caller holds.
    pub held: Option<HeldDecision>,
    pub live: LiveRead,
    pub answer: ReceiptAnswer,
    pub resolve: ReceiptResolve,
    pub revocation: ReceiptRevocation,
    pub rules: ReceiptRules,
}

/// What the revocations say of a domain.
#[derive(Debug, Clone, Copy)]
pub struct StandingKnown<'a> {
    /// The actions that are revoked, by their words.
    pub actions: &'a [String],
    pub causes: &'a [String],
}

/// Whether a live read was needed, and what came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveRead {
    /// Stored evidence was enough, or was all that was asked for.
    NotNeeded,
    Done,
    BudgetSpent,
    Failed,
    /// The caller or the target has had its share of live reads.
    Limited,
}

/// How a receipt is dressed.
#[derive(Debug, Clone, Copy)]
pub struct Dress<'a> {
    pub brand: &'a Brand,
    pub base_url: &'a str,
}

/// Decides. The only error is a policy that would loosen something.
pub fn preflight(
    ask: Ask<'_>,
    known: Known<'_>,
    dress: Dress<'_>,
) -> Result<DecisionReceipt, PreflightRefusal> {
    let Ask { check, target, now } = ask;
    let Some(action) = check.action.clone() else {
        return Err(PreflightRefusal::bad("action", "`action` is missing"));
    };
    let policy = check.policy.clone().unwrap_or_default();
    caller::check(&policy, &action)?;
    let template = check.template.as_ref().and_then(template);
    let sections = known.sections;
    let base = action_of(known.actions, &action);
    let evidence_age = evidence_age(sections, now);
    let grounds =
        Grounds { age: age(evidence_age.age_hours, evidence_age.stale), ..grounds(sections) };

    let mut steps = from_answer(&base, &action, &grounds);
    let token = robots::token(check.agent.as_ref(), known.robots);
    let judged = robots::judge(
        &mut steps,
        known.robots,
        &sections.crawl_policy,
        &action,
        &token,
        &target.judged_path(),
    );
    rights(&mut steps, &action, &grounds);
    let max_age_hours =
        freshness(&mut steps, &action, &evidence_age, template, policy.max_age_hours, now);
    standing(&mut steps, &action, known.standing);
    let mcp = mcp(&mut steps, check, known.mcp);
    live(&mut steps, known.live);
    if let Some(terms) = template {
        apply_template(&mut steps, terms, &grounds, mcp.as_ref());
    }
    let found = caller::Found {
        domain: target.domain.as_str(),
        assurance: &base.assurance_found,
        networks: sections
            .confidence
            .vantage_state
            .as_ref()
            .map_or(sections.confidence.vantages, |standing| standing.networks),
        entity: grounds.entity,
    };
    caller::apply(&mut steps, &policy, &action, &found);

    let decision = steps.effect.decision();
    let expires_at = end::expires_at(&steps, &action, evidence_age.observed_at, max_age_hours, now);
    let claimed = check.agent.as_ref().and_then(claimed);
    let host = target
        .place
        .as_ref()
        .map_or_else(|| sections.subject.host.clone(), |_| Some(target.host.as_str().to_owned()));
    let endpoint = target.place.as_ref().map(|place| place.url_without_query.clone());
    let cited = endpoint.clone().unwrap_or_else(|| format!("https://{}/", target.domain.as_str()));
    let reasons = steps.reasons();
    let codes: Vec<Doubt> = reasons.iter().map(|reason| reason.code.clone()).collect();
    Ok(DecisionReceipt {
        kind: dress.brand.kind(DECISION_KIND),
        v: 1,
        schema: contract::schema::address(DECISION_KIND, dress.brand, dress.base_url),
        domain: target.domain.clone(),
        subject: ReceiptSubject {
            domain: target.domain.clone(),
            host,
            path: target.place.as_ref().map(|place| place.path.clone()),
            url_without_query: endpoint.clone(),
        },
        agent: claimed.clone().map(|claimed| ReceiptAgent {
            claimed,
            matched_group: judged.matched_group,
            basis: "claimed".to_owned(),
        }),
        template: check.template.clone(),
        nonce: check.nonce.clone(),
        operation: check.operation.clone(),
        decided_at: now,
        expires_at,
        valid_until: expires_at,
        clock_skew_s: limits::CLOCK_SKEW_S,
        meaning: end::meaning(&decision, &action),
        base_decision: Effect::of(&base.decision).decision(),
        tightened_by: steps.tightened_by.clone(),
        why: steps.why(),
        needs: base.needs,
        doubts: codes.clone(),
        reason_codes: codes,
        reasons,
        obligations: end::obligations(
            &steps,
            &action,
            claimed.as_deref(),
            known.robots,
            &token,
            &cited,
            expires_at,
        ),
        alternatives: end::alternatives(&steps, &action, known.actions, sections),
        facts: end::facts(sections),
        assessed: Assessed {
            endpoint: mcp.as_ref().map(|mcp| mcp.url.clone()).or(endpoint),
            path: target.place.as_ref().map_or_else(|| "/".to_owned(), |place| place.path.clone()),
            with_query: target.place.as_ref().is_some_and(|place| place.query.is_some()),
            robots: judged.assessed,
            tool: tool(check, mcp.as_ref()),
            operation_sha256: check
                .operation
                .as_ref()
                .and_then(|operation| proof::canonical::to_vec(operation).ok())
                .map(|bytes| sha256(&bytes).to_string()),
            does_not_cover: "What the site does after this moment, other paths, other agents, and whether what it says is true."
                .to_owned(),
        },
        minimum_assurance: base.minimum_assurance,
        assurance_found: base.assurance_found,
        max_age_hours,
        evidence_age,
        basis: sections.basis.clone(),
        answer: known.answer,
        resolve: known.resolve,
        held: known.held,
        mcp,
        revocation: known.revocation,
        rules: known.rules,
        decision,
        action,
        steps: steps.steps,
        sha256: None,
        signature: None,
    })
}

fn action_of(actions: &Actions, action: &Action) -> ActionDecision {
    match action {
        Action::Read => actions.read.clone(),
        Action::Cite => {
            let cite = actions.cite.clone();
            ActionDecision {
                decision: cite.decision,
                minimum_assurance: cite.minimum_assurance,
                assurance_found: cite.assurance_found,
                needs: cite.needs,
                why: cite.why,
                doubts: cite.doubts,
                max_age_hours: cite.max_age_hours,
            }
        }
        Action::Connect => actions.connect.clone(),
        Action::Transact => actions.transact.clone(),
        Action::Administer | Action::Unrecognised(_) => actions.administer.clone(),
    }
}

/// The answer's decision and its doubts, each with what it does by the rules of this build.
fn from_answer(base: &ActionDecision, action: &Action, grounds: &Grounds) -> Steps {
    let effect = Effect::of(&base.decision);
    let mut steps = Steps::from_answer(&format!("answer.{action}"), effect, &base.why);
    for doubt in &base.doubts {
        let rules = applied(grounds, action).filter(|(rule, _)| rule.doubt == *doubt);
        let strictest = rules.max_by_key(|(_, effect)| *effect);
        let (found, detail) = strictest
            .map_or((Effect::Doubt, "The answer tells this doubt."), |(rule, effect)| {
                (effect, rule.sentence)
            });
        // The answer may be of other rules or of an hour ago: no reason is stricter than what it says.
        steps.reason(if found > effect { Effect::Doubt } else { found }, doubt, detail);
    }
    steps
}

fn evidence_age(sections: &Sections, now: Timestamp) -> EvidenceAge {
    let freshness = &sections.freshness;
    let age_hours = freshness
        .observed_at
        .map(|at| u32::try_from(now.millis_since(at).max(0) / 3_600_000).unwrap_or(u32::MAX));
    let over = freshness.fresh_until.is_some_and(|until| now > until);
    EvidenceAge { observed_at: freshness.observed_at, age_hours, stale: freshness.stale || over }
}

/// The rules of the table that speak of the use an action makes.
fn rights(steps: &mut Steps, action: &Action, grounds: &Grounds) {
    let mut silent = true;
    for (rule, effect) in
        applied(grounds, action).filter(|(rule, _)| rule.id.starts_with("rights."))
    {
        steps.apply(rule.id, effect, &rule.doubt, rule.sentence);
        silent = false;
    }
    if silent {
        steps.passed("rights", "No public statement of the site speaks against the use.");
    }
}

/// What evidence that is too old, or none at all, means for an action.
fn when_too_old(action: &Action) -> Effect {
    match action {
        Action::Read | Action::Cite => Effect::Warn,
        Action::Connect | Action::Transact => Effect::Confirm,
        Action::Administer | Action::Unrecognised(_) => Effect::Block,
    }
}

/// Holds the age against the least of three limits, and gives that.
fn freshness(
    steps: &mut Steps,
    action: &Action,
    found: &EvidenceAge,
    template: Option<&TemplateTerms>,
    caller: Option<u32>,
    now: Timestamp,
) -> u32 {
    const RULE: &str = "freshness";
    let own = terms(action).max_age_hours;
    let templates = template.and_then(|terms| terms.max_age_hours);
    let limit = own.min(templates.unwrap_or(own)).min(caller.unwrap_or(own));
    if matches!(action, Action::Administer) {
        steps.passed(RULE, "No evidence is fresh enough for administration.");
        return limit;
    }
    let Some(observed_at) = found.observed_at else {
        steps.apply(RULE, when_too_old(action), &Doubt::NotMeasured, "Nothing was observed.");
        return limit;
    };
    let over = |hours: u32| now.millis_since(observed_at) > i64::from(hours) * 3_600_000;
    if over(own) || found.stale {
        steps.apply(
            RULE,
            when_too_old(action),
            &Doubt::StaleEvidence,
            format!("The evidence is older than the {own} hours that {action} takes."),
        );
    }
    if let Some(hours) = templates.filter(|hours| over(*hours)) {
        steps.apply(
            RULE,
            Effect::Confirm,
            &Doubt::Template,
            format!("The evidence is older than the {hours} hours of the template."),
        );
    }
    if let Some(hours) = caller.filter(|hours| over(*hours)) {
        steps.apply(
            RULE,
            Effect::Confirm,
            &Doubt::CallerMaxAge,
            format!("The evidence is older than the {hours} hours that the caller takes."),
        );
    }
    if !over(limit) && !found.stale {
        steps.passed(RULE, format!("The evidence is not older than {limit} hours."));
    }
    limit
}

fn standing(steps: &mut Steps, action: &Action, standing: Option<StandingKnown<'_>>) {
    const RULE: &str = "standing";
    match standing {
        Some(held) if held.actions.iter().any(|word| word == action.as_str()) => {
            let causes = held.causes.join(", ");
            steps.apply(
                RULE,
                Effect::Block,
                &Doubt::Revoked,
                format!("The action is revoked at this domain: {causes}."),
            );
        }
        _ => steps.passed(RULE, "Nothing revokes the action at this domain."),
    }
}

fn mcp(steps: &mut Steps, check: &PreflightCheck, seen: Option<ReceiptMcp>) -> Option<ReceiptMcp> {
    const RULE: &str = "mcp.lock";
    let asked = check.mcp.as_ref()?;
    let seen = seen.unwrap_or_else(|| ReceiptMcp {
        url: asked.url.clone(),
        state: McpState::NotMeasured,
        surface_sha256: None,
        tools_sha256: None,
    });
    let (effect, code, why) = match seen.state {
        McpState::Match => {
            steps.passed(RULE, "The tools of the server are those that were approved.");
            return Some(seen);
        }
        McpState::Drift => (
            Effect::Block,
            Doubt::McpLockDrift,
            "The tools of the server are not those that were approved.",
        ),
        McpState::HardFinding => (
            Effect::Block,
            Doubt::McpHardFinding,
            "The tools of the server hold what no approval covers.",
        ),
        McpState::Incomplete => (
            Effect::Confirm,
            Doubt::McpSurfaceIncomplete,
            "Not all of the server's tools could be read.",
        ),
        McpState::Unreachable => {
            (Effect::Confirm, Doubt::McpUnreachable, "The server could not be reached.")
        }
        McpState::AuthRequired => (
            Effect::Confirm,
            Doubt::McpAuthRequired,
            "The server shows its tools only to those who have signed in.",
        ),
        McpState::NotCompared => (
            Effect::Doubt,
            Doubt::McpSurfaceIncomplete,
            "Nothing approved was named to compare the server's tools with.",
        ),
        McpState::NotMeasured | McpState::Unrecognised(_) => {
            (Effect::Confirm, Doubt::NotMeasured, "The server's tools were not measured.")
        }
    };
    steps.apply(RULE, effect, &code, why);
    Some(seen)
}

fn live(steps: &mut Steps, live: LiveRead) {
    let (code, why) = match live {
        LiveRead::NotNeeded | LiveRead::Done => return,
        LiveRead::BudgetSpent => {
            (Doubt::LiveBudgetSpent, "The time for reading ran out before all was read.")
        }
        LiveRead::Failed => (Doubt::LiveReadFailed, "A live read was tried and failed."),
        LiveRead::Limited => {
            (Doubt::LiveLimit, "No live read was made: there were too many just now.")
        }
    };
    steps.apply("live", Effect::Doubt, &code, why);
}

fn apply_template(
    steps: &mut Steps,
    terms: &TemplateTerms,
    grounds: &Grounds,
    mcp: Option<&ReceiptMcp>,
) {
    let name = format!("template.{}", terms.template);
    let before = steps.steps.len();
    if terms.needs_mcp_lock && mcp.is_none_or(|seen| seen.state != McpState::Match) {
        steps.apply(
            &name,
            Effect::Confirm,
            &Doubt::Template,
            "The template asks for an approved tool list that matches.",
        );
    }
    for rule in terms.rules.iter().filter(|rule| rule.when.holds(grounds)) {
        steps.apply(&name, rule.effect, &Doubt::Template, rule.sentence);
    }
    if steps.effect == Effect::Warn && terms.warn_as > Effect::Warn {
        steps.apply(
            &name,
            terms.warn_as,
            &Doubt::Template,
            "The template does not go on with a warning.",
        );
    }
    if steps.steps.len() == before {
        steps.passed(&name, "Everything that the template asks for is met.");
    }
}

/// The tool that an operation names.
fn tool(check: &PreflightCheck, mcp: Option<&ReceiptMcp>) -> Option<AssessedTool> {
    let name = check.operation.as_ref()?.get("tool")?.as_str()?;
    Some(AssessedTool {
        untrusted_name: declared::shown(name, robots::MAX_NAME),
        state: mcp.map_or(McpState::NotMeasured, |seen| seen.state.clone()),
    })
}

/// The agent as it was named, cut and made harmless.
fn claimed(agent: &AgentAsked) -> Option<String> {
    let name = match agent {
        AgentAsked::Name(name) => Some(name),
        AgentAsked::Described(agent) => agent.name.as_ref().or(agent.user_agent.as_ref()),
    };
    name.map(|name| declared::shown(name, robots::MAX_NAME))
}

/// The strictest of several decisions; nothing of none.
#[must_use]
pub fn worst<'a>(decisions: impl IntoIterator<Item = &'a Decision>) -> Option<Decision> {
    decisions.into_iter().map(Effect::of).max().map(Effect::decision)
}
