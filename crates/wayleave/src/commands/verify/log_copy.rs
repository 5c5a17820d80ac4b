//! Reads a log to check documents against: an exported log from its folder, or the log of a service.
//!
//! The log is untrusted, so all sizes are bounded. A log that cannot be read ends the command; one that
//! was read and is inconsistent is reported by the checks.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};
use contract::Brand;
use proof::tree_head::ChainHead;
use proof::verify::log_copy::{
    GrowthEvidence, LeafWalk, LogCopy, LogHeads, TILE_WIDTH, head_of_document,
};
use proof::{Digest, KeyPolicy};
use serde_json::Value;

use crate::commands::remote;
use crate::wiring;

/// Limits: larger logs are not checked on the command line.
const MAX_HEADS: u64 = 1_000_000;
const MAX_HEADS_BY_URL: u64 = 100_000;
const MAX_LEAVES: u64 = 100_000_000;
/// A file has a thousand heads of one or two kilobytes each.
const MAX_HEADS_BYTES: u64 = 16 << 20;
const TILE_BYTES: u64 = TILE_WIDTH * 32;
const HEADS_PER_FILE: u64 = 1000;
/// How many heads a service returns per page.
const HEADS_PER_PAGE: u64 = 200;

pub(super) fn read_log(
    location: &str,
    documents: &[Vec<u8>],
    policy: KeyPolicy,
    brand: &Brand,
) -> Result<LogCopy> {
    if location.starts_with("http://") || location.starts_with("https://") {
        let base = location.trim_end_matches('/').trim_end_matches("/api/v1/log");
        wiring::runtime()?.block_on(read_remote_log(base, documents, policy, brand))
    } else {
        read_exported_log(Path::new(location), policy, brand)
    }
}

/// Reads an exported log: every head, then every leaf.
fn read_exported_log(folder: &Path, policy: KeyPolicy, brand: &Brand) -> Result<LogCopy> {
    let mut heads = LogHeads::new(policy, brand.clone(), 0);
    for from in (0..).step_by(usize::try_from(HEADS_PER_FILE)?) {
        let file = folder.join("sths").join(format!("{from:09}.jsonl"));
        match read_bounded(&file, MAX_HEADS_BYTES)? {
            None if from == 0 => bail!("{} cannot be read: file not found", file.display()),
            None => break,
            Some(bytes) if bytes.is_empty() => {}
            Some(bytes) => {
                // The last line ends with a line feed, too.
                let lines = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
                lines.split(|byte| *byte == b'\n').for_each(|line| heads.push_bytes(line));
            }
        }
        if heads.end() > MAX_HEADS {
            bail!("the log has more than {MAX_HEADS} heads");
        }
    }
    let mut walk = LeafWalk::new(&heads);
    if walk.size() > MAX_LEAVES {
        bail!("the log has more than {MAX_LEAVES} leaves");
    }
    while let Some((tile, width)) = walk.next_tile() {
        let whole = folder.join("tile/0").join(tile_path(tile));
        let partial = match whole.to_str() {
            Some(whole) if width < TILE_WIDTH => {
                read_bounded(Path::new(&format!("{whole}.p/{width}")), TILE_BYTES)?
            }
            _ => None,
        };
        let bytes = match partial {
            Some(bytes) => Some(bytes),
            // If the log has grown since, only the full tile may exist.
            None => read_bounded(&whole, TILE_BYTES)?.map(|mut bytes| {
                bytes.truncate(usize::try_from(width * 32).unwrap_or_default());
                bytes
            }),
        };
        walk.add_tile(bytes.as_deref());
    }
    let growth = GrowthEvidence::Leaves(walk.finish());
    Ok(LogCopy { heads, growth })
}

/// The bytes of a file of the log, or `None` if it does not exist.
fn read_bounded(path: &Path, most: u64) -> Result<Option<Vec<u8>>> {
    let cannot = || format!("{} cannot be read", path.display());
    let file = match std::fs::File::open(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        opened => opened.with_context(cannot)?,
    };
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).with_context(cannot)?;
    if bytes.len() as u64 > most {
        bail!("{} cannot be read: it is larger than {most} bytes", path.display());
    }
    Ok(Some(bytes))
}

