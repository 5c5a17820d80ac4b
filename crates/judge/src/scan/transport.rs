//! Transport facts: https, the certificate, plain http, HTTP versions, DNS.

use contract::evidence::{
    Evidence, Exchange, ExchangeOutcome, FailureKind, FailurePhase, ReadTarget, Reading, TlsFacts,
};
use contract::records::{DnsSummary, TlsReading, TransportReading};
use contract::text::display_safe;

use super::parsed_evidence::{ParsedEvidence, is_success};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

pub(super) fn build_transport_reading(parsed: &ParsedEvidence<'_>) -> TransportReading {
    let home = home_reading(parsed);
    let plain = parsed.readings(ReadTarget::PlainHome).last();
    let response = home.and_then(|reading| reading.exchange.response());
    let over_https = response.map(|response| response.url.starts_with("https://"));
    let hsts = response
        .filter(|_| over_https == Some(true))
        .and_then(|response| response.header("strict-transport-security"));
    let tls = worst_certificate(parsed.evidence);
    let mut http_versions: Vec<String> = parsed
        .evidence
        .reads
        .iter()
        .filter_map(|reading| reading.exchange.response())
        .map(|response| response.http.clone())
        .collect();
    http_versions.sort();
    http_versions.dedup();
    TransportReading {
        https: over_https,
        plain_http: plain
            .and_then(|reading| plain_http_result(&reading.exchange))
            .map(str::to_owned),
        hsts: hsts.map(|value| display_safe(value, 200)),
        hsts_max_age: hsts.and_then(hsts_max_age),
        http_versions,
        http3_offered: response
            .map(|response| response.headers_named("alt-svc").any(|value| value.contains("h3"))),
        tls: tls.map(|(reading, facts)| to_tls_reading(reading, facts)),
        dns: dns_summary(parsed.evidence),
        evidence: home
            .into_iter()
            .chain(plain)
            .chain(tls.map(|(reading, _)| reading))
            .map(|reading| reading.id.clone())
            .fold(Vec::new(), |mut ids, id| {
                if !ids.contains(&id) {
                    ids.push(id);
                }
                ids
            }),
    }
}

/// The browser's first successful home page reading, or else any identity's.
fn home_reading<'a>(parsed: &ParsedEvidence<'a>) -> Option<&'a Reading> {
    // The body of a refusal is not the page.
    let answered = |reading: &&Reading| reading.exchange.response().is_some_and(is_success);
    parsed
        .readings(ReadTarget::Home)
        .filter(answered)
        .find(|reading| reading.identity == parsed.browser_id())
        .or_else(|| parsed.readings(ReadTarget::Home).find(answered))
}

/// The certificate seen for the home page, or else for robots.txt. An untrusted one is preferred over a
/// trusted one. Sitemaps and files may come from other hosts, whose certificates do not matter here.
fn worst_certificate(evidence: &Evidence) -> Option<(&Reading, &TlsFacts)> {
    let certificates = |target: ReadTarget| {
        evidence
            .reads
            .iter()
            .filter(move |reading| reading.target == target)
            .filter_map(|reading| Some((reading, reading.exchange.response()?.tls.as_ref()?)))
    };
    let worst = |target: ReadTarget| {
        certificates(target.clone())
            .find(|(_, tls)| !tls.trusted)
            .or_else(|| certificates(target).next())
    };
    worst(ReadTarget::Home).or_else(|| worst(ReadTarget::Robots))
}

fn to_tls_reading(reading: &Reading, facts: &TlsFacts) -> TlsReading {
    let certificate = facts.certificate.as_ref();
    TlsReading {
        version: facts.version.clone(),
        trusted: facts.trusted,
        errors: facts.errors.clone(),
        issuer: certificate.map(|certificate| display_safe(&certificate.issuer, 200)),
        not_after: certificate.map(|certificate| certificate.not_after),
        days_left: certificate.map(|certificate| {
            certificate.not_after.millis_since(reading.exchange.started_at).div_euclid(DAY_MS)
        }),
    }
}

/// Where plain http leads. None if that could not be observed.
fn plain_http_result(exchange: &Exchange) -> Option<&'static str> {
    let response = match &exchange.outcome {
        ExchangeOutcome::Response(response) => response,
        // The port is closed, so no client can be intercepted there.
        ExchangeOutcome::Failed(failure)
            if failure.phase == FailurePhase::Connect && failure.kind == FailureKind::Connect =>
        {
            return Some("closed");
        }
        ExchangeOutcome::Failed(_) => return None,
    };
    if response.url.starts_with("https://") {
        return Some("https");
    }
    match (response.status, response.header("location")) {
        (300..=399, Some(to)) if to.trim().to_ascii_lowercase().starts_with("https://") => {
            Some("https")
        }
        (300..=399, Some(_)) => Some("other"),
        (200..=299, _) => Some("served"),
        (404 | 410, _) => Some("other"),
        // A refusal or an error does not show where http would lead.
        _ => None,
    }
}

fn hsts_max_age(field: &str) -> Option<u64> {
    field.split(';').find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("max-age")
            .then_some(value)?
            .trim()
            .trim_matches('"')
            .parse()
            .ok()
    })
}

fn dns_summary(evidence: &Evidence) -> DnsSummary {
    let reading =
        evidence.dns.iter().find(|reading| reading.name.trim_end_matches('.') == evidence.host);
    let answers = || reading.into_iter().flat_map(|reading| &reading.answers);
    let records = |kind: &str| {
        answers()
            .filter(|a| a.record_type == kind)
            .flat_map(|a| a.records.clone())
            .collect::<Vec<_>>()
    };
    let addresses = || answers().filter(|a| matches!(a.record_type.as_str(), "A" | "AAAA"));
    let answered = || addresses().filter(|answer| answer.rcode.is_some());
    let mut cname: Vec<String> = addresses().flat_map(|answer| answer.cnames.clone()).collect();
    cname.dedup();
    DnsSummary {
        resolver: reading.map(|reading| reading.resolver.clone()),
        a: records("A"),
        aaaa: records("AAAA"),
        cname,
        rcode: answered().find_map(|answer| answer.rcode.clone()),
        dnssec_validated: (answered().count() > 0)
            .then(|| answered().all(|answer| answer.authenticated_data)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn max_age_is_found_at_any_position() {
        assert_eq!(hsts_max_age("max-age=31536000; includeSubDomains"), Some(31_536_000));
        assert_eq!(hsts_max_age("includeSubDomains; MAX-AGE = \"0\""), Some(0));
        for other in ["", "max-age", "max-age=-1", "max-age=x", "s-max-age"] {
            assert_eq!(hsts_max_age(other), None, "{other}");
        }
    }
}
