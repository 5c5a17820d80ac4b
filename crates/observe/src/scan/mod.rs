//! The full scan: robots.txt first, because it may ask us to stop; then, side by side under one
//! deadline, the home page as every identity, robots.txt as each of them, the machine files, paths
//! that cannot exist, and the same places past caches, over plain http and as Markdown.

mod again;
pub(crate) mod manners;
mod notes;
mod order;
mod plan;

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use agents::{Catalogue, Identity, Role};
use bytes::Bytes;
use contract::evidence::{
    DnsReading, Evidence, Exchange, FailureKind, NotReadWhy, Observer, Outcome, Target,
};
use contract::{Clock, Domain};
use declared::robots::Robots;
use door::{Door, Fetched, Follow, Gate, RecordType, Visit};
use futures_util::StreamExt;
use futures_util::stream;

use manners::Manners;
use notes::{Bodies, Notes, Teller, https_is_not_spoken};
pub use notes::{Progress, Step, StepRead};
pub use plan::Depth;
use plan::{Planned, Run, Site};

/// What one scan read: the facts, and the bodies they name.
#[derive(Debug, Clone)]
pub struct Read {
    pub evidence: Evidence,
    /// By the hex SHA-256 that stands in the evidence.
    pub bodies: BTreeMap<String, Bytes>,
}

/// Everything a scan needs to know before it begins.
#[allow(missing_debug_implementations, reason = "holds a callback")]
pub struct ScanPlan<'a> {
    pub domain: &'a Domain,
    pub door: &'a Door,
    pub catalogue: &'a Catalogue,
    pub clock: &'a dyn Clock,
    pub observer: Observer,
    pub depth: Depth,
    /// For all reads together.
    pub deadline: Duration,
    /// Unguessable letters and digits, for paths and queries that nobody has asked for before; also
    /// seeds the order of the reads, so that no identity is always the first to knock.
    pub token: String,
    /// Told after each read.
    pub progress: Progress<'a>,
}

/// What the first look at a site gave.
struct Found {
    /// Scheme and host that answer.
    base: String,
    /// What the site's own hosts say, and which they are.
    policies: Vec<(String, Robots)>,
}

