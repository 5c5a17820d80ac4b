//! A scan of one site. robots.txt is read first, because it may ask us to stop. All other reads
//! then run in parallel under one deadline: the home page and robots.txt under every identity, the
//! machine files, paths that cannot exist, and the home page bypassing caches, over plain http and
//! as Markdown. Where AI identities got a page that no person got, the home page is read again
//! (`repeats`), to tell chance from treatment. At last, what was read names further addresses of the
//! site, and a few of them are read (`further`). Last, a few operations that the site describes as public
//! and read-only are called (`capability_calls`).

mod call_allowance;
mod capability_calls;
mod collected_reads;
mod further;
mod plan;
mod plan_reader;
mod progress;
mod repeats;
mod retry;
pub(crate) mod robots_gate;
mod same_site;
mod scan_plan;
mod shuffle;
mod signed_home;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use agents::{Identity, Role};
use bytes::Bytes;
use contract::evidence::{
    DnsReading, Evidence, Exchange, ExchangeOutcome, FailureKind, FailurePhase, SkipReason,
};
use declared::robots::Robots;
use door::{ReadKind, RecordType, RedirectPolicy, TargetRefusal, Visit};
use futures_util::StreamExt;
use futures_util::stream;

pub use call_allowance::CallAllowance;
use capability_calls::CapabilityCalls;
use collected_reads::{CollectedBodies, CollectedReads, is_target_limited};
use further::FurtherReads;
pub use plan::ScanDepth;
use plan::{PlanInputs, PlannedRead};
use plan_reader::{FinishedRead, PlanReader, fetch_with_retry};
use progress::Reporter;
pub use progress::{ProgressCallback, ProgressRead, ScanProgress};
use repeats::Repeats;
use robots_gate::RobotsGate;
use same_site::SameSiteGate;
pub use scan_plan::ScanPlan;
use signed_home::SignedHomeReads;

/// What one scan collected: the evidence, and the bodies it refers to.
#[derive(Debug, Clone)]
pub struct CollectedEvidence {
    pub evidence: Evidence,
    /// By the hex SHA-256 digest that the evidence names.
    pub bodies: BTreeMap<String, Bytes>,
    /// Set if nothing was read because of the limits on this target. Then the evidence says nothing
    /// about the site.
    pub target_refusal: Option<TargetRefusal>,
}

/// What the first read of robots.txt found out.
struct SiteRobots {
    /// Scheme and host that answer, such as `https://example.org`.
    base: String,
    /// The site's own hosts and their robots.txt.
    policies: Vec<(String, Robots)>,
    /// Whether the file was read, or the host says that there is none.
    is_reachable: bool,
}

