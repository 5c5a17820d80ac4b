//! The HTTP side of the calendar and its explorer.

use bytes::Bytes;
use data_encoding::HEXLOWER;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::net::TcpStream;

use super::{
    Calendar, EXPLORER, Mood,
    chain::{Block, Known, turned},
};

/// The longest message a calendar takes.
const MAX_DIGEST: usize = 64;
/// More than clients read of an answer.
const TOO_LONG: usize = 20_000;

pub(super) async fn connection(stream: TcpStream, calendar: Calendar) {
    let moods = {
        let state = calendar.state();
        [state.calendar, state.explorer]
    };
    if moods == [Mood::Closed; 2] {
        return;
    }
    let service = service_fn(move |request| {
        let calendar = calendar.clone();
        async move { answer(request, &calendar).await }
    });
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

/// The answer, or an end of the connection without one.
async fn answer(
    request: Request<Incoming>,
    calendar: &Calendar,
) -> Result<Response<Full<Bytes>>, Gone> {
    let path = request.uri().path().to_owned();
    let explorer = path.strip_prefix(EXPLORER);
    let mood = {
        let mut state = calendar.state();
        state.requests += 1;
        if explorer.is_some() { state.explorer } else { state.calendar }
    };
    match mood {
        Mood::Well | Mood::Mistaken => {}
        Mood::Down => return Ok(text(503, "down for the day")),
        Mood::Closed => return Err(Gone),
        Mood::Garbage => return Ok(octets(vec![0xa5; 300])),
        Mood::TooLong => return Ok(octets(vec![0x08; TOO_LONG])),
        Mood::Silent => std::future::pending::<()>().await,
    }
    let mistaken = mood == Mood::Mistaken;
    if let Some(path) = explorer {
        return Ok(explore(path, calendar, mistaken));
    }
    if request.method() == Method::POST && path == "/digest" {
        let Ok(body) = Limited::new(request.into_body(), MAX_DIGEST).collect().await else {
            return Ok(text(400, "the digest is too long"));
        };
        let message = body.to_bytes();
        if message.is_empty() {
            return Ok(text(400, "no digest"));
        }
        let own = calendar.url();
        return Ok(octets(calendar.state().chain.take(&message, &own)));
    }
    let state = calendar.state();
    if path == "/tip" {
        let root = state.chain.tip().map(|block| block.merkle_root.to_vec());
        return Ok(octets(root.unwrap_or_default()));
    }
    let Some(hex) = path.strip_prefix("/timestamp/") else {
        return Ok(text(404, "not found"));
    };
    let Ok(commitment) = HEXLOWER.decode(hex.as_bytes()) else {
        return Ok(text(400, "commitment invalid hex"));
    };
    Ok(match state.chain.known(&commitment) {
        _ if mistaken => octets(state.chain.any_mined().unwrap_or_default().to_vec()),
        Known::Mined(timestamp) => octets(timestamp.to_vec()),
        Known::Waiting => text(404, "Pending confirmation in Bitcoin blockchain"),
        Known::Nothing => text(404, "Commitment not found"),
    })
}

fn explore(path: &str, calendar: &Calendar, mistaken: bool) -> Response<Full<Bytes>> {
    let state = calendar.state();
    if let Some(height) = path.strip_prefix("/block-height/") {
        let block = height.parse().ok().and_then(|height| state.chain.block_at(height));
        return block.map_or_else(none, |block| text(200, &turned(&block.hash)));
    }
    let block = path.strip_prefix("/block/").and_then(|hash| state.chain.block(hash));
    block.map_or_else(none, |block| json_block(block, mistaken))
}

fn json_block(block: &Block, mistaken: bool) -> Response<Full<Bytes>> {
    let root = if mistaken { &block.hash } else { &block.merkle_root };
    let json = json!({
        "id": turned(&block.hash), "height": block.height, "version": 1,
        "timestamp": block.time, "merkle_root": turned(root),
    });
    reply(200, "application/json", json.to_string().into())
}

fn none() -> Response<Full<Bytes>> {
    text(404, "Block not found")
}

fn text(status: u16, body: &str) -> Response<Full<Bytes>> {
    reply(status, "text/plain", Bytes::from(body.to_owned()))
}

fn octets(body: Vec<u8>) -> Response<Full<Bytes>> {
    reply(200, "application/octet-stream", body.into())
}

fn reply(status: u16, media_type: &'static str, body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or_default();
    response
        .headers_mut()
        .insert(http::header::CONTENT_TYPE, http::HeaderValue::from_static(media_type));
    response
}

/// The connection ends without an answer.
#[derive(Debug)]
struct Gone;

impl std::fmt::Display for Gone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("closed on purpose")
    }
}

impl std::error::Error for Gone {}
