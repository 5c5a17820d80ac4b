//! Reads the home page again where an AI identity got a page that no person got, or where the page
//! differs past the cache. First once more as each of them, then in a trial in random order
//! (`declared::comparison` has the method and the reasons).

use std::collections::BTreeMap;
use std::sync::Arc;

use agents::{Identity, Role};
use bytes::Bytes;
use contract::evidence::{Exchange, ReadTarget, Reading, Response};
use declared::comparison::{
    ComparedPage, ComparedReading, MAX_TRIAL_READS, Reader, Suspects, TRIAL_REFERENCE_READS,
    TRIAL_SUSPECT_READS, differs_from_people, find_suspects, trial_order,
};
use declared::page::Page;
use door::ReadKind;
use futures_util::{StreamExt, stream};

use super::collected_reads::CollectedReads;
use super::plan::{PlannedRead, plan_fresh_home, plan_home, share_home_page_bytes};
use super::plan_reader::PlanReader;
use super::scan_plan::ScanPlan;
use super::shuffle::shuffle;

/// Repeated reads at a time. Few, because the site has just been read by everybody.
const AT_ONCE: usize = 4;
/// Reads of people when the suspects are read again.
const PEOPLE_AGAIN: usize = 3;

/// What the repeated reads need.
pub(super) struct Repeats<'a> {
    pub(super) scan: &'a ScanPlan<'a>,
    pub(super) reader: &'a PlanReader<'a>,
    pub(super) base: &'a str,
}

/// What is not explained by the pages that people got.
#[derive(Default)]
struct Unexplained {
    suspects: Suspects,
    /// Whether the page differs when it is read past the cache.
    fresh: bool,
}

impl Unexplained {
    fn is_empty(&self) -> bool {
        self.suspects.identities.is_empty() && !self.fresh
    }
}

impl<'a> Repeats<'a> {
    pub(super) async fn run(&self, collected: &mut CollectedReads) {
        let mut pages = BTreeMap::new();
        let found = self.find_unexplained(collected, &mut pages).await;
        if found.is_empty() {
            return;
        }
        // The trial has more reads than this, and needs as much of each page.
        self.read(self.plan_second_reads(&found), 3, collected).await;
        let found = self.find_unexplained(collected, &mut pages).await;
        if !found.is_empty() {
            self.read(self.plan_trial(&found), 1, collected).await;
        }
    }

