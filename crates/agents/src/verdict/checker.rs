//! The decision, step by step.

use std::net::IpAddr;
use std::sync::Arc;

use contract::records::VisitorVerdict::{NotAKnownAgent, Spoofed, Unverifiable, Verified};
use contract::{Day, Timestamp};

use super::evidence::{NameDenial, ReverseDns, SignatureEvidence, VisitorEvidence};
use super::outcome::{Method, Verdict};
use super::reason::{DnsResult, Reason, Remarks, SignatureRemark};
use crate::ranges::{PrefixSet, RangeTable, special_block_of, untranslated};
use crate::{AgentIndex, Feed, FeedIndex, FeedScope, KnownAgents, NamedAgents, SearchableAgents};

/// The content of a feed, as it was last fetched.
#[derive(Debug, Clone)]
pub struct LoadedFeed {
    pub prefixes: PrefixSet,
    pub fetched_at: Timestamp,
}

/// The catalogue and the address ranges, prepared for many questions. It does not change; when a feed
/// changes, a new one is built.
#[derive(Debug)]
pub struct VisitorChecker {
    agents: Arc<SearchableAgents>,
    table: RangeTable,
    feeds: Vec<FeedState>,
    /// How sentences name each feed.
    feed_names: Vec<String>,
    plans: Vec<AgentPlan>,
}

/// What is known of a feed, without its prefixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FeedState {
    pub(super) fetched_at: Option<Timestamp>,
    fresh_until: Timestamp,
    has_ipv4: bool,
    has_ipv6: bool,
    scope: FeedScope,
    /// Its first address.
    example: Option<IpAddr>,
}

/// How one agent is verified.
#[derive(Debug, Default)]
pub(super) struct AgentPlan {
    /// Lists of its addresses: its own, or those of its operator.
    pub(super) lists: Vec<FeedIndex>,
    /// Lists of other agents of the operator.
    sibling_lists: Vec<FeedIndex>,
    networks: Vec<FeedIndex>,
    uses_dns: bool,
    uses_signatures: bool,
}

impl VisitorChecker {
    /// Feeds that were never fetched are left out.
    #[must_use]
    pub fn new(
        agents: Arc<SearchableAgents>,
        loaded: impl IntoIterator<Item = (FeedIndex, LoadedFeed)>,
    ) -> Self {
        let mut feeds: Vec<FeedState> = agents
            .feeds()
            .iter()
            .map(|feed| FeedState {
                fetched_at: None,
                fresh_until: Timestamp::from_millis(0),
                has_ipv4: false,
                has_ipv6: false,
                scope: feed.proves,
                example: None,
            })
            .collect();
        let loaded: Vec<(FeedIndex, LoadedFeed)> = loaded.into_iter().collect();
        for (index, content) in &loaded {
            let at = usize::from(index.0);
            let Some((state, feed)) = feeds.get_mut(at).zip(agents.feeds().get(at)) else {
                continue;
            };
            let life_ms = i64::from(feed.max_age_hours) * 3_600_000;
            state.fetched_at = Some(content.fetched_at);
            state.fresh_until = content.fetched_at.plus_millis(life_ms);
            state.has_ipv4 = content.prefixes.has_ipv4();
            state.has_ipv6 = content.prefixes.has_ipv6();
            state.example = content.prefixes.iter().next().map(|prefix| prefix.addr());
        }
        let table = RangeTable::new(loaded.iter().map(|(index, feed)| (*index, &feed.prefixes)));
        let feed_names = agents.feeds().iter().zip(&feeds).map(name_feed).collect();
        let plans = make_plans(&agents);
        Self { agents, table, feeds, feed_names, plans }
    }

    #[must_use]
    pub fn agents(&self) -> &KnownAgents {
        &self.agents
    }

    /// The agents that a user agent names, the most specific first.
    #[must_use]
    pub fn named_agents(&self, user_agent: &[u8]) -> NamedAgents {
        self.agents.find(user_agent)
    }

    /// When the oldest of all loaded feeds was fetched.
    #[must_use]
    pub fn oldest_feed(&self) -> Option<Timestamp> {
        self.feeds.iter().filter_map(|feed| feed.fetched_at).min()
    }

