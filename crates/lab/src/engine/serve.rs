//! The HTTP side of the engine.

use std::{convert::Infallible, sync::Arc};

use bytes::Bytes;
use http::{Method, Request, Response, header};
use http_body_util::{BodyExt, Limited};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use super::{
    ENGINE_KEY, facts_of,
    reply::{self, ChatQuestion},
    state::EngineRequest,
};
use crate::{
    http::{
        pages::{self, Body},
        reply::Reply,
    },
    lab_state::LabState,
};

const MAX_REQUEST_BYTES: usize = 256 * 1024;

pub(super) async fn serve_connection(
    stream: TcpStream,
    acceptor: TlsAcceptor,
    world: Arc<LabState>,
) {
    // A client that rejects the certificate disconnects here.
    let Ok(stream) = acceptor.accept(stream).await else { return };
    let service = service_fn(move |request| {
        let world = Arc::clone(&world);
        async move { Ok::<_, Infallible>(answer(request, world).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service);
    // It does not matter whether the client stays to the end.
    let _ = connection.await;
}

async fn answer(request: Request<Incoming>, world: Arc<LabState>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, MAX_REQUEST_BYTES).collect().await;
    let body = body.map(|body| body.to_bytes()).unwrap_or_default();
    let value: Value = serde_json::from_slice(&body).unwrap_or_default();
    let authorization = head.headers.get(header::AUTHORIZATION);
    let authorization = authorization.and_then(|value| value.to_str().ok()).unwrap_or_default();
    let model = value.get("model").and_then(Value::as_str).unwrap_or_default().to_owned();
    let is_known = authorization == format!("Bearer {ENGINE_KEY}");
    world.engine.record(EngineRequest {
        path: head.uri.path().to_owned(),
        authorization: authorization.to_owned(),
        model: model.clone(),
        body: String::from_utf8_lossy(&body).into_owned(),
    });
    let is_question = head.method == Method::POST && head.uri.path() == "/v1/chat/completions";
    let reply = match world.engine.behaviour(&model) {
        _ if !is_known => reply::error(401, "The key is not valid."),
        _ if !is_question => reply::error(404, "There is nothing at this address."),
        None => reply::error(404, "There is no such model."),
        Some(behaviour) => {
            let question = ChatQuestion::parse(&value, model, world.ports.https);
            let facts = question.domain.as_deref().and_then(|domain| facts_of(&world, domain));
            reply::build_reply(behaviour, &question, facts.as_ref())
        }
    };
    send(reply, world).await
}

async fn send(reply: Reply, world: Arc<LabState>) -> Response<Body> {
    pages::send_reply(reply).await.map(|body| {
        let counted = body.map_frame(move |frame| {
            world.engine.count_sent(frame.data_ref().map_or(0, Bytes::len));
            frame
        });
        counted.boxed_unsync()
    })
}
