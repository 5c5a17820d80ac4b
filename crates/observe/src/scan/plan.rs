//! What is read besides robots.txt, as whom and over which connection. Nothing is read here.

use std::time::Duration;

use agents::{Catalogue, Identity, Role};
use contract::evidence::{Exchange, NotRead, NotReadWhy, Reading, Target};
use declared::files::{Kind, PLACES};
use declared::robots::Robots;
use door::{Follow, ReadKind, Request};
use url::Url;

use super::order::shuffle;

pub(super) const ROBOTS_PATH: &str = "/robots.txt";
const SITEMAP_PATH: &str = "/sitemap.xml";

/// Files that count only where they are asked for: their specifications forbid to follow.
const NEVER_MOVED: [Kind; 2] = [Kind::Ucp, Kind::BotAuthDirectory];

/// Sitemaps and licences named by robots.txt that are read.
const MOST_SITEMAPS: usize = 3;
const MOST_LICENCES: usize = 2;
/// Lines of robots.txt that are looked at for them.
const MOST_LINES: usize = 1000;
const LONGEST_URL: usize = 2048;

/// How much is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Everything a record is graded by.
    Full,
    /// What an answer within a second can hold: the home page as the browser (twice), the control
    /// and one agent of each purpose, and the machine files that every answer names.
    Live,
}

/// The files of a live reading, robots.txt besides.
const LIVE_FILES: [&str; 7] = [
    SITEMAP_PATH,
    "/llms.txt",
    "/agents.md",
    "/.well-known/agent-skills/index.json",
    "/.well-known/mcp/server-card.json",
    "/.well-known/api-catalog",
    "/.well-known/agent-card.json",
];

/// What the plan depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site<'a> {
    pub(super) depth: Depth,
    /// Scheme and host that answer.
    pub(super) base: &'a str,
    pub(super) host: &'a str,
    /// Unguessable, the same for the whole scan.
    pub(super) token: &'a str,
    pub(super) sitemaps: &'a [String],
    pub(super) licences: &'a [String],
}

/// One read that is to be made.
#[derive(Debug, Clone)]
pub(super) struct Planned<'a> {
    pub(super) target: Target,
    /// As recorded.
    pub(super) path: String,
    pub(super) url: String,
    pub(super) identity: &'a Identity,
    /// What is asked for in place of what the identity asks for.
    accept: Option<&'static str>,
    kind: ReadKind,
    /// A connection of its own shows what this identity is served, whoever else asks.
    fresh_connection: bool,
    /// Waits for the home page of its identity and goes on over that connection.
    behind_home: bool,
    pub(super) follows: bool,
    timeout: Option<Duration>,
}

/// robots.txt is waited for, so it may not take all the time there is.
pub(super) fn robots<'a>(own: &'a Identity, base: &str, timeout: Duration) -> Planned<'a> {
    let robots = Planned::new(Target::Robots, ROBOTS_PATH, base, own);
    Planned { kind: ReadKind::Robots, timeout: Some(timeout), ..robots }
}

/// robots.txt of a host that a read led to, as it is written down.
pub(super) fn robots_elsewhere(own: &Identity) -> Planned<'_> {
    Planned::new(Target::RobotsElsewhere, ROBOTS_PATH, "", own)
}

