//! Correct HTTP: hyper speaks the protocol (HTTP/1.1 and HTTP/2), and the site's function gives the
//! replies.

use std::{
    convert::Infallible,
    sync::{Arc, PoisonError, atomic::Ordering},
};

use bytes::Bytes;
use futures_util::stream;
use http::{HeaderName, HeaderValue, Request, Response, StatusCode, Version, header};
use http_body_util::{BodyExt, Empty, Full, Limited, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    body::{Frame, Incoming},
    server::conn::{http1, http2},
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};

use super::reply::{Reply, ReplyBody, Scheme, SiteRequest};
use crate::{
    Hit,
    cases::served_case::ServedCase,
    feeds,
    lab_state::{LabState, RunningSite},
    mcp,
    proofs::{PublishedProof, show_proofs},
    rdap, signing_bot,
    site::PortBehaviour,
};

pub(crate) type Body = UnsyncBoxBody<Bytes, Infallible>;

/// The site and scheme of one connection.
#[derive(Clone, Copy)]
pub(super) struct SiteConnection<'a> {
    pub(super) world: &'a Arc<LabState>,
    pub(super) running_site: &'a RunningSite,
    pub(super) scheme: Scheme,
}

impl SiteConnection<'_> {
    /// Records the request and returns how many came before it.
    pub(super) fn record_hit(&self, hit: Hit) -> u64 {
        match &*hit.path {
            "/turn/away" => self.running_site.has_moved.store(true, Ordering::SeqCst),
            "/turn/back" => self.running_site.has_moved.store(false, Ordering::SeqCst),
            _ => {}
        }
        self.running_site.hits.push(hit);
        self.running_site.requests.fetch_add(1, Ordering::SeqCst)
    }

    pub(super) fn site_request<'h>(
        &self,
        hit: &'h Hit,
        visit: u64,
        body: &'h [u8],
        published: &'h [PublishedProof],
    ) -> SiteRequest<'h> {
        let accept = hit.headers.iter().find(|(name, _)| name == "accept");
        SiteRequest {
            site_name: self.running_site.site.name,
            text: self.running_site.site.text,
            ports: self.world.ports,
            scheme: self.scheme,
            method: &hit.method,
            body,
            host: &hit.host,
            path: &hit.path,
            query: hit.query.as_deref(),
            user_agent: &hit.user_agent,
            accept: accept.map_or("", |(_, value)| value),
            headers: &hit.headers,
            earlier_requests: visit,
            has_moved: self.running_site.has_moved.load(Ordering::SeqCst),
            published,
        }
    }
}

