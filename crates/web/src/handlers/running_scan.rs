//! `/scan/{id}`: a running scan, as a page and as a stream of its progress. Whoever knows the id may watch;
//! nobody can guess it. A private scan can be watched by its licence, or by the owner of the domain.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::State,
    response::{IntoResponse, Redirect, Response},
};
use bytes::Bytes;
use contract::{errors::ErrorCode, records::ScanRecord};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http_body_util::StreamBody;
use hyper::body::Frame;
use service::{RunningScan, ScanListener, Service, Visibility};
use tokio::time::{Instant, sleep, timeout_at};

use super::{
    page_forms::{PageToken, home_with_error, page_response},
    report_access::is_id,
    scan,
};
use crate::{
    pages::{self, home::ScanForm},
    principal::Principal,
    rate_limits::{OpenStream, ReadLimit, StreamLimit},
    request::PathParameter,
    response::{ApiError, NO_STORE},
    state::ServiceInfo,
};

/// Updates are sent at most this often.
const UPDATE_PAUSE: Duration = Duration::from_millis(120);
/// A stream ends after this time; browsers then connect again.
const MAX_STREAM_TIME: Duration = Duration::from_secs(60);

/// The page of a running scan. When the scan has ended, it leads to the report or shows why there is none.
pub(crate) async fn running_scan_page(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    PageToken(token): PageToken,
    _: ReadLimit,
    principal: Principal,
    PathParameter(id): PathParameter,
) -> Result<Response, ApiError> {
    let scan = find(&service, &id, &principal)?;
    if let Some(Err(error)) = scan.board().result.as_deref() {
        let unlisted = scan.visibility == Visibility::Unlisted;
        let form = ScanForm { domain: scan.domain.to_string(), unlisted };
        let error = scan::to_api_error(error);
        return Ok(home_with_error(&service_info, &form, &token, &error));
    }
    if scan.board().result.is_some() {
        return Ok(next_page(&scan, &service_info, &token));
    }
    Ok(page_response(pages::running_scan::render(&scan)))
}

/// Where to go from the form: to the progress, to the report, or to the page that says that nothing answered.
/// `token` is for the form that scans the site again.
pub(super) fn next_page(scan: &RunningScan, service_info: &ServiceInfo, token: &str) -> Response {
    match scan.board().result.as_deref() {
        None => Redirect::to(&format!("/scan/{}", scan.id)).into_response(),
        Some(Ok(reply)) => match &reply.id {
            Some(id) => Redirect::to(&format!("/r/{id}")).into_response(),
            // Not stored: this page is all there is.
            None => match serde_json::from_slice::<ScanRecord>(&reply.bytes) {
                Ok(record) => page_response(pages::report::render_unreachable(
                    &record,
                    &service_info.issuer.base_url,
                    token,
                )),
                Err(error) => ApiError::internal(error.to_string()).into_response(),
            },
        },
        Some(Err(error)) => scan::to_api_error(error).into_response(),
    }
}

/// The progress as server-sent events: `progress` (numbers and words), `board` (HTML of the same template as
/// the page) and `end` (the address to go to). Bounded in listeners and in time.
pub(crate) async fn running_scan_events(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    StreamLimit(stream): StreamLimit,
    principal: Principal,
    PathParameter(id): PathParameter,
) -> Result<Response, ApiError> {
    let scan = find(&service, &id, &principal)?;
    let Some(listener) = scan.listen() else {
        let sentence = "Too many clients watch running scans. Load the page again instead.";
        return Err(ApiError::new(ErrorCode::Overloaded, sentence).retry_after(5));
    };
    let events = EventStream {
        scan,
        listener,
        until: Instant::now() + MAX_STREAM_TIME,
        state: StreamState::First,
        _stream: stream,
    };
    let stream = futures_util::stream::unfold(events, EventStream::next);
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, NO_STORE)];
    Ok((headers, Body::new(StreamBody::new(stream))).into_response())
}

fn find(service: &Service, id: &str, principal: &Principal) -> Result<Arc<RunningScan>, ApiError> {
    let scan = is_id(id).then(|| service.scanning.running_scan(id)).flatten();
    let scan = scan.filter(|scan| scan.may_be_watched_by(principal.report_reader()));
    scan.ok_or_else(|| {
        ApiError::new(
            ErrorCode::NotFound,
            "There is no running scan with this id. It may have ended more than ten minutes ago; scan \
             the site again.",
        )
    })
}

enum StreamState {
    First,
    Waiting,
    Ended,
}

struct EventStream {
    scan: Arc<RunningScan>,
    listener: ScanListener,
    until: Instant,
    state: StreamState,
    /// Counts the stream until it ends.
    _stream: OpenStream,
}

impl EventStream {
    /// The next events, and the rest of the stream.
    async fn next(mut self) -> Option<(Result<Frame<Bytes>, Infallible>, Self)> {
        match self.state {
            StreamState::Ended => return None,
            StreamState::First => self.state = StreamState::Waiting,
            StreamState::Waiting => {
                // Several changes in a row become one update.
                sleep(UPDATE_PAUSE).await;
                let changed = timeout_at(self.until, self.listener.changed()).await;
                if !matches!(changed, Ok(true)) {
                    return None;
                }
            }
        }
        let board = self.scan.board();
        let text = if board.result.is_some() {
            self.state = StreamState::Ended;
            event("end", &format!("/scan/{}", self.scan.id))
        } else {
            let words = pages::running_scan::progress_words(&board);
            let progress = format!("{}\n{}\n{words}", board.done, board.total.max(1));
            event("progress", &progress)
                + &event("board", &pages::running_scan::render_board(&board))
        };
        Some((Ok(Frame::data(Bytes::from(text))), self))
    }
}

/// One event. Each line of the data is a line of its own in the stream.
fn event(name: &str, data: &str) -> String {
    let mut text = format!("event: {name}\n");
    for line in data.split(['\n', '\r']) {
        text.push_str("data: ");
        text.push_str(line);
        text.push('\n');
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line break in the data cannot begin a field of its own.
    #[test]
    fn data_stays_data() {
        assert_eq!(
            event("board", "a\nevent: end\r\rb"),
            "event: board\ndata: a\ndata: event: end\ndata: \ndata: b\n\n"
        );
    }
}
