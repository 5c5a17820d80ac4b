//! Reading a log to hold documents against: an exported one from its folder, or that of a service.
//!
//! What is read is a stranger's, so it is bounded; what cannot be read ends the command, and what
//! was read and does not fit is for the checks to say.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};
use contract::Brand;
use proof::head::ChainHead;
use proof::verify::against_log::{Growth, LeafWalk, LogCopy, LogHeads, TILE_WIDTH, head_named_by};
use proof::{Digest, KeyPolicy};
use serde_json::Value;

use crate::commands::remote;
use crate::wiring;

/// The most that is looked at: more is not a log that somebody checks on the command line.
const MAX_HEADS: u64 = 1_000_000;
const MAX_HEADS_BY_URL: u64 = 100_000;
const MAX_LEAVES: u64 = 100_000_000;
/// A file of a thousand heads; each is one or two kilobytes.
const MAX_HEADS_BYTES: u64 = 16 << 20;
const TILE_BYTES: u64 = TILE_WIDTH * 32;
const HEADS_IN_A_FILE: u64 = 1000;
/// What a service gives at once.
const PAGE: u64 = 200;

pub(super) fn read(
    place: &str,
    documents: &[Vec<u8>],
    policy: KeyPolicy,
    brand: &Brand,
) -> Result<LogCopy> {
    if place.starts_with("http://") || place.starts_with("https://") {
        let base = place.trim_end_matches('/').trim_end_matches("/api/v1/log");
        wiring::runtime()?.block_on(by_url(base, documents, policy, brand))
    } else {
        in_folder(Path::new(place), policy, brand)
    }
}

/// An exported log: every head, then every leaf.
fn in_folder(folder: &Path, policy: KeyPolicy, brand: &Brand) -> Result<LogCopy> {
    let mut heads = LogHeads::new(policy, brand.clone(), 0);
    for from in (0..).step_by(usize::try_from(HEADS_IN_A_FILE)?) {
        let file = folder.join("sths").join(format!("{from:09}.jsonl"));
        match bounded(&file, MAX_HEADS_BYTES)? {
            None if from == 0 => bail!("{} cannot be read: there is no such file", file.display()),
            None => break,
            Some(bytes) if bytes.is_empty() => {}
            Some(bytes) => {
                // The last line ends like the others.
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
    while let Some((tile, width)) = walk.wants() {
        let whole = folder.join("tile/0").join(tile_path(tile));
        let partial = match whole.to_str() {
            Some(whole) if width < TILE_WIDTH => {
                bounded(Path::new(&format!("{whole}.p/{width}")), TILE_BYTES)?
            }
            _ => None,
        };
        let bytes = match partial {
            Some(bytes) => Some(bytes),
            // A log that has grown since may have the whole tile only.
            None => bounded(&whole, TILE_BYTES)?.map(|mut bytes| {
                bytes.truncate(usize::try_from(width * 32).unwrap_or_default());
                bytes
            }),
        };
        walk.take(bytes.as_deref());
    }
    let growth = Growth::Leaves(walk.finish());
    Ok(LogCopy { heads, growth })
}

/// The bytes of a file of the log; nothing when there is none.
fn bounded(path: &Path, most: u64) -> Result<Option<Vec<u8>>> {
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

/// 1234067 is x001/x234/067 (C2SP tlog-tiles).
fn tile_path(tile: u64) -> String {
    let mut path = format!("{:03}", tile % 1000);
    let mut rest = tile / 1000;
    while rest > 0 {
        path = format!("x{:03}/{path}", rest % 1000);
        rest /= 1000;
    }
    path
}

/// The part of a service's log that these documents need.
async fn by_url(
    base: &str,
    documents: &[Vec<u8>],
    policy: KeyPolicy,
    brand: &Brand,
) -> Result<LogCopy> {
    let latest = ask(base, "").await?;
    let newest = ChainHead::read(latest.get("head").unwrap_or(&Value::Null))
        .with_context(|| format!("{base}/api/v1/log names no newest head"))?;
    let wanted: Vec<ChainHead> = documents
        .iter()
        .filter_map(|document| head_named_by(document, brand))
        .filter(|head| head.batch <= newest.batch)
        .collect();
    let first = wanted.iter().map(|head| head.batch).min().unwrap_or(newest.batch);
    if newest.batch - first >= MAX_HEADS_BY_URL {
        bail!("more than {MAX_HEADS_BY_URL} heads lie between: export the log and use --log DIR");
    }
    let heads = heads_by_url(base, first, &newest, policy, brand).await?;
    let sizes: BTreeSet<u64> = wanted.iter().map(|head| head.tree_size).collect();
    let mut proofs = BTreeMap::new();
    for from in sizes.into_iter().filter(|size| *size < newest.tree_size) {
        let answer =
            ask(base, &format!("/consistency?from={from}&to={}", newest.tree_size)).await?;
        let proof = digests(answer.get("proof"))
            .ok_or_else(|| "the proof of the log is not a list of digests".to_owned());
        proofs.insert(from, proof);
    }
    Ok(LogCopy { heads, growth: Growth::Proofs(proofs) })
}

/// The heads from `first` to the newest, which the service lists newest first.
async fn heads_by_url(
    base: &str,
    first: u64,
    newest: &ChainHead,
    policy: KeyPolicy,
    brand: &Brand,
) -> Result<LogHeads> {
    let mut found: Vec<Option<Value>> = Vec::new();
    let mut left = newest.batch - first + 1;
    while left > 0 {
        let count = left.min(PAGE);
        let mut page = ask(base, &format!("/sths?to={}&n={count}", first + left - 1)).await?;
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
        heads.contradict_newest();
    }
    Ok(heads)
}

async fn ask(base: &str, path: &str) -> Result<Value> {
    let url = format!("{base}/api/v1/log{path}");
    let body = remote::get(&url).await?;
    proof::canonical::parse_strict(&body).with_context(|| format!("{url} gave no JSON"))
}

fn digests(list: Option<&Value>) -> Option<Vec<Digest>> {
    list?.as_array()?.iter().map(|hash| hash.as_str()?.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_have_the_names_of_the_standard() {
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
