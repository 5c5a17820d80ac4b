//! Details of machine files: where unknown paths lead, files with one error, the size limit of
//! robots.txt, and sitemaps with children.

use serde_json::json;

use super::base::{SERVED, plain_site, site_with_pages, with_robots};
use crate::{
    content::{
        self, BAKERY, BOOKSHOP, CLINIC, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA, json_reply,
    },
    http::reply::{Reply, SiteRequest},
    site::{ExpectedRecord, LabSite, MAY_READ},
};

/// Nothing exists besides robots.txt, wherever unknown paths lead.
const ABSENT: ExpectedRecord = ExpectedRecord {
    no_finding: &["invalid"],
    files: &[("/.well-known/ucp", "absent"), ("/llms.txt", "absent"), ("/robots.txt", "ok")],
    read: MAY_READ,
    ..SERVED
};

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "unknown-to-language.lab",
        behaviour: "unknown_to_language",
        does: "Redirects unknown paths below /en/, where they are not found.",
        says: "Unknown paths are not found after a redirect. No machine file exists besides \
               robots.txt.",
        expect: ABSENT,
        text: &FERRY,
        ..site_with_pages(|request| {
            unknown_to(request, |path| (!path.starts_with("/en/")).then(|| format!("/en{path}")))
        })
    },
    LabSite {
        name: "unknown-to-slash.lab",
        behaviour: "unknown_to_slash",
        does: "Redirects unknown paths to the same path with a slash at the end, where they are \
               not found.",
        says: "Unknown paths are not found after a redirect. No machine file exists besides \
               robots.txt.",
        expect: ABSENT,
        text: &MUSEUM,
        ..site_with_pages(|request| {
            unknown_to(request, |path| (!path.ends_with('/')).then(|| format!("{path}/")))
        })
    },
    LabSite {
        name: "unknown-to-home.lab",
        behaviour: "unknown_to_home",
        does: "Redirects every unknown path to its home page.",
        says: "Unknown paths lead to the home page. No machine file exists besides robots.txt.",
        expect: ABSENT,
        text: &HOTEL,
        ..site_with_pages(|request| unknown_to(request, |_| Some("/".to_owned())))
    },
    LabSite {
        name: "unknown-to-error-page.lab",
        behaviour: "unknown_to_error_page",
        does: "Redirects every unknown path to a page that says that it was not found, with 404.",
        says: "Unknown paths are not found after a redirect. No machine file exists besides \
               robots.txt.",
        expect: ABSENT,
        text: &BOOKSHOP,
        ..site_with_pages(|request| {
            unknown_to(request, |path| (path != "/not-found").then(|| "/not-found".to_owned()))
        })
    },
    LabSite {
        name: "robots-cut-line.lab",
        behaviour: "robots_cut_line",
        does: "Serves a robots.txt of more than 500 KiB. The limit falls into a line, so that its \
               first part would disallow everything.",
        says: "robots.txt was read up to the size limit. The part that was read disallows nothing.",
        expect: ExpectedRecord { robots: Some("blocks_some"), read: MAY_READ, ..SERVED },
        text: &GARDEN,
        ..site_with_pages(|request| with_robots(request, &robots_cut_line()))
    },
    LabSite {
        name: "oauth-no-token.lab",
        behaviour: "oauth_no_token",
        does: "Publishes OAuth metadata without the address that issues tokens.",
        says: "The OAuth metadata lacks token_endpoint, and the record says so.",
        expect: ExpectedRecord {
            finding: &["invalid"],
            files: &[("/.well-known/oauth-authorization-server", "faulty")],
            ..SERVED
        },
        text: &CLINIC,
        ..site_with_pages(|request| match request.path {
            "/.well-known/oauth-authorization-server" => {
                let at = |path: &str| format!("https://{}{path}", request.site_name);
                let value = json!({
                    "issuer": format!("https://{}", request.site_name),
                    "authorization_endpoint": at("/oauth/authorize"),
                    "response_types_supported": ["code"],
                    "grant_types_supported": ["authorization_code"],
                    "code_challenge_methods_supported": ["S256"]
                });
                json_reply("application/json", &value)
            }
            _ => plain_site(request),
        })
    },
    LabSite {
        name: "card-relative.lab",
        behaviour: "card_relative",
        does: "Publishes an A2A agent card whose only address is relative.",
        says: "The agent card gives no address that an agent can call, and the record says so.",
        expect: ExpectedRecord {
            machine_files_present: Some(2),
            finding: &["invalid"],
            files: &[("/.well-known/agent-card.json", "faulty")],
            ..SERVED
        },
        text: &BAKERY,
        ..site_with_pages(|request| match request.path {
            "/.well-known/agent-card.json" => {
                let value = json!({
                    "protocolVersion": "0.3.0", "name": request.text.title,
                    "description": request.text.summary, "url": "/a2a", "version": "1.0.0",
                    "capabilities": {}, "defaultInputModes": ["text/plain"],
                    "defaultOutputModes": ["text/plain"],
                    "skills": [{ "id": "hours", "name": "Opening hours",
                                 "description": "When we are open.", "tags": ["hours"] }]
                });
                json_reply("application/json", &value)
            }
            _ => plain_site(request),
        })
    },
    LabSite {
        name: "sitemap-children.lab",
        behaviour: "sitemap_children",
        does: "Has a sitemap index with two sitemaps, which give the dates of their pages.",
        says: "The sitemap index and its two sitemaps are valid.",
        expect: ExpectedRecord {
            machine_files_present: Some(2),
            no_finding: &["no_sitemap", "invalid"],
            files: &[("/sitemap.xml", "ok")],
            ..SERVED
        },
        text: &ORCHESTRA,
        ..site_with_pages(sitemap_children)
    },
];

