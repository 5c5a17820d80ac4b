//! The queue of log lines, and the thread that writes them.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use super::lost_lines::{LossReason, LostLines, format_loss};
use crate::config::LogFormat;

/// Lines that wait together have at most this many bytes; further lines are lost and counted.
const MAX_WAITING_BYTES: usize = 4 << 20;
/// Lines that wait are written together, up to this many bytes: a call for each would take longer than the lines.
const MAX_WRITE_BYTES: usize = 64 << 10;
/// How often the number of lost lines is written, or tried to be written.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);
/// The pause before the next try when the output is not ready.
const RETRY_PAUSE: Duration = Duration::from_millis(10);

/// The end of the queue that takes lines. Never blocks.
pub(super) struct LogQueue {
    sender: Sender<Message>,
    waiting_bytes: Arc<AtomicUsize>,
    lost: Arc<LostLines>,
}

enum Message {
    Line(Vec<u8>),
    /// Replied to when all lines before it have been written or lost.
    Flush(Sender<()>),
}

impl LogQueue {
    /// Starts the thread that writes to `output`.
    pub(super) fn start(output: impl AsFd + Send + 'static, format: LogFormat) -> io::Result<Self> {
        let (sender, receiver) = mpsc::channel();
        let queue =
            Self { sender, waiting_bytes: Arc::default(), lost: Arc::new(LostLines::default()) };
        let writer = LogWriter {
            output,
            format,
            receiver,
            waiting_bytes: Arc::clone(&queue.waiting_bytes),
            lost: Arc::clone(&queue.lost),
            reported: 0,
            last_report: None,
            in_line: false,
        };
        std::thread::Builder::new().name("log-writer".to_owned()).spawn(move || writer.run())?;
        Ok(queue)
    }

    pub(super) fn add_line(&self, line: Vec<u8>) {
        let bytes = line.len();
        let waiting = self.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
        let fits = waiting.saturating_add(bytes) <= MAX_WAITING_BYTES;
        if !fits || self.sender.send(Message::Line(line)).is_err() {
            self.waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
            self.lost.count(LossReason::QueueFull);
        }
    }

    /// Waits until the lines before this call are written or lost, for at most `patience`.
    pub(super) fn flush(&self, patience: Duration) {
        let (done, finished) = mpsc::channel();
        if self.sender.send(Message::Flush(done)).is_ok() {
            let _ = finished.recv_timeout(patience);
        }
    }
}

/// A log event is written in one piece.
impl Write for &LogQueue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.add_line(line.to_vec());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The state of the thread that writes; nobody else uses it.
struct LogWriter<W> {
    output: W,
    format: LogFormat,
    receiver: Receiver<Message>,
    waiting_bytes: Arc<AtomicUsize>,
    lost: Arc<LostLines>,
    /// How many lost lines the log has reported.
    reported: u64,
    last_report: Option<Instant>,
    /// Whether the last line was written in part.
    in_line: bool,
}

