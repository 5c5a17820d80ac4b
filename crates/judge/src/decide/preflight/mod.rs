//! Preflight: may this agent do this action at this address now?
//!
//! Starts with the answer's decision and applies further steps, each of which can only make it
//! stricter. `docs/decisions.md` describes the order of the steps; every receipt lists them.

mod caller_policy;
mod decision_steps;
mod receipt_parts;
mod robots_check;
mod target;
#[cfg(test)]
mod tests;

use contract::records::{
    Action, ActionDecision, Actions, AssessedScope, AssessedTool, Decision, DecisionReceipt, Doubt,
    EvidenceAge, HeldDecision, McpState, PreflightAgent, PreflightCheck, PreflightRefusal,
    PublishedFacts, ReceiptAgent, ReceiptAnswer, ReceiptMcp, ReceiptResolve, ReceiptRevocation,
    ReceiptRules, ReceiptSubject,
};
use contract::{Issuer, Timestamp, limits};
use proof::digest::sha256;

use self::decision_steps::DecisionSteps;
use super::action_decisions::applicable_rules;
use super::decision_inputs::{DecisionInputs, age_band};
use super::decision_rules::{Effect, action_terms};
use super::preflight_templates::{TemplateTerms, template_terms};
use crate::resolve::sections::Sections;

pub use receipt_parts::published_facts;
pub use robots_check::RobotsFile;
pub use target::{ActionTarget, TargetUrl};

/// The kind of a receipt, without the brand prefix.
pub const DECISION_KIND: &str = "decision";

/// One question. `PreflightRequest::asks` has already checked the bounds of `check`.
#[derive(Debug, Clone, Copy)]
pub struct PreflightQuery<'a> {
    pub check: &'a PreflightCheck,
    pub target: &'a ActionTarget,
    pub now: Timestamp,
}

/// What the service knows about the domain and the caller's earlier decision.
#[derive(Debug, Clone)]
pub struct PreflightFacts<'a> {
    pub sections: &'a Sections,
    /// The inputs that the sections give: [`super::decision_inputs()`].
    pub inputs: DecisionInputs,
    /// What the sections say about the business: [`published_facts`].
    pub published: Option<PublishedFacts>,
    /// The decisions of the answer.
    pub actions: &'a Actions,
    pub robots: RobotsFile<'a>,
    /// The actions that are revoked at the domain, if any.
    pub revoked: Option<RevokedActions<'a>>,
    /// The comparison of the MCP server with its approved tools; needed when the check names a server.
    pub mcp: Option<ReceiptMcp>,
    /// The current state of the decision that the caller already holds.
    pub held: Option<HeldDecision>,
    pub live_read: LiveReadOutcome,
    pub answer: ReceiptAnswer,
    pub resolve: ReceiptResolve,
    pub revocation: ReceiptRevocation,
    pub rules: ReceiptRules,
}

/// The actions that the revocation feed revokes at a domain.
#[derive(Debug, Clone, Copy)]
pub struct RevokedActions<'a> {
    /// By their wire words.
    pub actions: &'a [String],
    pub causes: &'a [String],
}

/// Whether a live read was needed, and how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveReadOutcome {
    /// Stored evidence was sufficient, or the caller asked for stored evidence only.
    NotNeeded,
    Done,
    BudgetSpent,
    Failed,
    /// The limit of live reads was reached, for the caller or for the target.
    Limited,
}

