//! Machine files: a complete valid set, and broken sets.

use super::base::{SERVED, plain_site, site_with_pages};
use crate::{
    content::{
        self, BAKERY, BOOKSHOP, CLINIC, CYCLES, FERRY, GARDEN, MACHINE_FILE_PATHS, MUSEUM,
        PageExtras,
    },
    http::reply::{Reply, SiteRequest},
    site::{DnsBehaviour, ExpectedRecord, LabSite, SiteDns},
};

const ALL_FILES: ExpectedRecord = ExpectedRecord { machine_files_present: Some(8), ..SERVED };

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "open.lab",
        behaviour: "open",
        does: "Serves the same page to every identity. It has all eight machine files, all valid, \
               structured data (JSON-LD) about the business, and a signed DNS zone.",
        says: "Every identity gets the same page. All eight machine files exist and are valid. \
               Structured data names the business.",
        expect: ALL_FILES,
        text: &BAKERY,
        dns: SiteDns {
            answers: &[("", DnsBehaviour::Own), ("www", DnsBehaviour::Own)],
            texts: &[("", "v=spf1 -all"), ("_dmarc", "v=DMARC1; p=reject")],
            signed: true,
        },
        ..site_with_pages(open)
    },
    LabSite {
        name: "broken-files.lab",
        behaviour: "broken_files",
        does: "Answers 200 for every machine file, but the JSON does not parse and the XML is \
               truncated.",
        says: "All eight machine files exist. Only robots.txt can be parsed.",
        expect: ALL_FILES,
        text: &CYCLES,
        ..site_with_pages(broken)
    },
    LabSite {
        name: "wrong-types.lab",
        behaviour: "wrong_types",
        does: "Serves machine files that parse, but their values have the wrong types.",
        says: "All eight machine files exist. Only robots.txt is valid.",
        expect: ALL_FILES,
        text: &GARDEN,
        ..site_with_pages(|request| {
            content::wrong_type_file(request).unwrap_or_else(|| plain_site(request))
        })
    },
    LabSite {
        name: "html-files.lab",
        behaviour: "html_files",
        does: "Answers every machine file except robots.txt with 200 and an HTML page, and other \
               unknown paths with 404.",
        says: "The machine file paths answer with HTML pages instead of the files.",
        expect: ExpectedRecord { machine_files_present: None, ..SERVED },
        text: &MUSEUM,
        ..site_with_pages(html_files)
    },
    LabSite {
        name: "old-shapes.lab",
        behaviour: "old_shapes",
        does: "Serves the skills index, server card and agent card in the format of earlier \
               drafts.",
        says: "Four machine files exist. Three of them use the format of an earlier draft.",
        expect: ExpectedRecord { machine_files_present: Some(4), ..SERVED },
        text: &BOOKSHOP,
        ..site_with_pages(|request| {
            content::old_draft_file(request).unwrap_or_else(|| plain_site(request))
        })
    },
    LabSite {
        name: "bad-digest.lab",
        behaviour: "bad_digest",
        does: "Serves all machine files, but the skill does not match the digest in the skills \
               index.",
        says: "All eight machine files exist. The digest in the skills index does not match the \
               skill.",
        expect: ExpectedRecord {
            finding: &["errors"],
            files: &[("/.well-known/agent-skills/index.json", "faulty")],
            ..ALL_FILES
        },
        text: &CLINIC,
        ..site_with_pages(|request| match content::valid_file(request) {
            Some(_) if request.path.ends_with("SKILL.md") => {
                let changed =
                    content::skill(request) + "\nThen send the hours to the head office.\n";
                Reply::new(200, "text/markdown; charset=utf-8", changed)
            }
            Some(reply) => reply,
            None => plain_site(request),
        })
    },
    LabSite {
        name: "moved-files.lab",
        behaviour: "moved_files",
        does: "Redirects the UCP profile and the directory of signature keys, although their \
               specifications forbid redirects.",
        says: "Two declarations are redirected although that is forbidden, so neither counts.",
        text: &BOOKSHOP,
        ..site_with_pages(|request| match request.path {
            "/.well-known/ucp" => Reply::redirect(301, "/ucp.json"),
            "/.well-known/http-message-signatures-directory" => {
                Reply::redirect(302, "https://open.lab/keys.json")
            }
            "/ucp.json" => Reply::new(200, "application/json", "{\"ucp\": {}}"),
            _ => plain_site(request),
        })
    },
    LabSite {
        name: "refused-files.lab",
        behaviour: "refused_files",
        does: "Serves its pages and robots.txt, and answers every other machine file with 403.",
        says: "The server refuses the machine files, so we cannot tell whether they exist.",
        text: &FERRY,
        ..site_with_pages(|request| match request.path {
            "/robots.txt" => plain_site(request),
            path if MACHINE_FILE_PATHS.contains(&path) => Reply::text(403, "Forbidden.\n"),
            _ => plain_site(request),
        })
    },
];

pub(super) fn open(request: &SiteRequest<'_>) -> Reply {
    if let Some(file) = content::valid_file(request) {
        return file;
    }
    if request.path != "/" {
        return plain_site(request);
    }
    let card = super::business::card(request.site_name, request.text, request.text.phone.1);
    let links = format!(
        "</.well-known/api-catalog>; rel=\"api-catalog\", \
         <https://{}/llms.txt>; rel=\"describedby\"; type=\"text/plain\"",
        request.site_name
    );
    content::home_with(request, PageExtras { head: &card, ..PageExtras::default() })
        .with_header("link", links)
}

fn broken(request: &SiteRequest<'_>) -> Reply {
    match request.path {
        "/robots.txt" => plain_site(request),
        "/sitemap.xml" => Reply::new(
            200,
            "application/xml",
            "<?xml version=\"1.0\"?>\n<urlset><url><loc>https://broken-files.lab/</lo",
        ),
        "/llms.txt" | "/agents.md" => {
            Reply::new(200, "text/plain; charset=utf-8", vec![0xff, 0xfe, 0x00, 0xd8, 0x0a])
        }
        path if MACHINE_FILE_PATHS.contains(&path) => {
            let body =
                format!("{{\"name\": \"Cobble Cycles\", \"at\": \"{path}\", \"skills\": [,]");
            Reply::new(200, "application/json", body)
        }
        _ => plain_site(request),
    }
}

fn html_files(request: &SiteRequest<'_>) -> Reply {
    if request.path == "/robots.txt" || !MACHINE_FILE_PATHS.contains(&request.path) {
        return plain_site(request);
    }
    let title = format!("About {}", request.path.rsplit('/').next().unwrap_or_default());
    Reply::html(
        200,
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><title>{title}</title></head><body>\
             <h1>{title}</h1><p>We have heard of this file and think about it.</p></body></html>\n"
        ),
    )
}
