//! The form of 2024-11-05: GET opens a stream, whose first event names where to send questions; the
//! responses come on the stream.

use bytes::Bytes;
use tokio::sync::mpsc;

use super::behaviour::Fault;
use super::host::LabMcpHost;
use super::state::RunningServer;
use crate::http::reply::{Reply, ReplyBody};

const MESSAGE_PATH: &str = "/message";

pub(super) fn open(host: &LabMcpHost, running: &mut RunningServer) -> Reply {
    running.opened += 1;
    let id = format!("stream-{}", running.opened);
    let origin = match host.behaviour.fault {
        Fault::ForeignEndpoint => "https://mcp-legacy.lab",
        _ => "",
    };
    let (sender, receiver) = mpsc::unbounded_channel();
    let first = format!("event: endpoint\ndata: {origin}{MESSAGE_PATH}?sessionId={id}\n\n");
    // The receiver is right here, so this cannot fail.
    let _ = sender.send(Bytes::from(first));
    running.streams.insert(id, sender);
    Reply::new(200, "text/event-stream", Bytes::new()).with_body(ReplyBody::channel(receiver))
}

/// The stream that a question belongs to.
pub(super) fn stream_of<'a>(
    running: &'a RunningServer,
    path: &str,
    query: Option<&str>,
) -> Option<&'a mpsc::UnboundedSender<Bytes>> {
    let id = query.and_then(|query| query.strip_prefix("sessionId="))?;
    running.streams.get(id).filter(|_| path == MESSAGE_PATH)
}
