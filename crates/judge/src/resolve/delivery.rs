//! The `delivery` section: what each identity received for the home page.

use contract::evidence::{ReadTarget, Reading};
use contract::records::{AgentRow, Delivery, DeliveryIdentity, DeliverySection, Section};

use super::judged_reading::JudgedReading;

const IDENTITY_BASIS: &str = "This service sent every request from its own network, under the name of the identity. A site that \
verifies addresses may treat the real agent differently.";

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
    };
    Section::Observed { observed_at: judged.time_of(home), body }
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
        blocker: row.blocker.clone(),
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
