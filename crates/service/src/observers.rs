//! Who knocks on behalf of this service, from where, and how to make it stop.

use agents::Role;
use contract::limits::{LIVE_READ_BUDGET, SCANS_AT_ONCE_PER_DOMAIN};
use contract::records::{
    ObserverDirectory, ObserverEntry, ObserverIdentity, ObserverLimits, ObserverNetwork,
    ObserverPrefix, ObserverRobots, ObserverRole, ObserverState, ObserverVerify, OperatorFacts,
    SignatureAgent,
};
use contract::{Timestamp, records};
use proof::{KeyPurpose, ProofError, SignedDocument};

use crate::{KEY_DIRECTORY_PATH, PRODUCT, Service, VERSION};

const DAY_MS: i64 = 24 * 3_600_000;

/// What the operator says of himself and of the network we look from. Nothing where he does not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperatorSettings {
    pub name: Option<String>,
    pub contact: Option<String>,
    pub abuse: Option<String>,
    pub security: Option<String>,
    pub network: ObserverNetwork,
    /// The networks that our requests come from, as CIDR.
    pub egress: Vec<String>,
    /// Whom we ask for addresses, in words.
    pub resolver: Option<String>,
}

impl Service {
    /// The signed directory. It is made anew each day and keeps its name until then.
    pub fn observers(&self) -> Result<SignedDocument, ProofError> {
        self.sign_document(&self.observer_directory(), KeyPurpose::Documents)
    }

    fn observer_directory(&self) -> ObserverDirectory {
        let settings = &self.settings;
        let operator = &settings.operator;
        let day = Timestamp::from_millis(self.now().as_millis().div_euclid(DAY_MS) * DAY_MS);
        let catalogue = self.scanner.catalogue();
        let limits = &self.scanner.policy().limits;
        ObserverDirectory {
            kind: settings.brand.kind("observers"),
            v: 1,
            schema: contract::schema::address("observers", &settings.brand, &settings.base_url),
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
            identities: catalogue.identities().iter().map(identity).collect(),
            creation_time: day,
            prefixes: operator.egress.iter().map(|network| prefix(network)).collect(),
            signature_agent: SignatureAgent {
                directory: format!("{}{KEY_DIRECTORY_PATH}", settings.base_url),
                purpose:
                    "The keys that answers of this service are signed with. Requests to sites \
                          are not signed."
                        .to_owned(),
            },
            verify: ObserverVerify { how: how(&operator.egress), reverse_dns_suffix: None },
            robots: ObserverRobots {
                product_token: catalogue.own_token.clone(),
                honoured: true,
                opt_out: format!(
                    "A robots.txt group for {} that disallows a path stops every read of it, whatever name is \
                     sent; robots.txt itself is still read. Pages that are watched (content clocks) are also \
                     left alone where the group for everyone disallows them.",
                    catalogue.own_token
                ),
            },
            limits: ObserverLimits {
                requests_at_once_per_host: number(limits.per_host),
                scans_at_once_per_domain: number(SCANS_AT_ONCE_PER_DOMAIN),
                rescan_seconds: settings.rescan_window.as_secs(),
                live_budget_ms: u64::try_from(LIVE_READ_BUDGET.as_millis()).unwrap_or(u64::MAX),
                requests_per_domain_per_day: None,
                min_delay_ms: None,
            },
            never: [
                "log in, or send a credential, a cookie or a payment",
                "submit forms, or send anything but GET to a page",
                "call tools that are not declared read-only and public",
                "run scripts of a page",
                "read a path that a robots.txt group for our token disallows",
            ]
            .map(ToOwned::to_owned)
            .to_vec(),
            sha256: None,
            signature: None,
        }
    }
}

fn identity(identity: &agents::Identity) -> ObserverIdentity {
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
            format!("Sent by us from our own network, never by {agent}: it shows how the name is treated.")
        }
        (None, Role::Own) => "Our own reader, under its own name.".to_owned(),
        (None, Role::Browser) => {
            "The header fields of a browser, sent by us: the yardstick that others are compared with."
                .to_owned()
        }
        (None, _) => "Names nobody: it shows what a stranger is given.".to_owned(),
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

fn prefix(network: &str) -> ObserverPrefix {
    let text = Some(network.to_owned());
    if network.contains(':') {
        ObserverPrefix { ipv4_prefix: None, ipv6_prefix: text }
    } else {
        ObserverPrefix { ipv4_prefix: text, ipv6_prefix: None }
    }
}

fn how(egress: &[String]) -> Vec<String> {
    if egress.is_empty() {
        return vec![
            "The operator does not publish the addresses that requests come from, so a request cannot be \
             told from a forged one by its address."
                .to_owned(),
        ];
    }
    vec![
        "A request of ours comes from an address in `prefixes`; one from elsewhere is not ours."
            .to_owned(),
    ]
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
