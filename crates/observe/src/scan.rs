//! The full scan: robots.txt first, because it may ask us to stop; then the home page as every
//! identity, the machine files and a control path, side by side under one deadline.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agents::{Catalogue, Identity, Role};
use bytes::Bytes;
use contract::evidence::{
    Evidence, Exchange, FailureKind, NotRead, NotReadWhy, Observer, Outcome, Phase, Reading, Target,
};
use contract::{Clock, Domain};
use declared::robots::{Robots, Scope};
use door::{Door, Fetched, ReadKind, RecordType, Request, Visit};
use futures_util::future::join_all;

pub const ROBOTS_PATH: &str = "/robots.txt";

/// The eight paths of the interface; robots.txt is read on its own, before the others.
pub const MACHINE_FILES: [&str; 8] = [
    ROBOTS_PATH,
    "/sitemap.xml",
    "/llms.txt",
    "/agents.md",
    "/.well-known/agent-skills/index.json",
    "/.well-known/mcp/server-card.json",
    "/.well-known/api-catalog",
    "/.well-known/agent-card.json",
];

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
    /// For all reads together.
    pub deadline: Duration,
    /// An unguessable path segment for the control read; also seeds the order of the reads, so
    /// that no identity is always the first to knock.
    pub token: String,
    /// Told after each read.
    pub progress: Progress<'a>,
}

/// Who is told how far a scan has come.
pub type Progress<'a> = &'a (dyn Fn(Step) + Sync);

/// How far a scan has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub done: usize,
    pub of: usize,
}

/// One read that is to be made.
#[derive(Debug, Clone)]
struct Planned<'a> {
    target: Target,
    path: String,
    identity: &'a Identity,
    kind: ReadKind,
    /// Own connections show what this identity is served; files share one.
    fresh_connection: bool,
    timeout: Option<Duration>,
}

impl ScanPlan<'_> {
    pub async fn run(&self) -> Read {
        let started_at = self.clock.now();
        let visit = self.door.visit(self.deadline);
        let mut notes = Notes::default();
        let host = self.host(&visit).await;
        if let Some(own) = self.catalogue.the(Role::Own) {
            match host {
                Some(ref host) => self.read_all(&visit, host, own, &mut notes).await,
                None => self.read_nothing(&visit, own, &mut notes).await,
            }
        }
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
        Read { evidence, bodies: notes.bodies }
    }

    /// The host to ask: the domain, or its `www.` name when only that has addresses.
    async fn host(&self, visit: &Visit) -> Option<String> {
        const ADDRESSES: [RecordType; 2] = [RecordType::A, RecordType::Aaaa];
        let hosts = self.domain.hosts();
        // TXT is part of the evidence for later judgements; it decides nothing here.
        let (reading, _) = tokio::join!(
            visit.look_up(self.domain.as_str(), &ADDRESSES),
            visit.look_up(self.domain.as_str(), &[RecordType::Txt])
        );
        let has_address = |reading: &contract::evidence::DnsReading| {
            reading
                .answers
                .iter()
                .any(|a| !a.records.is_empty() && matches!(a.record_type.as_str(), "A" | "AAAA"))
        };
        let [bare, www] = hosts;
        if has_address(&reading) {
            return Some(bare);
        }
        let reading = visit.look_up(&www, &ADDRESSES).await;
        has_address(&reading).then_some(www)
    }

    /// One read is tried, so that the evidence holds the typed reason; the rest is left out.
    async fn read_nothing(&self, visit: &Visit, own: &Identity, notes: &mut Notes) {
        let robots = self.robots(own);
        let failed = robots.fetch(visit, &format!("https://{}", self.domain)).await;
        notes.reads.push(robots.reading("r01".to_owned(), failed.exchange));
        notes.not_read.extend(self.rest(own).map(|p| p.not_read(NotReadWhy::NoAddress)));
    }

    async fn read_all(&self, visit: &Visit, host: &str, own: &Identity, notes: &mut Notes) {
        let robots = self.robots(own);
        let mut base = format!("https://{host}");
        let mut first = robots.fetch(visit, &base).await;
        if https_is_not_spoken(&first.exchange) {
            let plain = format!("http://{host}");
            let second = robots.fetch(visit, &plain).await;
            if second.exchange.response().is_some() {
                notes.keep(&robots, first);
                (first, base) = (second, plain);
            } else {
                notes.keep(&robots, second);
            }
        }
        let mut policies = vec![own_policy(&first)];
        let elsewhere = moved_to(&first.exchange, host);
        notes.keep(&robots, first);
        // A host that sends everything to another (its www name, say) is read there: so that host's
        // policy counts as well.
        if let Some(other) = elsewhere {
            let there = robots.fetch(visit, &other).await;
            policies.push(own_policy(&there));
            notes.keep(&robots, there);
        }

        let mut wanted = Vec::new();
        for planned in self.rest(own) {
            let unwelcome = policies.iter().any(|policy| {
                let access = policy.access(&self.catalogue.own_token, &planned.path);
                access.scope == Scope::Named && !access.allowed
            });
            if unwelcome {
                notes.not_read.push(planned.not_read(NotReadWhy::OptOut));
            } else {
                wanted.push(planned);
            }
        }
        let (of, done) = (wanted.len() + 1, AtomicUsize::new(1));
        let told = |done| (self.progress)(Step { done, of });
        told(1);
        let order = shuffled(wanted.len(), &self.token);
        let reads = order.into_iter().filter_map(|at| Some((at, wanted.get(at)?)));
        let mut done = join_all(reads.map(async |(at, planned)| {
            let fetched = planned.fetch(visit, &base).await;
            told(done.fetch_add(1, Ordering::Relaxed) + 1);
            (at, fetched)
        }))
        .await;
        done.sort_by_key(|(at, _)| *at);
        for (planned, (_, fetched)) in wanted.iter().zip(done) {
            notes.keep(planned, fetched);
        }
    }

    /// robots.txt is waited for, so it may not take all the time there is.
    fn robots<'a>(&self, own: &'a Identity) -> Planned<'a> {
        Planned {
            target: Target::Robots,
            path: ROBOTS_PATH.to_owned(),
            identity: own,
            kind: ReadKind::Robots,
            fresh_connection: false,
            timeout: Some(self.deadline / 4),
        }
    }

    /// Everything but robots.txt, in the order it is written down.
    fn rest<'a>(&'a self, own: &'a Identity) -> impl Iterator<Item = Planned<'a>> {
        // The browser asks twice: a site that differs from itself is not taken for one that
        // discriminates.
        let twice = self.catalogue.the(Role::Browser).into_iter();
        let home = self.catalogue.compared().chain(twice).map(|identity| Planned {
            target: Target::Home,
            path: "/".to_owned(),
            identity,
            kind: ReadKind::Page,
            fresh_connection: true,
            timeout: None,
        });
        let file = |target: Target, path: &str, kind: ReadKind| Planned {
            target,
            path: path.to_owned(),
            identity: own,
            kind,
            fresh_connection: false,
            timeout: None,
        };
        let files = MACHINE_FILES
            .into_iter()
            .filter(|path| *path != ROBOTS_PATH)
            .map(move |path| file(Target::MachineFile, path, ReadKind::Json));
        let control = std::iter::once(file(
            Target::ControlPath,
            &format!("/{}.html", self.token),
            ReadKind::Page,
        ));
        home.chain(files).chain(control)
    }
}