impl ScanPlan<'_> {
    pub async fn run(&self) -> CollectedEvidence {
        let started_at = self.clock.now();
        let visit = self.door.visit(self.deadline);
        let (mut collected_reads, bodies) = (CollectedReads::default(), CollectedBodies::default());
        // The TXT records are only recorded; no read waits for them.
        let texts = visit.look_up(self.domain.as_str(), &[RecordType::Txt]);
        let reading = async {
            let host = self.resolve_host(&visit).await;
            let refusal = if let Some(own) = self.catalogue.identity_with_role(Role::Own) {
                match &host {
                    Some(host) => {
                        self.read_within_limits(&visit, host, own, &mut collected_reads, &bodies)
                            .await
                    }
                    None => {
                        self.record_no_address(&visit, own, &mut collected_reads, &bodies).await;
                        None
                    }
                }
            } else {
                None
            };
            (host, refusal)
        };
        let ((host, target_refusal), _) = tokio::join!(reading, texts);
        let evidence = Evidence {
            v: 1,
            domain: self.domain.clone(),
            host: host.unwrap_or_else(|| self.domain.to_string()),
            started_at,
            finished_at: self.clock.now(),
            observer: self.observer.clone(),
            dns: visit.dns_readings(),
            reads: collected_reads.reads,
            not_read: collected_reads.not_read,
        };
        CollectedEvidence { evidence, bodies: bodies.into_map(), target_refusal }
    }

    /// The timeout for robots.txt. A live reading has little time in total, but a distant host
    /// needs three round trips before its first byte.
    fn robots_timeout(&self) -> Duration {
        match self.depth {
            ScanDepth::Full => self.deadline / 4,
            ScanDepth::Live => self.deadline / 2,
        }
    }

    /// The host to read: the domain, or its `www.` name if only that has addresses.
    async fn resolve_host(&self, visit: &Visit) -> Option<String> {
        const ADDRESSES: [RecordType; 2] = [RecordType::A, RecordType::Aaaa];
        let has_address = |reading: &DnsReading| {
            reading
                .answers
                .iter()
                .any(|a| !a.records.is_empty() && matches!(a.record_type.as_str(), "A" | "AAAA"))
        };
        let [bare, www] = self.domain.hosts();
        if has_address(&visit.look_up(&bare, &ADDRESSES).await) {
            return Some(bare);
        }
        let reading = visit.look_up(&www, &ADDRESSES).await;
        has_address(&reading).then_some(www)
    }

    /// The domain has no address. One read is made anyway, so that the evidence holds the reason;
    /// all others are recorded as not read.
    async fn record_no_address(
        &self,
        visit: &Visit,
        own: &Identity,
        collected_reads: &mut CollectedReads,
        bodies: &CollectedBodies,
    ) {
        let base = format!("https://{}", self.domain);
        let robots = plan::plan_robots(own, &base, self.deadline / 4);
        let failed = visit.fetch(robots.request(RedirectPolicy::All)).await;
        let exchange = bodies.add(failed, visit);
        Reporter::new(self.progress, 1).report(Some(ProgressRead::new(&robots, &exchange)));
        collected_reads.add(&robots, exchange);
        let site = PlanInputs {
            depth: self.depth,
            base: &base,
            host: self.domain.as_str(),
            token: &self.token,
            sitemaps: &[],
            licences: &[],
        };
        for planned in plan::plan_reads(self.catalogue, own, site) {
            collected_reads.add_not_read(&planned, SkipReason::NoAddress);
        }
    }

    /// Reads the site if the limits on its address leave room for a whole reading. Returns why not.
    async fn read_within_limits(
        &self,
        visit: &Visit,
        host: &str,
        own: &Identity,
        collected_reads: &mut CollectedReads,
        bodies: &CollectedBodies,
    ) -> Option<TargetRefusal> {
        /// If all connections to the target stay in use.
        const CONNECTION_WAIT: Duration = Duration::from_secs(5);
        if let Err(refusal) = visit.reserve_reads(host, self.depth.reads_reserved()).await {
            return Some(refusal);
        }
        self.read_all(visit, host, own, collected_reads, bodies).await;
        let nothing_read = collected_reads.reads.is_empty()
            && collected_reads.not_read.iter().any(|left| left.why == SkipReason::TargetLimit);
        nothing_read.then_some(TargetRefusal { retry_after: CONNECTION_WAIT })
    }

    async fn read_all(
        &self,
        visit: &Visit,
        host: &str,
        own: &Identity,
        collected_reads: &mut CollectedReads,
        bodies: &CollectedBodies,
    ) {
        let mut robots_reads = Vec::new();
        let SiteRobots { base, policies, is_reachable } =
            self.read_robots(visit, host, own, bodies, &mut robots_reads).await;
        // Without its robots.txt nothing else of a site is read.
        if robots_reads.iter().all(|(_, exchange)| is_target_limited(exchange)) {
            for (robots, exchange) in robots_reads {
                collected_reads.add(&robots, exchange);
            }
            return;
        }
        let robots_policies: Vec<Robots> =
            policies.iter().map(|(_, policy)| policy.clone()).collect();
        let robots_request =
            plan::plan_robots(own, &base, self.robots_timeout()).request(RedirectPolicy::All);
        let robots_gate =
            Arc::new(RobotsGate::new(visit.clone(), &self.catalogue.own_token, robots_request));
        for (authority, policy) in policies {
            robots_gate.add_policy(&authority, policy);
        }
        let (sitemaps, licences) = (
            plan::select_sitemaps(&robots_policies, host),
            plan::select_licences(&robots_policies, host),
        );
        let site = PlanInputs {
            depth: self.depth,
            base: &base,
            host,
            token: &self.token,
            sitemaps: &sitemaps,
            licences: &licences,
        };
        let mut rest = plan::plan_reads(self.catalogue, own, site);
        // If robots.txt times out after half of a live reading's time, other reads will time out as
        // well. So only the home page is requested, once per identity.
        if self.depth == ScanDepth::Live
            && robots_reads.iter().all(|(_, first)| has_timed_out(first))
        {
            let (asked, left): (Vec<_>, Vec<_>) = plan::split_first_homes(rest);
            left.iter()
                .for_each(|planned| collected_reads.add_not_read(planned, SkipReason::Deadline));
            rest = asked;
        }
        let (disallowed, mut allowed): (Vec<_>, Vec<_>) = rest
            .into_iter()
            .partition(|planned| robots_gate.is_disallowed(planned.robots_path(&base)));
        for planned in &disallowed {
            collected_reads.add_not_read(planned, SkipReason::OptOut);
        }
        // A quarter is left for repeated reads.
        let home_page_bytes = visit.remaining_wire_bytes(ReadKind::Page) / 4 * 3;
        plan::share_home_page_bytes(&mut allowed, home_page_bytes);
        let reporter = Reporter::new(self.progress, robots_reads.len() + allowed.len());
        for (robots, exchange) in robots_reads {
            reporter.report(Some(ProgressRead::new(&robots, &exchange)));
            collected_reads.add(&robots, exchange);
        }

        let patience = self.deadline / 4;
        let reader = PlanReader {
            visit,
            robots_gate: &robots_gate,
            same_site_gate: Arc::new(SameSiteGate {
                host: host.to_owned(),
                robots_gate: Arc::clone(&robots_gate),
            }),
            bodies,
            reporter: &reporter,
            follow_up_after: patience,
        };
        let (homes, others) = plan::schedule_runs(&allowed, &self.token);
        let per_host = self.door.policy().limits.requests_per_host.max(1);
        // Home pages start first and together, but never use all slots: if none of them ends, the
        // other reads still run. A read that waits for its turn has not been started.
        let homes = stream::iter(homes.into_iter().map(|run| reader.read_run(&allowed, run)))
            .buffer_unordered((per_host * 2 / 3).max(1));
        let others = stream::iter(others.into_iter().map(|run| reader.read_run(&allowed, run)))
            .buffer_unordered(per_host);
        let (homes, others): (Vec<_>, Vec<_>) = tokio::join!(homes.collect(), others.collect());
        let mut done: Vec<FinishedRead> = homes.into_iter().chain(others).flatten().collect();
        done.sort_by_key(|(at, _)| *at);
        for (planned, (_, exchange)) in allowed.iter().zip(done) {
            match exchange {
                Some(exchange) => collected_reads.add(planned, exchange),
                None => collected_reads.add_not_read(planned, SkipReason::OptOut),
            }
        }
        if self.depth == ScanDepth::Full {
            let repeats = Repeats { scan: self, reader: &reader, base: &base };
            repeats.run(collected_reads).await;
            let further = FurtherReads {
                scan: self,
                reader: &reader,
                own,
                host,
                base: &base,
                robots_reachable: is_reachable,
            };
            further.run(collected_reads).await;
            let signed = SignedHomeReads { scan: self, reader: &reader, own, base: &base };
            signed.run(collected_reads).await;
            if let Some(allowance) = self.calls {
                let calls = CapabilityCalls {
                    scan: self,
                    reader: &reader,
                    own,
                    allowance,
                    robots_reachable: is_reachable,
                };
                calls.run(collected_reads).await;
            }
        }
        for elsewhere in robots_gate.robots_reads() {
            collected_reads.add(&plan::plan_other_robots(own), bodies.add(elsewhere, visit));
        }
    }

    /// Reads robots.txt to find out which scheme the site supports and what it asks of us.
    async fn read_robots<'a>(
        &self,
        visit: &Visit,
        host: &str,
        own: &'a Identity,
        bodies: &CollectedBodies,
        done: &mut Vec<(PlannedRead<'a>, Exchange)>,
    ) -> SiteRobots {
        let mut base = format!("https://{host}");
        let planned = |base: &str| plan::plan_robots(own, base, self.robots_timeout());
        let mut robots = planned(&base);
        let mut first = fetch_with_retry(&robots, visit, RedirectPolicy::All).await;
        if should_try_http(&first.exchange) {
            let plain = format!("http://{host}");
            let other = planned(&plain);
            let second = fetch_with_retry(&other, visit, RedirectPolicy::All).await;
            if second.exchange.response().is_some() {
                done.push((robots, bodies.add(first, visit)));
                (first, robots, base) = (second, other, plain);
            } else {
                done.push((other, bodies.add(second, visit)));
            }
        }
        let mut policies = vec![(host.to_owned(), robots_gate::robots_policy(&first))];
        // If the host redirects to another one (such as its www name), that host's robots.txt
        // counts as well.
        let moved = robots_gate::redirected_origin(&first.exchange, host);
        let there = match &moved {
            Some(moved) if !moved.is_robots_file => {
                let robots = planned(&moved.origin);
                let there = fetch_with_retry(&robots, visit, RedirectPolicy::All).await;
                Some((robots, there))
            }
            _ => None,
        };
        if let Some(moved) = moved {
            let file = there.as_ref().map_or(&first, |(_, there)| there);
            policies.push((moved.authority, robots_gate::robots_policy(file)));
        }
        let is_reachable = std::iter::once(&first)
            .chain(there.as_ref().map(|(_, there)| there))
            .all(|fetched| robots_gate::is_reachable(&fetched.exchange));
        for (robots, fetched) in std::iter::once((robots, first)).chain(there) {
            done.push((robots, bodies.add(fetched, visit)));
        }
        SiteRobots { base, policies, is_reachable }
    }
}

/// Whether https fails so early that http is worth a try. A host that completes the TLS handshake
/// and then stays silent does support https.
fn should_try_http(exchange: &Exchange) -> bool {
    match &exchange.outcome {
        ExchangeOutcome::Response(_) => false,
        ExchangeOutcome::Failed(failure) => {
            exchange.hops.len() <= 1
                && matches!(failure.phase, FailurePhase::Connect | FailurePhase::Tls)
        }
    }
}

/// Whether a read timed out.
fn has_timed_out(exchange: &Exchange) -> bool {
    matches!(&exchange.outcome, ExchangeOutcome::Failed(failure) if failure.kind == FailureKind::Timeout)
}
