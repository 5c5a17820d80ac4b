//! The observer directory: who sends requests for this service, from where, and how to opt out.

use agents::Role;
use contract::limits::{LIVE_READ_BUDGET, SCANS_AT_ONCE_PER_DOMAIN};
use contract::records::{
    ObserverDirectory, ObserverEntry, ObserverIdentity, ObserverLimits, ObserverPrefix,
    ObserverRobots, ObserverRole, ObserverState, ObserverVerify, OperatorFacts, SignatureAgent,
};
use contract::{Timestamp, records};
use proof::{KeyPurpose, ProofError, SignedDocument};

use crate::Service;
use crate::product::{PRODUCT, VERSION};
use crate::request_signing::signing_origin;
use crate::signing_keys::KEY_DIRECTORY_PATH;

const DAY_MS: i64 = 24 * 3_600_000;

impl Service {
    /// The signed observer directory. It is the same document for a whole day.
    pub fn signed_observer_directory(&self) -> Result<SignedDocument, ProofError> {
        self.keys.sign_document(&self.build_observer_directory(), KeyPurpose::Documents)
    }

    fn build_observer_directory(&self) -> ObserverDirectory {
        let settings = &self.settings;
        let operator = &settings.operator;
        let day = Timestamp::from_millis(
            self.clock.now().whole_seconds().as_millis().div_euclid(DAY_MS) * DAY_MS,
        );
        let catalogue = self.scanner.catalogue();
        let limits = &self.scanner.policy().limits;
        let signs_requests = signing_origin(&settings.base_url).is_some();
        ObserverDirectory {
            kind: settings.brand.kind("observers"),
            v: 1,
            schema: contract::schema::schema_url("observers", &settings.brand, &settings.base_url),
            generated_at: day,
            next_update: day.plus_millis(DAY_MS),
            operator: OperatorFacts {
                name: operator.name.clone(),
                site: settings.base_url.clone(),
                contact: operator.contact.clone(),
                abuse: operator.abuse.clone(),
                security: operator.security.clone(),
            },
            observers: vec![ObserverEntry {
                id: settings.vantage.clone(),
                version_tag: format!("{PRODUCT}-{VERSION}"),
                state: ObserverState::Active,
                role: ObserverRole::Primary,
                network: operator.network.clone(),
                egress: operator.egress.clone(),
                resolver: operator.resolver.clone(),
                since: None,
                until: None,
                key: None,
            }],
            identities: catalogue.identities().iter().map(to_observer_identity).collect(),
            creation_time: day,
            prefixes: operator.egress.iter().map(|network| to_observer_prefix(network)).collect(),
            signature_agent: SignatureAgent {
                directory: format!("{}{KEY_DIRECTORY_PATH}", settings.base_url),
                purpose:
                    if signs_requests {
                        "The keys that sign the answers of this service, and its requests to sites under its own \
                         name (Web Bot Auth)."
                    } else {
                        "The keys that sign the answers of this service. Requests to sites are not signed."
                    }
                    .to_owned(),
            },
            verify: ObserverVerify {
                how: verification_steps(&operator.egress, signs_requests),
                reverse_dns_suffix: None,
            },
            robots: ObserverRobots {
                product_token: catalogue.own_token.clone(),
                honoured: true,
                opt_out: format!(
                    "A robots.txt group for {} that disallows a path stops all our reads of it, under every user agent; \
                     robots.txt itself is still read. Watched pages (content clocks) are also not read if \
                     the group for all agents (*) disallows them, and neither are operations of an API called.",
                    catalogue.own_token
                ),
            },
            limits: ObserverLimits {
                requests_at_once_per_host: to_u32(limits.requests_per_host),
                scans_at_once_per_domain: to_u32(SCANS_AT_ONCE_PER_DOMAIN),
                rescan_seconds: settings.rescan_window.as_secs(),
                live_budget_ms: u64::try_from(LIVE_READ_BUDGET.as_millis()).unwrap_or(u64::MAX),
                requests_per_domain_per_day: None,
                min_delay_ms: None,
            },
            never: [
                "log in, or send credentials, cookies or payments",
                "submit forms, or send anything but GET requests to a page",
                "call tools that are not declared read-only and public",
                "run the scripts of a page",
                "read a path that a robots.txt group for our token disallows",
            ]
            .map(ToOwned::to_owned)
            .to_vec(),
            sha256: None,
            signature: None,
        }
    }
}

fn to_observer_identity(identity: &agents::Identity) -> ObserverIdentity {
    let role = match identity.role {
        Role::Browser => Some(records::Role::Browser),
        Role::Control => Some(records::Role::Control),
        Role::Train => Some(records::Role::Train),
        Role::Search => Some(records::Role::Search),
        Role::User => Some(records::Role::User),
        Role::Own => None,
    };
    let imitated = identity.robots_token.clone().filter(|_| identity.role != Role::Own);
    let note = match (&imitated, identity.role) {
        (Some(agent), _) => {
            format!(
                "We send this from our own network; it does not come from {agent}. It shows how the site treats that name."
            )
        }
        (None, Role::Own) => "Our own crawler, under its own name.".to_owned(),
        (None, Role::Browser) => {
            "We send the header fields of a browser. Other identities are compared with this one."
                .to_owned()
        }
        (None, _) => {
            "Names no known agent. It shows what the site serves to an unknown client.".to_owned()
        }
    };
    ObserverIdentity {
        id: identity.id.clone(),
        label: identity.label.clone(),
        role,
        user_agent: identity.user_agent.clone(),
        agent_imitated: imitated,
        note,
    }
}

fn to_observer_prefix(network: &str) -> ObserverPrefix {
    let text = Some(network.to_owned());
    if network.contains(':') {
        ObserverPrefix { ipv4_prefix: None, ipv6_prefix: text }
    } else {
        ObserverPrefix { ipv4_prefix: text, ipv6_prefix: None }
    }
}

pub(crate) fn verification_steps(egress: &[String], signs_requests: bool) -> Vec<String> {
    let by_address = if egress.is_empty() {
        "The operator does not publish the IP addresses that requests come from, so the IP address does not show whether \
         a request is ours."
    } else {
        "Our requests come from IP addresses in `prefixes`. A request from any other address is not ours."
    };
    let by_signature = "Our requests over https under our own name carry a signature (Web Bot Auth) by a key of \
                        `signature_agent.directory`. A valid one shows that a request is ours. A scan also sends one or \
                        two requests under our own name without a signature, to see whether the site treats them \
                        otherwise.";
    let steps = [Some(by_address), signs_requests.then_some(by_signature)];
    steps.into_iter().flatten().map(ToOwned::to_owned).collect()
}

fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