impl Planned<'_> {
    async fn fetch(&self, visit: &Visit, base: &str) -> Fetched {
        visit
            .fetch(Request {
                url: format!("{base}{}", self.path),
                identity: self.identity.id.clone(),
                headers: self.identity.headers(),
                kind: self.kind,
                timeout: self.timeout,
                fresh_connection: self.fresh_connection,
            })
            .await
    }

    fn reading(&self, id: String, exchange: Exchange) -> Reading {
        Reading {
            id,
            target: self.target.clone(),
            path: self.path.clone(),
            identity: self.identity.id.clone(),
            exchange,
        }
    }

    fn not_read(&self, why: NotReadWhy) -> NotRead {
        NotRead {
            target: self.target.clone(),
            path: self.path.clone(),
            identity: self.identity.id.clone(),
            why,
        }
    }
}

/// What has been read so far.
#[derive(Debug, Default)]
struct Notes {
    reads: Vec<Reading>,
    not_read: Vec<NotRead>,
    bodies: BTreeMap<String, Bytes>,
}

impl Notes {
    fn keep(&mut self, planned: &Planned<'_>, fetched: Fetched) {
        if was_cut_before_it_began(&fetched.exchange) {
            self.not_read.push(planned.not_read(NotReadWhy::Deadline));
            return;
        }
        if let Some(response) = fetched.exchange.response() {
            self.bodies.insert(response.body.sha256.clone(), fetched.body);
        }
        let id = format!("r{:02}", self.reads.len() + 1);
        self.reads.push(planned.reading(id, fetched.exchange));
    }
}

/// Whether the shared deadline passed before anything was dialled: then nothing was measured.
fn was_cut_before_it_began(exchange: &Exchange) -> bool {
    matches!(&exchange.outcome, Outcome::Failed(f) if f.kind == FailureKind::Timeout && f.reason == "deadline")
        && exchange.hops.iter().all(|hop| hop.address.is_none())
}

/// Whether https does not come about at all, so that http is worth a try. A host that shakes hands
/// and then stays silent does speak https.
fn https_is_not_spoken(exchange: &Exchange) -> bool {
    match &exchange.outcome {
        Outcome::Response(_) => false,
        Outcome::Failed(failure) => {
            exchange.hops.len() <= 1 && matches!(failure.phase, Phase::Connect | Phase::Tls)
        }
    }
}

/// The origin robots.txt was sent on to, when that is another host than the one asked.
fn moved_to(exchange: &Exchange, host: &str) -> Option<String> {
    let (scheme, rest) = exchange.response()?.url.split_once("://")?;
    let authority = rest.split('/').next()?;
    (authority != host).then(|| format!("{scheme}://{authority}"))
}

/// What robots.txt says to us. Only a file that was really served can ask us to stay away.
fn own_policy(robots: &Fetched) -> Robots {
    match robots.exchange.response() {
        Some(response)
            if (200..300).contains(&response.status)
                && !declared::shape::looks_like_html(&robots.body) =>
        {
            Robots::parse(&robots.body)
        }
        _ => Robots::default(),
    }
}

/// A fixed shuffle of `0..count` for a seed text.
fn shuffled(count: usize, seed: &str) -> Vec<usize> {
    // FNV-1a over the seed, then one xorshift step per swap: spread, not secrecy.
    let mut state = seed.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    }) | 1;
    let mut order: Vec<usize> = (0..count).collect();
    for at in (1..count).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let other = usize::try_from(state % (at as u64 + 1)).unwrap_or(at);
        order.swap(at, other);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_a_permutation_that_depends_on_the_token() {
        let one = shuffled(17, "abc");
        let mut sorted = one.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..17).collect::<Vec<_>>());
        assert_eq!(one, shuffled(17, "abc"));
        assert_ne!(one, shuffled(17, "abd"));
        assert_eq!(shuffled(0, "x"), Vec::<usize>::new());
    }
}
