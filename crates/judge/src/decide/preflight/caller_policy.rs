//! The caller's own policy. It can only tighten a decision. A policy that would loosen one is rejected
//! with an error that names the member.

use contract::records::{
    Action, CallerPolicy, Decision, Doubt, PolicyList, PreflightRefusal, Rung,
};

use super::super::decision_inputs::EntityObservation;
use super::super::decision_rules::{Effect, action_terms};
use super::decision_steps::DecisionSteps;

/// The evidence that the caller's requirements are compared with.
pub(super) struct CallerEvidence<'a> {
    pub(super) domain: &'a str,
    pub(super) assurance: &'a [Rung],
    pub(super) networks: u32,
    pub(super) entity: EntityObservation,
}

/// Rejects a policy that would loosen a rule, or with an entry that is neither an action nor a domain.
pub(super) fn reject_loosening(
    policy: &CallerPolicy,
    action: &Action,
) -> Result<(), PreflightRefusal> {
    let limit = action_terms(action).max_age_hours;
    // Administration is blocked at any age: there is nothing to loosen.
    if *action != Action::Administer && policy.max_age_hours.is_some_and(|hours| hours > limit) {
        return Err(PreflightRefusal::bad_request(
            "policy.max_age_hours",
            format!("a policy can only tighten: {action} allows at most {limit} hours"),
        ));
    }
    for (param, word) in [("policy.on_warn", &policy.on_warn), ("policy.warn_as", &policy.warn_as)]
    {
        let tightens = matches!(
            word,
            None | Some(Decision::Warn | Decision::RequireConfirmation | Decision::Block)
        );
        if !tightens {
            return Err(PreflightRefusal::bad_request(
                param,
                "a policy can only tighten: use warn, require_confirmation or block",
            ));
        }
    }
    if let Some(rung) = &policy.minimum_assurance
        && rung_index(rung) < rung_index(&minimum_rung(action))
    {
        return Err(PreflightRefusal::bad_request(
            "policy.minimum_assurance",
            format!(
                "a policy can only tighten: {action} requires at least {}",
                minimum_rung(action)
            ),
        ));
    }
    for (param, list) in [
        ("policy.human_approval", &policy.human_approval),
        ("policy.allow", &policy.allow),
        ("policy.deny", &policy.deny),
    ] {
        if list.iter().flatten().any(|entry| PolicyEntry::parse(entry).is_none()) {
            return Err(PreflightRefusal::bad_request(
                param,
                "each entry must be an action or a domain in lower-case ASCII",
            ));
        }
    }
    Ok(())
}

/// The lowest rung that a policy may require for an action.
fn minimum_rung(action: &Action) -> Rung {
    match action {
        Action::Read | Action::Cite => Rung::Reachable,
        Action::Connect => Rung::Conformant,
        Action::Transact | Action::Administer | Action::Unrecognised(_) => Rung::ActionReady,
    }
}

fn rung_index(rung: &Rung) -> usize {
    Rung::ORDER.iter().position(|one| one == rung).unwrap_or(Rung::ORDER.len())
}

/// An entry of `allow`, `deny` or `human_approval`.
enum PolicyEntry<'a> {
    Action(Action),
    Domain(&'a str),
}

impl<'a> PolicyEntry<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        if let Some(action) = Action::from_word(text) {
            return Some(Self::Action(action));
        }
        let letters = text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-'));
        let labels = text.split('.').all(|label| !label.is_empty());
        (letters && labels && text.contains('.')).then_some(Self::Domain(text))
    }

    fn matches(&self, action: &Action, domain: &str) -> bool {
        match self {
            Self::Action(one) => one == action,
            Self::Domain(name) => is_same_or_subdomain(name, domain),
        }
    }
}

/// Whether `domain` is `name` or a subdomain of it.
fn is_same_or_subdomain(name: &str, domain: &str) -> bool {
    let name = name.strip_prefix("www.").unwrap_or(name);
    domain == name || domain.strip_suffix(name).is_some_and(|front| front.ends_with('.'))
}

