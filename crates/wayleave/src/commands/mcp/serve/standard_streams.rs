//! Standard input and output, each with a thread of its own: reading and writing them cannot be interrupted.

use std::io::{self, Write};
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::sync::{mpsc, oneshot};

use super::line_reader::{Line, read_line};
use super::message::MAX_MESSAGE_BYTES;

/// How long the last answers may take to be written. A client that has left reads no more.
const FLUSH_TIME: Duration = Duration::from_secs(2);

/// The lines of standard input. The channel closes at its end.
pub(super) fn read_input() -> Result<mpsc::Receiver<Line>> {
    let (sender, lines) = mpsc::channel(1);
    let read = move || {
        let mut input = io::stdin().lock();
        loop {
            match read_line(&mut input, MAX_MESSAGE_BYTES) {
                Ok(Some(line)) => {
                    if sender.blocking_send(line).is_err() {
                        return;
                    }
                }
                Ok(None) => return,
                Err(error) => return tracing::error!(%error, "standard input cannot be read"),
            }
        }
    };
    let thread = std::thread::Builder::new().name("stdin".to_owned());
    thread.spawn(read).context("cannot start the thread that reads standard input")?;
    Ok(lines)
}

/// Writes lines to standard output.
#[derive(Debug)]
pub(super) struct Output {
    lines: mpsc::Sender<Vec<u8>>,
    has_ended: oneshot::Receiver<()>,
}

impl Output {
    pub(super) fn start() -> Result<Self> {
        let (lines, mut receiver) = mpsc::channel::<Vec<u8>>(1);
        let (ended, has_ended) = oneshot::channel();
        let write = move || {
            let mut output = io::stdout().lock();
            while let Some(mut line) = receiver.blocking_recv() {
                line.push(b'\n');
                // A client that no longer reads has ended the session.
                if output.write_all(&line).and_then(|()| output.flush()).is_err() {
                    break;
                }
            }
            drop(ended);
        };
        let thread = std::thread::Builder::new().name("stdout".to_owned());
        thread.spawn(write).context("cannot start the thread that writes standard output")?;
        Ok(Self { lines, has_ended })
    }

    pub(super) fn sender(&self) -> mpsc::Sender<Vec<u8>> {
        self.lines.clone()
    }

    /// Waits until everything is written.
    pub(super) async fn finish(self) {
        drop(self.lines);
        let _ = tokio::time::timeout(FLUSH_TIME, self.has_ended).await;
    }
}
