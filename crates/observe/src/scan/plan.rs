//! Plans what is read besides robots.txt, under which identity and over which connection. Does no
//! I/O.

use std::time::Duration;

use agents::{Catalogue, Identity, Role};
use contract::evidence::{Exchange, PageSource, ReadTarget, Reading, SkipReason, SkippedRead};
use declared::files::FILE_LOCATIONS;
use declared::robots::Robots;
use door::{FetchRequest, ReadKind, RedirectPolicy};
use url::{Position, Url};

use super::same_site::registrable_domain;
use super::shuffle::shuffle;

pub(super) const ROBOTS_PATH: &str = "/robots.txt";
const SITEMAP_PATH: &str = "/sitemap.xml";

/// The most sitemaps and licences that are read from those that robots.txt names.
const MAX_SITEMAPS: usize = 3;
const MAX_LICENCES: usize = 2;
/// The most lines of robots.txt that are searched for them.
const MAX_LINES: usize = 1000;
const MAX_URL_BYTES: usize = 2048;

/// How much a scan reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanDepth {
    /// Everything that a record's grade needs.
    Full,
    /// What can be read within one second: the home page as the browser (twice), as the control
    /// identity and as one agent of each purpose, and the machine files that every answer names.
    Live,
}

impl ScanDepth {
    /// The requests that a reading of a site makes at most, apart from redirects and repeats.
    pub(super) fn reads_reserved(self) -> u32 {
        match self {
            Self::Full => 100,
            Self::Live => 20,
        }
    }
}

/// The machine files of a live reading, in addition to robots.txt.
const LIVE_FILES: [&str; 7] = [
    SITEMAP_PATH,
    "/llms.txt",
    "/agents.md",
    "/.well-known/agent-skills/index.json",
    "/.well-known/mcp/server-card.json",
    "/.well-known/api-catalog",
    "/.well-known/agent-card.json",
];

/// The inputs of a plan.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlanInputs<'a> {
    pub(super) depth: ScanDepth,
    /// Scheme and host that answer, such as `https://example.org`.
    pub(super) base: &'a str,
    pub(super) host: &'a str,
    /// A random token, the same for the whole scan.
    pub(super) token: &'a str,
    pub(super) sitemaps: &'a [String],
    pub(super) licences: &'a [String],
}

/// One planned read.
#[derive(Debug, Clone)]
pub(super) struct PlannedRead<'a> {
    pub(super) target: ReadTarget,
    /// The path as recorded.
    pub(super) path: String,
    pub(super) url: String,
    pub(super) identity: &'a Identity,
    /// Replaces the Accept header of the identity.
    accept: Option<&'static str>,
    kind: ReadKind,
    /// Use a new connection, so that the response depends on this identity only.
    fresh_connection: bool,
    /// Starts after the home page of its identity and reuses that connection.
    after_home: bool,
    pub(super) follow_redirects: bool,
    /// Redirects to another site are not followed.
    pub(super) stays_on_site: bool,
    timeout: Option<Duration>,
    /// The most bytes of the body to receive.
    max_wire_bytes: Option<u64>,
    chosen_from: Option<PageSource>,
    /// Left unsigned, although requests of its identity are signed.
    is_unsigned: bool,
}

/// Plans our own read of robots.txt. All other reads wait for it, so it has its own timeout.
pub(super) fn plan_robots<'a>(own: &'a Identity, base: &str, timeout: Duration) -> PlannedRead<'a> {
    let robots = PlannedRead::new(ReadTarget::Robots, ROBOTS_PATH, base, own);
    PlannedRead { kind: ReadKind::Robots, timeout: Some(timeout), ..robots }
}

/// How the robots.txt of another host, to which a read led, is recorded.
pub(super) fn plan_other_robots(own: &Identity) -> PlannedRead<'_> {
    PlannedRead::new(ReadTarget::RobotsElsewhere, ROBOTS_PATH, "", own)
}