/// Redirects paths without a page, if `target` names a place for them.
fn unknown_to(request: &SiteRequest<'_>, target: fn(&str) -> Option<String>) -> Reply {
    match plain_site(request) {
        reply if reply.status == 404 => match target(request.path) {
            Some(target) => Reply::redirect(302, target),
            None => content::not_found(request),
        },
        reply => reply,
    }
}

/// At 500 KiB the last line reads `Disallow: /`; its end follows.
fn robots_cut_line() -> String {
    const LIMIT: usize = 500 * 1024;
    const GROUP: &str = "User-agent: *\n";
    const CUT: &str = "Disallow: /";
    let comment = format!("# {}\n", "-".repeat(97));
    let space = LIMIT - GROUP.len() - CUT.len();
    let mut padding = comment.repeat(space / comment.len());
    // The rest of the space is one shorter comment.
    let rest = space - padding.len();
    padding.push_str(&"#".repeat(rest.saturating_sub(1)));
    padding.push_str(if rest > 0 { "\n" } else { "" });
    format!("{GROUP}{padding}{CUT}archive/1998/\n")
}

fn sitemap_children(request: &SiteRequest<'_>) -> Reply {
    let host = request.site_name;
    let list = |root: &str, item: &str, paths: &[&str]| {
        let items: String = paths
            .iter()
            .map(|path| {
                format!(
                    "<{item}><loc>https://{host}{path}</loc><lastmod>2026-10-02</lastmod></{item}>\n"
                )
            })
            .collect();
        let body = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <{root} xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{items}</{root}>\n"
        );
        Reply::new(200, "application/xml", body)
    };
    match request.path {
        "/sitemap.xml" => {
            list("sitemapindex", "sitemap", &["/sitemap-pages.xml", "/sitemap-events.xml"])
        }
        "/sitemap-pages.xml" => list("urlset", "url", &["/", "/visit"]),
        "/sitemap-events.xml" => list("urlset", "url", &["/visit"]),
        "/robots.txt" => Reply::text(
            200,
            format!("User-agent: *\nAllow: /\n\nSitemap: https://{host}/sitemap.xml\n"),
        ),
        _ => plain_site(request),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_falls_behind_the_slash() {
        let robots = robots_cut_line();
        assert!(robots.get(..500 * 1024).unwrap().ends_with("\nDisallow: /"));
        assert!(robots.ends_with("\nDisallow: /archive/1998/\n"));
    }
}
