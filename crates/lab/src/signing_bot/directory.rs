//! The key directories: `/.well-known/http-message-signatures-directory`.

use std::{sync::LazyLock, time::Duration};

use bytes::Bytes;
use serde_json::{Value, json};

use super::{
    behaviour::DirectoryBehaviour, hosts::SIGNING_BOT_HOST, key::BotKey, state::DirectoryState,
};
use crate::http::reply::{Reply, ReplyBody, SiteRequest};

/// Where a host publishes its keys.
pub const DIRECTORY_PATH: &str = "/.well-known/http-message-signatures-directory";
/// The media type of a directory.
pub const DIRECTORY_MEDIA_TYPE: &str = "application/http-message-signatures-directory+json";

const KEYS: u16 = 1_000;
const PADDING_BYTES: usize = 8 << 20;
const PADDING_PART: usize = 1 << 16;

/// A thousand keys take a moment to compute.
static MANY_KEYS: LazyLock<String> = LazyLock::new(|| {
    let keys = (1..KEYS).map(|number| BotKey::Filler(number).jwk());
    directory(&keys.chain([BotKey::Published.jwk()]).collect::<Vec<_>>())
});

pub(crate) fn reply(request: &SiteRequest<'_>, state: &DirectoryState) -> Reply {
    let Some(behaviour) = state.get(request.site_name) else { return not_found() };
    match request.path {
        DIRECTORY_PATH => directory_reply(behaviour),
        "/" => Reply::text(200, "The keys of an agent that signs its requests.\n"),
        _ => not_found(),
    }
}

fn directory_reply(behaviour: DirectoryBehaviour) -> Reply {
    let published = BotKey::Published;
    let good = || directory(&[published.jwk()]);
    match behaviour {
        DirectoryBehaviour::Good => typed(good()),
        DirectoryBehaviour::Redirect => {
            Reply::redirect(302, format!("https://{SIGNING_BOT_HOST}{DIRECTORY_PATH}"))
        }
        DirectoryBehaviour::WrongType => Reply::new(200, "application/json", good()),
        DirectoryBehaviour::ManyKeys => typed(MANY_KEYS.clone()),
        DirectoryBehaviour::Huge => typed(Bytes::new()).with_body(huge()),
        DirectoryBehaviour::Slow => typed(Bytes::new())
            .with_body(ReplyBody::Drip { bytes: good().into(), every: Duration::from_secs(1) }),
        DirectoryBehaviour::Missing => not_found(),
        DirectoryBehaviour::Down => Reply::text(503, "Down for maintenance.\n"),
        DirectoryBehaviour::OtherKey => typed(directory(&[BotKey::Other.jwk()])),
        DirectoryBehaviour::WrongKid => {
            typed(directory(&[BotKey::Other.jwk_with_id(&published.key_id())]))
        }
        DirectoryBehaviour::NotJson => typed("keys: none\n"),
    }
}

fn directory(keys: &[Value]) -> String {
    json!({ "keys": keys }).to_string()
}

fn typed(body: impl Into<Bytes>) -> Reply {
    Reply::new(200, DIRECTORY_MEDIA_TYPE, body)
}

/// Sent in parts and never held in memory as a whole.
fn huge() -> ReplyBody {
    ReplyBody::Repeat {
        head: "{\"padding\":\"".into(),
        unit: vec![b'x'; PADDING_PART].into(),
        times: (PADDING_BYTES / PADDING_PART) as u64,
        tail: format!("\",\"keys\":[{}]}}", BotKey::Published.jwk()).into(),
    }
}

fn not_found() -> Reply {
    Reply::text(404, "There is no such page.\n")
}
