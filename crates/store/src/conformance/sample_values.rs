//! Sample values for the cases.

use std::fmt;

use bytes::Bytes;
use contract::{Domain, Timestamp};

use crate::scans::parse_stored_domain;
use crate::{Digest, Licence, LicensedDomains, Scan, Store, StoredKey, Visibility};

/// The start time of the cases, in milliseconds since 1970; cases add offsets to it.
pub(super) const DAY: i64 = 1_794_711_380_007;

pub(super) fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(DAY.saturating_add(ms))
}

pub(super) fn domain(name: &str) -> Result<Domain, String> {
    parse_stored_domain(name).map_err(|e| e.to_string())
}

/// A public scan with content that depends on its id.
pub(super) fn scan(id: &str, name: &str, ms: i64) -> Result<Scan, String> {
    Ok(Scan {
        id: id.to_owned(),
        domain: domain(name)?,
        scanned_at: at(ms),
        visibility: Visibility::Public,
        score_version: 32,
        grade: Some(String::from("B+")),
        overall: Some(71),
        record: Bytes::from(format!("{{\"id\":\"{id}\",\"kind\":\"record\"}}")),
        evidence: Bytes::from(format!("{{\"id\":\"{id}\",\"kind\":\"evidence\"}}")),
        artifacts: vec![Digest::of(id.as_bytes()), Digest::of(b"shared")],
    })
}

/// A licence for `shop.lab`.
pub(super) fn licence(id: &str, ms: i64) -> Result<Licence, String> {
    Ok(Licence {
        id: id.to_owned(),
        plan: String::from("standard"),
        domains: LicensedDomains::Only([domain("shop.lab")?].into()),
        label: Some(format!("for {id}")),
        mailbox: None,
        created_at: at(ms),
        expires_at: None,
        revoked_at: None,
        last_used: None,
    })
}

/// A key of a licence, which depends on its name.
pub(super) fn key(name: &str, licence_id: &str, ms: i64) -> StoredKey {
    StoredKey {
        key_sha256: Digest::of(name.as_bytes()),
        licence_id: licence_id.to_owned(),
        prefix: format!("wl_{}", name.chars().take(5).collect::<String>()),
        created_at: at(ms),
        expires_at: None,
        revoked_at: None,
    }
}

/// Stores a licence whose first key has its name.
pub(super) async fn put_licence(store: &dyn Store, id: &str, ms: i64) -> Result<Licence, String> {
    let put = licence(id, ms)?;
    store.put_licence(put.clone(), key(id, id, ms)).await.map_err(|e| e.to_string())?;
    Ok(put)
}

/// `len` bytes that hardly compress; the same seed gives the same bytes.
pub(super) fn noise(seed: u64, len: usize) -> Bytes {
    // Odd, because nothing but zeros follows on zero.
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut bytes = Vec::with_capacity(len);
    while bytes.len() < len {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(len);
    Bytes::from(bytes)
}

/// The debug form, truncated so that a large record does not fill the message.
pub(super) fn shown(value: &impl fmt::Debug) -> String {
    const LONGEST: usize = 600;
    let text = format!("{value:?}");
    if text.chars().count() <= LONGEST {
        return text;
    }
    let mut cut: String = text.chars().take(LONGEST).collect();
    cut.push('…');
    cut
}

/// Fails unless a list equals this one. The message contains the first difference, not the whole
/// list.
pub(super) fn same_as<T: PartialEq + fmt::Debug>(
    what: &str,
    got: Result<Vec<T>, crate::StoreError>,
    expected: &[T],
) -> Result<(), String> {
    let got = got.map_err(|e| format!("{what}: unexpected error: {e}"))?;
    if got == expected {
        return Ok(());
    }
    let at = got.iter().zip(expected).position(|(left, right)| left != right);
    let at = at.unwrap_or(got.len().min(expected.len()));
    Err(format!(
        "{what}: {} for {}, and at {at} got {}, expected {}",
        got.len(),
        expected.len(),
        shown(&got.get(at)),
        shown(&expected.get(at)),
    ))
}