/// Where the replies of a site come from.
#[derive(Debug, Clone, Copy)]
pub(super) enum PageSource {
    Function(fn(&SiteRequest<'_>) -> Reply),
    Proofs(fn(&SiteRequest<'_>) -> Reply),
    Case(&'static ServedCase),
    Feeds,
    KeyDirectory,
    Mcp,
    Rdap,
}

impl PageSource {
    /// `None` for ports without correct HTTP.
    pub(super) fn of_port(port: PortBehaviour) -> Option<Self> {
        match port {
            PortBehaviour::Pages(page) => Some(Self::Function(page)),
            PortBehaviour::Proofs(page) => Some(Self::Proofs(page)),
            PortBehaviour::Case(case) => Some(Self::Case(case)),
            PortBehaviour::Feeds => Some(Self::Feeds),
            PortBehaviour::KeyDirectory => Some(Self::KeyDirectory),
            PortBehaviour::Mcp => Some(Self::Mcp),
            PortBehaviour::Rdap => Some(Self::Rdap),
            PortBehaviour::Closed
            | PortBehaviour::Forward
            | PortBehaviour::RawReplies(_)
            | PortBehaviour::RawSocket(_) => None,
        }
    }

    fn reply(self, request: &SiteRequest<'_>, world: &LabState) -> Reply {
        match self {
            Self::Function(page) => show_proofs(request, page(request)),
            Self::Proofs(page) => page(request),
            Self::Case(case) => show_proofs(request, case.reply(request)),
            Self::Feeds => feeds::reply(request, &world.feeds),
            Self::KeyDirectory => signing_bot::reply(request, &world.key_directories),
            Self::Mcp => mcp::reply(request, &world.mcp),
            Self::Rdap => rdap::reply(request, world),
        }
    }
}

/// Serves one connection until the client leaves.
pub(super) async fn serve<S>(stream: S, http2: bool, pages: PageSource, visit: SiteConnection<'_>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    // HTTP/2 streams run as separate tasks, so they need an `Arc` of the state and not a borrow.
    let world = Arc::clone(visit.world);
    let (address, scheme) = (visit.running_site.address, visit.scheme);
    let service = service_fn(move |request| {
        let world = Arc::clone(&world);
        async move {
            let index = world.index_at(address).unwrap_or_default();
            let Some(running_site) = world.sites.get(index) else {
                return Ok::<_, Infallible>(Response::new(empty_body()));
            };
            let visit = SiteConnection { world: &world, running_site, scheme };
            Ok(answer(request, pages, visit).await)
        }
    });
    let stream = TokioIo::new(stream);
    // Errors of the client side do not matter here.
    if http2 {
        let _ = http2::Builder::new(TokioExecutor::new()).serve_connection(stream, service).await;
    } else {
        let _ =
            http1::Builder::new().timer(TokioTimer::new()).serve_connection(stream, service).await;
    }
}

async fn answer(
    request: Request<Incoming>,
    pages: PageSource,
    visit: SiteConnection<'_>,
) -> Response<Body> {
    let hit = to_hit(&request, &visit);
    let number = visit.record_hit(hit.clone());
    let is_head = request.method() == http::Method::HEAD;
    let body = question_body(request).await;
    let published = visit.world.published.of_site(visit.running_site.site.name);
    let reply = pages.reply(&visit.site_request(&hit, number, &body, &published), visit.world);
    let response = send_reply(reply).await;
    if is_head { response.map(|_| empty_body()) } else { response }
}

/// The response for a reply, after its delay.
pub(crate) async fn send_reply(reply: Reply) -> Response<Body> {
    tokio::time::sleep(reply.delay).await;
    let mut response = Response::new(reply_body(reply.body));
    *response.status_mut() =
        StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in reply.headers {
        if let Ok(value) = HeaderValue::from_bytes(&value) {
            response.headers_mut().append(HeaderName::from_static(name), value);
        }
    }
    response
}

/// The body of a request, as far as a site reads it.
async fn question_body(request: Request<Incoming>) -> Bytes {
    const MAX_BYTES: usize = 64 * 1024;
    let body = Limited::new(request.into_body(), MAX_BYTES).collect().await;
    body.map(|body| body.to_bytes()).unwrap_or_default()
}

fn to_hit(request: &Request<Incoming>, visit: &SiteConnection<'_>) -> Hit {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let field = |name| request.headers().get(name).map(text);
    let host =
        request.uri().host().map(str::to_owned).or_else(|| field(header::HOST)).unwrap_or_default();
    Hit {
        order: visit.world.next_request_number(),
        scheme: visit.scheme.as_str(),
        version: match request.version() {
            Version::HTTP_2 => "2",
            Version::HTTP_10 => "1.0",
            _ => "1.1",
        },
        method: request.method().to_string(),
        host,
        path: request.uri().path().to_owned(),
        query: request.uri().query().map(str::to_owned),
        user_agent: field(header::USER_AGENT).unwrap_or_default(),
        headers: request
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), text(value)))
            .collect(),
    }
}

fn reply_body(payload: ReplyBody) -> Body {
    match payload {
        ReplyBody::Bytes(bytes) => Full::new(bytes).boxed_unsync(),
        ReplyBody::Repeat { head, unit, times, tail } => {
            let units = std::iter::repeat_n(unit, usize::try_from(times).unwrap_or(usize::MAX));
            let all = std::iter::once(head).chain(units).chain(std::iter::once(tail));
            let frames = all.map(|bytes| Ok(Frame::data(bytes)));
            StreamBody::new(stream::iter(frames)).boxed_unsync()
        }
        ReplyBody::Channel(channel) => {
            let Some(receiver) = channel.lock().unwrap_or_else(PoisonError::into_inner).take()
            else {
                return empty_body();
            };
            let pieces = stream::unfold(receiver, |mut receiver| async move {
                let piece = receiver.recv().await?;
                Some((Ok(Frame::data(piece)), receiver))
            });
            StreamBody::new(pieces).boxed_unsync()
        }
        ReplyBody::Drip { bytes, every } => {
            let drops = stream::unfold(bytes, move |mut bytes| async move {
                if bytes.is_empty() {
                    return None;
                }
                tokio::time::sleep(every).await;
                let next = bytes.split_to(1);
                Some((Ok(Frame::data(next)), bytes))
            });
            StreamBody::new(drops).boxed_unsync()
        }
    }
}

fn empty_body() -> Body {
    Empty::new().boxed_unsync()
}
