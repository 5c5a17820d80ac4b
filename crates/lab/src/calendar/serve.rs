//! The HTTP side of the calendar and its explorer.

use std::sync::Arc;

use bytes::Bytes;
use data_encoding::HEXLOWER;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::net::TcpStream;

use super::{
    chain::{Block, CommitmentStatus, reversed_hex},
    state::{CalendarBehaviour, CalendarShared, EXPLORER_PATH},
};

/// The longest digest that a calendar accepts.
const MAX_DIGEST: usize = 64;
/// More bytes than clients read of an answer.
const TOO_LONG: usize = 20_000;

pub(super) async fn serve_connection(stream: TcpStream, calendar: Arc<CalendarShared>) {
    let moods = {
        let state = calendar.state();
        [state.calendar, state.explorer]
    };
    if moods == [CalendarBehaviour::Closed; 2] {
        return;
    }
    let service = service_fn(move |request| {
        let calendar = Arc::clone(&calendar);
        async move { answer(request, &calendar).await }
    });
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

/// The answer, or `Err` to close the connection without one.
async fn answer(
    request: Request<Incoming>,
    calendar: &CalendarShared,
) -> Result<Response<Full<Bytes>>, ConnectionClosed> {
    let path = request.uri().path().to_owned();
    let explorer = path.strip_prefix(EXPLORER_PATH);
    let mood = {
        let mut state = calendar.state();
        state.requests += 1;
        if explorer.is_some() { state.explorer } else { state.calendar }
    };
    match mood {
        CalendarBehaviour::Normal | CalendarBehaviour::WrongAnswer => {}
        CalendarBehaviour::Down => return Ok(text(503, "down for maintenance")),
        CalendarBehaviour::Closed => return Err(ConnectionClosed),
        CalendarBehaviour::Garbage => return Ok(octets(vec![0xa5; 300])),
        CalendarBehaviour::TooLong => return Ok(octets(vec![0x08; TOO_LONG])),
        CalendarBehaviour::Silent => std::future::pending::<()>().await,
    }
    let mistaken = mood == CalendarBehaviour::WrongAnswer;
    if let Some(path) = explorer {
        return Ok(answer_explorer(path, calendar, mistaken));
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
        return Ok(octets(calendar.state().chain.accept_digest(&message, &own)));
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
    Ok(match state.chain.commitment_status(&commitment) {
        _ if mistaken => octets(state.chain.any_mined().unwrap_or_default().to_vec()),
        CommitmentStatus::Mined(timestamp) => octets(timestamp.to_vec()),
        CommitmentStatus::Pending => text(404, "Pending confirmation in Bitcoin blockchain"),
        CommitmentStatus::Unknown => text(404, "Commitment not found"),
    })
}

fn answer_explorer(path: &str, calendar: &CalendarShared, mistaken: bool) -> Response<Full<Bytes>> {
    let state = calendar.state();
    if let Some(height) = path.strip_prefix("/block-height/") {
        let block = height.parse().ok().and_then(|height| state.chain.block_at(height));
        return block.map_or_else(block_not_found, |block| text(200, &reversed_hex(&block.hash)));
    }
    let block = path.strip_prefix("/block/").and_then(|hash| state.chain.block_by_hash(hash));
    block.map_or_else(block_not_found, |block| json_block(block, mistaken))
}

fn json_block(block: &Block, mistaken: bool) -> Response<Full<Bytes>> {
    let root = if mistaken { &block.hash } else { &block.merkle_root };
    let json = json!({
        "id": reversed_hex(&block.hash), "height": block.height, "version": 1,
        "timestamp": block.time, "merkle_root": reversed_hex(root),
    });
    reply(200, "application/json", json.to_string().into())
}

fn block_not_found() -> Response<Full<Bytes>> {
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
struct ConnectionClosed;

impl std::fmt::Display for ConnectionClosed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("closed on purpose")
    }
}

impl std::error::Error for ConnectionClosed {}