/// Plans everything except robots.txt, in the order in which it is recorded.
pub(super) fn plan_reads<'a>(
    catalogue: &'a Catalogue,
    own: &'a Identity,
    site: PlanInputs<'_>,
) -> Vec<PlannedRead<'a>> {
    let PlanInputs { depth, base, host, token, sitemaps, licences } = site;
    if depth == ScanDepth::Live {
        return plan_live_reads(catalogue, own, base, token);
    }
    let browser = catalogue.identity_with_role(Role::Browser);
    let mut plan = Vec::new();
    // The browser asks twice, so that a page that changes by itself is not mistaken for different
    // treatment.
    for identity in catalogue.compared_identities().chain(browser) {
        let home = PlannedRead::new(ReadTarget::Home, "/", base, identity);
        plan.push(PlannedRead { kind: ReadKind::Page, fresh_connection: true, ..home });
    }
    for identity in catalogue.compared_identities() {
        let robots = PlannedRead::new(ReadTarget::RobotsAs, ROBOTS_PATH, base, identity);
        plan.push(PlannedRead { kind: ReadKind::Robots, after_home: true, ..robots });
    }
    // robots.txt is read separately, before all others.
    for place in FILE_LOCATIONS.iter().filter(|place| place.path != ROBOTS_PATH) {
        // Redirects are followed even where a specification forbids them: many sites redirect
        // every unknown path, and only the last response shows whether there is a file.
        plan.push(PlannedRead::new(ReadTarget::MachineFile, place.path, base, own));
    }
    // One path of each shape, because hosts answer missing pages, missing JSON, missing text files
    // and missing files without an extension differently.
    for path in [
        format!("/{token}.html"),
        format!("/.well-known/{token}.json"),
        format!("/{token}.txt"),
        format!("/.well-known/{token}"),
    ] {
        let control = PlannedRead::new(ReadTarget::ControlPath, &path, base, own);
        plan.push(PlannedRead { kind: ReadKind::OtherPage, ..control });
    }
    if let Some(browser) = browser {
        if base.starts_with("https:") {
            let plain =
                PlannedRead::new(ReadTarget::PlainHome, "/", &format!("http://{host}"), browser);
            plan.push(PlannedRead { kind: ReadKind::Page, follow_redirects: false, ..plain });
        }
        let fresh = PlannedRead::new(ReadTarget::Fresh, "/", base, browser).bypassing_caches(token);
        plan.push(PlannedRead { kind: ReadKind::Page, after_home: true, ..fresh });
    }
    for path in [ROBOTS_PATH, "/llms.txt", SITEMAP_PATH] {
        plan.push(PlannedRead::new(ReadTarget::Fresh, path, base, own).bypassing_caches(token));
    }
    let markdown = PlannedRead::new(ReadTarget::Markdown, "/", base, own);
    plan.push(PlannedRead { kind: ReadKind::Page, accept: Some("text/markdown"), ..markdown });
    for url in sitemaps {
        plan.push(PlannedRead::new(ReadTarget::Sitemap, url, "", own));
    }
    for url in licences {
        plan.push(PlannedRead::new(ReadTarget::Licence, url, "", own));
    }
    plan
}

fn plan_live_reads<'a>(
    catalogue: &'a Catalogue,
    own: &'a Identity,
    base: &str,
    token: &str,
) -> Vec<PlannedRead<'a>> {
    let browser = catalogue.identity_with_role(Role::Browser);
    let asked = [Role::Browser, Role::Control, Role::Train, Role::Search, Role::User];
    let asked = asked
        .into_iter()
        .filter_map(|role| catalogue.compared_identities().find(|i| i.role == role));
    let homes = asked.chain(browser).map(|identity| {
        let home = PlannedRead::new(ReadTarget::Home, "/", base, identity);
        PlannedRead { kind: ReadKind::Page, fresh_connection: true, ..home }
    });
    let places = FILE_LOCATIONS.iter().filter(|place| LIVE_FILES.contains(&place.path));
    let files =
        places.map(|place| PlannedRead::new(ReadTarget::MachineFile, place.path, base, own));
    let nothing_there = [
        format!("/{token}.html"),
        format!("/.well-known/{token}.json"),
        format!("/.well-known/{token}"),
    ];
    let controls = nothing_there.iter().map(|path| {
        let control = PlannedRead::new(ReadTarget::ControlPath, path, base, own);
        PlannedRead { kind: ReadKind::OtherPage, ..control }
    });
    homes.chain(files).chain(controls).collect()
}

