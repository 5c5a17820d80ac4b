//! The part of the domain record that comes from the registry.

use contract::records::{Registry, RegistryState};
use contract::{Domain, Timestamp};
use declared::rdap::Registration;

/// What is known about a registration.
#[derive(Debug, Clone)]
pub struct RegistryFacts<'a> {
    pub registered_domain: &'a Domain,
    pub state: RegistryState,
    pub why: Option<&'a str>,
    /// The newest reading, its address and its time.
    pub registration: Option<&'a Registration>,
    pub source: Option<&'a str>,
    pub read_at: Option<Timestamp>,
}

#[must_use]
pub fn registry_section(facts: &RegistryFacts<'_>) -> Registry {
    // A name that nobody has registered has no values, whatever was read before.
    let shown = facts.registration.filter(|_| facts.state != RegistryState::NotRegistered);
    let time = |at: fn(&Registration) -> Option<Timestamp>| {
        shown.and_then(at).map(Timestamp::whole_seconds)
    };
    Registry {
        state: facts.state.clone(),
        why: explain(facts),
        registered_domain: facts.registered_domain.clone(),
        read_at: facts.read_at.map(Timestamp::whole_seconds),
        source: facts.source.map(str::to_owned),
        registrar: shown.and_then(|shown| shown.registrar.clone()),
        registrar_iana_id: shown.and_then(|shown| shown.registrar_iana_id.clone()),
        created: time(|shown| shown.created),
        expires: time(|shown| shown.expires),
        changed: time(|shown| shown.changed),
        nameservers: shown.map(|shown| shown.nameservers.clone()).unwrap_or_default(),
        dnssec: shown.and_then(|shown| shown.dnssec),
        status: shown.map(|shown| shown.status.clone()).unwrap_or_default(),
    }
}

/// The reason, with the date of the last reading where there is one.
fn explain(facts: &RegistryFacts<'_>) -> Option<String> {
    if facts.state == RegistryState::Observed {
        return None;
    }
    let why = facts.why.unwrap_or("The registry was not read.");
    Some(match facts.read_at {
        Some(at) => {
            let at = at.whole_seconds();
            if facts.state == RegistryState::NotRegistered {
                format!("{why} We last read its registration on {at}.")
            } else {
                format!("{why} We last read the registration on {at}; the values are from then.")
            }
        }
        None => why.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use contract::NamePolicy;

    use super::*;

    #[test]
    fn what_is_shown_depends_on_the_state() {
        let domain = Domain::parse("shop.example.com", &NamePolicy::default()).unwrap();
        let registration = Registration { registrar: Some("A".into()), ..Registration::default() };
        let at: Timestamp = "2026-11-15T00:00:00.500Z".parse().unwrap();
        let section = |state: RegistryState, read: bool| {
            registry_section(&RegistryFacts {
                registered_domain: &domain,
                state,
                why: Some("The server answered with status 500."),
                registration: read.then_some(&registration),
                source: None,
                read_at: read.then_some(at),
            })
        };
        let observed = section(RegistryState::Observed, true);
        assert_eq!((observed.why, observed.registrar.as_deref()), (None, Some("A")));
        assert_eq!(observed.read_at.unwrap().to_string(), "2026-11-15T00:00:00Z");
        let kept = section(RegistryState::NotMeasured, true);
        assert_eq!(kept.registrar.as_deref(), Some("A"));
        assert_eq!(
            kept.why.as_deref(),
            Some(
                "The server answered with status 500. We last read the registration on \
                 2026-11-15T00:00:00Z; the values are from then."
            )
        );
        let never = section(RegistryState::NotMeasured, false);
        assert_eq!(never.why.as_deref(), Some("The server answered with status 500."));
        let gone = section(RegistryState::NotRegistered, true);
        assert_eq!(gone.registrar, None);
        assert!(gone.why.unwrap().contains("last read its registration"));
    }
}
