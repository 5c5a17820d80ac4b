//! Proof by a meta element in the head of the home page. The page is read as a browser and as a client
//! without a name, and both must get the element: what only some visitors get may be made for us, or
//! come from what one request carries.

use std::sync::Arc;

use agents::{Identity, Role};
use declared::control_proof::{has_value, head_meta_contents};
use declared::sniff::looks_like_html;
use door::{FetchResult, ReadKind};

use super::challenge::is_challenge;
use super::own_hosts::{OwnHosts, choose_host};
use super::web_read::{WebReader, media_type};
use super::{ControlCheck, ControlCheckOutcome, ProofResult, Verdict};

impl ControlCheck<'_> {
    pub(super) async fn check_meta_tag(&self, name: &str) -> ControlCheckOutcome {
        let visit = self.door.visit(self.deadline);
        let host = match choose_host(&visit, self.domain).await {
            Ok(host) => host,
            Err(verdict) => return verdict.into_outcome(format!("https://{}/", self.domain)),
        };
        let url = format!("https://{host}/");
        let role = |role| self.catalogue.identity_with_role(role);
        let (Some(browser), Some(unnamed)) = (role(Role::Browser), role(Role::Control)) else {
            let detail = "The catalogue of identities has no browser and no unnamed client.";
            return Verdict::unreadable(detail).into_outcome(url);
        };
        let reader = WebReader { visit, own_hosts: Arc::new(OwnHosts::new(self.domain)) };
        let read = async |identity: &Identity| {
            let fetched = reader.fetch(identity, url.clone(), ReadKind::Page, None).await;
            judge_page(&reader, &fetched, name, self.value)
        };
        let (as_browser, as_unnamed) = tokio::join!(read(browser), read(unnamed));
        let mut verdict = combine(&url, name, as_browser, as_unnamed);
        if host != self.domain.as_str() {
            verdict.detail = format!("{} has no address. {}", self.domain, verdict.detail);
        }
        verdict.into_outcome(url)
    }
}

fn judge_page(reader: &WebReader, fetched: &FetchResult, name: &str, expected: &str) -> Verdict {
    let response = match reader.usable_response(fetched) {
        Ok(response) => response,
        Err(verdict) => return verdict,
    };
    let body = &fetched.body;
    let is_html = match media_type(response).as_deref() {
        Some("text/html" | "application/xhtml+xml") => true,
        Some(_) => false,
        None => looks_like_html(body),
    };
    let contents = match is_html {
        true => head_meta_contents(body, response.header("content-type"), name),
        false => Vec::new(),
    };
    if has_value(contents.iter().map(String::as_str), expected) {
        return Verdict::found("The head of the page has the meta element.");
    }
    if is_challenge(response, body) {
        return Verdict::unreadable(
            "The server answered with a challenge for visitors and not with its page.",
        );
    }
    Verdict::not_found(match contents.len() {
        _ if !is_html => "The answer is not an HTML page.".to_owned(),
        0 => format!("The head of the page has no meta element with the name {name}."),
        1 => format!(
            "The head of the page has a meta element with the name {name}, and its content is not \
             the expected one."
        ),
        count => format!(
            "The head of the page has {count} meta elements with the name {name}, and none has the \
             expected content."
        ),
    })
}

fn combine(url: &str, name: &str, as_browser: Verdict, as_unnamed: Verdict) -> Verdict {
    use ProofResult::{Found, NotFound, Unreadable};
    let detail = match (as_browser.result, as_unnamed.result) {
        (Found, NotFound) => format!(
            "{url} shows the meta element {name} to a browser but not to a client without a name. \
             It must be shown to everybody. The second reading: {}",
            as_unnamed.detail
        ),
        (NotFound, Found) => format!(
            "{url} shows the meta element {name} to a client without a name but not to a browser. \
             It must be shown to everybody. The second reading: {}",
            as_browser.detail
        ),
        _ if as_browser.detail == as_unnamed.detail => format!(
            "{url} was read as a browser and as a client without a name. {}",
            as_browser.detail
        ),
        _ => format!(
            "{url} was read twice. As a browser: {} As a client without a name: {}",
            as_browser.detail, as_unnamed.detail
        ),
    };
    let result = match (as_browser.result, as_unnamed.result) {
        (Found, Found) => Found,
        // Both must show it, so one that does not decides.
        (NotFound, _) | (_, NotFound) => NotFound,
        _ => Unreadable,
    };
    Verdict { result, detail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_readings_must_show_it() {
        let make = |result: ProofResult| Verdict { result, detail: format!("{result:?}.") };
        use ProofResult::{Found, NotFound, Unreadable};
        for (browser, unnamed, expected) in [
            (Found, Found, Found),
            (Found, NotFound, NotFound),
            (NotFound, Found, NotFound),
            (NotFound, NotFound, NotFound),
            (NotFound, Unreadable, NotFound),
            (Found, Unreadable, Unreadable),
            (Unreadable, Found, Unreadable),
            (Unreadable, Unreadable, Unreadable),
        ] {
            let combined = combine("https://a.lab/", "n", make(browser), make(unnamed));
            assert_eq!(combined.result, expected, "{browser:?} {unnamed:?}");
        }
    }
}
