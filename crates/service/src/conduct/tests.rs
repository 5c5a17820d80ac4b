//! Counting, writing and the record, on a real store.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Mutex;

use bytes::Bytes;
use store::StoredFeed;
use tempfile::TempDir;

use super::*;
use crate::Service;
use crate::testing;

const GPTBOT: &[u8] = b"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.3; +https://openai.com/gptbot";
const GENUINE: &str = "44.10.0.7";
const OTHER: &str = "44.99.0.7";

/// A clock that a test sets.
#[derive(Debug)]
struct TestClock(Mutex<Timestamp>);

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }
}

impl TestClock {
    fn pass(&self, ms: i64) {
        let mut now = self.0.lock().unwrap();
        *now = now.plus_millis(ms);
    }
}

struct Site {
    dir: TempDir,
    clock: Arc<TestClock>,
    service: Arc<Service>,
}

impl Site {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(TestClock(Mutex::new(testing::now())));
        let service = start(dir.path(), &clock).await;
        Self { dir, clock, service }
    }

    /// The process ends without a last write.
    async fn restart(self) -> Self {
        let Self { dir, clock, service } = self;
        testing::stop_service(service).await;
        let service = start(dir.path(), &clock).await;
        Self { dir, clock, service }
    }

    fn conduct(&self) -> &Conduct {
        &self.service.conduct
    }

    fn ask(&self, user_agent: &[u8], address: &str, target: &str) {
        let address: IpAddr = address.parse().unwrap();
        let is_conditional = target.ends_with("conditional");
        self.conduct().count(&AnsweredRequest { user_agent, address, target, is_conditional });
    }

    async fn record(&self) -> contract::records::ConductRecord {
        self.clock.pass(61_000);
        self.conduct().record().await.unwrap().record.clone()
    }
}

async fn start(dir: &Path, clock: &Arc<TestClock>) -> Arc<Service> {
    let service =
        testing::build_service_with_clock(dir, vec![], Arc::clone(clock) as Arc<dyn Clock>);
    put_gptbot_list(&service, clock.now()).await;
    service.visitors.load_feeds().await.unwrap();
    service.conduct.set_robots_txt("User-agent: *\nDisallow: /not-for-agents/\nAllow: /\n");
    Arc::new(service)
}

