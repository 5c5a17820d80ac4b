//! Visitors: whether somebody who visits a site is the agent that it claims to be.
//!
//! The verdict is a function in `agents`. This group supplies its facts: the operators' address lists
//! ([`feeds`]), names of addresses ([`reverse_dns`]) and checked signatures ([`signatures`]). Nothing about
//! a visitor reaches the store, the logs or the metrics; checks are counted by agent ([`site_checks`]).

mod address;
mod answer;
mod check;
mod feeds;
mod from_here;
mod record;
mod reverse_dns;
mod signatures;
mod site_checks;
mod used_signatures;

use std::net::IpAddr;
use std::sync::{Arc, PoisonError, RwLock};

use agents::SearchableAgents;
use agents::verdict::{ReverseDns, SignatureEvidence, Verdict, VisitorChecker, VisitorEvidence};
use contract::records::{VerifiedBy, VisitorHeaders, VisitorResult};
use contract::{Clock, Issuer, Timestamp};
use ipnet::IpNet;
use store::Store;

pub use address::{VisitorAddressError, parse_visitor_address};
pub use answer::VisitorError;
pub use feeds::{FeedCopies, FeedHealth, FeedRefresh, FeedRefresher, FeedReport};
pub use from_here::LocalChecker;
pub use record::feed_entries;
// What a page shows.
pub use agents::verdict::{Method, MethodCheck, MethodResult};

use self::reverse_dns::ReverseNames;
use self::signatures::KeyDirectories;
use self::site_checks::SiteCheckCounts;
use self::used_signatures::UsedSignatures;
use crate::live_setting::LiveSetting;
use crate::scanner::Scanner;
use crate::signing_keys::SigningKeys;

/// What a deployment may choose about visitors.
#[derive(Debug, Clone)]
pub struct VisitorSettings {
    /// The agents that visitors are compared with.
    pub agents: Arc<SearchableAgents>,
    /// The addresses of proxies in front of sites: a visitor never has one.
    pub proxies: Vec<IpNet>,
    /// Whether feeds are fetched at all.
    pub fetch_feeds: bool,
    /// Whether the gate in front of a site refuses visitors that it could not check.
    pub gate_fails_closed: bool,
}

impl VisitorSettings {
    /// Settings that fetch no lists.
    #[must_use]
    pub fn new(agents: Arc<SearchableAgents>) -> Self {
        Self { agents, proxies: Vec::new(), fetch_feeds: false, gate_fails_closed: false }
    }
}

/// The state of the group. `checker` and `reports` are replaced as a whole when a feed changes; their locks
/// are never held across an await.
pub struct Visitors {
    pub(crate) settings: VisitorSettings,
    pub(crate) issuer: Issuer,
    pub(crate) scanner: Scanner,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Arc<SigningKeys>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) agents: Arc<SearchableAgents>,
    /// The setting of this name, which can be reloaded.
    pub(crate) proxies: LiveSetting<Arc<[IpNet]>>,
    checker: RwLock<Arc<VisitorChecker>>,
    reports: RwLock<Arc<Vec<FeedReport>>>,
    reverse_names: ReverseNames,
    key_directories: KeyDirectories,
    used_signatures: UsedSignatures,
    pub(crate) site_checks: SiteCheckCounts,
}

/// A visitor to check, as the caller describes it.
#[derive(Debug, Clone, Copy)]
pub struct VisitorDescription<'a> {
    pub user_agent: &'a [u8],
    pub address: Option<IpAddr>,
    /// Header fields of its request, for its signature.
    pub headers: Option<&'a VisitorHeaders>,
    /// The host that its request was sent to.
    pub authority: Option<&'a str>,
}

/// A verdict and the catalogue and lists that it was made with.
#[derive(Debug)]
pub struct CheckedVisitor {
    pub verdict: Verdict,
    pub checker: Arc<VisitorChecker>,
    reverse_dns: ReverseDns,
    signature: SignatureEvidence,
}

impl CheckedVisitor {
    /// What is said about the visitor.
    #[must_use]
    pub fn to_result(&self) -> VisitorResult {
        let Self { verdict, checker, .. } = self;
        let agent = verdict.claimed.and_then(|agent| checker.agents().agent(agent));
        let feeds = verdict.claimed.into_iter().flat_map(|agent| checker.feed_addresses(agent));
        VisitorResult {
            claimed: agent.map(|agent| agent.name.clone()),
            operator: agent.map(|agent| agent.operator.clone()),
            purpose: agent.map(|agent| agent.purpose.clone()),
            verdict: verdict.verdict.clone(),
            verified_by: verdict.method.and_then(|method| VerifiedBy::from_word(method.as_str())),
            why: self.why(),
            feeds: feeds.map(str::to_owned).collect(),
        }
    }

    /// What each way of verifying the claimed agent said.
    #[must_use]
    pub fn methods(&self, visitor: VisitorDescription<'_>, now: Timestamp) -> Vec<MethodCheck> {
        let Some(agent) = self.verdict.claimed else { return Vec::new() };
        let evidence = VisitorEvidence {
            user_agent: visitor.user_agent,
            address: visitor.address,
            reverse_dns: &self.reverse_dns,
            signature: &self.signature,
            now,
        };
        self.checker.check_methods(agent, &evidence).into()
    }

    /// The reason in a sentence.
    #[must_use]
    pub fn why(&self) -> String {
        self.checker.explain(&self.verdict)
    }
}

impl Visitors {
    pub(crate) fn new(
        settings: VisitorSettings,
        issuer: Issuer,
        scanner: Scanner,
        store: Arc<dyn Store>,
        keys: Arc<SigningKeys>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let agents = Arc::clone(&settings.agents);
        let checker = Arc::new(VisitorChecker::new(Arc::clone(&agents), []));
        let reports = feeds::reports_of_unfetched(&agents);
        let proxies = LiveSetting::new(Arc::from(settings.proxies.as_slice()));
        Self {
            settings,
            proxies,
            issuer,
            scanner,
            store,
            keys,
            clock,
            agents,
            checker: RwLock::new(checker),
            reports: RwLock::new(Arc::new(reports)),
            reverse_names: ReverseNames::default(),
            key_directories: KeyDirectories::default(),
            used_signatures: UsedSignatures::default(),
            site_checks: SiteCheckCounts::default(),
        }
    }

    /// The catalogue and the address lists in use.
    #[must_use]
    pub fn checker(&self) -> Arc<VisitorChecker> {
        Arc::clone(&self.checker.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn replace_checker(&self, checker: VisitorChecker, reports: Vec<FeedReport>) {
        *self.checker.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(checker);
        *self.reports.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(reports);
    }

    /// The state of every feed.
    #[must_use]
    pub fn feed_reports(&self) -> Arc<Vec<FeedReport>> {
        Arc::clone(&self.reports.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether this is the address of a proxy in front of a site, and not of a visitor.
    #[must_use]
    pub fn is_proxy_address(&self, address: IpAddr) -> bool {
        self.proxies.get().iter().any(|proxy| proxy.contains(&address))
    }

    /// Whether the gate in front of a site refuses visitors that it could not check.
    #[must_use]
    pub fn gate_fails_closed(&self) -> bool {
        self.settings.gate_fails_closed
    }
}