/// Everything but robots.txt, in the order it is written down.
pub(super) fn rest<'a>(
    catalogue: &'a Catalogue,
    own: &'a Identity,
    site: Site<'_>,
) -> Vec<Planned<'a>> {
    let Site { depth, base, host, token, sitemaps, licences } = site;
    if depth == Depth::Live {
        return live(catalogue, own, base, token);
    }
    let browser = catalogue.the(Role::Browser);
    let mut plan = Vec::new();
    // The browser asks twice: a site that differs from itself is not taken for one that
    // discriminates.
    for identity in catalogue.compared().chain(browser) {
        let home = Planned::new(Target::Home, "/", base, identity);
        plan.push(Planned { kind: ReadKind::Page, fresh_connection: true, ..home });
    }
    for identity in catalogue.compared() {
        let robots = Planned::new(Target::RobotsAs, ROBOTS_PATH, base, identity);
        plan.push(Planned { kind: ReadKind::Robots, behind_home: true, ..robots });
    }
    // robots.txt is read on its own, before all others.
    for place in PLACES.iter().filter(|place| place.path != ROBOTS_PATH) {
        let file = Planned::new(Target::MachineFile, place.path, base, own);
        plan.push(Planned { follows: !NEVER_MOVED.contains(&place.kind), ..file });
    }
    // One of each shape: hosts answer "nothing here" differently for a page, for JSON in the place
    // for machines, and for a text.
    for path in
        [format!("/{token}.html"), format!("/.well-known/{token}.json"), format!("/{token}.txt")]
    {
        let control = Planned::new(Target::ControlPath, &path, base, own);
        plan.push(Planned { kind: ReadKind::Page, ..control });
    }
    if let Some(browser) = browser {
        if base.starts_with("https:") {
            let plain = Planned::new(Target::PlainHome, "/", &format!("http://{host}"), browser);
            plan.push(Planned { kind: ReadKind::Page, follows: false, ..plain });
        }
        let fresh = Planned::new(Target::Fresh, "/", base, browser).past_caches(token);
        plan.push(Planned { kind: ReadKind::Page, behind_home: true, ..fresh });
    }
    for path in [ROBOTS_PATH, "/llms.txt", SITEMAP_PATH] {
        plan.push(Planned::new(Target::Fresh, path, base, own).past_caches(token));
    }
    let markdown = Planned::new(Target::Markdown, "/", base, own);
    plan.push(Planned { kind: ReadKind::Page, accept: Some("text/markdown"), ..markdown });
    for url in sitemaps {
        plan.push(Planned::new(Target::Sitemap, url, "", own));
    }
    for url in licences {
        plan.push(Planned::new(Target::Licence, url, "", own));
    }
    plan
}

fn live<'a>(
    catalogue: &'a Catalogue,
    own: &'a Identity,
    base: &str,
    token: &str,
) -> Vec<Planned<'a>> {
    let browser = catalogue.the(Role::Browser);
    let asked = [Role::Browser, Role::Control, Role::Train, Role::Search, Role::User];
    let asked = asked.into_iter().filter_map(|role| catalogue.compared().find(|i| i.role == role));
    let homes = asked.chain(browser).map(|identity| {
        let home = Planned::new(Target::Home, "/", base, identity);
        Planned { kind: ReadKind::Page, fresh_connection: true, ..home }
    });
    let places = PLACES.iter().filter(|place| LIVE_FILES.contains(&place.path));
    let files = places.map(|place| Planned::new(Target::MachineFile, place.path, base, own));
    let nothing_there = [format!("/{token}.html"), format!("/.well-known/{token}.json")];
    let controls = nothing_there.iter().map(|path| {
        let control = Planned::new(Target::ControlPath, path, base, own);
        Planned { kind: ReadKind::Page, ..control }
    });
    homes.chain(files).chain(controls).collect()
}

/// The home page once as each identity, and everything else.
pub(super) fn first_homes(plan: Vec<Planned<'_>>) -> (Vec<Planned<'_>>, Vec<Planned<'_>>) {
    let mut asked: Vec<String> = Vec::new();
    plan.into_iter().partition(|planned| {
        let first = planned.target == Target::Home && !asked.contains(&planned.identity.id);
        if first {
            asked.push(planned.identity.id.clone());
        }
        first
    })
}

/// The sitemaps to read of those that robots.txt names, without the one that is read anyway.
pub(super) fn sitemaps(policies: &[Robots], host: &str) -> Vec<String> {
    let lines = policies.iter().flat_map(|policy| &policy.sitemaps).map(|line| line.value.clone());
    let read_anyway = |url: &Url| {
        url.host_str() == Some(host) && url.path() == SITEMAP_PATH && url.query().is_none()
    };
    own_addresses(lines, host, MOST_SITEMAPS, read_anyway)
}

/// The licences to read of those that robots.txt names.
pub(super) fn licences(policies: &[Robots], host: &str) -> Vec<String> {
    let lines = policies.iter().flat_map(Robots::licenses).map(|record| record.value);
    own_addresses(lines, host, MOST_LICENCES, |_| false)
}