async fn put_gptbot_list(service: &Service, now: Timestamp) {
    let feed = service.visitors.agents.feeds().iter().find(|feed| feed.id == "openai-gptbot");
    let feed = StoredFeed {
        id: "openai-gptbot".to_owned(),
        url: feed.unwrap().url.clone(),
        fetched_at: Some(now),
        changed_at: Some(now),
        etag: None,
        last_modified: None,
        prefixes: Bytes::from_static(b"44.10.0.0/24\n"),
        prefix_count: 1,
        attempted_at: now,
        failures: 0,
        last_fault: None,
        next_attempt_at: now,
    };
    service.visitors.store.put_feed(feed).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_become_the_record_and_survive_a_restart_once() {
    let mut site = Site::new().await;
    for _ in 0..60 {
        site.ask(GPTBOT, GENUINE, "/");
    }
    site.ask(GPTBOT, GENUINE, "/robots.txt?x");
    site.ask(GPTBOT, GENUINE, "/log?conditional");
    site.ask(GPTBOT, OTHER, "/not-for-agents/");
    site.ask(b"Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", OTHER, "/");
    let record = site.record().await;
    let [agent] = &record.agents[..] else { panic!("{record:?}") };
    assert_eq!((agent.agent.as_str(), agent.identity.verified_requests), ("GPTBot", 62));
    assert_eq!(agent.identity.forged_claims, 1);
    assert_eq!(agent.robots_txt.robots_txt_fetches, 1);
    assert_eq!(agent.revalidation.conditional_requests, 1);
    assert_eq!(agent.rate.peak_requests_per_minute, 62);
    assert_eq!(agent.conduct.as_str(), "no_violations_observed", "an impersonator asked for it");
    assert_eq!(record.thresholds.disallowed_rules, ["/not-for-agents/"]);
    for _ in 0..3 {
        // Writing again counts nothing twice.
        site.conduct().write_counts().await.unwrap();
        site = site.restart().await;
    }
    site.ask(GPTBOT, GENUINE, "/not-for-agents/x");
    let record = site.record().await;
    assert_eq!(record.agents[0].identity.verified_requests, 63);
    assert_eq!(record.agents[0].robots_txt.disallowed_rules, ["/not-for-agents/"]);
    assert_eq!(record.agents[0].conduct.as_str(), "violations_observed");
    // A day later the sums are the same.
    site.clock.pass(24 * 3_600_000);
    site.ask(GPTBOT, GENUINE, "/");
    let record = site.record().await;
    assert_eq!(record.agents[0].identity.verified_requests, 64);
    let site = site.restart().await;
    assert_eq!(site.record().await.agents, record.agents);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_accused_for_what_cannot_be_told() {
    let site = Site::new().await;
    let claims = |record: &contract::records::ConductRecord| {
        let agent = record.not_assessed.iter().find(|agent| agent.agent == "GPTBot");
        agent.map(|agent| (agent.claimed_hits, agent.why.clone()))
    };
    // Behind a proxy that is not configured, everybody has its address.
    site.ask(GPTBOT, "127.0.0.1", "/");
    site.ask(GPTBOT, "10.1.2.3", "/");
    let record = site.record().await;
    let why = "0 verified requests; at least 50 are needed.".to_owned();
    assert_eq!(claims(&record), Some((2, why)));
    // Our own scan of our own site asks in the name of GPTBot.
    let own = site.conduct().own_reads.begin("svc.example", &site.conduct().clock);
    site.ask(GPTBOT, OTHER, "/");
    drop(own);
    let stored = site.service.conduct.store.conduct_day(contract::Day::of(site.clock.now())).await;
    let stored = String::from_utf8(stored.unwrap().unwrap().counts.to_vec()).unwrap();
    assert!(stored.contains("\"forged\":0"), "{stored}");
    assert_eq!(claims(&site.record().await).map(|(hits, _)| hits), Some(2));
    site.clock.pass(60_000);
    site.ask(GPTBOT, OTHER, "/");
    assert_eq!(claims(&site.record().await).map(|(hits, _)| hits), Some(3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_without_lists_are_not_assessed() {
    let site = Site::new().await;
    let bytespider = b"Mozilla/5.0 (compatible; Bytespider; spider-feedback@bytedance.com)";
    for _ in 0..100 {
        site.ask(bytespider, OTHER, "/");
    }
    let record = site.record().await;
    let [agent] = &record.not_assessed[..] else { panic!("{record:?}") };
    assert_eq!((agent.agent.as_str(), agent.claimed_hits), ("Bytespider", 100));
    assert!(agent.why.contains("publishes no addresses"), "{}", agent.why);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checks_for_sites_are_counted_for_fourteen_days() {
    let site = Site::new().await;
    let check = async |address: &str| {
        let visitor = crate::visitors::VisitorDescription {
            user_agent: GPTBOT,
            address: Some(address.parse().unwrap()),
            headers: None,
            authority: None,
        };
        site.service.visitors.check_for_site(visitor).await;
    };
    for _ in 0..50 {
        site.ask(GPTBOT, GENUINE, "/");
    }
    check(GENUINE).await;
    check(OTHER).await;
    let record = site.record().await;
    let checks = contract::records::SiteChecks { checked: 2, verified: 1, spoofed: 1 };
    assert_eq!(record.agents[0].site_checks_14d, checks);
    site.clock.pass(13 * 24 * 3_600_000);
    assert_eq!(site.record().await.agents[0].site_checks_14d, checks);
    site.clock.pass(24 * 3_600_000);
    let record = site.record().await;
    assert_eq!(record.agents[0].site_checks_14d, contract::records::SiteChecks::default());
    assert_eq!(record.agents[0].identity.verified_requests, 50);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sealed_digest_is_that_of_the_record_of_the_day() {
    let site = Site::new().await;
    site.ask(GPTBOT, GENUINE, "/");
    let day = contract::Day::of(site.clock.now());
    assert!(site.conduct().day_record(day).await.unwrap().is_none(), "the day is not over");
    site.conduct().write_counts().await.unwrap();
    site.clock.pass(24 * 3_600_000 + 600_000);
    let document = site.conduct().day_record(day).await.unwrap().unwrap();
    site.service.seals.seal_past_days(None).await.unwrap();
    let seal = site.conduct().store.seal(day).await.unwrap().unwrap();
    assert_eq!(seal.digests, [document.digest]);
    // What comes after the seal is left out.
    site.clock.pass(-24 * 3_600_000);
    site.ask(GPTBOT, GENUINE, "/");
    site.clock.pass(24 * 3_600_000);
    site.conduct().write_counts().await.unwrap();
    let again = site.conduct().day_record(day).await.unwrap().unwrap();
    assert_eq!(again.digest, document.digest);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_of_a_request_is_kept_except_its_count() {
    let site = Site::new().await;
    for address in [GENUINE, OTHER, "2001:db8:77::99"] {
        site.ask(GPTBOT, address, "/secret-path-of-a-request");
    }
    site.conduct().write_counts().await.unwrap();
    site.record().await;
    testing::stop_service(site.service).await;
    let database = std::fs::read(site.dir.path().join("wayleave.db")).unwrap();
    let holds = |needle: &[u8]| memchr::memmem::find(&database, needle).is_some();
    assert!(holds(b"GPTBot"), "the counts are there");
    for text in [GENUINE, OTHER, "db8:77::99", "secret-path", "GPTBot/1.3"] {
        assert!(!holds(text.as_bytes()), "{text}");
    }
    for address in [GENUINE, OTHER] {
        let IpAddr::V4(address) = address.parse().unwrap() else { continue };
        assert!(!holds(&address.octets()), "{address} as bytes");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_are_looked_up_later_and_never_too_many() {
    let site = Site::new().await;
    let googlebot =
        b"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)".as_slice();
    let hits = async || {
        let record = site.record().await;
        let agent = record.not_assessed.into_iter().find(|agent| agent.agent == "Googlebot");
        agent.map(|agent| agent.claimed_hits)
    };
    site.ask(googlebot, OTHER, "/");
    assert_eq!(hits().await, None, "it waits");
    // The resolver of this test does not answer, so that nothing can be said.
    // On a task of its own, as the job does it.
    let conduct = Arc::clone(&site.service.conduct);
    tokio::spawn(async move { conduct.look_up_waiting().await }).await.unwrap();
    assert_eq!(hits().await, Some(1));
    for number in 0..1_000 {
        site.ask(googlebot, &format!("44.99.{}.{}", number / 250, number % 250), "/");
    }
    assert_eq!(hits().await, Some(1 + 1_000 - 256), "the others wait");
    site.conduct().close().await.unwrap();
    assert_eq!(hits().await, Some(1_001));
    let stored = site.conduct().store.conduct_day(contract::Day::of(site.clock.now())).await;
    let stored = String::from_utf8(stored.unwrap().unwrap().counts.to_vec()).unwrap();
    assert!(stored.contains("\"unverifiable\":1001"), "{stored}");
}

#[test]
fn whatever_user_agents_come_the_memory_is_that_of_the_catalogue() {
    let known = agents::KnownAgents::built_in().unwrap();
    let known = SearchableAgents::new(known);
    for number in 0..10_000 {
        let made_up = format!("Mozilla/5.0 (compatible; MadeUp{number}/1.0)");
        assert!(known.find(made_up.as_bytes()).is_empty(), "{made_up}");
    }
    let mut live = LiveCounts::default();
    let day = contract::Day::from_number(20_000);
    let seen = judge::conduct::Sighting {
        claim: judge::conduct::Claim::Forged,
        at: Some(day.begins_at()),
        is_robots_txt: false,
        is_conditional: false,
        broken_rule: None,
    };
    for number in 0..100 {
        for (agent, _) in known.agent_indexes() {
            live.add(contract::Day::from_number(20_000 + number), agent, &seen);
        }
    }
    assert_eq!(live.unwritten_days().len(), 3, "days at once");
}
