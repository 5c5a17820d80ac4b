//! Redirects: where they end, and where they must not lead.

use super::{SERVED, pages, plain, stops, to_https};
use crate::{
    content::{
        self, BAKERY, BOOKSHOP, CLINIC, CYCLES, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA, SCHOOL,
    },
    http::{Ask, Reply, Scheme},
    site::{Expect, Site, Web},
};

pub(super) const SITES: &[Site] = &[
    Site {
        name: "redirect-chain.lab",
        behaviour: "redirect_chain",
        does: "Leads to its home page over three redirects of different kinds.",
        says: "Everybody is served after three redirects.",
        text: &FERRY,
        ..pages(|ask| match ask.path {
            "/" => Reply::redirect(301, "/one"),
            "/one" => Reply::redirect(302, "https://redirect-chain.lab/two"),
            "/two" => Reply::redirect(307, "//www.redirect-chain.lab/home?from=two"),
            "/home" => content::home(ask),
            _ => plain(ask),
        })
    },
    Site {
        name: "redirect-twelve.lab",
        behaviour: "redirect_twelve",
        does: "Would lead to its home page over twelve redirects.",
        says: "The home page was not reached: too many redirects.",
        expect: stops("protocol", &["too_many_redirects"]),
        text: &CLINIC,
        ..pages(twelve)
    },
    Site {
        name: "redirect-loop.lab",
        behaviour: "redirect_loop",
        does: "Leads in a circle of three redirects.",
        says: "The home page was not reached: the redirects lead in a circle.",
        expect: stops("protocol", &["redirect_loop"]),
        text: &MUSEUM,
        ..pages(|ask| match ask.path {
            "/" => Reply::redirect(302, "/left"),
            "/left" => Reply::redirect(302, "/right"),
            "/right" => Reply::redirect(302, "/"),
            _ => plain(ask),
        })
    },
    Site {
        name: "to-www.lab",
        behaviour: "to_www",
        does: "Leads from http to https and from there to its www name.",
        says: "Everybody is served at the www name.",
        text: &HOTEL,
        ..pages(|ask| {
            if ask.host.starts_with("www.") {
                plain(ask)
            } else {
                Reply::redirect(301, format!("https://www.to-www.lab{}", ask.path))
            }
        })
    },
    Site {
        name: "to-http.lab",
        behaviour: "to_http",
        does: "Leads from https back to http, where it serves its page.",
        says: "Everybody is served, without TLS at the end.",
        text: &SCHOOL,
        http: Web::Pages(plain),
        ..pages(|ask| match (ask.scheme, ask.path) {
            (Scheme::Https, "/") => Reply::redirect(302, "http://to-http.lab/"),
            _ => plain(ask),
        })
    },
    Site {
        name: "to-another.lab",
        behaviour: "to_another",
        does: "Leads from its home page to that of another domain.",
        says: "The home page is that of another domain, open.lab.",
        text: &BOOKSHOP,
        ..pages(|ask| home_leads_to(ask, "https://open.lab/"))
    },
    Site {
        name: "to-opted-out.lab",
        behaviour: "to_opted_out",
        does: "Leads from its home page to a domain whose robots.txt asks us to stay away.",
        says: "The home page leads to a site that asks us to stay away, and was not followed.",
        expect: Expect { home_status_browser: None, ai_refused: None, ..SERVED },
        text: &FERRY,
        ..pages(|ask| home_leads_to(ask, "https://robots-opt-out.lab/"))
    },
    Site {
        name: "to-trap-address.lab",
        behaviour: "to_trap_address",
        does: "Leads to a private address that is written as numbers.",
        says: "The redirect leads to an IP address and was not followed.",
        expect: stops("refused_by_policy", &["ip_address"]),
        text: &GARDEN,
        ..pages(|ask| home_leads_to(ask, "http://127.88.0.1/"))
    },
    Site {
        name: "to-trap-name.lab",
        behaviour: "to_trap_name",
        does: "Leads to a name whose address is private.",
        says: "The redirect leads to a name with a refused address and was not followed.",
        expect: stops("refused_by_policy", &["loopback_address"]),
        text: &CYCLES,
        ..pages(|ask| home_leads_to(ask, "https://trap.lab/"))
    },
    Site {
        name: "to-metadata.lab",
        behaviour: "to_metadata",
        does: "Leads to the metadata address of cloud machines.",
        says: "The redirect leads to an IP address and was not followed.",
        expect: stops("refused_by_policy", &["ip_address"]),
        text: &ORCHESTRA,
        ..pages(|ask| home_leads_to(ask, "http://169.254.169.254/latest/meta-data/"))
    },
    Site {
        name: "to-localhost.lab",
        behaviour: "to_localhost",
        does: "Leads to localhost.",
        says: "The redirect leads to a reserved name and was not followed.",
        expect: stops("refused_by_policy", &["reserved_name"]),
        text: &BAKERY,
        ..pages(|ask| home_leads_to(ask, "http://localhost/"))
    },
    Site {
        name: "to-ipv6.lab",
        behaviour: "to_ipv6",
        does: "Leads to the IPv6 form of 127.0.0.1.",
        says: "The redirect leads to an IP address and was not followed.",
        expect: stops("refused_by_policy", &["ip_address"]),
        text: &FERRY,
        ..pages(|ask| home_leads_to(ask, "http://[::ffff:127.0.0.1]/"))
    },
    Site {
        name: "to-integer.lab",
        behaviour: "to_integer",
        does: "Leads to 127.0.0.1 written as one number.",
        says: "The redirect leads to an IP address and was not followed.",
        expect: stops("refused_by_policy", &["ip_address"]),
        text: &CLINIC,
        ..pages(|ask| home_leads_to(ask, "http://2130706433/"))
    },
    Site {
        name: super::ODD_PORT_SITE,
        behaviour: "to_port",
        does: "Leads to its own name at a port that is not one of the web's.",
        says: "The redirect leads to an odd port and was not followed.",
        expect: stops("refused_by_policy", &["port"]),
        text: &MUSEUM,
        ..pages(|ask| {
            home_leads_to(ask, &format!("http://{}:{}/", super::ODD_PORT_SITE, ask.ports.odd))
        })
    },
    Site {
        name: "to-file.lab",
        behaviour: "to_file",
        does: "Leads to a file of the reader's own machine.",
        says: "The redirect leads to another scheme and was not followed.",
        expect: stops("refused_by_policy", &["scheme"]),
        text: &HOTEL,
        ..pages(|ask| home_leads_to(ask, "file:///etc/passwd"))
    },
    Site {
        name: "to-userinfo.lab",
        behaviour: "to_userinfo",
        does: "Leads to an address with a user name in front of the host.",
        says: "The redirect carries a user name and was not followed.",
        expect: stops("refused_by_policy", &["userinfo"]),
        text: &SCHOOL,
        ..pages(|ask| home_leads_to(ask, "https://open.lab:secret@trap.lab/"))
    },
    Site {
        name: "to-nowhere.lab",
        behaviour: "to_nowhere",
        does: "Answers 302 without saying where to go.",
        says: "The home page answers with a redirect that leads nowhere.",
        expect: crate::Expect { home_status_browser: None, ai_refused: None, ..SERVED },
        text: &BOOKSHOP,
        ..pages(
            |ask| {
                if ask.path == "/" { Reply::text(302, "Somewhere else.\n") } else { plain(ask) }
            },
        )
    },
    Site {
        name: "to-far.lab",
        behaviour: "to_far",
        does: "Leads to an address of ten thousand letters.",
        says: "The redirect is longer than is read and was not followed.",
        expect: stops("refused_by_policy", &["url_too_long"]),
        text: &GARDEN,
        ..pages(|ask| home_leads_to(ask, &format!("https://to-far.lab/{}", "a".repeat(10_000))))
    },
    Site {
        name: "http-to-trap.lab",
        behaviour: "http_to_trap",
        does: "Serves its page by https, and leads http readers to a private address.",
        says: "Everybody is served by https.",
        text: &CYCLES,
        http: Web::Pages(|ask| {
            if ask.path == "/" { Reply::redirect(301, "http://127.88.0.1/") } else { to_https(ask) }
        }),
        ..pages(plain)
    },
];

fn home_leads_to(ask: &Ask<'_>, location: &str) -> Reply {
    if ask.path == "/" { Reply::redirect(302, location) } else { plain(ask) }
}

fn twelve(ask: &Ask<'_>) -> Reply {
    let step = match ask.path {
        "/" => Some(0),
        path => path.strip_prefix("/step/").and_then(|number| number.parse::<u32>().ok()),
    };
    match step {
        Some(12..) => content::home(ask),
        Some(step) => Reply::redirect(302, format!("/step/{}", step + 1)),
        None => plain(ask),
    }
}