    /// The feeds that have the address.
    pub(super) fn feeds_of(&self, address: IpAddr) -> &[FeedIndex] {
        self.table.feeds_of(address)
    }

    /// The agent for which a reverse look-up of this address could change the verdict about a visitor whose
    /// user agent names these agents.
    #[must_use]
    pub fn agent_to_look_up(&self, named: &NamedAgents, address: IpAddr) -> Option<AgentIndex> {
        let agent = named.first()?;
        let address = untranslated(address);
        let plan = self.plan(agent)?;
        let known = self.agents.agent(agent)?;
        if !plan.uses_dns || known.token_only.is_some() || special_block_of(address).is_some() {
            return None;
        }
        let inside = self.feeds_of(address);
        (!plan.lists.iter().any(|list| inside.contains(list))).then_some(agent)
    }

    /// Whether a name is below a suffix that the agent's operator documents.
    #[must_use]
    pub fn is_documented_name(&self, agent: AgentIndex, name: &str) -> bool {
        let Some(agent) = self.agents.agent(agent) else { return false };
        let name = name.strip_suffix('.').unwrap_or(name);
        agent.reverse_dns_suffixes.iter().any(|suffix| {
            let Some(at) = name.len().checked_sub(suffix.len() + 1) else { return false };
            let (Some(host), Some(end)) = (name.get(..at), name.get(at..)) else { return false };
            !host.is_empty()
                && end.starts_with('.')
                && end.get(1..).is_some_and(|end| end.eq_ignore_ascii_case(suffix))
        })
    }

    /// The addresses of the feeds that are checked for an agent.
    pub fn feed_addresses(&self, agent: AgentIndex) -> impl Iterator<Item = &str> {
        let plan = self.plan(agent);
        let feeds = plan.into_iter().flat_map(|plan| plan.lists.iter().chain(&plan.networks));
        feeds.filter_map(|feed| self.agents.feed(*feed)).map(|feed| feed.url.as_str())
    }

    /// An address that the lists in use verify as this agent's.
    #[must_use]
    pub fn example_address(&self, agent: AgentIndex) -> Option<IpAddr> {
        let plan = self.plan(agent)?;
        plan.lists.iter().find_map(|feed| self.state(*feed)?.example)
    }

    /// The verdict about a visitor.
    #[must_use]
    pub fn check(&self, visitor: &VisitorEvidence<'_>) -> Verdict {
        self.check_named(visitor, &self.named_agents(visitor.user_agent))
    }

    /// The same for a caller that already knows which agents the user agent names.
    #[must_use]
    pub fn check_named(&self, visitor: &VisitorEvidence<'_>, named: &NamedAgents) -> Verdict {
        let visitor = &visitor.untranslated();
        let signer =
            visitor.signature.origin().and_then(|origin| self.agent_of_origin(origin, named));
        let Some(claimed) = named.first().or(signer) else {
            let mut verdict = Verdict::new(NotAKnownAgent, None, Reason::NoAgentNamed);
            verdict.remarks.signature = signature_remark(visitor.signature, false);
            return verdict;
        };
        let mut verdict = if named.first().is_none() {
            self.check_signature_claim(claimed, visitor.signature)
        } else if signer == Some(claimed)
            && matches!(visitor.signature, SignatureEvidence::Valid { .. })
        {
            let mut verdict = Verdict::new(Verified, Some(claimed), Reason::Signed);
            verdict.method = Some(Method::Signature);
            if let Some(address) = visitor.address
                && self.is_outside_lists(claimed, address)
            {
                verdict.remarks.signature = SignatureRemark::ValidAddressOutside;
            }
            verdict
        } else {
            let mut verdict = self.check_address(claimed, visitor);
            verdict.remarks.signature =
                signature_remark(visitor.signature, signer == Some(claimed));
            verdict
        };
        verdict.remarks.also_named.extend(named.iter().skip(1));
        verdict
    }

    pub(super) fn plan(&self, agent: AgentIndex) -> Option<&AgentPlan> {
        self.plans.get(usize::from(agent.0))
    }

