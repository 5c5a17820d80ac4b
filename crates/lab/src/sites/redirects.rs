//! Redirects: harmless ones, and targets that must not be followed.

use super::base::{
    SERVED, TRAP_PORT_SITE, expect_home_failure, plain_site, redirect_to_https, site_with_pages,
};
use crate::{
    content::{
        self, BAKERY, BOOKSHOP, CLINIC, CYCLES, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA, SCHOOL,
    },
    http::reply::{Reply, Scheme, SiteRequest},
    site::{ExpectedRecord, LabSite, NOT_ALLOW, PortBehaviour},
};

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "redirect-chain.lab",
        behaviour: "redirect_chain",
        does: "Redirects to its home page in three steps with different status codes.",
        says: "Every identity gets the page after three redirects.",
        text: &FERRY,
        ..site_with_pages(|request| match request.path {
            "/" => Reply::redirect(301, "/one"),
            "/one" => Reply::redirect(302, "https://redirect-chain.lab/two"),
            "/two" => Reply::redirect(307, "//www.redirect-chain.lab/home?from=two"),
            "/home" => content::home(request),
            _ => plain_site(request),
        })
    },
    LabSite {
        name: "redirect-twelve.lab",
        behaviour: "redirect_twelve",
        does: "Redirects twelve times before its home page.",
        says: "The home page was not reached: too many redirects.",
        expect: expect_home_failure("protocol", &["too_many_redirects"]),
        text: &CLINIC,
        ..site_with_pages(twelve)
    },
    LabSite {
        name: "redirect-loop.lab",
        behaviour: "redirect_loop",
        does: "Redirects in a loop of three steps.",
        says: "The home page was not reached: the redirects form a loop.",
        expect: expect_home_failure("protocol", &["redirect_loop"]),
        text: &MUSEUM,
        ..site_with_pages(|request| match request.path {
            "/" => Reply::redirect(302, "/left"),
            "/left" => Reply::redirect(302, "/right"),
            "/right" => Reply::redirect(302, "/"),
            _ => plain_site(request),
        })
    },
    LabSite {
        name: "to-www.lab",
        behaviour: "to_www",
        does: "Redirects from http to https, and from there to its www name.",
        says: "Every identity gets the page at the www name.",
        expect: ExpectedRecord {
            no_finding: &["invalid"],
            files: &[("/.well-known/ucp", "absent"), ("/llms.txt", "absent")],
            ..SERVED
        },
        text: &HOTEL,
        ..site_with_pages(|request| {
            if request.host.starts_with("www.") {
                plain_site(request)
            } else {
                Reply::redirect(301, format!("https://www.to-www.lab{}", request.path))
            }
        })
    },
    LabSite {
        name: "to-http.lab",
        behaviour: "to_http",
        does: "Redirects from https back to http, where it serves its page.",
        says: "Every identity gets the page, but over http without TLS.",
        expect: ExpectedRecord { read: NOT_ALLOW, ..SERVED },
        text: &SCHOOL,
        http: PortBehaviour::Pages(plain_site),
        ..site_with_pages(|request| match (request.scheme, request.path) {
            (Scheme::Https, "/") => Reply::redirect(302, "http://to-http.lab/"),
            _ => plain_site(request),
        })
    },
    LabSite {
        name: "to-another.lab",
        behaviour: "to_another",
        does: "Redirects its home page to another domain.",
        says: "The home page redirects to another domain, open.lab.",
        text: &BOOKSHOP,
        ..site_with_pages(|request| home_leads_to(request, "https://open.lab/"))
    },
    LabSite {
        name: "to-opted-out.lab",
        behaviour: "to_opted_out",
        does: "Redirects its home page to a domain whose robots.txt disallows our own reader.",
        says: "The home page redirects to a site that disallows our reader, so the redirect was \
               not followed.",
        expect: ExpectedRecord { home_status_browser: None, ai_refused: None, ..SERVED },
        text: &FERRY,
        ..site_with_pages(|request| home_leads_to(request, "https://robots-opt-out.lab/"))
    },
    LabSite {
        name: "to-trap-address.lab",
        behaviour: "to_trap_address",
        does: "Redirects to a private IP address.",
        says: "The redirect points to an IP address and was not followed.",
        expect: expect_home_failure("refused_by_policy", &["ip_address"]),
        text: &GARDEN,
        ..site_with_pages(|request| home_leads_to(request, "http://127.88.0.1/"))
    },
    LabSite {
        name: "to-trap-name.lab",
        behaviour: "to_trap_name",
        does: "Redirects to a name that has a private address.",
        says: "The redirect points to a name with a refused address and was not followed.",
        expect: expect_home_failure("refused_by_policy", &["loopback_address"]),
        text: &CYCLES,
        ..site_with_pages(|request| home_leads_to(request, "https://trap.lab/"))
    },
    LabSite {
        name: "to-metadata.lab",
        behaviour: "to_metadata",
        does: "Redirects to the cloud metadata address.",
        says: "The redirect points to an IP address and was not followed.",
        expect: expect_home_failure("refused_by_policy", &["ip_address"]),
        text: &ORCHESTRA,
        ..site_with_pages(|request| {
            home_leads_to(request, "http://169.254.169.254/latest/meta-data/")
        })
    },
    LabSite {
        name: "to-localhost.lab",
        behaviour: "to_localhost",
        does: "Redirects to localhost.",
        says: "The redirect points to a reserved name and was not followed.",
        expect: expect_home_failure("refused_by_policy", &["reserved_name"]),
        text: &BAKERY,
        ..site_with_pages(|request| home_leads_to(request, "http://localhost/"))
    },
    LabSite {
        name: "to-ipv6.lab",
        behaviour: "to_ipv6",
        does: "Redirects to the IPv6 form of 127.0.0.1.",
        says: "The redirect points to an IP address and was not followed.",
        expect: expect_home_failure("refused_by_policy", &["ip_address"]),
        text: &FERRY,
        ..site_with_pages(|request| home_leads_to(request, "http://[::ffff:127.0.0.1]/"))
    },
    LabSite {
        name: "to-integer.lab",
        behaviour: "to_integer",
        does: "Redirects to 127.0.0.1 written as a single number.",
        says: "The redirect points to an IP address and was not followed.",
        expect: expect_home_failure("refused_by_policy", &["ip_address"]),
        text: &CLINIC,
        ..site_with_pages(|request| home_leads_to(request, "http://2130706433/"))
    },
    LabSite {
        name: TRAP_PORT_SITE,
        behaviour: "to_port",
        does: "Redirects to its own name at a port other than 80 and 443.",
        says: "The redirect points to a port other than 80 and 443 and was not followed.",
        expect: expect_home_failure("refused_by_policy", &["port"]),
        text: &MUSEUM,
        ..site_with_pages(|request| {
            home_leads_to(
                request,
                &format!("http://{}:{}/", TRAP_PORT_SITE, request.ports.trap_only),
            )
        })
    },
    LabSite {
        name: "to-file.lab",
        behaviour: "to_file",
        does: "Redirects to a file: URL.",
        says: "The redirect points to a scheme other than http and https and was not followed.",
        expect: expect_home_failure("refused_by_policy", &["scheme"]),
        text: &HOTEL,
        ..site_with_pages(|request| home_leads_to(request, "file:///etc/passwd"))
    },
    LabSite {
        name: "to-userinfo.lab",
        behaviour: "to_userinfo",
        does: "Redirects to a URL with a user name and password before the host.",
        says: "The redirect contains a user name and was not followed.",
        expect: expect_home_failure("refused_by_policy", &["userinfo"]),
        text: &SCHOOL,
        ..site_with_pages(|request| home_leads_to(request, "https://open.lab:secret@trap.lab/"))
    },
    LabSite {
        name: "to-nowhere.lab",
        behaviour: "to_nowhere",
        does: "Answers 302 without a Location header.",
        says: "The home page answers with a redirect that has no target.",
        expect: crate::ExpectedRecord { home_status_browser: None, ai_refused: None, ..SERVED },
        text: &BOOKSHOP,
        ..site_with_pages(|request| {
            if request.path == "/" {
                Reply::text(302, "Somewhere else.\n")
            } else {
                plain_site(request)
            }
        })
    },
    LabSite {
        name: "to-far.lab",
        behaviour: "to_far",
        does: "Redirects to a URL of ten thousand characters.",
        says: "The redirect URL exceeds the length limit and was not followed.",
        expect: expect_home_failure("refused_by_policy", &["url_too_long"]),
        text: &GARDEN,
        ..site_with_pages(|request| {
            home_leads_to(request, &format!("https://to-far.lab/{}", "a".repeat(10_000)))
        })
    },
    LabSite {
        name: "http-to-trap.lab",
        behaviour: "http_to_trap",
        does: "Serves its page over https, and redirects http to a private address.",
        says: "Every identity gets the page over https.",
        text: &CYCLES,
        http: PortBehaviour::Pages(|request| {
            if request.path == "/" {
                Reply::redirect(301, "http://127.88.0.1/")
            } else {
                redirect_to_https(request)
            }
        }),
        ..site_with_pages(plain_site)
    },
];

fn home_leads_to(request: &SiteRequest<'_>, location: &str) -> Reply {
    if request.path == "/" { Reply::redirect(302, location) } else { plain_site(request) }
}

fn twelve(request: &SiteRequest<'_>) -> Reply {
    let step = match request.path {
        "/" => Some(0),
        path => path.strip_prefix("/step/").and_then(|number| number.parse::<u32>().ok()),
    };
    match step {
        Some(12..) => content::home(request),
        Some(step) => Reply::redirect(302, format!("/step/{}", step + 1)),
        None => plain_site(request),
    }
}