/// Whole addresses on this site's own domain, each once. They are a stranger's words: the door has
/// the last one.
fn own_addresses(
    lines: impl Iterator<Item = String>,
    host: &str,
    most: usize,
    left_out: impl Fn(&Url) -> bool,
) -> Vec<String> {
    let site = site_of(host);
    let mut found: Vec<(Url, String)> = Vec::new();
    for line in lines.take(MOST_LINES) {
        let text = line.trim();
        let Some(url) = (text.len() <= LONGEST_URL).then(|| Url::parse(text).ok()).flatten() else {
            continue;
        };
        let Some(named) = url.host_str() else { continue };
        if matches!(url.scheme(), "http" | "https")
            && site_of(named) == site
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

/// What belongs to one owner: the registrable domain, or the host itself when there is none.
fn site_of(host: &str) -> &str {
    psl::domain_str(host).unwrap_or(host)
}

/// A read, and one that goes on over its connection, by their places in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) first: usize,
    pub(super) behind: Option<usize>,
}

/// The home pages and all others, each in the order in which they begin: the seed decides.
pub(super) fn runs(plan: &[Planned<'_>], seed: &str) -> (Vec<Run>, Vec<Run>) {
    let mut homes: Vec<Run> = Vec::new();
    let mut others: Vec<Run> = Vec::new();
    let identity = |at: usize| plan.get(at).map(|planned| &planned.identity.id);
    for (at, planned) in plan.iter().enumerate() {
        // Without a home page to go behind, a read stands on its own.
        let before = homes.iter_mut().find(|home| {
            planned.behind_home
                && home.behind.is_none()
                && identity(home.first) == Some(&planned.identity.id)
        });
        match before {
            Some(home) => home.behind = Some(at),
            None if planned.target == Target::Home => homes.push(Run { first: at, behind: None }),
            None => others.push(Run { first: at, behind: None }),
        }
    }
    shuffle(&mut homes, seed);
    shuffle(&mut others, seed);
    (homes, others)
}

impl<'a> Planned<'a> {
    fn new(target: Target, path: &str, base: &str, identity: &'a Identity) -> Self {
        Self {
            target,
            path: path.to_owned(),
            url: format!("{base}{path}"),
            identity,
            accept: None,
            kind: ReadKind::Json,
            fresh_connection: false,
            behind_home: false,
            follows: true,
            timeout: None,
        }
    }

    /// A query that nobody has asked before: no cache can have an answer to it.
    fn past_caches(self, token: &str) -> Self {
        Self { url: format!("{}?{token}", self.url), ..self }
    }

    /// The path that the site must not have asked us to leave alone. robots.txt is open to
    /// everybody; under other names than our own it is asked for only where the home page may be.
    pub(super) fn leave_for(&self, base: &str) -> &str {
        if self.target == Target::RobotsAs {
            return "/";
        }
        self.url.strip_prefix(base).unwrap_or("/")
    }

    pub(super) fn request(&self, follow: Follow) -> Request {
        let mut headers = self.identity.headers();
        if let Some(wanted) = self.accept {
            for (_, value) in headers.iter_mut().filter(|(name, _)| name == "accept") {
                wanted.clone_into(value);
            }
        }
        Request {
            url: self.url.clone(),
            identity: self.identity.id.clone(),
            headers,
            kind: self.kind,
            timeout: self.timeout,
            fresh_connection: self.fresh_connection,
            follow: if self.follows { follow } else { Follow::Nothing },
        }
    }

    pub(super) fn reading(&self, id: String, exchange: Exchange) -> Reading {
        Reading {
            id,
            target: self.target.clone(),
            path: self.path.clone(),
            identity: self.identity.id.clone(),
            exchange,
        }
    }

    pub(super) fn not_read(&self, why: NotReadWhy) -> NotRead {
        NotRead {
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

    fn planned(catalogue: &Catalogue) -> Vec<Planned<'_>> {
        let sitemaps = ["https://cdn.shop.example/a.xml".to_owned()];
        let site = Site {
            depth: Depth::Full,
            base: "https://shop.example",
            host: "shop.example",
            token: "k7q2m9",
            sitemaps: &sitemaps,
            licences: &[],
        };
        rest(catalogue, catalogue.the(Role::Own).unwrap(), site)
    }

    fn robots(text: &str) -> Vec<Robots> {
        vec![Robots::parse(text.as_bytes())]
    }

    #[test]
    fn a_read_past_caches_is_recorded_under_the_bare_path() {
        let catalogue = Catalogue::built_in().unwrap();
        let plan = planned(&catalogue);
        let fresh: Vec<(&str, &str, &str)> = plan
            .iter()
            .filter(|planned| planned.target == Target::Fresh)
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
    fn markdown_is_asked_for_with_one_field_changed() {
        let catalogue = Catalogue::built_in().unwrap();
        let plan = planned(&catalogue);
        let markdown = plan.iter().find(|planned| planned.target == Target::Markdown).unwrap();
        let own = catalogue.the(Role::Own).unwrap().headers();
        let sent = markdown.request(Follow::All).headers;
        assert_eq!(sent.len(), own.len());
        for (asked, usual) in sent.iter().zip(&own) {
            match usual.0.as_str() {
                "accept" => assert_eq!(asked.1, "text/markdown"),
                _ => assert_eq!(asked, usual),
            }
        }
    }

    #[test]
    fn plain_http_is_asked_for_only_beside_https() {
        let catalogue = Catalogue::built_in().unwrap();
        let own = catalogue.the(Role::Own).unwrap();
        let count = |base| {
            let site = Site {
                depth: Depth::Full,
                base,
                host: "shop.example",
                token: "t",
                sitemaps: &[],
                licences: &[],
            };
            let plan = rest(&catalogue, own, site);
            plan.iter().filter(|planned| planned.target == Target::PlainHome).count()
        };
        assert_eq!((count("https://shop.example"), count("http://shop.example")), (1, 0));
    }

    #[test]
    fn every_read_is_in_one_run_and_the_token_decides_the_order() {
        let catalogue = Catalogue::built_in().unwrap();
        let plan = planned(&catalogue);
        let (homes, others) = runs(&plan, "abc");
        let all = homes.iter().chain(&others).flat_map(|run| [Some(run.first), run.behind]);
        let mut all: Vec<usize> = all.flatten().collect();
        all.sort_unstable();
        assert_eq!(all, (0..plan.len()).collect::<Vec<_>>());
        let planned = plan.iter().filter(|planned| planned.target == Target::Home);
        assert_eq!(homes.len(), planned.count());
        for run in &homes {
            let home = &plan[run.first];
            assert_eq!(home.target, Target::Home);
            assert_eq!(home.identity.id, plan[run.behind.unwrap()].identity.id);
        }
        assert!(others.iter().all(|run| run.behind.is_none()));
        assert_eq!((homes.clone(), others.clone()), runs(&plan, "abc"));
        let second = runs(&plan, "abd");
        assert!(homes != second.0 && others != second.1);
    }

    #[test]
    fn a_live_reading_asks_as_one_of_each_purpose_and_for_the_files_every_answer_names() {
        let catalogue = Catalogue::built_in().unwrap();
        let own = catalogue.the(Role::Own).unwrap();
        let plan = live(&catalogue, own, "https://shop.example", "t");
        let homes: Vec<Role> =
            plan.iter().filter(|p| p.target == Target::Home).map(|p| p.identity.role).collect();
        let expected = [
            Role::Browser,
            Role::Control,
            Role::Train,
            Role::Search,
            Role::User,
            // Twice, so that a page that differs from itself is known.
            Role::Browser,
        ];
        assert_eq!(homes, expected);
        let files = plan.iter().filter(|p| p.target == Target::MachineFile);
        assert_eq!(files.count(), LIVE_FILES.len());
        assert_eq!(plan.iter().filter(|p| p.target == Target::ControlPath).count(), 2);
        assert_eq!(plan.len(), 6 + 7 + 2);
    }

    #[test]
    fn sitemaps_are_whole_addresses_of_the_same_owner_and_few() {
        let named = robots(
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
        assert_eq!(sitemaps(&named, "shop.example"), expected);
        let long = format!("Sitemap: https://shop.example/{}\n", "a".repeat(LONGEST_URL));
        assert_eq!(sitemaps(&robots(&long), "shop.example"), [""; 0]);
        // Two customers of one host are not one owner.
        let neighbour = robots("Sitemap: https://other.github.io/a.xml\n");
        assert_eq!(sitemaps(&neighbour, "mine.github.io"), [""; 0]);
    }

    #[test]
    fn nothing_hostile_in_a_sitemap_line_ends_in_a_panic_or_in_a_crowd() {
        let many: String =
            (0..5000).map(|n| format!("Sitemap: https://x{n}.shop.example/{n}\n")).collect();
        assert_eq!(sitemaps(&robots(&many), "shop.example").len(), MOST_SITEMAPS);
        let odd = "Sitemap: https://\nSitemap: https://[::1\nSitemap: \u{0}\nSitemap: data:,x\n";
        assert_eq!(sitemaps(&robots(odd), "shop.example"), [""; 0]);
    }
}
