//! Answers requests from the sections of a case file.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicU64, Ordering},
};

use bytes::Bytes;

use super::{
    section::{Draw, Section},
    who::Who,
};
use crate::{
    chance::{self, Chance},
    content,
    http::reply::{Reply, ReplyBody, SiteRequest},
};

const DEFAULT_ROBOTS: &str = "User-agent: *\nAllow: /\n";
/// Repeated bodies are sent in parts of about this size.
const REPEAT_PART: usize = 64 * 1024;

/// The sections of one case file, as they are served.
#[derive(Debug)]
pub(crate) struct ServedCase {
    sections: Vec<Section>,
    /// By the line of the first section of a group: how often the group was served in turn. Every
    /// request of it takes the next number.
    turns: HashMap<usize, AtomicU64>,
}

impl ServedCase {
    pub(super) fn new(sections: Vec<Section>) -> Self {
        let turns = sections.iter().map(|section| (section.line, AtomicU64::new(0))).collect();
        Self { sections, turns }
    }

    /// Whether a section leads to the site's own name without TLS. Such a site serves its pages on
    /// the http port as well.
    pub(super) fn uses_plain_http(&self) -> bool {
        let headers = self.sections.iter().flat_map(|section| &section.headers);
        headers.into_iter().any(|(_, value)| value.is_url_at_host("http://"))
    }

    pub(crate) fn reply(&self, request: &SiteRequest<'_>) -> Reply {
        let mut chance = Chance::new();
        match self.section_for(request, &mut chance) {
            Some(section) => reply_from(section, request, &mut chance),
            None if request.path == "/robots.txt" => Reply::text(200, DEFAULT_ROBOTS),
            None => content::not_found(request),
        }
    }

    fn section_for(&self, request: &SiteRequest<'_>, chance: &mut Chance) -> Option<&Section> {
        let who = Who::from_user_agent(request.user_agent);
        let mut group = self.group(who, request.path);
        if group.is_empty() && request.path != "/robots.txt" {
            group = self.group(who, "*");
        }
        let draw = group.iter().find_map(|section| section.draw).unwrap_or(Draw::Random);
        let total: u64 = group.iter().map(|section| section.weight).sum();
        let mut number = match draw {
            Draw::Turn => {
                let turns = self.turns.get(&group.first()?.line)?;
                turns.fetch_add(1, Ordering::SeqCst).checked_rem(total)?
            }
            Draw::Random => chance.below(total),
            Draw::ByAgent => chance::hash(request.user_agent).checked_rem(total)?,
        };
        group.into_iter().find(|section| {
            let here = number < section.weight;
            number = number.saturating_sub(section.weight);
            here
        })
    }

    /// The sections for the most specific set of identities that includes this one.
    fn group(&self, who: Who, path: &str) -> Vec<&Section> {
        let matching = || {
            self.sections.iter().filter(|section| section.path == path && section.who.includes(who))
        };
        // The first one wins where two sets are of the same size.
        let Some(best) = matching().min_by_key(|section| section.who.size()) else {
            return Vec::new();
        };
        matching().filter(|section| section.who == best.who).collect()
    }
}

fn reply_from(section: &Section, request: &SiteRequest<'_>, chance: &mut Chance) -> Reply {
    let host = request.site_name;
    let body = section.body.render(host, chance);
    let mut reply = Reply::new(section.status, &section.content_type, Bytes::new());
    if section.content_type.is_empty() {
        reply.headers.clear();
    }
    for (name, value) in &section.headers {
        reply = reply.with_header(name, value.render(host, chance));
    }
    reply.delay = section.delay;
    reply.with_body(match section.repeat {
        None => ReplyBody::Bytes(body.into()),
        Some(size) => repeated(&body, size),
    })
}

