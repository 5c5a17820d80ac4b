//! The second phase of a full scan: what the documents of the first phase name. First files (parts of
//! a sitemap index, style sheets, a feed, licences, OAuth metadata, skills, key sets), then a licence
//! that the feed names, then up to four further pages, as the browser and as one AI identity of each
//! purpose.
//!
//! Everything is read on the scanned site only, after its robots.txt, with GET. Pages are read only
//! where robots.txt lets crawlers in general and the identity read them.

mod documents;
mod files;
mod page_urls;
mod pages;

use agents::{Identity, Role};
use contract::evidence::{Exchange, ReadTarget, Reading, SkipReason};
use declared::robots::Robots;
use door::RedirectGate;
use futures_util::{StreamExt, stream};
use url::{Position, Url};

use super::collected_reads::CollectedReads;
use super::plan::{self, PlannedRead};
use super::plan_reader::PlanReader;
use super::robots_gate::{self, RobotsGate};
use super::scan_plan::ScanPlan;
use super::shuffle::shuffle;
use documents::{ReadDocument, SiteDocuments};
use files::KnownReads;
use page_urls::PageSite;

/// Reads at a time. Few, because the site has just been read by everybody.
const AT_ONCE: usize = 4;
/// The identities that read further pages: the first of each role.
const PAGE_READERS: [Role; 4] = [Role::Browser, Role::Train, Role::Search, Role::User];

/// What the second phase needs.
pub(super) struct FurtherReads<'a> {
    pub(super) scan: &'a ScanPlan<'a>,
    pub(super) reader: &'a PlanReader<'a>,
    pub(super) own: &'a Identity,
    pub(super) host: &'a str,
    pub(super) base: &'a str,
    /// Whether robots.txt of the site was read. If it was not, a crawler must stay away (RFC 9309,
    /// section 2.3.1.4), so no further pages are read.
    pub(super) robots_reachable: bool,
}