impl ScanPlan<'_> {
    pub async fn run(&self) -> Read {
        let started_at = self.clock.now();
        let visit = self.door.visit(self.deadline);
        let (mut notes, bodies) = (Notes::default(), Bodies::default());
        // TXT is part of the evidence for later judgements; nothing waits for it.
        let texts = visit.look_up(self.domain.as_str(), &[RecordType::Txt]);
        let reading = async {
            let host = self.host(&visit).await;
            if let Some(own) = self.catalogue.the(Role::Own) {
                match &host {
                    Some(host) => self.read_all(&visit, host, own, &mut notes, &bodies).await,
                    None => self.read_nothing(&visit, own, &mut notes, &bodies).await,
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
            reads: notes.reads,
            not_read: notes.not_read,
        };
        Read { evidence, bodies: bodies.into_map() }
    }

    /// How long robots.txt is waited for. A live reading has little time, and a far host needs three
    /// journeys before its first word.
    fn patience(&self) -> Duration {
        match self.depth {
            Depth::Full => self.deadline / 4,
            Depth::Live => self.deadline / 2,
        }
    }

    /// The host to ask: the domain, or its `www.` name when only that has addresses.
    async fn host(&self, visit: &Visit) -> Option<String> {
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

    /// One read is tried, so that the evidence holds the typed reason; the rest is left out.
    async fn read_nothing(
        &self,
        visit: &Visit,
        own: &Identity,
        notes: &mut Notes,
        bodies: &Bodies,
    ) {
        let base = format!("https://{}", self.domain);
        let robots = plan::robots(own, &base, self.deadline / 4);
        let failed = visit.fetch(robots.request(Follow::All)).await;
        let exchange = bodies.keep(failed, visit);
        Teller::new(self.progress, 1).tell(Some(StepRead::of(&robots, &exchange)));
        notes.keep(&robots, exchange);
        let site = Site {
            depth: self.depth,
            base: &base,
            host: self.domain.as_str(),
            token: &self.token,
            sitemaps: &[],
            licences: &[],
        };
        for planned in plan::rest(self.catalogue, own, site) {
            notes.leave_out(&planned, NotReadWhy::NoAddress);
        }
    }

    async fn read_all(
        &self,
        visit: &Visit,
        host: &str,
        own: &Identity,
        notes: &mut Notes,
        bodies: &Bodies,
    ) {
        let mut firsts = Vec::new();
        let Found { base, policies } =
            self.read_robots(visit, host, own, bodies, &mut firsts).await;
        let said: Vec<Robots> = policies.iter().map(|(_, policy)| policy.clone()).collect();
        let ask = plan::robots(own, &base, self.patience()).request(Follow::All);
        let manners = Arc::new(Manners::new(visit.clone(), &self.catalogue.own_token, ask));
        for (authority, policy) in policies {
            manners.know(&authority, policy);
        }
        let (sitemaps, licences) = (plan::sitemaps(&said, host), plan::licences(&said, host));
        let site = Site {
            depth: self.depth,
            base: &base,
            host,
            token: &self.token,
            sitemaps: &sitemaps,
            licences: &licences,
        };
        let mut rest = plan::rest(self.catalogue, own, site);
        // A host that keeps robots.txt back for half of a live reading's time keeps the rest back as
        // well: whether anybody is served is still asked, once each, and nothing more.
        if self.depth == Depth::Live && firsts.iter().all(|(_, first)| is_kept_back(first)) {
            let (asked, left): (Vec<_>, Vec<_>) = plan::first_homes(rest);
            left.iter().for_each(|planned| notes.leave_out(planned, NotReadWhy::Deadline));
            rest = asked;
        }
        let (unwelcome, wanted): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|planned| manners.is_unwelcome(planned.leave_for(&base)));
        for planned in &unwelcome {
            notes.leave_out(planned, NotReadWhy::OptOut);
        }
        let teller = Teller::new(self.progress, firsts.len() + wanted.len());
        for (robots, exchange) in firsts {
            teller.tell(Some(StepRead::of(&robots, &exchange)));
            notes.keep(&robots, exchange);
        }

        let patience = self.deadline / 4;
        let reader = Reader { visit, manners: &manners, bodies, teller: &teller, patience };
        let (homes, others) = plan::runs(&wanted, &self.token);
        let per_host = self.door.policy().limits.per_host.max(1);
        // The home pages come first and in the same moment, but never take every place: where none
        // of them ends, the others are read all the same. What waits for its turn is not begun.
        let homes = stream::iter(homes.into_iter().map(|run| reader.read_run(&wanted, run)))
            .buffer_unordered((per_host * 2 / 3).max(1));
        let others = stream::iter(others.into_iter().map(|run| reader.read_run(&wanted, run)))
            .buffer_unordered(per_host);
        let (homes, others): (Vec<_>, Vec<_>) = tokio::join!(homes.collect(), others.collect());
        let mut done: Vec<Done> = homes.into_iter().chain(others).flatten().collect();
        done.sort_by_key(|(at, _)| *at);
        for (planned, (_, exchange)) in wanted.iter().zip(done) {
            match exchange {
                Some(exchange) => notes.keep(planned, exchange),
                None => notes.leave_out(planned, NotReadWhy::OptOut),
            }
        }
        for elsewhere in manners.reads() {
            notes.keep(&plan::robots_elsewhere(own), bodies.keep(elsewhere, visit));
        }
    }

    /// Finds out by robots.txt which scheme is spoken and what the site asks of us.
    async fn read_robots<'a>(
        &self,
        visit: &Visit,
        host: &str,
        own: &'a Identity,
        bodies: &Bodies,
        done: &mut Vec<(Planned<'a>, Exchange)>,
    ) -> Found {
        let mut base = format!("https://{host}");
        let planned = |base: &str| plan::robots(own, base, self.patience());
        let mut robots = planned(&base);
        let mut first = fetch(&robots, visit, Follow::All).await;
        if https_is_not_spoken(&first.exchange) {
            let plain = format!("http://{host}");
            let other = planned(&plain);
            let second = fetch(&other, visit, Follow::All).await;
            if second.exchange.response().is_some() {
                done.push((robots, bodies.keep(first, visit)));
                (first, robots, base) = (second, other, plain);
            } else {
                done.push((other, bodies.keep(second, visit)));
            }
        }
        let mut policies = vec![(host.to_owned(), manners::policy(&first))];
        // A host that sends everything to another (its www name, say) is read there: so that host's
        // policy counts as well.
        let moved = manners::moved_to(&first.exchange, host);
        let there = match &moved {
            Some(moved) if !moved.same_file => {
                let robots = planned(&moved.origin);
                let there = fetch(&robots, visit, Follow::All).await;
                Some((robots, there))
            }
            _ => None,
        };
        if let Some(moved) = moved {
            let file = there.as_ref().map_or(&first, |(_, there)| there);
            policies.push((moved.authority, manners::policy(file)));
        }
        for (robots, fetched) in std::iter::once((robots, first)).chain(there) {
            done.push((robots, bodies.keep(fetched, visit)));
        }
        Found { base, policies }
    }
}

/// Whether a read got no word within its time.
fn is_kept_back(exchange: &Exchange) -> bool {
    matches!(&exchange.outcome, Outcome::Failed(failure) if failure.kind == FailureKind::Timeout)
}

/// What every read side by side needs.
struct Reader<'a> {
    visit: &'a Visit,
    manners: &'a Arc<Manners>,
    bodies: &'a Bodies,
    teller: &'a Teller<'a>,
    /// How long one read waits for another.
    patience: Duration,
}