/// Decides and builds the receipt. Returns an error when `action` is missing or the caller's policy would
/// loosen a decision.
pub fn decide_preflight(
    query: PreflightQuery<'_>,
    facts: PreflightFacts<'_>,
    issuer: &Issuer,
) -> Result<DecisionReceipt, PreflightRefusal> {
    let PreflightQuery { check, target, now } = query;
    let Some(action) = check.action.clone() else {
        return Err(PreflightRefusal::bad_request("action", "`action` is missing"));
    };
    let policy = check.policy.clone().unwrap_or_default();
    caller_policy::reject_loosening(&policy, &action)?;
    let template = check.template.as_ref().and_then(template_terms);
    let sections = facts.sections;
    let base = decision_for(facts.actions, &action);
    let evidence_age = evidence_age(sections, now);
    let inputs = DecisionInputs {
        age: age_band(evidence_age.age_hours, evidence_age.stale),
        ..facts.inputs
    };

    let mut steps = start_from_answer(&base, &action, &inputs);
    let token = robots_check::robots_token(check.agent.as_ref(), facts.robots);
    let robots_check = robots_check::check_path(
        &mut steps,
        facts.robots,
        &sections.crawl_policy,
        &action,
        &token,
        &target.path_with_query(),
    );
    apply_rights(&mut steps, &action, &inputs);
    let max_age_hours =
        apply_freshness(&mut steps, &action, &evidence_age, template, policy.max_age_hours, now);
    apply_revocations(&mut steps, &action, facts.revoked);
    let mcp = apply_mcp_lock(&mut steps, check, facts.mcp);
    apply_live_read(&mut steps, facts.live_read);
    if let Some(terms) = template {
        apply_template(&mut steps, terms, &inputs, mcp.as_ref());
    }
    let found = caller_policy::CallerEvidence {
        domain: target.domain.as_str(),
        assurance: &base.assurance_found,
        networks: sections
            .confidence
            .vantage_state
            .as_ref()
            .map_or(sections.confidence.vantages, |standing| standing.networks),
        entity: inputs.entity,
    };
    caller_policy::apply_caller_policy(&mut steps, &policy, &action, &found);

    let decision = steps.effect.decision();
    let observed_at = evidence_age.observed_at;
    let next_evidence = receipt_parts::next_evidence(&steps, sections, observed_at, now);
    let expires_at =
        receipt_parts::expires_at(&action, observed_at, max_age_hours, next_evidence, now);
    let claimed = check.agent.as_ref().and_then(claimed_agent_name);
    let host = target
        .url
        .as_ref()
        .map_or_else(|| sections.subject.host.clone(), |_| Some(target.host.as_str().to_owned()));
    let endpoint = target.url.as_ref().map(|url| url.url_without_query.clone());
    let cited = endpoint.clone().unwrap_or_else(|| format!("https://{}/", target.domain.as_str()));
    let reasons = steps.reasons();
    let codes: Vec<Doubt> = reasons.iter().map(|reason| reason.code.clone()).collect();
    Ok(DecisionReceipt {
        kind: issuer.brand.kind(DECISION_KIND),
        v: 1,
        schema: issuer.schema_url(DECISION_KIND),
        domain: target.domain.clone(),
        subject: ReceiptSubject {
            domain: target.domain.clone(),
            host,
            path: target.url.as_ref().map(|url| url.path.clone()),
            url_without_query: endpoint.clone(),
        },
        agent: claimed.clone().map(|claimed| ReceiptAgent {
            claimed,
            matched_group: robots_check.matched_group,
            basis: "claimed".to_owned(),
        }),
        template: check.template.clone(),
        nonce: check.nonce.clone(),
        operation: check.operation.clone(),
        decided_at: now,
        expires_at,
        valid_until: expires_at,
        clock_skew_s: limits::CLOCK_SKEW_S,
        meaning: receipt_parts::meaning(&decision, &action),
        base_decision: Effect::from_decision(&base.decision).decision(),
        tightened_by: steps.tightened_by.clone(),
        why: receipt_parts::why(&steps, sections),
        needs: base.needs,
        doubts: codes.clone(),
        reason_codes: codes,
        reasons,
        obligations: receipt_parts::obligations(
            &steps,
            &action,
            claimed.as_deref(),
            facts.robots,
            &token,
            &cited,
            expires_at,
        ),
        alternatives: receipt_parts::alternatives(
            &steps,
            &action,
            facts.actions,
            sections,
            next_evidence.map(|_| expires_at),
        ),
        facts: facts.published,
        assessed: AssessedScope {
            endpoint: mcp.as_ref().map(|mcp| mcp.url.clone()).or(endpoint),
            path: target.url.as_ref().map_or_else(|| "/".to_owned(), |url| url.path.clone()),
            with_query: target.url.as_ref().is_some_and(|url| url.query.is_some()),
            robots: robots_check.assessed,
            tool: assessed_tool(check, mcp.as_ref()),
            operation_sha256: check
                .operation
                .as_ref()
                .and_then(|operation| proof::canonical::to_vec(operation).ok())
                .map(|bytes| sha256(&bytes).to_string()),
            does_not_cover: "What the site does after this time, other paths, other agents, and whether its content is true."
                .to_owned(),
        },
        minimum_assurance: base.minimum_assurance,
        assurance_found: base.assurance_found,
        max_age_hours,
        evidence_age,
        basis: sections.basis.clone(),
        answer: facts.answer,
        resolve: facts.resolve,
        held: facts.held,
        mcp,
        revocation: facts.revocation,
        rules: facts.rules,
        decision,
        action,
        steps: steps.steps,
        replaced_signature: None,
        sha256: None,
        signature: None,
    })
}