    pub(super) fn state(&self, feed: FeedIndex) -> Option<&FeedState> {
        self.feeds.get(usize::from(feed.0))
    }

    /// The address of a feed, and when it was fetched.
    pub(super) fn feed_name(&self, feed: FeedIndex) -> &str {
        self.feed_names.get(usize::from(feed.0)).map_or("", String::as_str)
    }

    /// The agent that signs with keys of this origin: the named one if it does, otherwise the first.
    fn agent_of_origin(&self, origin: &str, named: &NamedAgents) -> Option<AgentIndex> {
        let signs = |agent: AgentIndex| {
            let agent = self.agents.agent(agent)?;
            agent.key_directories.iter().any(|own| own == origin).then_some(())
        };
        if let Some(first) = named.first()
            && signs(first).is_some()
        {
            return Some(first);
        }
        self.agents.agent_indexes().map(|(agent, _)| agent).find(|agent| signs(*agent).is_some())
    }

    fn is_outside_lists(&self, agent: AgentIndex, address: IpAddr) -> bool {
        let Some(plan) = self.plan(agent) else { return false };
        let inside = self.feeds_of(address);
        let fetched =
            |feed: &&FeedIndex| self.state(**feed).is_some_and(|s| s.fetched_at.is_some());
        plan.lists.iter().any(|feed| fetched(&feed))
            && !plan.lists.iter().any(|list| inside.contains(list))
    }

    /// A claim that is made by a signature alone: the user agent names nobody.
    fn check_signature_claim(&self, claimed: AgentIndex, signature: &SignatureEvidence) -> Verdict {
        let (word, reason) = match signature {
            SignatureEvidence::Valid { .. } => (Verified, Reason::Signed),
            SignatureEvidence::Invalid { .. } => (Spoofed, Reason::BadSignature),
            SignatureEvidence::Unverified { .. } | SignatureEvidence::NotGiven => {
                (Unverifiable, Reason::SignatureUnverified)
            }
        };
        let method = (word == Verified).then_some(Method::Signature);
        let mut verdict = Verdict { method, ..Verdict::new(word, Some(claimed), reason) };
        verdict.remarks.signature = signature_remark(signature, true);
        verdict
    }

    fn check_address(&self, claimed: AgentIndex, visitor: &VisitorEvidence<'_>) -> Verdict {
        let new = |word, reason| Verdict::new(word, Some(claimed), reason);
        let (Some(agent), Some(plan)) = (self.agents.agent(claimed), self.plan(claimed)) else {
            return new(Unverifiable, Reason::NothingPublished);
        };
        if let Some(token_only) = agent.token_only {
            let documented = token_only == crate::TokenOnly::NeverSent;
            let word = if documented { Spoofed } else { Unverifiable };
            return new(word, Reason::TokenOnly { documented });
        }
        let Some(address) = visitor.address else {
            if !plan.is_checkable_by_address() {
                return new(Unverifiable, self.reason_without_method(plan, None));
            }
            let reason = Reason::NoAddress { lists: !plan.lists.is_empty(), dns: plan.uses_dns };
            return new(Unverifiable, reason);
        };
        if special_block_of(address).is_some() {
            return new(Spoofed, Reason::SpecialAddress);
        }
        let inside = self.feeds_of(address);
        if let Some(feed) = self.confirming_list(plan, inside) {
            return self.confirmed_by_list(claimed, feed, visitor.now);
        }
        if let ReverseDns::Confirmed { name } = visitor.reverse_dns
            && plan.uses_dns
        {
            let verdict = new(Verified, Reason::NamedByDns { name: name.clone() });
            return Verdict { method: Some(Method::ReverseDns), ..verdict };
        }
        if !plan.is_checkable_by_address() {
            return new(Unverifiable, self.reason_without_method(plan, Some(inside)));
        }
        let mut verdict = self.not_confirmed(claimed, plan, visitor, address, inside);
        let used = plan.lists.iter().filter_map(|feed| self.state(*feed)?.fetched_at);
        verdict.ranges_as_of = used.min();
        verdict
    }