impl<'a> FurtherReads<'a> {
    pub(super) async fn run(&self, collected: &mut CollectedReads) {
        let documents = self.parse_documents(collected).await;
        let files = files::choose_files(&documents, self.host, self.base, &known_reads(collected));
        let files: Vec<PlannedRead<'a>> =
            files.into_iter().filter_map(|file| self.plan_file(file)).collect();
        // A sitemap index lists its pages in its parts, and a feed its licence. Other files name
        // nothing, so the pages need not wait for them.
        let names_more = |file: &PlannedRead<'_>| {
            matches!(file.target, ReadTarget::SitemapChild | ReadTarget::Feed)
        };
        if !files.iter().any(names_more) {
            let pages = self.plan_pages(&documents, collected).await;
            self.read([files, pages], collected).await;
            return;
        }
        self.read([files], collected).await;
        let documents = self.parse_documents(collected).await;
        let licences = files::choose_feed_licences(&documents, self.host, &known_reads(collected));
        if !licences.is_empty() {
            let planned = licences.into_iter().filter_map(|file| self.plan_file(file)).collect();
            self.read([planned], collected).await;
        }
        let pages = self.plan_pages(&documents, collected).await;
        self.read([pages], collected).await;
    }

    /// Parses what was read so far, apart from the threads that serve requests.
    async fn parse_documents(&self, collected: &CollectedReads) -> SiteDocuments {
        let browser = self.identity(Role::Browser);
        let is_browser = |reading: &Reading| browser.is_some_and(|b| b.id == reading.identity);
        let named = |reading: &&Reading| match reading.target {
            ReadTarget::Home => is_browser(reading),
            ReadTarget::MachineFile
            | ReadTarget::Sitemap
            | ReadTarget::SitemapChild
            | ReadTarget::Feed => true,
            _ => false,
        };
        let documents: Vec<ReadDocument> = collected
            .reads
            .iter()
            .filter(named)
            .filter_map(|reading| {
                ReadDocument::new(reading, |sha256| self.reader.bodies.get(sha256))
            })
            .collect();
        let parsed = tokio::task::spawn_blocking(move || SiteDocuments::parse(&documents));
        parsed.await.unwrap_or_default()
    }

    /// The site as its pages are compared with. `None` if the browser did not get the home page: then
    /// other pages are not requested either.
    fn page_site(&self, collected: &CollectedReads) -> Option<PageSite> {
        let browser = self.identity(Role::Browser)?;
        let home = collected
            .reads
            .iter()
            .filter(|r| r.target == ReadTarget::Home && r.identity == browser.id)
            .filter_map(|reading| reading.exchange.response())
            .find(|response| (200..300).contains(&response.status))?;
        let home = Url::parse(&home.url).ok()?;
        let mut hosts = self.scan.domain.hosts().to_vec();
        hosts.extend(home.host_str().map(str::to_owned));
        let (scheme, _) = self.base.split_once(':')?;
        Some(PageSite { host: self.host.to_owned(), scheme: scheme.to_owned(), hosts, home })
    }

    fn plan_file(&self, file: files::FurtherFile) -> Option<PlannedRead<'a>> {
        let identity = match file.target {
            // What a style sheet hides is hidden from people, so it is read as a browser.
            ReadTarget::StyleSheet => self.identity(Role::Browser)?,
            _ => self.own,
        };
        let timeout = self.scan.deadline / 4;
        Some(plan::plan_further_file(file.target, file.path, file.url, identity, timeout))
    }

    /// The further pages as each of their readers; none if the robots.txt or the home page of the
    /// site could not be read.
    async fn plan_pages(
        &self,
        documents: &SiteDocuments,
        collected: &CollectedReads,
    ) -> Vec<PlannedRead<'a>> {
        if !self.robots_reachable {
            return Vec::new();
        }
        let Some(site) = &self.page_site(collected) else { return Vec::new() };
        let gate = self.reader.robots_gate;
        for host in &site.hosts {
            if documents.names_host(host)
                && let Ok(url) = Url::parse(&format!("{}://{host}/", site.scheme))
            {
                gate.load(&url).await;
            }
        }
        let own_token = self.scan.catalogue.own_token.as_str();
        let may_read = |url: &Url| gate.lets_read(url, own_token);
        let pages = pages::choose_pages(documents, site, &may_read);
        let readers: Vec<(&'a Identity, Option<Robots>)> = PAGE_READERS
            .iter()
            .filter_map(|role| self.identity(*role))
            .map(|identity| (identity, self.robots_as(identity, collected)))
            .collect();
        let mut planned = Vec::new();
        for (source, url) in &pages {
            for (identity, robots) in &readers {
                if lets_identity_read(gate, robots.as_ref(), identity, url) {
                    let timeout = self.scan.deadline / 4;
                    planned.push(plan::plan_page(source.clone(), url, identity, timeout));
                }
            }
        }
        planned
    }

    /// robots.txt as this identity got it.
    fn robots_as(&self, identity: &Identity, collected: &CollectedReads) -> Option<Robots> {
        let reading = collected
            .reads
            .iter()
            .find(|r| r.target == ReadTarget::RobotsAs && r.identity == identity.id)?;
        let response = reading.exchange.response()?;
        let body = self.reader.bodies.get(&response.body.sha256)?;
        Some(robots_gate::parse_policy(response.status, &body, response.body.cut.is_some()))
    }

    fn identity(&self, role: Role) -> Option<&'a Identity> {
        self.scan.catalogue.identity_with_role(role)
    }

    /// Makes the reads a few at a time and records them in the order of the plan. The reads of a
    /// group start in random order, after those of the group before.
    async fn read<const GROUPS: usize>(
        &self,
        groups: [Vec<PlannedRead<'a>>; GROUPS],
        collected: &mut CollectedReads,
    ) {
        let mut order: Vec<usize> = Vec::new();
        for group in &groups {
            let mut of_group: Vec<usize> = (order.len()..order.len() + group.len()).collect();
            shuffle(&mut of_group, &self.scan.token);
            order.extend(of_group);
        }
        let plan: &Vec<PlannedRead<'a>> = &groups.into_iter().flatten().collect();
        self.reader.reporter.expect_more(plan.len());
        let reads = order.into_iter().map(|at| self.read_one(plan, at));
        let mut done: Vec<_> = stream::iter(reads).buffer_unordered(AT_ONCE).collect().await;
        done.sort_by_key(|(at, _)| *at);
        for (planned, (_, outcome)) in plan.iter().zip(done) {
            match outcome {
                Ok(exchange) => collected.add(planned, exchange),
                Err(why) => collected.add_not_read(planned, why),
            }
        }
    }

    /// Makes one read of a plan, or says why it was not made.
    async fn read_one(
        &self,
        plan: &[PlannedRead<'a>],
        at: usize,
    ) -> (usize, Result<Exchange, SkipReason>) {
        let Some(planned) = plan.get(at) else { return (at, Err(SkipReason::Deadline)) };
        let outcome = match self.reader.robots_gate.check_redirect(&planned.url).await {
            None => self.reader.read(at, planned).await.1.ok_or(SkipReason::OptOut),
            Some(refusal) => {
                self.reader.reporter.report(None);
                let is_opt_out = refusal == robots_gate::OPT_OUT;
                Err(if is_opt_out { SkipReason::OptOut } else { SkipReason::TooManyHosts })
            }
        };
        (at, outcome)
    }
}

/// Whether robots.txt lets an identity read a page: as we got it, and as the identity got it.
fn lets_identity_read(
    gate: &RobotsGate,
    robots_as: Option<&Robots>,
    identity: &Identity,
    url: &Url,
) -> bool {
    let Some(token) = identity.robots_token.as_deref() else { return true };
    let path = &url[Position::BeforePath..Position::AfterQuery];
    gate.lets_read(url, token) && robots_as.is_none_or(|robots| robots.access(token, path).allowed)
}

fn known_reads(collected: &CollectedReads) -> KnownReads {
    KnownReads {
        urls: collected.reads.iter().map(|reading| reading.exchange.url.clone()).collect(),
        licences: count(collected, &ReadTarget::Licence),
        header_licences: documents::header_licences(&collected.reads),
    }
}

fn count(collected: &CollectedReads, target: &ReadTarget) -> usize {
    collected.reads.iter().filter(|reading| reading.target == *target).count()
}
