//! How a host answers for paths that do not exist, and which responses to machine files are only that.
//!
//! Many hosts redirect every path they do not know: to another host name, below a language prefix, to
//! the address with a slash, to the home page or to an error page. Such a response says nothing about
//! the file that was asked for.

use contract::evidence::{ReadTarget, Reading, Response};
use declared::sniff;
use url::Url;

use super::parsed_evidence::{ParsedEvidence, is_success};

/// From this many different files with the same bytes, the bytes are those of a page for missing paths.
const SAME_BODY_FILES: usize = 3;
/// Longer bodies are compared by their digest only.
const MAX_BODY_BYTES: usize = 64 * 1024;
/// Longer addresses are not compared.
const MAX_URL_BYTES: usize = 4_096;
/// Stands for the requested path in the target of a redirect.
const PATH_MARK: &str = "{path}";

/// How the host answered for missing paths and for the home page.
pub(super) struct MissingPaths<'a> {
    /// Success responses to paths that cannot exist.
    successes: Vec<MissingSuccess<'a>>,
    /// Where redirects of paths that cannot exist lead, with [`PATH_MARK`] for the path.
    redirects: Vec<String>,
    /// The addresses at which those redirects ended.
    ends: Vec<String>,
    home_urls: Vec<String>,
    home_bodies: Vec<&'a str>,
    /// Digests of bodies that several different files were answered with.
    shared_bodies: Vec<&'a str>,
}

/// A success response to a path that cannot exist.
struct MissingSuccess<'a> {
    path: &'a str,
    response: &'a Response,
    body: &'a [u8],
}

/// Why a response is not the file that was asked for.
pub(super) struct NotTheFile {
    /// Whether the host gave a success status, as it does for missing paths.
    pub(super) soft_404: bool,
    pub(super) why: String,
}

impl<'a> MissingPaths<'a> {
    pub(super) fn from_evidence(parsed: &ParsedEvidence<'a>) -> Self {
        let controls: Vec<(&Reading, &Response)> = parsed
            .readings(ReadTarget::ControlPath)
            .filter_map(|reading| Some((reading, reading.exchange.response()?)))
            // A challenge does not show whether the path exists.
            .filter(|(_, response)| !parsed.is_certain_wall(response))
            .collect();
        let redirected = controls.iter().filter(|(reading, _)| first_location(reading).is_some());
        let homes: Vec<&Response> = parsed
            .readings(ReadTarget::Home)
            .filter_map(|reading| reading.exchange.response())
            .filter(|response| is_success(response))
            .collect();
        Self {
            successes: controls
                .iter()
                .filter(|(_, response)| is_success(response))
                .map(|(reading, response)| MissingSuccess {
                    path: reading.path.as_str(),
                    response,
                    body: parsed.body(response).unwrap_or_default(),
                })
                .collect(),
            redirects: redirected.clone().filter_map(|(r, _)| redirect_pattern(r)).collect(),
            ends: redirected.map(|(_, response)| comparable_url(&response.url)).collect(),
            home_urls: homes.iter().map(|home| comparable_url(&home.url)).collect(),
            home_bodies: homes.iter().map(|home| home.body.sha256.as_str()).collect(),
            shared_bodies: shared_bodies(parsed),
        }
    }

    /// Whether the host answers with success for missing paths of the same shape: with or without an
    /// extension. Hosts often serve an app at paths without one and 404 at others.
    fn return_success_like(&self, path: &str) -> bool {
        self.successes.iter().any(|missing| has_extension(missing.path) == has_extension(path))
    }

    /// Whether a body is the one for missing paths, apart from the path in it.
    fn are_answered_alike(&self, path: &str, body: &[u8]) -> bool {
        self.successes.iter().any(|missing| {
            let with_mark = |body: &[u8], path: &str| {
                let text = std::str::from_utf8(body).ok().filter(|_| body.len() <= MAX_BODY_BYTES);
                text.map(|text| text.replace(path, PATH_MARK))
            };
            with_mark(missing.body, missing.path)
                .is_some_and(|text| !text.is_empty() && Some(text) == with_mark(body, path))
        })
    }