    /// The list that confirms an address; the agent's own comes before its operator's.
    pub(super) fn confirming_list(
        &self,
        plan: &AgentPlan,
        inside: &[FeedIndex],
    ) -> Option<FeedIndex> {
        let mut confirming = plan.lists.iter().copied().filter(|list| inside.contains(list));
        let first = confirming.next()?;
        let is_own =
            |feed: FeedIndex| self.state(feed).is_some_and(|state| state.scope == FeedScope::Agent);
        if is_own(first) {
            return Some(first);
        }
        Some(confirming.find(|feed| is_own(*feed)).unwrap_or(first))
    }

    pub(super) fn confirmed_by_list(
        &self,
        claimed: AgentIndex,
        feed: FeedIndex,
        now: Timestamp,
    ) -> Verdict {
        let state = self.state(feed);
        let reason = match state.map(|state| state.scope) {
            Some(FeedScope::Agent) => Reason::InOwnList { feed },
            _ => Reason::InOperatorList { feed },
        };
        let stale = state.filter(|state| state.fresh_until < now);
        Verdict {
            method: Some(Method::AddressList),
            ranges_as_of: state.and_then(|state| state.fetched_at),
            remarks: Remarks { stale_since: stale.map(|s| s.fresh_until), ..Remarks::default() },
            ..Verdict::new(Verified, Some(claimed), reason)
        }
    }

    /// No documented method confirmed the visitor. It is forged only if each of them denies.
    fn not_confirmed(
        &self,
        claimed: AgentIndex,
        plan: &AgentPlan,
        visitor: &VisitorEvidence<'_>,
        address: IpAddr,
        inside: &[FeedIndex],
    ) -> Verdict {
        let new = |word, reason| Verdict::new(word, Some(claimed), reason);
        let lists = self.what_lists_say(plan, address, visitor.now);
        let names_without_addresses =
            self.agents.agent(claimed).is_some_and(|agent| agent.names_without_addresses);
        let dns = match visitor.reverse_dns {
            ReverseDns::Denied(NameDenial::NotConfirmed(name)) if names_without_addresses => {
                Err(Reason::NameNotConfirmable { name: name.clone() })
            }
            _ if !plan.uses_dns => Ok(DnsResult::NotDocumented),
            ReverseDns::Denied(denial) => Ok(DnsResult::Denied(denial.clone())),
            ReverseDns::Failed { why } => {
                let feed = plan.lists.first().copied();
                Err(Reason::DnsFailed { why, feed })
            }
            ReverseDns::NotLookedUp | ReverseDns::Confirmed { .. } => Err(Reason::DnsNotLookedUp),
        };
        let dns = match dns {
            Ok(dns) => dns,
            Err(reason) => return new(Unverifiable, reason),
        };
        let feed = match lists {
            ListsResult::None => {
                return match dns {
                    DnsResult::Denied(denial) => new(Spoofed, Reason::DeniedByDns(denial)),
                    DnsResult::NotDocumented => new(Unverifiable, Reason::NothingPublished),
                };
            }
            ListsResult::Unknown(reason) => return new(Unverifiable, reason),
            // IPv6 is outside of a list without IPv6 addresses by construction: DNS decides, if it can.
            ListsResult::OtherFamily { feed, ipv6 } => {
                return match dns {
                    DnsResult::Denied(denial) => new(Spoofed, Reason::DeniedByDns(denial)),
                    DnsResult::NotDocumented => {
                        new(Unverifiable, Reason::FamilyNotListed { feed, ipv6 })
                    }
                };
            }
            ListsResult::Outside { feed } => feed,
        };
        if let Some(feed) = plan.sibling_lists.iter().copied().find(|feed| inside.contains(feed)) {
            return new(Unverifiable, Reason::InSiblingList { feed });
        }
        if let Some(feed) = plan.networks.iter().copied().find(|feed| inside.contains(feed)) {
            return new(Unverifiable, Reason::InNetworkOnly { feed });
        }
        new(Spoofed, Reason::OutsideLists { feed, dns })
    }