    /// Each suspect once more, and people, in random order.
    fn plan_second_reads(&self, found: &Unexplained) -> Vec<PlannedRead<'a>> {
        let home = |identity| plan_home(ReadTarget::HomeAgain, identity, self.base);
        let people = self.people(found).into_iter().cycle().take(PEOPLE_AGAIN);
        let fresh = self
            .browser()
            .filter(|_| found.fresh)
            .map(|browser| plan_fresh_home(browser, self.base, &format!("{}a", self.scan.token)));
        let mut plan: Vec<PlannedRead<'a>> =
            people.chain(self.suspects(found)).map(home).chain(fresh).collect();
        shuffle(&mut plan, &format!("{}again", self.scan.token));
        plan
    }

    /// The trial: reads of people and of suspects in an order drawn at random.
    fn plan_trial(&self, found: &Unexplained) -> Vec<PlannedRead<'a>> {
        let suspects = self.suspects(found);
        let asked = match suspects.len() {
            0 => 0,
            many => many.clamp(TRIAL_SUSPECT_READS, MAX_TRIAL_READS - TRIAL_REFERENCE_READS),
        };
        let people = self.people(found);
        if people.is_empty() {
            return Vec::new();
        }
        let mut people = people.into_iter().cycle();
        let mut suspects = suspects.into_iter().cycle();
        let seed = random_seed(&self.scan.token, "trial");
        let mut plan: Vec<PlannedRead<'a>> = trial_order(TRIAL_REFERENCE_READS, asked, seed)
            .into_iter()
            .filter_map(|is_suspect| if is_suspect { suspects.next() } else { people.next() })
            .map(|identity| plan_home(ReadTarget::HomeTrial, identity, self.base))
            .collect();
        if let Some(browser) = self.browser().filter(|_| found.fresh) {
            let slots = trial_order(
                plan.len(),
                TRIAL_SUSPECT_READS,
                random_seed(&self.scan.token, "fresh"),
            );
            let mut homes = plan.into_iter();
            plan = slots
                .into_iter()
                .enumerate()
                .filter_map(|(at, is_fresh)| {
                    if is_fresh {
                        let token = format!("{}t{at}", self.scan.token);
                        Some(plan_fresh_home(browser, self.base, &token))
                    } else {
                        homes.next()
                    }
                })
                .collect();
        }
        plan
    }

    /// The identities of the reference group: the browser, and the control client unless it was
    /// treated like the AI identities.
    fn people(&self, found: &Unexplained) -> Vec<&'a Identity> {
        let roles: &[Role] = if found.suspects.control_with_ai {
            &[Role::Browser]
        } else {
            &[Role::Browser, Role::Control]
        };
        let identities = self.scan.catalogue.compared_identities();
        identities.filter(|identity| roles.contains(&identity.role)).collect()
    }

    fn suspects(&self, found: &Unexplained) -> Vec<&'a Identity> {
        let control = found.suspects.control_with_ai.then_some(Role::Control);
        let identities = self.scan.catalogue.compared_identities();
        identities
            .filter(|identity| {
                found.suspects.identities.contains(&identity.id) || control == Some(identity.role)
            })
            .collect()
    }

    fn browser(&self) -> Option<&'a Identity> {
        self.scan.catalogue.identity_with_role(Role::Browser)
    }

    /// Makes the reads in their order, a few at a time. They may take this part of the bytes that are
    /// left for the home page.
    async fn read(
        &self,
        mut plan: Vec<PlannedRead<'a>>,
        part: u64,
        collected: &mut CollectedReads,
    ) {
        let bytes = self.reader.visit.remaining_wire_bytes(ReadKind::Page) / part;
        share_home_page_bytes(&mut plan, bytes);
        let plan = &plan;
        let reads = (0..plan.len()).map(|at| self.read_one(plan, at));
        let done: Vec<_> = stream::iter(reads).buffered(AT_ONCE).collect().await;
        for (planned, exchange) in plan.iter().zip(done) {
            if let Some(exchange) = exchange {
                collected.add(planned, exchange);
            }
        }
    }

    /// Makes one read of a plan.
    async fn read_one(&self, plan: &[PlannedRead<'a>], at: usize) -> Option<Exchange> {
        let (_, exchange) = self.reader.read(at, plan.get(at)?).await;
        exchange
    }

    /// Compares all readings of the home page so far. Pages are parsed once for each body, apart from
    /// the threads that serve requests. If all bodies are the same bytes, none is parsed.
    async fn find_unexplained(
        &self,
        collected: &CollectedReads,
        pages: &mut BTreeMap<String, Arc<ComparedPage>>,
    ) -> Unexplained {
        let readings: Vec<(&Reading, &Response)> =
            collected.reads.iter().filter_map(comparable_response).collect();
        let mut missing: BTreeMap<String, (Bytes, Option<String>, bool)> = BTreeMap::new();
        let digests: std::collections::BTreeSet<&str> =
            readings.iter().map(|(_, response)| response.body.sha256.as_str()).collect();
        if digests.len() < 2 {
            return Unexplained::default();
        }
        for (_, response) in &readings {
            let sha256 = &response.body.sha256;
            if !pages.contains_key(sha256)
                && let Some(body) = self.reader.bodies.get(sha256)
            {
                let media_type = response.header("content-type").map(ToOwned::to_owned);
                let is_cut = response.body.cut.is_some();
                missing.insert(sha256.clone(), (body, media_type, is_cut));
            }
        }
        let domain = self.scan.domain.to_string();
        let parsed = tokio::task::spawn_blocking(move || {
            let parse = |(body, media_type, is_cut): (Bytes, Option<String>, bool)| {
                let page = Page::read(&body, media_type.as_deref());
                Arc::new(ComparedPage::new(&page, &domain, is_cut))
            };
            missing.into_iter().map(|(key, body)| (key, parse(body))).collect::<Vec<_>>()
        });
        pages.extend(parsed.await.unwrap_or_default());
        let of = |reading: &Reading, response: &Response| {
            let identity = self.scan.catalogue.get(&reading.identity)?;
            let reader = match identity.role {
                Role::Browser => Reader::Browser,
                Role::Control => Reader::Control,
                Role::Train | Role::Search | Role::User => Reader::Ai,
                Role::Own => return None,
            };
            Some((reader, pages.get(&response.body.sha256)?))
        };
        let homes: Vec<ComparedReading<'_>> = readings
            .iter()
            .filter(|(reading, _)| reading.target != ReadTarget::Fresh)
            .filter_map(|(reading, response)| {
                let (reader, page) = of(reading, response)?;
                Some(ComparedReading { identity: &reading.identity, reader, page })
            })
            .collect();
        let mut fresh = readings.iter().filter(|(reading, _)| reading.target == ReadTarget::Fresh);
        let is_other = |(reading, response): &(&Reading, &Response)| {
            of(reading, response).is_some_and(|(_, page)| differs_from_people(page, &homes))
        };
        Unexplained {
            suspects: find_suspects(&homes),
            fresh: fresh.next().is_some_and(is_other) && fresh.all(is_other),
        }
    }
}

/// The response of a read of the home page, complete or up to the limit of one body.
fn comparable_response(reading: &Reading) -> Option<(&Reading, &Response)> {
    let is_home = match reading.target {
        ReadTarget::Home | ReadTarget::HomeAgain => true,
        ReadTarget::Fresh => reading.path == "/",
        _ => false,
    };
    let response = reading
        .exchange
        .response()
        .filter(|response| (200..300).contains(&response.status))
        .filter(|response| response.body.cut.is_none() || response.is_read_to_limit())?;
    is_home.then_some((reading, response))
}

/// A seed from the random token of the scan.
fn random_seed(token: &str, purpose: &str) -> u64 {
    token.bytes().chain(purpose.bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