fn parse_entries(list: Option<&PolicyList>) -> impl Iterator<Item = PolicyEntry<'_>> {
    list.into_iter().flatten().filter_map(|text| PolicyEntry::parse(text))
}

pub(super) fn apply_caller_policy(
    steps: &mut DecisionSteps,
    policy: &CallerPolicy,
    action: &Action,
    found: &CallerEvidence<'_>,
) {
    if parse_entries(policy.deny.as_ref()).any(|entry| entry.matches(action, found.domain)) {
        steps.apply(
            "caller.deny",
            Effect::Block,
            &Doubt::CallerPolicy,
            "The caller's policy denies this action or domain.",
        );
    }
    apply_allow_list(steps, policy, action, found.domain);
    if parse_entries(policy.human_approval.as_ref())
        .any(|entry| entry.matches(action, found.domain))
    {
        steps.apply(
            "caller.human_approval",
            Effect::Confirm,
            &Doubt::HumanConfirms,
            "The caller's policy requires approval by a person.",
        );
    }
    if let Some(rung) = &policy.minimum_assurance {
        let reached =
            Rung::ORDER.iter().take(rung_index(rung) + 1).all(|one| found.assurance.contains(one));
        require(
            steps,
            reached,
            "caller.minimum_assurance",
            &Doubt::CallerAssurance,
            "The caller requires more assurance than the evidence shows.",
        );
    }
    if let Some(networks) = policy.minimum_networks {
        require(
            steps,
            found.networks >= networks,
            "caller.minimum_networks",
            &Doubt::CallerNetworks,
            "The caller requires readings from more networks than we have.",
        );
    }
    if policy.require_entity == Some(true) {
        require(
            steps,
            found.entity == EntityObservation::Observed,
            "caller.require_entity",
            &Doubt::EntityUnobserved,
            "The caller requires a stated owner, and we found none.",
        );
    }
    let warn_as = [&policy.on_warn, &policy.warn_as]
        .into_iter()
        .flatten()
        .map(Effect::from_decision)
        .max()
        .unwrap_or(Effect::Warn);
    if steps.effect == Effect::Warn && warn_as > Effect::Warn {
        steps.apply(
            "caller.warn_as",
            warn_as,
            &Doubt::CallerWarnAs,
            format!("The caller's policy turns a warning into {}.", warn_as.as_str()),
        );
    }
}

/// Blocks a domain or action that is not in `allow`. A list without domains allows every domain, and a
/// list without actions every action.
fn apply_allow_list(
    steps: &mut DecisionSteps,
    policy: &CallerPolicy,
    action: &Action,
    domain: &str,
) {
    let (mut names, mut actions) = (None, None);
    for entry in parse_entries(policy.allow.as_ref()) {
        let matches = entry.matches(action, domain);
        let list = match entry {
            PolicyEntry::Action(_) => &mut actions,
            PolicyEntry::Domain(_) => &mut names,
        };
        *list = Some(list.unwrap_or(false) || matches);
    }
    if names == Some(false) || actions == Some(false) {
        steps.apply(
            "caller.allow",
            Effect::Block,
            &Doubt::CallerPolicy,
            "The caller's `allow` list does not contain this action or domain.",
        );
    }
}

fn require(steps: &mut DecisionSteps, met: bool, rule: &str, code: &Doubt, why: &str) {
    if met {
        steps.record_passed(rule, "The caller's requirement is met.");
    } else {
        steps.apply(rule, Effect::Confirm, code, why);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_covers_its_names_and_nothing_that_only_ends_alike() {
        for (name, domain, expected) in [
            ("shop.example", "shop.example", true),
            ("shop.example", "api.shop.example", true),
            ("www.shop.example", "shop.example", true),
            ("shop.example", "myshop.example", false),
            ("api.shop.example", "shop.example", false),
        ] {
            assert_eq!(is_same_or_subdomain(name, domain), expected, "{name} {domain}");
        }
        for bad in
            ["purchase", "Shop.example", "shop..example", "", "*.shop.example", "bücher.example"]
        {
            assert!(PolicyEntry::parse(bad).is_none(), "{bad}");
        }
    }
}