    /// Whether a redirect that was not followed is the one that missing paths get.
    pub(super) fn are_redirected_like(&self, reading: &Reading) -> bool {
        redirect_pattern(reading).is_some_and(|pattern| self.redirects.contains(&pattern))
    }

    /// Whether a success response is something else than the requested file, and why.
    pub(super) fn explain(
        &self,
        reading: &Reading,
        response: &Response,
        body: &[u8],
    ) -> Option<NotTheFile> {
        let digest = response.body.sha256.as_str();
        let soft = |why: &str| Some(NotTheFile { soft_404: true, why: why.to_owned() });
        let absent = |why: &str| Some(NotTheFile { soft_404: false, why: why.to_owned() });
        if self.successes.iter().any(|missing| missing.response.body.sha256 == digest) {
            return soft("The host serves the same bytes for a path that does not exist.");
        }
        if self.are_answered_alike(&reading.path, body) {
            return soft(
                "The host serves the same text for a path that does not exist, apart from the path in it.",
            );
        }
        let is_html = sniff::looks_like_html(body);
        if first_location(reading).is_some() {
            let end = comparable_url(&response.url);
            if self.ends.contains(&end) {
                return absent("The URL redirects to the same address as paths that do not exist.");
            }
            if self.home_urls.contains(&end) || self.home_bodies.contains(&digest) {
                return absent("The URL redirects to the home page.");
            }
            if is_html {
                return absent("The URL redirects to a web page instead of a file.");
            }
        }
        if self.home_bodies.contains(&digest) {
            return soft("The host serves its home page at this path.");
        }
        if is_html && self.return_success_like(&reading.path) {
            return soft(
                "The host served an HTML page, and it also serves HTML pages for paths that do not exist.",
            );
        }
        if self.shared_bodies.contains(&digest) {
            return soft("The host serves the same bytes at the paths of several different files.");
        }
        // Apps serve their shell at every address that does not look like a file.
        if is_html && !has_extension(&reading.path) && reading.target == ReadTarget::MachineFile {
            return soft(
                "The host served an HTML page at a path without a file extension, where apps serve their pages.",
            );
        }
        None
    }
}

fn has_extension(path: &str) -> bool {
    path.rsplit('/').next().unwrap_or_default().contains('.')
}

/// Bodies that at least [`SAME_BODY_FILES`] different machine files were answered with.
fn shared_bodies<'a>(parsed: &ParsedEvidence<'a>) -> Vec<&'a str> {
    let mut served: Vec<(&str, &str)> = parsed
        .readings(ReadTarget::MachineFile)
        .filter_map(|reading| Some((reading.path.as_str(), reading.exchange.response()?)))
        .filter(|(_, response)| is_success(response))
        .map(|(path, response)| (response.body.sha256.as_str(), path))
        .collect();
    served.sort_unstable();
    served.dedup();
    served
        .chunk_by(|one, other| one.0 == other.0)
        .filter(|files| files.len() >= SAME_BODY_FILES)
        .filter_map(|files| files.first().map(|(digest, _)| *digest))
        .collect()
}

/// The `Location` of the first response, if that was a redirect.
fn first_location(reading: &Reading) -> Option<&str> {
    let first = reading.exchange.hops.first()?;
    let is_redirect = first.status.is_some_and(|status| (300..400).contains(&status));
    first.location.as_deref().filter(|_| is_redirect)
}

