//! Proof by a file below `/.well-known/`. It is read as our own identity, like all files for machines.

use std::sync::Arc;

use agents::{Identity, Role};
use declared::control_proof::{challenge_lines, has_value};
use declared::sniff::looks_like_html;
use door::{FetchResult, ReadKind};

use super::challenge::is_challenge;
use super::own_hosts::{OwnHosts, choose_host};
use super::web_read::{WebReader, media_type};
use super::{ControlCheck, ControlCheckOutcome, ProofResult, Verdict};

/// More than any such file needs. Only its beginning is considered.
const MAX_WIRE_BYTES: u64 = 64 * 1024;

impl ControlCheck<'_> {
    pub(super) async fn check_well_known_file(&self) -> ControlCheckOutcome {
        let visit = self.door.visit(self.deadline);
        let path = self.brand.challenge_path();
        let host = match choose_host(&visit, self.domain).await {
            Ok(host) => host,
            Err(verdict) => return verdict.into_outcome(format!("https://{}{path}", self.domain)),
        };
        let url = format!("https://{host}{path}");
        let Some(own) = self.catalogue.identity_with_role(Role::Own) else {
            let detail = "The catalogue has no identity for our own reader.";
            return Verdict::unreadable(detail).into_outcome(url);
        };
        let reader = WebReader { visit, own_hosts: Arc::new(OwnHosts::new(self.domain)) };
        let fetched = fetch_file(&reader, own, url.clone()).await;
        let mut verdict = judge_file(&reader, &fetched, self.value);
        if verdict.result == ProofResult::Found {
            let sibling_url = format!("https://{host}{}", sibling_path(&path, self.value));
            let sibling = fetch_file(&reader, own, sibling_url).await;
            verdict = judge_sibling(&sibling, self.value).unwrap_or(verdict);
        }
        let no_address = match host == self.domain.as_str() {
            true => String::new(),
            false => format!("{} has no address. ", self.domain),
        };
        verdict.detail = format!("{no_address}{url} was read. {}", verdict.detail);
        verdict.into_outcome(url)
    }
}

async fn fetch_file(reader: &WebReader, identity: &Identity, url: String) -> FetchResult {
    reader.fetch(identity, url, ReadKind::Json, Some(MAX_WIRE_BYTES)).await
}

fn judge_file(reader: &WebReader, fetched: &FetchResult, expected: &str) -> Verdict {
    let response = match reader.usable_response(fetched) {
        Ok(response) => response,
        Err(verdict) => return verdict,
    };
    let body = &fetched.body;
    let media_type = media_type(response).unwrap_or_default();
    if is_challenge(response, body) {
        return Verdict::unreadable(
            "The server answered with a challenge for visitors and not with the file.",
        );
    }
    if matches!(media_type.as_str(), "text/html" | "application/xhtml+xml") || looks_like_html(body)
    {
        return Verdict::not_found("The answer is an HTML page and not a text file.");
    }
    match challenge_lines(body) {
        None => Verdict::not_found("The file is not text in UTF-8."),
        Some(lines) if has_value(lines.iter().copied(), expected) => {
            Verdict::found("A line of the file has the expected value.")
        }
        Some(lines) if lines.is_empty() => Verdict::not_found("The file is empty."),
        Some(_) => Verdict::not_found("No line of the file has the expected value."),
    }
}

/// A path that nobody was asked to publish anything at. It is as hard to guess as the value, and does
/// not tell it.
fn sibling_path(path: &str, value: &str) -> String {
    let digest = proof::digest::sha256(format!("sibling of {value}").as_bytes()).to_hex();
    let unguessable: String = digest.chars().take(32).collect();
    let stem = path.strip_suffix(".txt").unwrap_or(path);
    format!("{stem}-{unguessable}.txt")
}

/// Why the file proves nothing, judged by what the site answers at another path. Here everything
/// counts: a site that shows the value at a path that does not exist shows it at every path.
fn judge_sibling(sibling: &FetchResult, expected: &str) -> Option<Verdict> {
    let Some(response) = sibling.exchange.response() else {
        let is_refused = matches!(
            &sibling.exchange.outcome,
            contract::evidence::ExchangeOutcome::Failed(failure)
                if failure.phase == contract::evidence::FailurePhase::Redirect
        );
        // Without an answer it is not known whether the site answers everything.
        return (!is_refused).then(|| {
            Verdict::unreadable(
                "It has the expected value, but another path of the site, which shows whether the \
                 site answers every path, could not be read.",
            )
        });
    };
    let text = String::from_utf8_lossy(&sibling.body);
    let shows_value = text.contains(expected.trim());
    (response.status == 200 && shows_value).then(|| {
        Verdict::not_found(
            "The site answers a path that does not exist with the same value, so the file proves \
             nothing.",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sibling_has_a_path_of_its_own_that_does_not_tell_the_value() {
        let one = sibling_path("/.well-known/svc-challenge.txt", "t0ken");
        let other = sibling_path("/.well-known/svc-challenge.txt", "t0kem");
        assert!(one.starts_with("/.well-known/svc-challenge-") && one.ends_with(".txt"), "{one}");
        assert_eq!(one.len(), "/.well-known/svc-challenge-.txt".len() + 32);
        assert!(one != other && !one.contains("t0ken"));
    }
}
