//! The replies of `feeds.lab`.

use std::time::Duration;

use aws_lc_rs::digest;
use bytes::Bytes;
use data_encoding::HEXLOWER;

use super::{
    behaviour::FeedBehaviour,
    prefixes::feed_prefixes,
    render::{self, DocumentParts},
    state::FeedState,
    table::{LabFeed, feeds, find},
};
use crate::{
    content::compressed,
    http::reply::{Reply, ReplyBody, SiteRequest},
};

/// The feed behind `/bad/{kind}`.
const DEFAULT_FEED: &str = "openai-gptbot";
/// The feed whose operator answers 403 to clients without a user agent.
const NEEDS_USER_AGENT: &str = "bingbot";
const GOOD_LAST_MODIFIED: &str = "Mon, 02 Nov 2026 10:00:00 GMT";
const CHANGED_LAST_MODIFIED: &str = "Tue, 03 Nov 2026 10:00:00 GMT";
/// Ten million entries are sent in this many parts.
const PARTS: u64 = 10_000;
const ENTRIES_PER_PART: usize = 1_000;

pub(crate) fn reply(request: &SiteRequest<'_>, state: &FeedState) -> Reply {
    let path = request.path.strip_prefix('/').unwrap_or_default();
    if path.is_empty() {
        return index();
    }
    if let Some(bad) = path.strip_prefix("bad/") {
        let (word, id) = bad.split_once('/').unwrap_or((bad, DEFAULT_FEED));
        return match (FeedBehaviour::from_word(word), find(id)) {
            (Some(behaviour), Some(feed)) => serve(request, feed, &behaviour),
            _ => not_found(),
        };
    }
    if let Some(feed) = path.strip_prefix("good/").and_then(find) {
        return serve(request, feed, &FeedBehaviour::Good);
    }
    match find(path) {
        Some(feed) => serve(request, feed, &state.get(feed)),
        None => not_found(),
    }
}

fn serve(request: &SiteRequest<'_>, feed: &LabFeed, behaviour: &FeedBehaviour) -> Reply {
    if feed.id == NEEDS_USER_AGENT && request.user_agent.is_empty() {
        return error_page(403);
    }
    let parts = render::parts(feed);
    match behaviour {
        FeedBehaviour::HtmlErrorPage => error_page(200),
        FeedBehaviour::Status403 => error_page(403),
        FeedBehaviour::Status500 => error_page(500),
        FeedBehaviour::RedirectLoop => Reply::redirect(302, request.path),
        FeedBehaviour::RedirectOnce => Reply::redirect(302, format!("/good/{}", feed.id)),
        FeedBehaviour::NotModifiedWithoutEtag => Reply::new(304, parts.media_type, Bytes::new()),
        FeedBehaviour::TenMillionLines => {
            Reply::new(200, parts.media_type, Bytes::new()).with_body(ten_million(&parts))
        }
        FeedBehaviour::Bomb => Reply::new(200, parts.media_type, Bytes::new())
            .with_header("content-encoding", "gzip")
            .with_body(compressed::gzip_bomb(compressed::BOMB_BYTES)),
        FeedBehaviour::Slow => {
            let bytes = list(feed, &parts, behaviour).into();
            let body = ReplyBody::Drip { bytes, every: Duration::from_secs(1) };
            Reply::new(200, parts.media_type, Bytes::new()).with_body(body)
        }
        FeedBehaviour::WrongType => {
            conditional(request, behaviour, "image/png", list(feed, &parts, behaviour))
        }
        _ => conditional(request, behaviour, parts.media_type, list(feed, &parts, behaviour)),
    }
}

