//! The HTTP side of the control channel.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::{error::ControlError, registration, requests};
use crate::lab_state::LabState;

const MAX_BODY_BYTES: usize = 8 * 1024;
/// For a whole connection. A command makes one request.
const CONNECTION_TIME: Duration = Duration::from_secs(10);

pub(super) async fn serve_connection(stream: TcpStream, world: Arc<LabState>, prefix: Arc<str>) {
    let service = service_fn(move |request| {
        let (world, prefix) = (Arc::clone(&world), Arc::clone(&prefix));
        async move { Ok::<_, std::convert::Infallible>(answer(request, &world, &prefix).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    // It does not matter whether the client stays to the end.
    let _ = tokio::time::timeout(CONNECTION_TIME, connection).await;
}

async fn answer(
    request: Request<Incoming>,
    world: &LabState,
    prefix: &str,
) -> Response<Full<Bytes>> {
    let Some(action) = request.uri().path().strip_prefix(prefix).map(str::to_owned) else {
        return reply(Err(ControlError::NotFound));
    };
    let method = request.method().clone();
    let Ok(body) = Limited::new(request.into_body(), MAX_BODY_BYTES).collect().await else {
        return reply(Err(ControlError::Bad("The body is too long.".to_owned())));
    };
    let body = body.to_bytes();
    reply(match (method, action.as_str()) {
        (Method::GET, "clock") => requests::show_clock(world),
        (Method::POST, "clock") => requests::advance_clock(world, &body),
        (Method::GET, "proofs") => Ok(requests::list_proofs(world)),
        (Method::POST, "proofs") => requests::publish_proof(world, &body),
        (Method::POST, "proofs/remove") => requests::remove_proofs(world, &body),
        (Method::POST, "registration") => registration::change(world, &body),
        (Method::GET, "engine") => Ok(requests::show_engine(world)),
        (Method::POST, "engine") => requests::set_engine(world, &body),
        _ => Err(ControlError::NotFound),
    })
}

fn reply(result: Result<Value, ControlError>) -> Response<Full<Bytes>> {
    let (status, value) = match result {
        Ok(value) => (StatusCode::OK, value),
        Err(ControlError::NotFound) => {
            (StatusCode::NOT_FOUND, json!({ "error": "There is nothing at this address." }))
        }
        Err(ControlError::Bad(sentence)) => (StatusCode::BAD_REQUEST, json!({ "error": sentence })),
    };
    let mut response = Response::new(Full::new(Bytes::from(value.to_string())));
    *response.status_mut() = status;
    let json_type = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json_type);
    response
}
