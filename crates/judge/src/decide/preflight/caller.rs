//! The caller's own policy. It can tighten; a wish to loosen is an error that names the member.

use contract::records::{Action, CallerPolicy, Decision, Doubt, PreflightRefusal, Rung};

use super::super::grounds::EntitySeen;
use super::super::rules::{Effect, terms};
use super::steps::Steps;

/// What the caller's requirements are held against.
pub(super) struct Found<'a> {
    pub(super) domain: &'a str,
    pub(super) assurance: &'a [Rung],
    pub(super) networks: u32,
    pub(super) entity: EntitySeen,
}

/// Refuses a policy that would loosen a rule, or that holds what can never be heard.
pub(super) fn check(policy: &CallerPolicy, action: &Action) -> Result<(), PreflightRefusal> {
    let limit = terms(action).max_age_hours;
    // Administration is blocked whatever the age: there is nothing to loosen.
    if *action != Action::Administer && policy.max_age_hours.is_some_and(|hours| hours > limit) {
        return Err(PreflightRefusal::bad(
            "policy.max_age_hours",
            format!("a policy can only tighten: {action} takes evidence of at most {limit} hours"),
        ));
    }
    for (param, word) in [("policy.on_warn", &policy.on_warn), ("policy.warn_as", &policy.warn_as)]
    {
        let tightens = matches!(
            word,
            None | Some(Decision::Warn | Decision::RequireConfirmation | Decision::Block)
        );
        if !tightens {
            return Err(PreflightRefusal::bad(
                param,
                "a policy can only tighten: give warn, require_confirmation or block",
            ));
        }
    }
    if let Some(rung) = &policy.minimum_assurance
        && place(rung) < place(&least(action))
    {
        return Err(PreflightRefusal::bad(
            "policy.minimum_assurance",
            format!("a policy can only tighten: {action} needs {}", least(action)),
        ));
    }
    for (param, list) in [
        ("policy.human_approval", &policy.human_approval),
        ("policy.allow", &policy.allow),
        ("policy.deny", &policy.deny),
    ] {
        if list.iter().flatten().any(|entry| Entry::read(entry).is_none()) {
            return Err(PreflightRefusal::bad(
                param,
                "an entry is an action or a domain in lower-case ASCII",
            ));
        }
    }
    Ok(())
}

/// The rung that an action needs in any case.
fn least(action: &Action) -> Rung {
    match action {
        Action::Read | Action::Cite => Rung::Reachable,
        Action::Connect => Rung::Conformant,
        Action::Transact | Action::Administer | Action::Unrecognised(_) => Rung::ActionReady,
    }
}

fn place(rung: &Rung) -> usize {
    Rung::ORDER.iter().position(|one| one == rung).unwrap_or(Rung::ORDER.len())
}

/// An entry of a list.
enum Entry<'a> {
    Action(Action),
    Domain(&'a str),
}

impl<'a> Entry<'a> {
    fn read(text: &'a str) -> Option<Self> {
        if let Some(action) = Action::known(text) {
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
            Self::Domain(name) => covers(name, domain),
        }
    }
}

/// A name covers itself and every name under it.
fn covers(name: &str, domain: &str) -> bool {
    let name = name.strip_prefix("www.").unwrap_or(name);
    domain == name || domain.strip_suffix(name).is_some_and(|front| front.ends_with('.'))
}

fn entries(list: Option<&Vec<String>>) -> impl Iterator<Item = Entry<'_>> {
    list.into_iter().flatten().filter_map(|text| Entry::read(text))
}

pub(super) fn apply(steps: &mut Steps, policy: &CallerPolicy, action: &Action, found: &Found<'_>) {
    if entries(policy.deny.as_ref()).any(|entry| entry.matches(action, found.domain)) {
        steps.apply(
            "caller.deny",
            Effect::Block,
            &Doubt::CallerPolicy,
            "The caller's own policy denies it.",
        );
    }
    allow(steps, policy, action, found.domain);
    if entries(policy.human_approval.as_ref()).any(|entry| entry.matches(action, found.domain)) {
        steps.apply(
            "caller.human_approval",
            Effect::Confirm,
            &Doubt::HumanConfirms,
            "The caller's own policy asks for a person's approval.",
        );
    }
    if let Some(rung) = &policy.minimum_assurance {
        let reached =
            Rung::ORDER.iter().take(place(rung) + 1).all(|one| found.assurance.contains(one));
        unmet(
            steps,
            reached,
            "caller.minimum_assurance",
            &Doubt::CallerAssurance,
            "The caller asks for more assurance than was found.",
        );
    }
    if let Some(networks) = policy.minimum_networks {
        unmet(
            steps,
            found.networks >= networks,
            "caller.minimum_networks",
            &Doubt::CallerNetworks,
            "Fewer networks have looked than the caller asks for.",
        );
    }
    if policy.require_entity == Some(true) {
        unmet(
            steps,
            found.entity == EntitySeen::Observed,
            "caller.require_entity",
            &Doubt::EntityUnobserved,
            "The caller asks for an entity, and none was observed.",
        );
    }
    let warn_as = [&policy.on_warn, &policy.warn_as]
        .into_iter()
        .flatten()
        .map(Effect::of)
        .max()
        .unwrap_or(Effect::Warn);
    if steps.effect == Effect::Warn && warn_as > Effect::Warn {
        steps.apply(
            "caller.warn_as",
            warn_as,
            &Doubt::CallerWarnAs,
            "The caller does not go on with a warning.",
        );
    }
}

/// What is not on a list of allowed names or actions is blocked; a list without names says nothing of
/// names, and one without actions nothing of actions.
fn allow(steps: &mut Steps, policy: &CallerPolicy, action: &Action, domain: &str) {
    let (mut names, mut actions) = (None, None);
    for entry in entries(policy.allow.as_ref()) {
        let matches = entry.matches(action, domain);
        let list = match entry {
            Entry::Action(_) => &mut actions,
            Entry::Domain(_) => &mut names,
        };
        *list = Some(list.unwrap_or(false) || matches);
    }
    if names == Some(false) || actions == Some(false) {
        steps.apply(
            "caller.allow",
            Effect::Block,
            &Doubt::CallerPolicy,
            "It is not on the caller's own list of what is allowed.",
        );
    }
}

fn unmet(steps: &mut Steps, met: bool, rule: &str, code: &Doubt, why: &str) {
    if met {
        steps.passed(rule, "What the caller asks for is met.");
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
            assert_eq!(covers(name, domain), expected, "{name} {domain}");
        }
        for bad in
            ["purchase", "Shop.example", "shop..example", "", "*.shop.example", "bücher.example"]
        {
            assert!(Entry::read(bad).is_none(), "{bad}");
        }
    }
}