/// The bytes of the list.
fn list(feed: &LabFeed, parts: &DocumentParts, behaviour: &FeedBehaviour) -> Vec<u8> {
    let mut entries = feed_prefixes(feed.id);
    let added: &[&str] = match behaviour {
        FeedBehaviour::Grown => &[FeedBehaviour::ADDED_PREFIX],
        FeedBehaviour::SlashZero => &["0.0.0.0/0", "::/0"],
        FeedBehaviour::TooBroad => &["44.0.0.0/8"],
        FeedBehaviour::PrivateSpace => {
            &["10.0.0.0/8", "192.168.1.0/24", "127.0.0.0/8", "203.0.113.0/24", "fd00::/8"]
        }
        FeedBehaviour::Dirty => {
            &["44.98.0.\u{200b}0/24", "000/0", "3.455.766.537", "1.0.0.120/40", "", "everywhere"]
        }
        _ => &[],
    };
    entries.extend(added.iter().map(|entry| (*entry).to_owned()));
    match behaviour {
        FeedBehaviour::Shrunken => entries.truncate(entries.len().div_ceil(20)),
        FeedBehaviour::NoPrefixes => entries.clear(),
        _ => {}
    }
    match behaviour {
        FeedBehaviour::Body(body) => body.clone().into_bytes(),
        FeedBehaviour::Empty => Vec::new(),
        FeedBehaviour::Truncated => {
            let mut bytes = parts.document(&entries).into_bytes();
            bytes.truncate(bytes.len() / 2);
            bytes
        }
        _ => parts.document(&entries).into_bytes(),
    }
}

/// The body, or 304 if the client has it already.
fn conditional(
    request: &SiteRequest<'_>,
    behaviour: &FeedBehaviour,
    media_type: &str,
    body: Vec<u8>,
) -> Reply {
    let hash = HEXLOWER.encode(digest::digest(&digest::SHA256, &body).as_ref());
    let etag = format!("\"{}\"", hash.get(..16).unwrap_or(&hash));
    let last_modified = match behaviour {
        FeedBehaviour::Good => GOOD_LAST_MODIFIED,
        _ => CHANGED_LAST_MODIFIED,
    };
    let unchanged = match request.header("if-none-match") {
        Some(known) => known.split(',').any(|tag| tag.trim() == etag || tag.trim() == "*"),
        None => request.header("if-modified-since") == Some(last_modified),
    };
    let reply = if unchanged {
        Reply::new(304, media_type, Bytes::new())
    } else {
        Reply::new(200, media_type, body)
    };
    reply.with_header("etag", etag).with_header("last-modified", last_modified)
}

/// Sent in parts and never held in memory as a whole.
fn ten_million(parts: &DocumentParts) -> ReplyBody {
    let entries: Vec<String> = (0..ENTRIES_PER_PART)
        .map(|number| format!("44.{}.{}.0/24", 100 + number / 250, number % 250))
        .collect();
    let write = |entry: &String| format!("{}{}", (parts.write_entry)(entry), parts.separator);
    let last = (parts.write_entry)("44.97.0.0/24");
    ReplyBody::Repeat {
        head: parts.head.clone().into(),
        unit: entries.iter().map(write).collect::<String>().into(),
        times: PARTS,
        tail: format!("{last}{}", parts.tail).into(),
    }
}

fn index() -> Reply {
    let lines: Vec<String> =
        feeds().iter().map(|feed| format!("{} {}\n", feed.id, feed.format.as_str())).collect();
    Reply::text(200, lines.concat())
}

fn not_found() -> Reply {
    Reply::text(404, "There is no such feed.\n")
}

fn error_page(status: u16) -> Reply {
    Reply::html(
        status,
        "<!doctype html>\n<html lang=\"en\"><head><title>Something went wrong</title></head>\n\
         <body><h1>Something went wrong</h1><p>Please try again later.</p></body></html>\n",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_long_list_has_ten_million_entries_and_one() {
        let feed = find("plain-text").unwrap();
        let ReplyBody::Repeat { unit, times, tail, .. } = ten_million(&render::parts(feed)) else {
            panic!("it is sent in parts");
        };
        let lines = unit.iter().filter(|byte| **byte == b'\n').count() as u64;
        assert_eq!((lines * times, &*tail), (10_000_000, &b"44.97.0.0/24\n"[..]));
    }
}