fn decision_for(actions: &Actions, action: &Action) -> ActionDecision {
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

/// The first step: the answer's decision, with the reason for each of its doubts by the rules of this
/// build.
fn start_from_answer(
    base: &ActionDecision,
    action: &Action,
    inputs: &DecisionInputs,
) -> DecisionSteps {
    let effect = Effect::from_decision(&base.decision);
    let mut steps = DecisionSteps::from_answer(&format!("answer.{action}"), effect, &base.why);
    for doubt in &base.doubts {
        let rules = applicable_rules(inputs, action).filter(|(rule, _)| rule.doubt == *doubt);
        let strictest = rules.max_by_key(|(_, effect)| *effect);
        let (found, detail) = strictest
            .map_or((Effect::Doubt, "The answer lists this doubt."), |(rule, effect)| {
                (effect, rule.sentence)
            });
        // The answer may be older or follow other rules: no reason may be stricter than its decision.
        steps.add_reason(if found > effect { Effect::Doubt } else { found }, doubt, detail);
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

/// Applies the decision rules about the use that an action makes of the content.
fn apply_rights(steps: &mut DecisionSteps, action: &Action, inputs: &DecisionInputs) {
    let mut silent = true;
    for (rule, effect) in
        applicable_rules(inputs, action).filter(|(rule, _)| rule.id.starts_with("rights."))
    {
        steps.apply(rule.id, effect, &rule.doubt, rule.sentence);
        silent = false;
    }
    if silent {
        steps.record_passed(
            "rights",
            "We know of no public statement by the site against this use.",
        );
    }
}

/// The effect of evidence that is too old or missing.
fn effect_when_too_old(action: &Action) -> Effect {
    match action {
        Action::Read | Action::Cite => Effect::Warn,
        Action::Connect | Action::Transact => Effect::Confirm,
        Action::Administer | Action::Unrecognised(_) => Effect::Block,
    }
}

/// Compares the age of the evidence with the limits of action, template and caller. Returns the lowest
/// limit.
fn apply_freshness(
    steps: &mut DecisionSteps,
    action: &Action,
    found: &EvidenceAge,
    template: Option<&TemplateTerms>,
    caller: Option<u32>,
    now: Timestamp,
) -> u32 {
    const RULE: &str = "freshness";
    let own = action_terms(action).max_age_hours;
    let templates = template.and_then(|terms| terms.max_age_hours);
    let limit = own.min(templates.unwrap_or(own)).min(caller.unwrap_or(own));
    if matches!(action, Action::Administer) {
        steps.record_passed(RULE, "Administration is blocked at any age of the evidence.");
        return limit;
    }
    let Some(observed_at) = found.observed_at else {
        steps.apply(
            RULE,
            effect_when_too_old(action),
            &Doubt::NotMeasured,
            "We have no observation of this site.",
        );
        return limit;
    };
    let over = |hours: u32| now.millis_since(observed_at) > i64::from(hours) * 3_600_000;
    if over(own) || found.stale {
        steps.apply(
            RULE,
            effect_when_too_old(action),
            &Doubt::StaleEvidence,
            format!("The evidence is older than the {own} hours allowed for {action}."),
        );
    }
    if let Some(hours) = templates.filter(|hours| over(*hours)) {
        steps.apply(
            RULE,
            Effect::Confirm,
            &Doubt::Template,
            format!("The evidence is older than the {hours} hours that the template allows."),
        );
    }
    if let Some(hours) = caller.filter(|hours| over(*hours)) {
        steps.apply(
            RULE,
            Effect::Confirm,
            &Doubt::CallerMaxAge,
            format!("The evidence is older than the {hours} hours that the caller allows."),
        );
    }
    if !over(limit) && !found.stale {
        steps.record_passed(RULE, format!("The evidence is at most {limit} hours old."));
    }
    limit
}

fn apply_revocations(
    steps: &mut DecisionSteps,
    action: &Action,
    standing: Option<RevokedActions<'_>>,
) {
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
        _ => steps.record_passed(RULE, "The action is not revoked at this domain."),
    }
}

fn apply_mcp_lock(
    steps: &mut DecisionSteps,
    check: &PreflightCheck,
    seen: Option<ReceiptMcp>,
) -> Option<ReceiptMcp> {
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
            steps.record_passed(RULE, "The MCP server's tools match the approved ones.");
            return Some(seen);
        }
        McpState::Drift => (
            Effect::Block,
            Doubt::McpLockDrift,
            "The MCP server's tools differ from the approved ones.",
        ),
        McpState::HardFinding => (
            Effect::Block,
            Doubt::McpHardFinding,
            "The MCP server's tools have a hard finding, which no approval covers.",
        ),
        McpState::Incomplete => (
            Effect::Confirm,
            Doubt::McpSurfaceIncomplete,
            "Not all of the MCP server's tools could be read.",
        ),
        McpState::Unreachable => {
            (Effect::Confirm, Doubt::McpUnreachable, "The MCP server could not be reached.")
        }
        McpState::AuthRequired => (
            Effect::Confirm,
            Doubt::McpAuthRequired,
            "The MCP server shows its tools only after authentication.",
        ),
        McpState::NotCompared => (
            Effect::Doubt,
            Doubt::McpSurfaceIncomplete,
            "The request names no approved tool list to compare the MCP server's tools with.",
        ),
        McpState::NotMeasured | McpState::Unrecognised(_) => {
            (Effect::Confirm, Doubt::NotMeasured, "We did not measure the MCP server's tools.")
        }
    };
    steps.apply(RULE, effect, &code, why);
    Some(seen)
}