impl<W: AsFd> LogWriter<W> {
    fn run(mut self) {
        loop {
            let message = if self.lost.total() == self.reported {
                self.receiver.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                self.receiver.recv_timeout(REPORT_INTERVAL)
            };
            match message {
                Ok(Message::Line(line)) => {
                    let (lines, flush) = self.gather_lines(line);
                    self.waiting_bytes.fetch_sub(lines.len(), Ordering::Relaxed);
                    let written = self.write_lines(&lines);
                    let lost = lines.get(written..).unwrap_or_default();
                    for _ in 0..lost.iter().filter(|byte| **byte == b'\n').count() {
                        self.lost.count(LossReason::WriteFailed);
                    }
                    if let Some(done) = flush {
                        let _ = done.send(());
                    }
                }
                Ok(Message::Flush(done)) => drop(done.send(())),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.report_lost_lines();
        }
    }

    /// This line and those that wait after it, up to a call of `flush`.
    fn gather_lines(&self, first: Vec<u8>) -> (Vec<u8>, Option<Sender<()>>) {
        let mut lines = first;
        while lines.len() < MAX_WRITE_BYTES {
            match self.receiver.try_recv() {
                Ok(Message::Line(line)) => lines.extend_from_slice(&line),
                Ok(Message::Flush(done)) => return (lines, Some(done)),
                Err(_) => break,
            }
        }
        (lines, None)
    }

    /// Once lines can be written again, writes how many were lost.
    fn report_lost_lines(&mut self) {
        let lost = self.lost.total();
        let is_due = self.last_report.is_none_or(|last| last.elapsed() >= REPORT_INTERVAL);
        if lost == self.reported || !is_due {
            return;
        }
        self.last_report = Some(Instant::now());
        self.lost.publish();
        let line = format_loss(lost - self.reported, self.format);
        if self.write_lines(&line) == line.len() {
            self.reported = lost;
        }
    }

    /// Returns how many bytes were written.
    fn write_lines(&mut self, lines: &[u8]) -> usize {
        if self.in_line {
            if write_to(&self.output, b"\n").1.is_err() {
                return 0;
            }
            self.in_line = false;
        }
        let (written, _) = write_to(&self.output, lines);
        let last = written.checked_sub(1).and_then(|last| lines.get(last));
        self.in_line = last.is_some_and(|byte| *byte != b'\n');
        written
    }
}

/// Writes all bytes, without the lock of `std::io::Stderr`: a thread that waits here must not make
/// others wait. Returns how many were written.
fn write_to(output: &impl AsFd, bytes: &[u8]) -> (usize, io::Result<()>) {
    let mut written = 0;
    while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
        match rustix::io::write(output, rest) {
            Ok(0) => return (written, Err(io::ErrorKind::WriteZero.into())),
            Ok(count) => written += count,
            Err(rustix::io::Errno::INTR) => {}
            // Another process may have switched the shared output to non-blocking.
            Err(rustix::io::Errno::AGAIN) => std::thread::sleep(RETRY_PAUSE),
            Err(error) => return (written, Err(error.into())),
        }
    }
    (written, Ok(()))
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, Read};

    use super::*;

    #[test]
    fn lines_are_written_in_order_and_whole() {
        let (mut reader, writer) = io::pipe().unwrap();
        let queue = LogQueue::start(writer, LogFormat::Text).unwrap();
        for number in 0..1000 {
            (&mut &queue).write_all(format!("line {number}\n").as_bytes()).unwrap();
        }
        drop(queue);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, (0..1000).map(|n| format!("line {n}\n")).collect::<String>());
    }

    #[test]
    fn an_output_that_nobody_reads_delays_nobody_and_the_loss_is_reported() {
        let (reader, writer) = io::pipe().unwrap();
        let queue = LogQueue::start(writer, LogFormat::Json).unwrap();
        let lines = 2 * MAX_WAITING_BYTES / 1024;
        let started = Instant::now();
        for _ in 0..lines {
            queue.add_line([vec![b'x'; 1023], vec![b'\n']].concat());
        }
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
        queue.flush(Duration::from_millis(50));
        assert!(queue.waiting_bytes.load(Ordering::Relaxed) <= MAX_WAITING_BYTES);
        let lost = queue.lost.total();
        assert!(lost > 0 && lost < lines as u64, "{lost}");
        // A report may come before the last line is lost; then there is another one.
        let mut written = io::BufReader::new(reader).lines();
        let mut reported = 0;
        while reported < lost {
            let line = written.next().unwrap().unwrap();
            if line.starts_with('{') {
                let report: serde_json::Value = serde_json::from_str(&line).unwrap();
                assert_eq!(report["level"], "ERROR");
                reported += report["lines"].as_u64().unwrap();
            }
        }
        assert_eq!(reported, lost);
    }

    #[test]
    fn a_full_output_loses_lines_and_counts_them() {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let queue = LogQueue::start(full, LogFormat::Text).unwrap();
        for _ in 0..10 {
            queue.add_line(b"lost\n".to_vec());
        }
        queue.flush(Duration::from_secs(10));
        assert_eq!(queue.lost.total(), 10);
    }
}