    pub(super) fn what_lists_say(
        &self,
        plan: &AgentPlan,
        address: IpAddr,
        now: Timestamp,
    ) -> ListsResult {
        let Some(first) = plan.lists.first().copied() else { return ListsResult::None };
        let mut family_listed = false;
        for feed in plan.lists.iter().copied() {
            let Some(state) = self.state(feed) else { continue };
            let Some(fetched_at) = state.fetched_at else {
                return ListsResult::Unknown(Reason::ListNeverFetched { feed });
            };
            if state.fresh_until < now {
                return ListsResult::Unknown(Reason::ListTooOld { feed, fetched_at });
            }
            family_listed |= match address {
                IpAddr::V4(_) => state.has_ipv4,
                IpAddr::V6(_) => state.has_ipv6,
            };
        }
        if family_listed {
            ListsResult::Outside { feed: first }
        } else {
            ListsResult::OtherFamily { feed: first, ipv6: address.is_ipv6() }
        }
    }

    /// Why an agent without lists and DNS cannot be verified by its address.
    fn reason_without_method(&self, plan: &AgentPlan, inside: Option<&[FeedIndex]>) -> Reason {
        if !plan.networks.is_empty() {
            let fetched =
                |feed: &FeedIndex| self.state(*feed).is_some_and(|s| s.fetched_at.is_some());
            let inside = inside.filter(|_| plan.networks.iter().any(fetched));
            let inside = inside.map(|inside| plan.networks.iter().any(|net| inside.contains(net)));
            return Reason::OnlyNetworkKnown { inside };
        }
        if plan.uses_signatures { Reason::OnlySignatures } else { Reason::NothingPublished }
    }
}

/// What the lists of an agent say about an address that is in none of them.
pub(super) enum ListsResult {
    /// There are no lists.
    None,
    Outside {
        feed: FeedIndex,
    },
    OtherFamily {
        feed: FeedIndex,
        ipv6: bool,
    },
    Unknown(Reason),
}

impl AgentPlan {
    fn is_checkable_by_address(&self) -> bool {
        !self.lists.is_empty() || self.uses_dns
    }
}

fn name_feed((feed, state): (&Feed, &FeedState)) -> String {
    match state.fetched_at {
        Some(at) => format!("{} as fetched on {}", feed.url, Day::of(at)),
        None => feed.url.clone(),
    }
}

fn make_plans(agents: &KnownAgents) -> Vec<AgentPlan> {
    let scope = |feed: FeedIndex| agents.feed(feed).map(|feed| feed.proves);
    let plan = |(index, agent): (AgentIndex, &crate::KnownAgent)| {
        let feeds = agents.feeds_of(index).iter().copied();
        let (networks, lists): (Vec<_>, Vec<_>) =
            feeds.partition(|feed| scope(*feed) == Some(FeedScope::Network));
        let siblings = agents.agent_indexes().filter(|(_, other)| other.operator == agent.operator);
        let mut sibling_lists: Vec<FeedIndex> =
            siblings.flat_map(|(other, _)| agents.feeds_of(other)).copied().collect();
        sibling_lists
            .retain(|feed| scope(*feed) != Some(FeedScope::Network) && !lists.contains(feed));
        sibling_lists.sort_unstable();
        sibling_lists.dedup();
        AgentPlan {
            lists,
            sibling_lists,
            networks,
            uses_dns: !agent.reverse_dns_suffixes.is_empty(),
            uses_signatures: !agent.key_directories.is_empty(),
        }
    };
    agents.agent_indexes().map(plan).collect()
}

fn signature_remark(signature: &SignatureEvidence, is_of_claimed: bool) -> SignatureRemark {
    match signature {
        SignatureEvidence::NotGiven => SignatureRemark::None,
        SignatureEvidence::Valid { .. } if is_of_claimed => SignatureRemark::None,
        SignatureEvidence::Valid { origin } => {
            SignatureRemark::ValidOfAnother { origin: origin.clone() }
        }
        SignatureEvidence::Invalid { why, .. } => SignatureRemark::Invalid { why: why.clone() },
        SignatureEvidence::Unverified { why, .. } => {
            SignatureRemark::Unverified { why: why.clone() }
        }
    }
}