/// The path of a tile: 1234067 becomes x001/x234/067 (C2SP tlog-tiles).
fn tile_path(tile: u64) -> String {
    let mut path = format!("{:03}", tile % 1000);
    let mut rest = tile / 1000;
    while rest > 0 {
        path = format!("x{:03}/{path}", rest % 1000);
        rest /= 1000;
    }
    path
}

/// Fetches the part of a service's log that these documents need.
async fn read_remote_log(
    base: &str,
    documents: &[Vec<u8>],
    policy: KeyPolicy,
    brand: &Brand,
) -> Result<LogCopy> {
    let latest = fetch_log_json(base, "").await?;
    let newest = ChainHead::parse(latest.get("head").unwrap_or(&Value::Null))
        .with_context(|| format!("{base}/api/v1/log names no newest head"))?;
    let wanted: Vec<ChainHead> = documents
        .iter()
        .filter_map(|document| head_of_document(document, brand))
        .filter(|head| head.batch <= newest.batch)
        .collect();
    let first = wanted.iter().map(|head| head.batch).min().unwrap_or(newest.batch);
    if newest.batch - first >= MAX_HEADS_BY_URL {
        bail!(
            "more than {MAX_HEADS_BY_URL} heads lie between the documents and the newest head: export the log and use --log DIR"
        );
    }
    let heads = fetch_heads(base, first, &newest, policy, brand).await?;
    let sizes: BTreeSet<u64> = wanted.iter().map(|head| head.tree_size).collect();
    let mut proofs = BTreeMap::new();
    for from in sizes.into_iter().filter(|size| *size < newest.tree_size) {
        let answer =
            fetch_log_json(base, &format!("/consistency?from={from}&to={}", newest.tree_size))
                .await?;
        let proof = parse_digests(answer.get("proof"))
            .ok_or_else(|| "the consistency proof is not a list of digests".to_owned());
        proofs.insert(from, proof);
    }
    Ok(LogCopy { heads, growth: GrowthEvidence::Proofs(proofs) })
}

/// Fetches the heads from `first` to the newest; the service lists the newest first.
async fn fetch_heads(
    base: &str,
    first: u64,
    newest: &ChainHead,
    policy: KeyPolicy,
    brand: &Brand,
) -> Result<LogHeads> {
    let mut found: Vec<Option<Value>> = Vec::new();
    let mut left = newest.batch - first + 1;
    while left > 0 {
        let count = left.min(HEADS_PER_PAGE);
        let mut page =
            fetch_log_json(base, &format!("/sths?to={}&n={count}", first + left - 1)).await?;
        let listed = page.get_mut("sths").and_then(Value::as_array_mut).map(std::mem::take);
        let mut listed = listed.unwrap_or_default().into_iter();
        found.extend((0..count).map(|_| listed.next()));
        left -= count;
    }
    let mut heads = LogHeads::new(policy, brand.clone(), first);
    for head in found.iter().rev() {
        heads.push(head.as_ref());
    }
    if heads.newest().is_none_or(|listed| listed.sha256 != newest.sha256) {
        heads.mark_newest_contradicted();
    }
    Ok(heads)
}

async fn fetch_log_json(base: &str, path: &str) -> Result<Value> {
    let url = format!("{base}/api/v1/log{path}");
    let body = remote::get_ok(&url).await?;
    proof::canonical::parse_strict(&body).with_context(|| format!("{url} returned no valid JSON"))
}

fn parse_digests(list: Option<&Value>) -> Option<Vec<Digest>> {
    list?.as_array()?.iter().map(|hash| hash.as_str()?.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tile_paths_follow_the_standard() {
        for (tile, path) in [
            (0, "000"),
            (67, "067"),
            (999, "999"),
            (1000, "x001/000"),
            (1_234_067, "x001/x234/067"),
        ] {
            assert_eq!(tile_path(tile), path);
        }
    }
}
