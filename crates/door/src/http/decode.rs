//! Undoing one content coding, chunk by chunk, into a sink that is full at its cap.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use bytes::Bytes;
use flate2::{Decompress, FlushDecompress, Status};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use zstd::stream::raw::{DParameter, InBuffer, Operation, OutBuffer};

/// Decoded at a time: the most that a bomb can add before it is looked at.
const STEP: usize = 16 * 1024;
/// 8 MiB, what RFC 8878 asks every decoder for and no more.
const ZSTD_WINDOW_LOG: u32 = 23;

/// A content coding that can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Identity,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    /// The coding of a response; nothing when it is unknown or when several are stacked.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let mut coding = Self::Identity;
        for value in headers.get_all(CONTENT_ENCODING) {
            for word in value.to_str().ok()?.split(',') {
                let next = match word.trim().to_ascii_lowercase().as_str() {
                    "" | "identity" => continue,
                    "gzip" | "x-gzip" => Self::Gzip,
                    "deflate" => Self::Deflate,
                    "br" => Self::Brotli,
                    "zstd" => Self::Zstd,
                    _ => return None,
                };
                if coding != Self::Identity {
                    return None;
                }
                coding = next;
            }
        }
        Some(coding)
    }

    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some("gzip"),
            Self::Deflate => Some("deflate"),
            Self::Brotli => Some("br"),
            Self::Zstd => Some("zstd"),
        }
    }
}

/// Why decoding stopped before the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The sink is full and there was more.
    Full,
    /// The body grows out of all proportion to what was sent.
    Ratio,
    /// Not what the coding should look like.
    Bad,
    /// Ended in the middle.
    Incomplete,
}

/// When a growing body is a bomb.
#[derive(Debug, Clone, Copy)]
pub(super) struct RatioCap {
    pub(super) ratio: u64,
    pub(super) from: u64,
}

/// The decoded bytes, at most `cap` of them.
#[derive(Debug)]
pub(super) struct Sink {
    kept: Kept,
    cap: usize,
    /// What to make room for when the first bytes must be copied.
    expected: usize,
}

#[derive(Debug)]
enum Kept {
    /// A body that came in one piece is kept as that piece.
    Piece(Bytes),
    Copied(Vec<u8>),
}

impl Sink {
    /// Makes room for what is announced; an announcement alone gets at most 256 KiB.
    pub(super) fn new(cap: u64, announced: u64) -> Self {
        const MOST_TRUSTED: usize = 256 * 1024;
        let cap = usize::try_from(cap).unwrap_or(usize::MAX);
        let expected = usize::try_from(announced).unwrap_or(usize::MAX).min(cap).min(MOST_TRUSTED);
        Self { kept: Kept::Piece(Bytes::new()), cap, expected }
    }

    pub(super) fn len(&self) -> usize {
        match &self.kept {
            Kept::Piece(piece) => piece.len(),
            Kept::Copied(bytes) => bytes.len(),
        }
    }

    /// Takes a piece of the wire as it is, unless it is so small that it would hold on to a buffer
    /// many times its size.
    pub(super) fn take(&mut self, piece: Bytes) -> Result<(), Stop> {
        const WORTH_KEEPING: usize = 8 * 1024;
        let keep = (WORTH_KEEPING..=self.cap).contains(&piece.len());
        match &mut self.kept {
            Kept::Piece(first) if first.is_empty() && keep => {
                *first = piece;
                Ok(())
            }
            _ => self.push(&piece),
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        let room = self.cap - self.len();
        let fitting = bytes.get(..room).unwrap_or(bytes);
        match &mut self.kept {
            Kept::Copied(kept) => kept.extend_from_slice(fitting),
            Kept::Piece(first) => {
                let mut kept = Vec::with_capacity(self.expected);
                kept.extend_from_slice(first);
                kept.extend_from_slice(fitting);
                self.kept = Kept::Copied(kept);
            }
        }
        if fitting.len() < bytes.len() { Err(Stop::Full) } else { Ok(()) }
    }

    pub(super) fn into_bytes(self) -> Bytes {
        match self.kept {
            Kept::Piece(piece) => piece,
            Kept::Copied(bytes) => Bytes::from(bytes),
        }
    }
}

/// Undoes one coding.
pub(super) struct Decoder {
    engine: Engine,
    cap: RatioCap,
    consumed: u64,
    produced: u64,
    /// At the end of the coded stream (for zstd: of a frame; another may follow).
    ended: bool,
    window: Vec<u8>,
}

enum Engine {
    Inflate(Decompress),
    /// `deflate` is zlib by the book and raw deflate from some servers; the first two bytes tell.
    Undecided(Vec<u8>),
    Brotli(Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>),
    Zstd(zstd::stream::raw::Decoder<'static>),
}

/// What one step of an engine did.
struct Step {
    used: usize,
    made: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Ended,
    /// What was made before the fault is good.
    Bad,
}

impl Decoder {
    /// Nothing for identity, which needs no undoing.
    pub(super) fn new(coding: Coding, cap: RatioCap) -> Result<Option<Self>, Stop> {
        let engine = match coding {
            Coding::Identity => return Ok(None),
            Coding::Gzip => Engine::Inflate(Decompress::new_gzip(15)),
            Coding::Deflate => Engine::Undecided(Vec::new()),
            Coding::Brotli => Engine::Brotli(Box::new(BrotliState::new_strict(
                StandardAlloc::default(),
                StandardAlloc::default(),
                StandardAlloc::default(),
            ))),
            Coding::Zstd => {
                let mut decoder = zstd::stream::raw::Decoder::new().map_err(|_| Stop::Bad)?;
                decoder
                    .set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG))
                    .map_err(|_| Stop::Bad)?;
                Engine::Zstd(decoder)
            }
        };
        let window = vec![0; STEP];
        Ok(Some(Self { engine, cap, consumed: 0, produced: 0, ended: false, window }))
    }

