//! Reads every site of the lab as a browser. The recorded facts must be those that the lab
//! promises, and no forbidden address may be dialled.

use std::time::Duration;

use contract::evidence::{ExchangeOutcome, FailureKind, FailurePhase};
use door::FetchResult;
use futures_util::StreamExt;
use lab::LabSite;

use crate::setup::{door, lab, page, policy, response, stopped};

#[tokio::test]
async fn every_site_gives_the_facts_it_promises_and_the_trap_is_never_dialled() {
    let lab = lab().await;
    let door = door(policy(&lab));
    let reads: Vec<(&LabSite, FetchResult)> = futures_util::stream::iter(lab.sites())
        .map(|site| {
            let visit = door.visit(Duration::from_secs(30));
            async move {
                let mut last = None;
                for url in [
                    format!("https://{}/", site.name),
                    format!("https://www.{}/", site.name),
                    format!("http://{}/", site.name),
                ] {
                    let read = visit.fetch(page(&url)).await;
                    let absent = matches!(&read.exchange.outcome, ExchangeOutcome::Failed(failure)
                        if matches!(failure.kind, FailureKind::Dns | FailureKind::Connect)
                            && site.expect.failure.is_none());
                    last = Some(read);
                    if !absent {
                        break;
                    }
                }
                (site, last.unwrap())
            }
        })
        .buffer_unordered(24)
        .collect()
        .await;
    assert!(reads.len() >= 40);
    let wrong: Vec<String> =
        reads.iter().filter_map(|(site, read)| check(site, read).err()).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert_eq!(lab.trap().connections(), 0);
    lab.stop().await;
}

fn check(site: &LabSite, read: &FetchResult) -> Result<(), String> {
    let exchange = &read.exchange;
    let name = site.name;
    match (&site.expect.failure, stopped(exchange)) {
        (None, None) => {}
        (Some(expected), Some(failure)) => {
            let known = expected.kind == failure.kind.as_str()
                && expected.reasons.contains(&failure.reason.as_str());
            if !known {
                return Err(format!("{name}: expected {expected:?}, got {failure:?}"));
            }
            if failure.kind == FailureKind::RefusedByPolicy {
                let last = exchange.hops.last().ok_or(format!("{name}: no hop"))?;
                if last.address.is_some() {
                    return Err(format!("{name}: refused, and yet dialled {last:?}"));
                }
                if (exchange.hops.len() > 1) != (failure.phase == FailurePhase::Redirect) {
                    return Err(format!("{name}: {failure:?} after {} hops", exchange.hops.len()));
                }
            }
        }
        (expected, failure) => {
            // Endless trailers may end in either way.
            if name != "endless-trailers.lab" {
                return Err(format!("{name}: expected {expected:?}, got {failure:?}"));
            }
        }
    }
    let ExchangeOutcome::Response(answer) = &exchange.outcome else {
        return if site.expect.reachable { Err(format!("{name}: not reached")) } else { Ok(()) };
    };
    let expected = site.expect.home_status_browser;
    if expected.is_some_and(|expected| expected != answer.status) {
        return Err(format!("{name}: expected {expected:?}, got {}", answer.status));
    }
    let errors = answer.tls.as_ref().map(|tls| tls.errors.clone()).unwrap_or_default();
    let promised: Vec<&str> = site.expect.tls_error.into_iter().collect();
    if errors != promised {
        return Err(format!("{name}: expected TLS errors {promised:?}, got {errors:?}"));
    }
    if answer.body.bytes != read.body.len() as u64 {
        return Err(format!("{name}: body and facts differ in length"));
    }
    Ok(())
}

#[tokio::test]
async fn every_content_coding_is_decoded_to_a_page() {
    let lab = lab().await;
    for (host, coding) in [
        ("open.lab", None),
        ("gzip.lab", Some("gzip")),
        ("brotli.lab", Some("br")),
        ("zstd.lab", Some("zstd")),
        ("deflate.lab", Some("deflate")),
    ] {
        let read = crate::setup::read(&lab, &format!("https://{host}/")).await;
        let answer = response(&read.exchange);
        assert_eq!(answer.body.encoding.as_deref(), coding, "{host}");
        assert_eq!(answer.body.cut, None, "{host}");
        assert!(read.body.starts_with(b"<!doctype html>"), "{host}");
        if coding.is_some() {
            assert_ne!(answer.body.wire_bytes, answer.body.bytes, "{host}");
        }
        let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &read.body);
        assert_eq!(answer.body.sha256, data_encoding::HEXLOWER.encode(digest.as_ref()));
    }
}

#[tokio::test]
async fn decompression_bombs_are_cut_within_the_cap() {
    let lab = lab().await;
    for host in ["gzip-bomb.lab", "brotli-bomb.lab", "zstd-bomb.lab", "deflate-bomb.lab"] {
        let read = crate::setup::read(&lab, &format!("https://{host}/")).await;
        assert!(read.body.len() <= 2 * 1024 * 1024, "{host}");
        assert!(read.body.len() > 1024 * 1024, "{host}: {}", read.body.len());
        let answer = response(&read.exchange);
        assert!(answer.body.wire_bytes < 64 * 1024, "{host}: {}", answer.body.wire_bytes);
    }
}

#[tokio::test]
async fn tls_facts_are_recorded_in_full() {
    let lab = lab().await;
    let read = crate::setup::read(&lab, "https://tls12.lab/").await;
    let tls = response(&read.exchange).tls.clone().unwrap();
    assert_eq!(tls.version, "TLS1.2");
    let read = crate::setup::read(&lab, "https://many-names.lab/").await;
    let tls = response(&read.exchange).tls.clone().unwrap();
    assert_eq!((tls.version.as_str(), tls.alpn.as_deref()), ("TLS1.3", Some("h2")));
    assert!(tls.cipher.starts_with("TLS13_"), "{}", tls.cipher);
    assert!(tls.trusted && tls.errors.is_empty());
    let certificate = tls.certificate.unwrap();
    assert_eq!(certificate.sans.len(), 100);
    assert!(certificate.sans_total > 1000);
    let read = crate::setup::read(&lab, "https://expired.lab/").await;
    let tls = response(&read.exchange).tls.clone().unwrap();
    assert!(!tls.trusted);
    assert!(tls.certificate.unwrap().not_after.to_string().starts_with("202"));
}
