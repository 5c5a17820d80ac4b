//! The `delivery` section: what each identity received for the home page.

use contract::evidence::{ReadTarget, Reading};
use contract::records::{
    AgentRow, ContentState, DeliveredContent, DeliveredPage, Delivery, DeliveryIdentity,
    DeliverySection, PageReading, RowCause, ScanRecord, Section,
};

use super::judged_reading::JudgedReading;
use crate::scan::further_pages::{is_hostile, kept_out_of};
use crate::scan::saturating_u32;

const IDENTITY_BASIS: &str = "This service sent every request from its own network, under the name of the identity. A site that \
verifies addresses may treat the real agent differently.";

/// The `blocker` of an identity that was kept waiting while the browser was served.
pub(crate) const STALLED: &str = "stalled";

pub(super) fn delivery(judged: &JudgedReading<'_>) -> DeliverySection {
    let identities: Vec<DeliveryIdentity> = judged
        .record
        .agentview
        .rows
        .iter()
        .map(|row| identity(row, row.reading.as_deref().and_then(|id| judged.reading(id))))
        .collect();
    let home = judged.home();
    if identities.iter().all(|identity| identity.status.is_none()) {
        let tried =
            judged.reads(ReadTarget::Home).next().map(|reading| judged.time_of(Some(reading)));
        return Section::NotMeasured { observed_at: tried, why: judged.why_not(ReadTarget::Home) };
    }
    let mut digests = identities.iter().filter(|i| i.status.is_some()).map(|i| &i.sha256);
    let first = digests.next();
    let others: Vec<_> = digests.collect();
    let same = first.filter(|_| !others.is_empty()).map(|first| others.iter().all(|d| *d == first));
    let body = Delivery {
        url: home.map(|home| home.exchange.url.clone()).unwrap_or_default(),
        identity_basis: IDENTITY_BASIS.to_owned(),
        identities,
        same_bytes_for_every_identity: same,
        content: delivered_content(judged.record),
        further_pages: judged.record.pages.iter().map(|page| further_page(judged, page)).collect(),
    };
    Section::Observed { observed_at: judged.time_of(home), body }
}

/// What the home page holds for an agent. None when no page was served.
fn delivered_content(record: &ScanRecord) -> Option<DeliveredContent> {
    let content = &record.content;
    content.reading.as_ref()?;
    let state = if content.main_words.is_none() {
        ContentState::NotAPage
    } else if content.words == Some(0) || content.script_shell == Some(true) {
        ContentState::NoText
    } else {
        ContentState::Text
    };
    let paywall = record.paywall.as_ref();
    Some(DeliveredContent {
        state,
        kind: content.page_kind.clone(),
        words: content.words,
        cut: content.cut,
        paywall: paywall.is_some_and(|paywall| paywall.declared || paywall.visible),
    })
}

fn further_page(judged: &JudgedReading<'_>, page: &PageReading) -> DeliveredPage {
    let kept_out = kept_out_of(page, &judged.record.agentview.rows).count();
    let requested = page.identities.iter().filter(|one| one.reading.is_some()).count();
    DeliveredPage {
        path: page.path.clone(),
        browser_served: page.browser.cause == RowCause::Served,
        ai_requested: saturating_u32(requested),
        ai_kept_out: saturating_u32(kept_out),
        instruction_like_text: page.instruction_like.iter().any(is_hostile),
    }
}

fn identity(row: &AgentRow, reading: Option<&Reading>) -> DeliveryIdentity {
    let response = reading.and_then(|reading| reading.exchange.response());
    DeliveryIdentity {
        identity: row.id.clone(),
        label: row.label.clone(),
        status: row.status,
        bytes: row.bytes,
        html: response.map(|response| {
            let kind = response.header("content-type").unwrap_or_default().to_ascii_lowercase();
            kind.starts_with("text/html") || kind.starts_with("application/xhtml+xml")
        }),
        final_host: row.final_url.as_deref().and_then(host_of),
        blocker: match row.cause {
            RowCause::Stalled => Some(STALLED.to_owned()),
            _ => row.blocker.clone(),
        },
        sha256: row.body_sha256.clone(),
    }
}

/// The host of a URL that was requested.
pub(super) fn host_of(url: &str) -> Option<String> {
    let rest = url.split_once("://")?.1;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => authority,
    };
    Some(host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::host_of;

    #[test]
    fn hosts_stand_between_scheme_and_path() {
        for (url, host) in [
            ("https://a.example/", "a.example"),
            ("http://a.example:8080/x?y", "a.example"),
            ("https://a.example?x", "a.example"),
            ("https://[2001:db8::1]/", "[2001:db8::1]"),
        ] {
            assert_eq!(host_of(url).as_deref(), Some(host), "{url}");
        }
        assert_eq!(host_of("nothing"), None);
    }
}