/// Lets all planned reads of the home page receive the same number of bytes, `bytes` in sum: a reader that
/// got less of a long page than another could not be compared with it.
pub(super) fn share_home_page_bytes(plan: &mut [PlannedRead<'_>], bytes: u64) {
    let is_home = |planned: &&mut PlannedRead<'_>| planned.kind == ReadKind::Page;
    let reads = plan.iter_mut().filter(is_home).count() as u64;
    for planned in plan.iter_mut().filter(is_home) {
        planned.max_wire_bytes = bytes.checked_div(reads);
    }
}

/// Plans one more read of the home page, over a new connection.
pub(super) fn plan_home<'a>(
    target: ReadTarget,
    identity: &'a Identity,
    base: &str,
) -> PlannedRead<'a> {
    let home = PlannedRead::new(target, "/", base, identity);
    PlannedRead { kind: ReadKind::Page, fresh_connection: true, ..home }
}

/// Plans one more read of the home page past all caches.
pub(super) fn plan_fresh_home<'a>(
    browser: &'a Identity,
    base: &str,
    token: &str,
) -> PlannedRead<'a> {
    plan_home(ReadTarget::Fresh, browser, base).bypassing_caches(token)
}

/// Plans a read of the home page under our own name, to compare signed with unsigned requests. Whether
/// it is served shows in its beginning.
pub(super) fn plan_own_home<'a>(own: &'a Identity, base: &str, is_signed: bool) -> PlannedRead<'a> {
    const MOST_BYTES: u64 = 256 * 1024;
    let target = if is_signed { ReadTarget::SignedHome } else { ReadTarget::UnsignedHome };
    PlannedRead {
        kind: ReadKind::OtherPage,
        fresh_connection: true,
        max_wire_bytes: Some(MOST_BYTES),
        is_unsigned: !is_signed,
        ..PlannedRead::new(target, "/", base, own)
    }
}

/// Plans the read of a file that another document names.
pub(super) fn plan_further_file(
    target: ReadTarget,
    path: String,
    url: String,
    identity: &Identity,
    timeout: Duration,
) -> PlannedRead<'_> {
    let is_style_sheet = target == ReadTarget::StyleSheet;
    PlannedRead {
        url,
        kind: if is_style_sheet { ReadKind::StyleSheet } else { ReadKind::Json },
        accept: is_style_sheet.then_some("text/css,*/*;q=0.1"),
        stays_on_site: true,
        timeout: Some(timeout),
        ..PlannedRead::new(target, &path, "", identity)
    }
}

/// Plans the call of a declared operation: one GET over a connection of its own, without redirects.
pub(super) fn plan_call<'a>(
    url: &Url,
    identity: &'a Identity,
    timeout: Duration,
) -> PlannedRead<'a> {
    let path = &url[Position::BeforePath..Position::AfterQuery];
    PlannedRead {
        url: url.to_string(),
        accept: Some("application/json, */*;q=0.5"),
        fresh_connection: true,
        follow_redirects: false,
        stays_on_site: true,
        timeout: Some(timeout),
        ..PlannedRead::new(ReadTarget::CapabilityCall, path, "", identity)
    }
}

/// Plans the read of a further page.
pub(super) fn plan_page<'a>(
    source: PageSource,
    url: &Url,
    identity: &'a Identity,
    timeout: Duration,
) -> PlannedRead<'a> {
    PlannedRead {
        url: url.to_string(),
        kind: ReadKind::OtherPage,
        stays_on_site: true,
        timeout: Some(timeout),
        chosen_from: Some(source),
        ..PlannedRead::new(ReadTarget::Page, url.path(), "", identity)
    }
}

/// Splits a plan: the first home page read of each identity, and everything else.
pub(super) fn split_first_homes(
    plan: Vec<PlannedRead<'_>>,
) -> (Vec<PlannedRead<'_>>, Vec<PlannedRead<'_>>) {
    let mut asked: Vec<String> = Vec::new();
    plan.into_iter().partition(|planned| {
        let first = planned.target == ReadTarget::Home && !asked.contains(&planned.identity.id);
        if first {
            asked.push(planned.identity.id.clone());
        }
        first
    })
}

/// The sitemaps to read from those that robots.txt names, without /sitemap.xml, which is read
/// anyway.
pub(super) fn select_sitemaps(policies: &[Robots], host: &str) -> Vec<String> {
    let lines = policies.iter().flat_map(|policy| &policy.sitemaps).map(|line| line.value.clone());
    let read_anyway = |url: &Url| {
        url.host_str() == Some(host) && url.path() == SITEMAP_PATH && url.query().is_none()
    };
    same_site_urls(lines, host, MAX_SITEMAPS, read_anyway)
}