/// The body as often as it fits into the size, at least once.
fn repeated(body: &[u8], size: u64) -> ReplyBody {
    let length = u64::try_from(body.len()).unwrap_or(u64::MAX).max(1);
    let times = (size / length).max(1);
    let per_part = u64::try_from(REPEAT_PART / body.len().max(1)).unwrap_or(1).clamp(1, times);
    let copies = |count: u64| Bytes::from(body.repeat(usize::try_from(count).unwrap_or(1)));
    ReplyBody::Repeat {
        head: Bytes::new(),
        unit: copies(per_part),
        times: times / per_part,
        tail: copies(times % per_part),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{cases::parse, content::BAKERY, http::reply::Scheme, ports::Ports};

    const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    const CONTROL: &str = "Mozilla/5.0 (compatible)";
    const GPTBOT: &str = "GPTBot/1.3";
    const CCBOT: &str = "CCBot/2.0 (https://commoncrawl.org/faq/)";

    fn case(sections: &str) -> ServedCase {
        let text = format!("kind: a\nname: b\nwhy: c\nexpect: gate=none\n{sections}");
        ServedCase::new(parse::parse(&text, "seed").unwrap().sections)
    }

    fn ask(case: &ServedCase, user_agent: &str, path: &str) -> Reply {
        case.reply(&SiteRequest {
            site_name: "c001.lab",
            text: &BAKERY,
            ports: Ports { http: 1, https: 2, trap_only: 3 },
            scheme: Scheme::Https,
            method: "GET",
            body: &[],
            host: "c001.lab",
            path,
            query: None,
            user_agent,
            accept: "",
            headers: &[],
            earlier_requests: 0,
            has_moved: false,
            published: &[],
        })
    }

    fn body(reply: &Reply) -> String {
        match &reply.body {
            ReplyBody::Bytes(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
            ReplyBody::Repeat { head, unit, times, tail } => {
                let unit = String::from_utf8(unit.to_vec()).unwrap();
                let end = |bytes: &Bytes| String::from_utf8(bytes.to_vec()).unwrap();
                format!(
                    "{}{}{}",
                    end(head),
                    unit.repeat(usize::try_from(*times).unwrap()),
                    end(tail)
                )
            }
            ReplyBody::Drip { .. } | ReplyBody::Channel(_) => String::new(),
        }
    }

    #[test]
    fn the_most_specific_section_is_served() {
        let case = case(
            "--- all | 200 | text/html\nall\n--- ai | 200 | text/html\nai\n\
             --- gptbot | 200 | text/html\ngptbot\n--- control | 200 | text/html\ncontrol\n",
        );
        for (user_agent, expected) in
            [(BROWSER, "all"), (CONTROL, "control"), (GPTBOT, "gptbot"), (CCBOT, "ai")]
        {
            assert_eq!(body(&ask(&case, user_agent, "/")).trim(), expected);
        }
    }

    #[test]
    fn paths_without_a_section_are_absent_or_answered_by_the_star() {
        let plain = case("--- all | 200 | text/html\nhome\n");
        assert_eq!(ask(&plain, BROWSER, "/x").status, 404);
        assert_eq!(body(&ask(&plain, GPTBOT, "/robots.txt")), DEFAULT_ROBOTS);
        let star = case(
            "--- all | 200 | text/html\nhome\n--- all * | 302 | text/html | Location: /{{host}}\n\
             --- - /robots.txt | 404 | text/html\n",
        );
        let reply = ask(&star, BROWSER, "/.well-known/ucp");
        assert_eq!(reply.status, 302);
        assert!(reply.headers.contains(&("location", b"/c001.lab".to_vec())));
        assert_eq!(ask(&star, BROWSER, "/robots.txt").status, 404);
        assert_eq!(body(&ask(&star, BROWSER, "/")).trim(), "home");
    }

    #[test]
    fn several_sections_are_drawn_served_in_turn_or_chosen_by_the_user_agent() {
        let drawn = case(
            "--- all | 200 | text/html | weight=9\na\n--- all | 200 | text/html | weight=1\nb\n",
        );
        let a = (0..2000).filter(|_| body(&ask(&drawn, BROWSER, "/")) == "a\n").count();
        assert!((1700..1900).contains(&a), "{a}");
        let turn =
            case("--- all | 200 | text/html | turn\na\n--- all | 200 | text/html | turn\nb\n");
        let served: String = (0..4).map(|_| body(&ask(&turn, BROWSER, "/"))).collect();
        assert_eq!(served, "a\nb\na\nb\n");
        let fixed = case(
            "--- all | 200 | text/html | by-agent\na\n--- all | 200 | text/html | by-agent\nb\n",
        );
        let mut kinds = BTreeSet::new();
        for number in 0..40 {
            let user_agent = format!("client/{number}");
            let first = body(&ask(&fixed, &user_agent, "/"));
            assert_eq!(first, body(&ask(&fixed, &user_agent, "/")));
            kinds.insert(first);
        }
        assert_eq!(kinds.len(), 2);
    }

    #[test]
    fn bodies_are_repeated_up_to_the_size_and_answers_can_wait() {
        let case = case(
            "--- all | 200 | text/html | repeat=1000000 | delay=2s\n0123456\n\
             --- ai | 204 | -\n",
        );
        let reply = ask(&case, BROWSER, "/");
        assert_eq!(body(&reply).len(), 1_000_000);
        assert_eq!(reply.delay.as_secs(), 2);
        let none = ask(&case, GPTBOT, "/");
        assert_eq!((none.status, none.headers.len(), body(&none).len()), (204, 0, 0));
    }

    #[test]
    fn plain_http_is_served_where_a_section_leads_there() {
        let plain = "--- all | 301 | text/html | Location: http://{{host}}/home\nx\n";
        assert!(case(plain).uses_plain_http());
        assert!(!case(&plain.replace("http:", "https:")).uses_plain_http());
    }
}