/// The target of the first redirect with [`PATH_MARK`] for the requested path, so that redirects of two
/// paths can be compared.
fn redirect_pattern(reading: &Reading) -> Option<String> {
    let location = first_location(reading)?;
    if location.len() > MAX_URL_BYTES {
        return None;
    }
    let asked = Url::parse(&reading.exchange.hops.first()?.url).ok()?;
    let target = asked.join(location).ok()?;
    let path = asked.path();
    if path.len() < 2 {
        return Some(target.to_string());
    }
    let encoded = path.replace('/', "%2F");
    let pattern = target.as_str().replace(path, PATH_MARK);
    let pattern = pattern.replace(&encoded, PATH_MARK);
    Some(pattern.replace(&encoded.replace("%2F", "%2f"), PATH_MARK))
}

/// An address without query, fragment and final slash.
fn comparable_url(url: &str) -> String {
    let Ok(mut url) = Url::parse(url) else { return url.to_owned() };
    url.set_query(None);
    url.set_fragment(None);
    url.as_str().trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::tests::{EvidenceBuilder, PAGE};
    use contract::evidence::Hop;
    use contract::records::{Check, ScanRecord};

    const UCP: &str = "/.well-known/ucp";
    const DIRECTORY: &str = "/.well-known/http-message-signatures-directory";
    const PROFILE: &str = r#"{"ucp":{"version":"2026-04-08","services":{"dev.ucp.shopping":[{"version":"2026-04-08",
        "transport":"rest","endpoint":"https://ferry.lab/ucp"}]},"payment_handlers":{}}}"#;

    /// Where a path is redirected to.
    type Location = fn(&str) -> String;

    /// Gives the last reading a redirect in front of its response.
    fn redirected(mut site: EvidenceBuilder, location: &str, followed: bool) -> EvidenceBuilder {
        let reading = site.evidence.reads.last_mut().unwrap();
        let asked = reading.exchange.url.clone();
        let end = Url::parse(&asked).unwrap().join(location).unwrap().to_string();
        let hops = &mut reading.exchange.hops;
        hops[0].status = Some(301);
        hops[0].location = Some(location.to_owned());
        if followed {
            hops.push(Hop {
                url: end.clone(),
                status: Some(200),
                location: None,
                ..hops[0].clone()
            });
            if let contract::evidence::ExchangeOutcome::Response(response) =
                &mut reading.exchange.outcome
            {
                response.url = end;
            }
        }
        site
    }

    /// A site that redirects every unknown path by `location` and answers there with `status` and
    /// `body`; redirects of files are followed or not.
    fn site(
        location: impl Fn(&str) -> String,
        status: u16,
        body: &str,
        followed: bool,
    ) -> ScanRecord {
        let mut site = EvidenceBuilder::new().robots(404, "").browser_and_control();
        for path in ["/zzz.html", "/.well-known/zzz.json", "/zzz.txt"] {
            site = site.add_response(ReadTarget::ControlPath, path, "wayleave", status, body);
            site = redirected(site, &location(path), true);
        }
        for (n, path) in [UCP, DIRECTORY, "/llms.txt", "/sitemap.xml"].into_iter().enumerate() {
            // A page that is never the same twice.
            let body = format!("{body}{n}");
            site = if followed { site.file(path, status, &body) } else { site.file(path, 301, "") };
            site = redirected(site, &location(path), followed);
        }
        site.build_record()
    }

    fn check<'r>(record: &'r ScanRecord, path: &str) -> &'r Check {
        record.checks.iter().find(|check| check.path == path).unwrap()
    }

    #[test]
    fn redirects_of_unknown_paths_are_not_files() {
        let designs: [(&str, Location); 7] = [
            ("other host", |path| format!("https://www.ferry.lab{path}")),
            ("language", |path| format!("/en{path}")),
            ("slash", |path| format!("{path}/")),
            ("home", |_| "/".to_owned()),
            ("home of a language", |_| "https://www.ferry.lab/de/".to_owned()),
            ("error page", |_| "/404".to_owned()),
            ("search", |path| format!("/search?from={}", path.replace('/', "%2F"))),
        ];
        for (name, location) in designs {
            for (status, body) in [(404, "<!doctype html><h1>Nothing"), (200, PAGE)] {
                for followed in [true, false] {
                    let record = site(location, status, body, followed);
                    for path in [UCP, DIRECTORY, "/llms.txt", "/sitemap.xml"] {
                        let verdict = check(&record, path).verdict.as_str();
                        assert!(
                            matches!(verdict, "absent" | "soft_404"),
                            "{name} {status} {followed} {path}: {verdict}"
                        );
                    }
                    let about_files = record
                        .findings
                        .iter()
                        .filter(|f| f.id.starts_with("invalid:") || f.id.starts_with("errors:"));
                    assert_eq!(about_files.count(), 0, "{name} {:?}", record.findings);
                }
            }
        }
    }

    #[test]
    fn a_file_behind_a_redirect_is_there() {
        let start = || EvidenceBuilder::new().robots(404, "").control_path(404, "none");
        let served = start().file("/llms.txt", 200, "# Ferry\n\n> Times.\n");
        let record = redirected(served, "/docs/llms.txt", true).build_record();
        assert_eq!(check(&record, "/llms.txt").verdict.as_str(), "ok");
        // The protocol forbids readers to follow the redirect.
        let served = start().file(UCP, 200, PROFILE);
        let record =
            redirected(served, "https://www.ferry.lab/.well-known/ucp", true).build_record();
        let found = check(&record, UCP);
        assert_eq!(found.verdict.as_str(), "invalid", "{found:?}");
        assert!(found.faults.iter().any(|fault| fault.code == "redirected"));
        assert!(record.findings.iter().any(|finding| finding.id == format!("invalid:{UCP}")));
        // Something else behind the redirect is not the profile.
        for body in [PAGE, "Nothing here", "[]"] {
            let record = redirected(start().file(UCP, 200, body), "/shop", true).build_record();
            assert_eq!(check(&record, UCP).verdict.as_str(), "absent", "{body}");
        }
        // A redirect that was not followed shows nothing.
        let record = redirected(start().file(UCP, 302, ""), "/login", false).build_record();
        assert_eq!(check(&record, UCP).verdict.as_str(), "refused");
    }

    #[test]
    fn a_catch_all_for_paths_without_an_extension_is_recognised() {
        let answer = |path: &str| format!("{{\"status\":\"ok\",\"path\":\"{path}\"}}");
        let missing = "/.well-known/zzz";
        let record = EvidenceBuilder::new()
            .robots(404, "")
            .browser_and_control()
            .control_path(404, "none")
            .add_response(ReadTarget::ControlPath, missing, "wayleave", 200, &answer(missing))
            .file(UCP, 200, &answer(UCP))
            .file("/llms.txt", 200, PAGE.replace("<p>", "<p>Another page. ").as_str())
            .build_record();
        assert_eq!(check(&record, UCP).verdict.as_str(), "soft_404");
        // Paths with an extension are answered honestly, so a page at one is a mistake.
        assert_eq!(check(&record, "/llms.txt").verdict.as_str(), "invalid");
        assert!(record.findings.iter().any(|finding| finding.id == "soft_404"));
    }

    #[test]
    fn an_app_shell_at_paths_without_an_extension_is_not_a_file() {
        let record = EvidenceBuilder::new()
            .robots(404, "")
            .control_path(404, "none")
            .file("/.well-known/api-catalog", 200, PAGE)
            .file("/llms.txt", 200, PAGE)
            .build_record();
        assert_eq!(check(&record, "/.well-known/api-catalog").verdict.as_str(), "soft_404");
        assert_eq!(check(&record, "/llms.txt").verdict.as_str(), "invalid");
        let same = ["/.well-known/x402", "/.well-known/acp.json", "/.well-known/ucp"];
        let site = EvidenceBuilder::new().robots(404, "").control_path(404, "none");
        let site =
            same.into_iter().fold(site, |site, path| site.file(path, 200, "{\"error\":404}"));
        let record = site.build_record();
        for path in same {
            assert_eq!(check(&record, path).verdict.as_str(), "soft_404");
        }
    }
}
