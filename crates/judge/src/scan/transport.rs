//! How the page travels: https, the certificate, plain http, HTTP versions, DNS.

use contract::evidence::{
    Evidence, Exchange, FailureKind, Outcome, Phase, Reading, Target, TlsFacts,
};
use contract::records::{DnsSummary, TlsReading, TransportReading};

use super::look::{Look, is_success};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

pub(super) fn transport(look: &Look<'_>) -> TransportReading {
    let home = home(look);
    let plain = look.reads(Target::PlainHome).last();
    let response = home.and_then(|reading| reading.exchange.response());
    let over_https = response.map(|response| response.url.starts_with("https://"));
    let hsts = response
        .filter(|_| over_https == Some(true))
        .and_then(|response| response.header("strict-transport-security"));
    let tls = certificate(look.evidence);
    let mut http_versions: Vec<String> = look
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
        plain_http: plain.and_then(|reading| leads_to(&reading.exchange)).map(str::to_owned),
        hsts: hsts.map(|value| super::shown(value, 200)),
        hsts_max_age: hsts.and_then(max_age),
        http_versions,
        http3_offered: response
            .map(|response| response.headers_named("alt-svc").any(|value| value.contains("h3"))),
        tls: tls.map(|(reading, facts)| tls_reading(reading, facts)),
        dns: dns(look.evidence),
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

/// The browser's first answer, or anybody's.
fn home<'a>(look: &Look<'a>) -> Option<&'a Reading> {
    // A refusal's page is not the page.
    let answered = |reading: &&Reading| reading.exchange.response().is_some_and(is_success);
    look.reads(Target::Home)
        .filter(answered)
        .find(|reading| reading.identity == look.browser_id())
        .or_else(|| look.reads(Target::Home).find(answered))
}

/// The worst certificate that was shown for the home page, or else for robots.txt: one that does not
/// hold is told before one that does. A sitemap or a file may come from another host, whose
/// certificate says nothing about this page.
fn certificate(evidence: &Evidence) -> Option<(&Reading, &TlsFacts)> {
    let shown = |target: Target| {
        evidence
            .reads
            .iter()
            .filter(move |reading| reading.target == target)
            .filter_map(|reading| Some((reading, reading.exchange.response()?.tls.as_ref()?)))
    };
    let worst = |target: Target| {
        shown(target.clone()).find(|(_, tls)| !tls.trusted).or_else(|| shown(target).next())
    };
    worst(Target::Home).or_else(|| worst(Target::Robots))
}

fn tls_reading(reading: &Reading, facts: &TlsFacts) -> TlsReading {
    let certificate = facts.certificate.as_ref();
    TlsReading {
        version: facts.version.clone(),
        trusted: facts.trusted,
        errors: facts.errors.clone(),
        issuer: certificate.map(|certificate| super::shown(&certificate.issuer, 200)),
        not_after: certificate.map(|certificate| certificate.not_after),
        days_left: certificate.map(|certificate| {
            certificate.not_after.millis_since(reading.exchange.started_at).div_euclid(DAY_MS)
        }),
    }
}

/// Where plain http leads; nothing when that was not seen.
fn leads_to(exchange: &Exchange) -> Option<&'static str> {
    let response = match &exchange.outcome {
        Outcome::Response(response) => response,
        // Nobody listens there: nothing can be led astray.
        Outcome::Failed(failure)
            if failure.phase == Phase::Connect && failure.kind == FailureKind::Connect =>
        {
            return Some("closed");
        }
        Outcome::Failed(_) => return None,
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
        // A refusal or an error says nothing about where it would lead.
        _ => None,
    }
}

fn max_age(field: &str) -> Option<u64> {
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

fn dns(evidence: &Evidence) -> DnsSummary {
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
    fn max_age_is_found_wherever_it_stands() {
        assert_eq!(max_age("max-age=31536000; includeSubDomains"), Some(31_536_000));
        assert_eq!(max_age("includeSubDomains; MAX-AGE = \"0\""), Some(0));
        for other in ["", "max-age", "max-age=-1", "max-age=x", "s-max-age"] {
            assert_eq!(max_age(other), None, "{other}");
        }
    }
}
