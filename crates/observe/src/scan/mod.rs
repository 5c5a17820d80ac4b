//! A scan of one site. robots.txt is read first, because it may ask us to stop. All other reads
//! then run in parallel under one deadline: the home page and robots.txt under every identity, the
//! machine files, paths that cannot exist, and the home page bypassing caches, over plain http and
//! as Markdown.

mod collected_reads;
mod plan;
mod progress;
mod retry;
pub(crate) mod robots_gate;
mod shuffle;

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use agents::{Catalogue, Identity, Role};
use bytes::Bytes;
use contract::evidence::{
    DnsReading, Evidence, Exchange, ExchangeOutcome, FailureKind, FailurePhase, Observer,
    ReadTarget, SkipReason,
};
use contract::{Clock, Domain};
use declared::robots::Robots;
use door::{Door, FetchResult, RecordType, RedirectGate, RedirectPolicy, Visit};
use futures_util::StreamExt;
use futures_util::stream;

use collected_reads::{CollectedBodies, CollectedReads};
pub use plan::ScanDepth;
use plan::{PlanInputs, PlannedRead, ReadRun};
use progress::Reporter;
pub use progress::{ProgressCallback, ProgressRead, ScanProgress};
use robots_gate::RobotsGate;

/// What one scan collected: the evidence, and the bodies it refers to.
#[derive(Debug, Clone)]
pub struct CollectedEvidence {
    pub evidence: Evidence,
    /// By the hex SHA-256 digest that the evidence names.
    pub bodies: BTreeMap<String, Bytes>,
}

/// Everything that a scan needs to start.
#[allow(missing_debug_implementations, reason = "holds a callback")]
pub struct ScanPlan<'a> {
    pub domain: &'a Domain,
    pub door: &'a Door,
    pub catalogue: &'a Catalogue,
    pub clock: &'a dyn Clock,
    pub observer: Observer,
    pub depth: ScanDepth,
    /// The deadline for all reads together.
    pub deadline: Duration,
    /// Random letters and digits, used for paths and queries that nobody has requested before. Also
    /// the seed for the order of the reads, so that no identity is always first.
    pub token: String,
    /// Called after each read.
    pub progress: ProgressCallback<'a>,
}

/// What the first read of robots.txt found out.
struct SiteRobots {
    /// Scheme and host that answer, such as `https://example.org`.
    base: String,
    /// The site's own hosts and their robots.txt.
    policies: Vec<(String, Robots)>,
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
            if let Some(own) = self.catalogue.identity_with_role(Role::Own) {
                match &host {
                    Some(host) => {
                        self.read_all(&visit, host, own, &mut collected_reads, &bodies).await
                    }
                    None => {
                        self.record_no_address(&visit, own, &mut collected_reads, &bodies).await
                    }
                }
            }
            host
        };
        let (host, _) = tokio::join!(reading, texts);
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
        CollectedEvidence { evidence, bodies: bodies.into_map() }
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

    async fn read_all(
        &self,
        visit: &Visit,
        host: &str,
        own: &Identity,
        collected_reads: &mut CollectedReads,
        bodies: &CollectedBodies,
    ) {
        let mut robots_reads = Vec::new();
        let SiteRobots { base, policies } =
            self.read_robots(visit, host, own, bodies, &mut robots_reads).await;
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
        let (disallowed, allowed): (Vec<_>, Vec<_>) = rest
            .into_iter()
            .partition(|planned| robots_gate.is_disallowed(planned.robots_path(&base)));
        for planned in &disallowed {
            collected_reads.add_not_read(planned, SkipReason::OptOut);
        }
        let reporter = Reporter::new(self.progress, robots_reads.len() + allowed.len());
        for (robots, exchange) in robots_reads {
            reporter.report(Some(ProgressRead::new(&robots, &exchange)));
            collected_reads.add(&robots, exchange);
        }

        let patience = self.deadline / 4;
        let reader = PlanReader {
            visit,
            robots_gate: &robots_gate,
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
        for (robots, fetched) in std::iter::once((robots, first)).chain(there) {
            done.push((robots, bodies.add(fetched, visit)));
        }
        SiteRobots { base, policies }
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

/// What all parallel reads share.
struct PlanReader<'a> {
    visit: &'a Visit,
    robots_gate: &'a Arc<RobotsGate>,
    bodies: &'a CollectedBodies,
    reporter: &'a Reporter<'a>,
    /// How long a follow-up read waits for the read before it.
    follow_up_after: Duration,
}

/// A finished read by its index in the plan; `None` if robots.txt of its host disallows it.
type FinishedRead = (usize, Option<Exchange>);

impl PlanReader<'_> {
    /// Makes a read and the read that follows it on the same connection.
    async fn read_run(&self, plan: &[PlannedRead<'_>], run: ReadRun) -> Vec<FinishedRead> {
        let Some(planned) = plan.get(run.first) else { return Vec::new() };
        let mut first = pin!(self.read(run.first, planned));
        let Some((at, next)) = run.follow_up.and_then(|at| Some((at, plan.get(at)?))) else {
            return vec![first.await];
        };
        // If the first read takes too long, the second one starts anyway.
        let in_time = tokio::time::timeout(self.follow_up_after, &mut first).await;
        let follow_up = self.read(at, next);
        let done = match in_time {
            Ok(first) => vec![first, follow_up.await],
            Err(_) => {
                let (first, follow_up) = tokio::join!(first, follow_up);
                vec![first, follow_up]
            }
        };
        // This identity has no more reads. The browser has: two runs belong to it.
        if next.identity.role != Role::Browser {
            self.visit.close_connections(&next.identity.id);
        }
        done
    }

    async fn read(&self, at: usize, planned: &PlannedRead<'_>) -> FinishedRead {
        // The site's own hosts were checked before; a sitemap may be on another host.
        let disallowed = planned.target == ReadTarget::Sitemap
            && self.robots_gate.check_redirect(&planned.url).await == Some(robots_gate::OPT_OUT);
        if disallowed {
            self.reporter.report(None);
            return (at, None);
        }
        let gate: Arc<dyn RedirectGate> = self.robots_gate.clone();
        let fetched = fetch_with_retry(planned, self.visit, RedirectPolicy::IfAllowed(gate)).await;
        let exchange = self.bodies.add(fetched, self.visit);
        self.reporter.report(Some(ProgressRead::new(planned, &exchange)));
        (at, Some(exchange))
    }
}

/// Makes one read, and repeats it once if the host answers that it is busy. The last response
/// counts.
async fn fetch_with_retry(
    planned: &PlannedRead<'_>,
    visit: &Visit,
    follow: RedirectPolicy,
) -> FetchResult {
    /// The least time that a second read needs.
    const LEAST: Duration = Duration::from_millis(250);
    let first = visit.fetch(planned.request(follow.clone())).await;
    let Some(pause) = retry::retry_delay(&first.exchange) else { return first };
    if visit.remaining() < pause + LEAST {
        return first;
    }
    tokio::time::sleep(pause).await;
    let second = visit.fetch(planned.request(follow)).await;
    let (counted, dropped) =
        if second.exchange.response().is_some() { (second, first) } else { (first, second) };
    visit.release_bytes(dropped.body.len());
    counted
}
