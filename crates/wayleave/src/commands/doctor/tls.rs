//! Checks of the certificate that the server presents itself.

use contract::{Clock, Timestamp};
use door::SystemClock;
use url::Url;
use web::TlsPair;

use super::{DoctorCheck, bad, doubt, good};
use crate::config::Config;
use crate::tls_files::{TlsFiles, WARNING_DAYS, end_text, seconds_left};

const CERTIFICATE: &str = "server.tls_cert";
const KEY: &str = "server.tls_key";

/// Nothing if the server speaks plain HTTP.
pub(super) fn check_tls(config: &Config) -> Vec<DoctorCheck> {
    let Some(files) = TlsFiles::of(config) else { return Vec::new() };
    let (pair, contents) = match files.load() {
        Ok(loaded) => loaded,
        Err(error) => return vec![bad(CERTIFICATE, format!("{error:#}"))],
    };
    let key = files.key.display();
    let key = if contents.key_is_public {
        doubt(KEY, format!("every user of this machine can access {key}: chmod o= {key}"))
    } else {
        good(KEY, format!("{key} fits the certificate, and not everybody can access it"))
    };
    vec![check_certificate(config, &pair, SystemClock.now()), key]
}

fn check_certificate(config: &Config, pair: &TlsPair, now: Timestamp) -> DoctorCheck {
    let (facts, ends) = (pair.facts(), end_text(pair));
    let left = seconds_left(pair, now);
    if left <= 0 {
        return bad(CERTIFICATE, format!("expired at {ends}: clients refuse it; renew it"));
    }
    if facts.not_before > now.as_millis().div_euclid(1_000) {
        let begins = Timestamp::from_millis(facts.not_before.saturating_mul(1_000));
        let begins = begins.whole_seconds();
        return bad(CERTIFICATE, format!("valid only from {begins} on; is the clock right?"));
    }
    let url = config.base_url();
    let host = Url::parse(&url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let covered = host.as_ref().is_some_and(|host| pair.covers(host));
    let names = match facts.names.is_empty() {
        true => "no name".to_owned(),
        false => crate::output::sanitize_for_terminal(&facts.names.join(", ")),
    };
    if !covered && config.server.trusted_proxies.is_empty() {
        return bad(
            CERTIFICATE,
            format!("for {names}, but server.base_url is {url}: clients refuse it for that name"),
        );
    }
    if !covered {
        return doubt(
            CERTIFICATE,
            format!(
                "for {names}, but server.base_url is {url}; right only if a proxy in front has that name"
            ),
        );
    }
    if !url.starts_with("https://") {
        return doubt(
            CERTIFICATE,
            format!("the server speaks HTTPS, but server.base_url is {url}: set it to https://"),
        );
    }
    let days = left / 86_400;
    if days < WARNING_DAYS {
        return doubt(CERTIFICATE, format!("ends in {days} days, at {ends}; renew it"));
    }
    good(CERTIFICATE, format!("for {names}, until {ends} ({days} days)"))
}
