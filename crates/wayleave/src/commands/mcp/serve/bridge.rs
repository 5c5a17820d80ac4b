//! Reads messages, has them answered at the same time, and writes each answer when it is ready.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::line_reader::Line;
use super::message::{LineKind, LineMessage, answer_line, failure_line, too_long_line};
use super::tool_server::ToolServer;

/// Messages that are answered at the same time. Above, no further line is read.
const MAX_RUNNING: usize = 16;

/// Ends when the input has ended and everything is answered, when nobody reads the output any more, or with
/// `stop`.
pub(super) async fn serve_lines(
    mut input: mpsc::Receiver<Line>,
    output: mpsc::Sender<Vec<u8>>,
    tools: ToolServer,
    stop: impl Future<Output = ()>,
) {
    let mut running =
        RunningMessages { tools: Arc::new(tools), tasks: JoinSet::new(), by_id: HashMap::new() };
    let mut has_ended = false;
    tokio::pin!(stop);
    while !(has_ended && running.tasks.is_empty()) {
        let answer = tokio::select! {
            () = &mut stop => return,
            () = output.closed() => return,
            line = input.recv(), if !has_ended && running.tasks.len() < MAX_RUNNING => match line {
                None => {
                    has_ended = true;
                    None
                }
                Some(Line::TooLong) => Some(too_long_line()),
                Some(Line::Text(bytes)) => {
                    running.begin(bytes);
                    None
                }
            },
            Some(done) = running.tasks.join_next(), if !running.tasks.is_empty() => {
                done.ok().and_then(|(id, line)| running.end(id, line))
            }
        };
        if let Some(line) = answer
            && output.send(line).await.is_err()
        {
            return;
        }
    }
}

type Done = (Option<Value>, Option<Vec<u8>>);

struct RunningMessages {
    tools: Arc<ToolServer>,
    tasks: JoinSet<Done>,
    /// By the id as JSON: 1 and "1" are different.
    by_id: HashMap<String, AbortHandle>,
}

impl RunningMessages {
    fn begin(&mut self, bytes: Vec<u8>) {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let message = LineMessage::parse(bytes);
        let id = match &message.kind {
            LineKind::Cancel(id) => {
                // Its answer is not sent; what it started ends.
                if let Some(task) = self.by_id.remove(&id.to_string()) {
                    task.abort();
                }
                return;
            }
            LineKind::Message(id) => id.clone(),
        };
        let tools = Arc::clone(&self.tools);
        let key = id.as_ref().map(ToString::to_string);
        let task = self.tasks.spawn(async move {
            let line = match tools.ask(&message).await {
                Ok((status, body)) => answer_line(id.as_ref(), status, &body),
                Err(why) => failure_line(id.as_ref(), &why),
            };
            (id, line)
        });
        if let Some(key) = key {
            self.by_id.insert(key, task);
        }
    }

    fn end(&mut self, id: Option<Value>, line: Option<Vec<u8>>) -> Option<Vec<u8>> {
        if let Some(id) = id {
            self.by_id.remove(&id.to_string());
        }
        line
    }
}