/// A read by its place in the plan; nothing where the host asked us to stay away.
type Done = (usize, Option<Exchange>);

impl Reader<'_> {
    /// A read, and what goes on over its connection.
    async fn read_run(&self, plan: &[Planned<'_>], run: Run) -> Vec<Done> {
        let Some(planned) = plan.get(run.first) else { return Vec::new() };
        let mut first = pin!(self.read(run.first, planned));
        let Some((at, next)) = run.behind.and_then(|at| Some((at, plan.get(at)?))) else {
            return vec![first.await];
        };
        // A page that does not come is no reason to leave the other unread.
        let in_time = tokio::time::timeout(self.patience, &mut first).await;
        let behind = self.read(at, next);
        let done = match in_time {
            Ok(first) => vec![first, behind.await],
            Err(_) => {
                let (first, behind) = tokio::join!(first, behind);
                vec![first, behind]
            }
        };
        // An identity has nothing more to ask then. The browser has: two runs are its.
        if next.identity.role != Role::Browser {
            self.visit.hang_up(&next.identity.id);
        }
        done
    }

    async fn read(&self, at: usize, planned: &Planned<'_>) -> Done {
        // The site's own hosts were asked before; a sitemap may lie on another one.
        let unwelcome = planned.target == Target::Sitemap
            && self.manners.refuses(&planned.url).await == Some(manners::OPT_OUT);
        if unwelcome {
            self.teller.tell(None);
            return (at, None);
        }
        let gate: Arc<dyn Gate> = self.manners.clone();
        let fetched = fetch(planned, self.visit, Follow::If(gate)).await;
        let exchange = self.bodies.keep(fetched, self.visit);
        self.teller.tell(Some(StepRead::of(planned, &exchange)));
        (at, Some(exchange))
    }
}

/// One read, and once more when the host says that it is only busy. What counts is the last answer.
async fn fetch(planned: &Planned<'_>, visit: &Visit, follow: Follow) -> Fetched {
    /// Less is no time for a read.
    const LEAST: Duration = Duration::from_millis(250);
    let first = visit.fetch(planned.request(follow.clone())).await;
    let Some(pause) = again::pause(&first.exchange) else { return first };
    if visit.remaining() < pause + LEAST {
        return first;
    }
    tokio::time::sleep(pause).await;
    let second = visit.fetch(planned.request(follow)).await;
    let (kept, dropped) =
        if second.exchange.response().is_some() { (second, first) } else { (first, second) };
    visit.let_go(dropped.body.len());
    kept
}