/// The licences to read from those that robots.txt names.
pub(super) fn select_licences(policies: &[Robots], host: &str) -> Vec<String> {
    let lines = policies.iter().flat_map(Robots::licenses).map(|record| record.value);
    same_site_urls(lines, host, MAX_LICENCES, |_| false)
}

/// Absolute URLs on the site's own domain, without duplicates. The site chose them, so the door
/// still checks each one.
fn same_site_urls(
    lines: impl Iterator<Item = String>,
    host: &str,
    most: usize,
    left_out: impl Fn(&Url) -> bool,
) -> Vec<String> {
    let site = registrable_domain(host);
    let mut found: Vec<(Url, String)> = Vec::new();
    for line in lines.take(MAX_LINES) {
        let text = line.trim();
        let Some(url) = (text.len() <= MAX_URL_BYTES).then(|| Url::parse(text).ok()).flatten()
        else {
            continue;
        };
        let Some(named) = url.host_str() else { continue };
        if matches!(url.scheme(), "http" | "https")
            && registrable_domain(named) == site
            && !left_out(&url)
            && !found.iter().any(|(known, _)| *known == url)
        {
            found.push((url, text.to_owned()));
        }
        if found.len() == most {
            break;
        }
    }
    found.into_iter().map(|(_, text)| text).collect()
}

/// A read, and the read that follows it on the same connection, as indexes into the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReadRun {
    pub(super) first: usize,
    pub(super) follow_up: Option<usize>,
}