fn apply_live_read(steps: &mut DecisionSteps, live: LiveReadOutcome) {
    let (code, why) = match live {
        LiveReadOutcome::NotNeeded | LiveReadOutcome::Done => return,
        LiveReadOutcome::BudgetSpent => {
            (Doubt::LiveBudgetSpent, "The time budget ran out before the live read was complete.")
        }
        LiveReadOutcome::Failed => (Doubt::LiveReadFailed, "The live read failed."),
        LiveReadOutcome::Limited => {
            (Doubt::LiveLimit, "The limit of live reads was reached, so none was made.")
        }
    };
    steps.apply("live", Effect::Doubt, &code, why);
}

fn apply_template(
    steps: &mut DecisionSteps,
    terms: &TemplateTerms,
    inputs: &DecisionInputs,
    mcp: Option<&ReceiptMcp>,
) {
    let name = format!("template.{}", terms.template);
    let before = steps.steps.len();
    if terms.needs_mcp_lock && mcp.is_none_or(|seen| seen.state != McpState::Match) {
        steps.apply(
            &name,
            Effect::Confirm,
            &Doubt::Template,
            "The template requires an approved tool list that matches the server's tools.",
        );
    }
    for rule in terms.rules.iter().filter(|rule| rule.when.holds(inputs)) {
        steps.apply(&name, rule.effect, &Doubt::Template, rule.sentence);
    }
    if steps.effect == Effect::Warn && terms.warn_as > Effect::Warn {
        steps.apply(
            &name,
            terms.warn_as,
            &Doubt::Template,
            format!("The template turns a warning into {}.", terms.warn_as.as_str()),
        );
    }
    if steps.steps.len() == before {
        steps.record_passed(&name, "All requirements of the template are met.");
    }
}

/// The tool that an operation names.
fn assessed_tool(check: &PreflightCheck, mcp: Option<&ReceiptMcp>) -> Option<AssessedTool> {
    let name = check.operation.as_ref()?.get("tool")?.as_str()?;
    Some(AssessedTool {
        untrusted_name: contract::text::display_safe(name, robots_check::MAX_NAME),
        state: mcp.map_or(McpState::NotMeasured, |seen| seen.state.clone()),
    })
}

/// The name that the agent claims, shortened and made safe to show.
fn claimed_agent_name(agent: &PreflightAgent) -> Option<String> {
    let name = match agent {
        PreflightAgent::Name(name) => Some(name),
        PreflightAgent::Described(agent) => agent.name.as_ref().or(agent.user_agent.as_ref()),
    };
    name.map(|name| contract::text::display_safe(name, robots_check::MAX_NAME))
}

/// The strictest of several decisions; `None` for an empty list.
#[must_use]
pub fn strictest<'a>(decisions: impl IntoIterator<Item = &'a Decision>) -> Option<Decision> {
    decisions.into_iter().map(Effect::from_decision).max().map(Effect::decision)
}