    /// Takes the next bytes of the wire. After the end of the stream the rest is ignored, as
    /// browsers do; only zstd may go on with another frame.
    pub(super) fn feed(&mut self, chunk: &[u8], sink: &mut Sink) -> Result<(), Stop> {
        let held;
        let mut input = chunk;
        if let Engine::Undecided(first) = &mut self.engine {
            first.extend_from_slice(chunk);
            let Some([a, b]) = first.first_chunk::<2>().copied() else { return Ok(()) };
            let zlib = a & 0x0f == 8 && u16::from_be_bytes([a, b]) % 31 == 0;
            held = std::mem::take(first);
            self.engine = Engine::Inflate(Decompress::new(zlib));
            input = &held;
        }
        loop {
            if self.ended && (input.is_empty() || !matches!(self.engine, Engine::Zstd(_))) {
                return Ok(());
            }
            let step = self.engine.step(input, &mut self.window);
            self.consumed += step.used as u64;
            self.produced += step.made as u64;
            self.ended = step.state == State::Ended;
            sink.push(self.window.get(..step.made).unwrap_or_default())?;
            if step.state == State::Bad {
                return Err(Stop::Bad);
            }
            let bomb = self.produced > self.cap.from
                && self.produced / self.consumed.max(1) > self.cap.ratio;
            if bomb {
                return Err(Stop::Ratio);
            }
            input = input.get(step.used..).unwrap_or_default();
            let drained = input.is_empty() && step.made < self.window.len();
            if drained || (step.used == 0 && step.made == 0) {
                return Ok(());
            }
        }
    }

    /// Says whether the coded stream is complete. No bytes at all are an empty body.
    pub(super) fn finish(&self) -> Result<(), Stop> {
        let untouched = match &self.engine {
            Engine::Undecided(first) => first.is_empty(),
            _ => self.consumed == 0,
        };
        if self.ended || untouched { Ok(()) } else { Err(Stop::Incomplete) }
    }
}

impl Engine {
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        match self {
            Self::Undecided(_) => Step { used: 0, made: 0, state: State::Open },
            Self::Inflate(inflate) => {
                let (before_in, before_out) = (inflate.total_in(), inflate.total_out());
                let status = inflate.decompress(input, output, FlushDecompress::None);
                Step {
                    used: usize::try_from(inflate.total_in() - before_in).unwrap_or(0),
                    made: usize::try_from(inflate.total_out() - before_out).unwrap_or(0),
                    state: match status {
                        Err(_) => State::Bad,
                        Ok(Status::StreamEnd) => State::Ended,
                        Ok(_) => State::Open,
                    },
                }
            }
            Self::Brotli(brotli) => {
                let (mut left, mut used) = (input.len(), 0);
                let (mut room, mut made, mut total) = (output.len(), 0, 0);
                let result = BrotliDecompressStream(
                    &mut left, &mut used, input, &mut room, &mut made, output, &mut total, brotli,
                );
                let state = match result {
                    BrotliResult::ResultFailure => State::Bad,
                    BrotliResult::ResultSuccess => State::Ended,
                    BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => State::Open,
                };
                Step { used, made, state }
            }
            Self::Zstd(decoder) => {
                let mut input = InBuffer::around(input);
                let mut output = OutBuffer::around(output);
                let state = match decoder.run(&mut input, &mut output) {
                    Err(_) => State::Bad,
                    Ok(0) => State::Ended,
                    Ok(_) => State::Open,
                };
                Step { used: input.pos(), made: output.pos(), state }
            }
        }
    }
}

#[cfg(test)]
mod tests;