/// Groups the plan into runs: home pages and all others, each in the order in which they start. The
/// seed decides the order.
pub(super) fn schedule_runs(plan: &[PlannedRead<'_>], seed: &str) -> (Vec<ReadRun>, Vec<ReadRun>) {
    let mut homes: Vec<ReadRun> = Vec::new();
    let mut others: Vec<ReadRun> = Vec::new();
    let identity = |at: usize| plan.get(at).map(|planned| &planned.identity.id);
    for (at, planned) in plan.iter().enumerate() {
        // A read without a home page to follow is a run of its own.
        let before = homes.iter_mut().find(|home| {
            planned.after_home
                && home.follow_up.is_none()
                && identity(home.first) == Some(&planned.identity.id)
        });
        match before {
            Some(home) => home.follow_up = Some(at),
            None if planned.target == ReadTarget::Home => {
                homes.push(ReadRun { first: at, follow_up: None })
            }
            None => others.push(ReadRun { first: at, follow_up: None }),
        }
    }
    shuffle(&mut homes, seed);
    shuffle(&mut others, seed);
    (homes, others)
}

impl<'a> PlannedRead<'a> {
    fn new(target: ReadTarget, path: &str, base: &str, identity: &'a Identity) -> Self {
        Self {
            target,
            path: path.to_owned(),
            url: format!("{base}{path}"),
            identity,
            accept: None,
            kind: ReadKind::Json,
            fresh_connection: false,
            after_home: false,
            follow_redirects: true,
            stays_on_site: false,
            timeout: None,
            max_wire_bytes: None,
            chosen_from: None,
            is_unsigned: false,
        }
    }

    /// Adds a query that nobody has used before, so that no cache can have an answer.
    fn bypassing_caches(self, token: &str) -> Self {
        Self { url: format!("{}?{token}", self.url), ..self }
    }

    /// The path to check against robots.txt. robots.txt itself is always readable; under other
    /// identities we read it only where the home page may be read.
    pub(super) fn robots_path(&self, base: &str) -> &str {
        if self.target == ReadTarget::RobotsAs {
            return "/";
        }
        self.url.strip_prefix(base).unwrap_or("/")
    }

    pub(super) fn request(&self, follow: RedirectPolicy) -> FetchRequest {
        let mut headers = self.identity.headers();
        if let Some(wanted) = self.accept {
            for (_, value) in headers.iter_mut().filter(|(name, _)| name == "accept") {
                wanted.clone_into(value);
            }
        }
        FetchRequest {
            url: self.url.clone(),
            // The door signs by identity, and never shares connections between identities.
            identity: if self.is_unsigned {
                format!("{}-unsigned", self.identity.id)
            } else {
                self.identity.id.clone()
            },
            headers,
            kind: self.kind,
            max_wire_bytes: self.max_wire_bytes,
            timeout: self.timeout,
            fresh_connection: self.fresh_connection,
            redirects: if self.follow_redirects { follow } else { RedirectPolicy::Never },
        }
    }

    pub(super) fn reading(&self, id: String, exchange: Exchange) -> Reading {
        Reading {
            id,
            target: self.target.clone(),
            path: self.path.clone(),
            identity: self.identity.id.clone(),
            chosen_from: self.chosen_from.clone(),
            exchange,
        }
    }

    pub(super) fn not_read(&self, why: SkipReason) -> SkippedRead {
        SkippedRead {
            target: self.target.clone(),
            path: self.path.clone(),
            identity: self.identity.id.clone(),
            why,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(catalogue: &Catalogue) -> Vec<PlannedRead<'_>> {
        let sitemaps = ["https://cdn.shop.example/a.xml".to_owned()];
        let site = PlanInputs {
            depth: ScanDepth::Full,
            base: "https://shop.example",
            host: "shop.example",
            token: "k7q2m9",
            sitemaps: &sitemaps,
            licences: &[],
        };
        plan_reads(catalogue, catalogue.identity_with_role(Role::Own).unwrap(), site)
    }

    fn parsed_robots(text: &str) -> Vec<Robots> {
        vec![Robots::parse(text.as_bytes())]
    }

    #[test]
    fn every_reader_of_the_home_page_may_receive_as_much_of_it() {
        let catalogue = Catalogue::built_in().unwrap();
        let mut plan = planned(&catalogue);
        share_home_page_bytes(&mut plan, 6_000_000);
        let caps: Vec<Option<u64>> = plan.iter().map(|planned| planned.max_wire_bytes).collect();
        let homes = plan.iter().filter(|planned| planned.kind == ReadKind::Page).count();
        let (Some(least), Some(most)) = (caps.iter().flatten().min(), caps.iter().flatten().max())
        else {
            panic!("no reader has a share");
        };
        assert_eq!((caps.iter().flatten().count(), least), (homes, most));
        assert!(most * homes as u64 <= 6_000_000 && *most > 200_000, "{most} for each of {homes}");
        share_home_page_bytes(&mut [], 6_000_000);
    }

    #[test]
    fn a_cache_bypassing_read_is_recorded_under_the_bare_path() {
        let catalogue = Catalogue::built_in().unwrap();
        let plan = planned(&catalogue);
        let fresh: Vec<(&str, &str, &str)> = plan
            .iter()
            .filter(|planned| planned.target == ReadTarget::Fresh)
            .map(|p| (p.path.as_str(), p.url.as_str(), p.identity.role.as_str()))
            .collect();
        let expected = [
            ("/", "https://shop.example/?k7q2m9", "browser"),
            ("/robots.txt", "https://shop.example/robots.txt?k7q2m9", "own"),
            ("/llms.txt", "https://shop.example/llms.txt?k7q2m9", "own"),
            ("/sitemap.xml", "https://shop.example/sitemap.xml?k7q2m9", "own"),
        ];
        assert_eq!(fresh, expected);
    }

    #[test]
    fn markdown_is_requested_by_the_accept_header_alone() {
        let catalogue = Catalogue::built_in().unwrap();
        let plan = planned(&catalogue);
        let markdown = plan.iter().find(|planned| planned.target == ReadTarget::Markdown).unwrap();
        let own = catalogue.identity_with_role(Role::Own).unwrap().headers();
        let sent = markdown.request(RedirectPolicy::All).headers;
        assert_eq!(sent.len(), own.len());
        for (field, usual) in sent.iter().zip(&own) {
            match usual.0.as_str() {
                "accept" => assert_eq!(field.1, "text/markdown"),
                _ => assert_eq!(field, usual),
            }
        }
    }

    #[test]
    fn plain_http_is_planned_only_if_the_base_is_https() {
        let catalogue = Catalogue::built_in().unwrap();
        let own = catalogue.identity_with_role(Role::Own).unwrap();
        let count = |base| {
            let site = PlanInputs {
                depth: ScanDepth::Full,
                base,
                host: "shop.example",
                token: "t",
                sitemaps: &[],
                licences: &[],
            };
            let plan = plan_reads(&catalogue, own, site);
            plan.iter().filter(|planned| planned.target == ReadTarget::PlainHome).count()
        };
        assert_eq!((count("https://shop.example"), count("http://shop.example")), (1, 0));
    }

    #[test]
    fn every_read_is_in_one_run_and_the_token_decides_the_order() {
        let catalogue = Catalogue::built_in().unwrap();
        let plan = planned(&catalogue);
        let (homes, others) = schedule_runs(&plan, "abc");
        let all = homes.iter().chain(&others).flat_map(|run| [Some(run.first), run.follow_up]);
        let mut all: Vec<usize> = all.flatten().collect();
        all.sort_unstable();
        assert_eq!(all, (0..plan.len()).collect::<Vec<_>>());
        let planned = plan.iter().filter(|planned| planned.target == ReadTarget::Home);
        assert_eq!(homes.len(), planned.count());
        for run in &homes {
            let home = &plan[run.first];
            assert_eq!(home.target, ReadTarget::Home);
            assert_eq!(home.identity.id, plan[run.follow_up.unwrap()].identity.id);
        }
        assert!(others.iter().all(|run| run.follow_up.is_none()));
        assert_eq!((homes.clone(), others.clone()), schedule_runs(&plan, "abc"));
        let second = schedule_runs(&plan, "abd");
        assert!(homes != second.0 && others != second.1);
    }

    #[test]
    fn a_live_reading_uses_one_identity_of_each_purpose_and_the_files_every_answer_names() {
        let catalogue = Catalogue::built_in().unwrap();
        let own = catalogue.identity_with_role(Role::Own).unwrap();
        let plan = plan_live_reads(&catalogue, own, "https://shop.example", "t");
        let homes: Vec<Role> =
            plan.iter().filter(|p| p.target == ReadTarget::Home).map(|p| p.identity.role).collect();
        let expected = [
            Role::Browser,
            Role::Control,
            Role::Train,
            Role::Search,
            Role::User,
            // Twice, to detect a page that changes by itself.
            Role::Browser,
        ];
        assert_eq!(homes, expected);
        let files = plan.iter().filter(|p| p.target == ReadTarget::MachineFile);
        assert_eq!(files.count(), LIVE_FILES.len());
        assert_eq!(plan.iter().filter(|p| p.target == ReadTarget::ControlPath).count(), 3);
        assert_eq!(plan.len(), 6 + 7 + 3);
    }

    #[test]
    fn sitemaps_are_absolute_urls_of_the_same_owner_and_limited() {
        let named = parsed_robots(
            "Sitemap: https://www.shop.example/sitemap.xml\n\
             Sitemap: /relative.xml\n\
             Sitemap: ftp://shop.example/a.xml\n\
             Sitemap: https://other.example/a.xml\n\
             Sitemap: http://127.0.0.1/a.xml\n\
             Sitemap: https://shop.example/sitemap.xml\n\
             Sitemap: https://shop.example/sitemap.xml#again\n\
             Sitemap: https://shop.example/sitemap.xml?page=2\n\
             Sitemap: https://CDN.shop.example/b.xml\n\
             Sitemap: https://cdn.shop.example/b.xml\n\
             Sitemap: https://shop.example/c.xml\n\
             Sitemap: https://shop.example/d.xml\n",
        );
        let expected = [
            "https://www.shop.example/sitemap.xml",
            "https://shop.example/sitemap.xml?page=2",
            "https://CDN.shop.example/b.xml",
        ];
        assert_eq!(select_sitemaps(&named, "shop.example"), expected);
        let long = format!("Sitemap: https://shop.example/{}\n", "a".repeat(MAX_URL_BYTES));
        assert_eq!(select_sitemaps(&parsed_robots(&long), "shop.example"), [""; 0]);
        // Two customers of one hosting service are not one owner.
        let neighbour = parsed_robots("Sitemap: https://other.github.io/a.xml\n");
        assert_eq!(select_sitemaps(&neighbour, "mine.github.io"), [""; 0]);
    }

    #[test]
    fn hostile_sitemap_lines_never_panic_and_stay_limited() {
        let many: String =
            (0..5000).map(|n| format!("Sitemap: https://x{n}.shop.example/{n}\n")).collect();
        assert_eq!(select_sitemaps(&parsed_robots(&many), "shop.example").len(), MAX_SITEMAPS);
        let odd = "Sitemap: https://\nSitemap: https://[::1\nSitemap: \u{0}\nSitemap: data:,x\n";
        assert_eq!(select_sitemaps(&parsed_robots(odd), "shop.example"), [""; 0]);
    }
}
