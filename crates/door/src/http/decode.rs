//! Decodes one content coding, chunk by chunk, into a buffer with a size cap.

use std::fmt;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use bytes::Bytes;
use flate2::{Decompress, FlushDecompress, Status};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use zstd::stream::raw::{DParameter, InBuffer, Operation, OutBuffer};

/// The number of bytes decoded at a time: a decompression bomb can add at most this much before the
/// limits are checked.
const WINDOW_BYTES: usize = 16 * 1024;
/// 8 MiB: the window size that RFC 8878 asks every decoder to support, and no more.
const ZSTD_WINDOW_LOG: u32 = 23;

/// A content coding that we can decode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContentCoding {
    Identity,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl ContentCoding {
    /// The coding of a response. `None` if it is unknown or if several are stacked.
    pub(super) fn from_headers(headers: &HeaderMap) -> Option<Self> {
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
pub(super) enum DecodeStop {
    /// The buffer is full and there was more data.
    Full,
    /// The body expanded more than the ratio limit allows.
    Ratio,
    /// The data is not valid in this coding.
    Bad,
    /// The coded stream ended early.
    Incomplete,
}

/// The ratio above which a body counts as a decompression bomb.
#[derive(Debug, Clone, Copy)]
pub(super) struct RatioCap {
    pub(super) ratio: u64,
    pub(super) from_bytes: u64,
}

/// The decoded bytes, at most `cap` of them.
#[derive(Debug)]
pub(super) struct CappedBuffer {
    storage: BufferStorage,
    cap: usize,
    /// The capacity to reserve when the first bytes must be copied.
    expected: usize,
}

#[derive(Debug)]
enum BufferStorage {
    /// A body that arrived in one chunk is stored as that chunk, without a copy.
    Piece(Bytes),
    Copied(Vec<u8>),
}

impl CappedBuffer {
    /// Reserves room for the announced length, but at most 256 KiB for an announcement alone.
    pub(super) fn new(cap: u64, announced: u64) -> Self {
        const MOST_TRUSTED: usize = 256 * 1024;
        let cap = usize::try_from(cap).unwrap_or(usize::MAX);
        let expected = usize::try_from(announced).unwrap_or(usize::MAX).min(cap).min(MOST_TRUSTED);
        Self { storage: BufferStorage::Piece(Bytes::new()), cap, expected }
    }

    pub(super) fn len(&self) -> usize {
        match &self.storage {
            BufferStorage::Piece(piece) => piece.len(),
            BufferStorage::Copied(bytes) => bytes.len(),
        }
    }

    /// Stores a chunk from the wire without a copy, unless it is so small that it would keep alive
    /// a buffer many times its size.
    pub(super) fn push_chunk(&mut self, piece: Bytes) -> Result<(), DecodeStop> {
        const WORTH_KEEPING: usize = 8 * 1024;
        let keep = (WORTH_KEEPING..=self.cap).contains(&piece.len());
        match &mut self.storage {
            BufferStorage::Piece(first) if first.is_empty() && keep => {
                *first = piece;
                Ok(())
            }
            _ => self.push_slice(&piece),
        }
    }

    pub(super) fn push_slice(&mut self, bytes: &[u8]) -> Result<(), DecodeStop> {
        let remaining = self.cap - self.len();
        let fitting = bytes.get(..remaining).unwrap_or(bytes);
        match &mut self.storage {
            BufferStorage::Copied(kept) => kept.extend_from_slice(fitting),
            BufferStorage::Piece(first) => {
                let mut kept = Vec::with_capacity(self.expected);
                kept.extend_from_slice(first);
                kept.extend_from_slice(fitting);
                self.storage = BufferStorage::Copied(kept);
            }
        }
        if fitting.len() < bytes.len() { Err(DecodeStop::Full) } else { Ok(()) }
    }

    pub(super) fn into_bytes(self) -> Bytes {
        match self.storage {
            BufferStorage::Piece(piece) => piece,
            BufferStorage::Copied(bytes) => Bytes::from(bytes),
        }
    }
}

/// Decodes one content coding.
pub(super) struct Decoder {
    engine: Engine,
    cap: RatioCap,
    consumed: u64,
    produced: u64,
    /// Whether the coded stream has ended (for zstd: a frame, after which another may follow).
    ended: bool,
    window: Vec<u8>,
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { consumed, produced, .. } = self;
        write!(f, "Decoder({consumed} -> {produced} bytes)")
    }
}

enum Engine {
    Inflate(Decompress),
    /// `deflate` should be zlib, but some servers send raw deflate. The first two bytes decide.
    Undecided(Vec<u8>),
    Brotli(Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>),
    Zstd(zstd::stream::raw::Decoder<'static>),
}

/// The result of one step of an engine.
struct EngineStep {
    consumed: usize,
    produced: usize,
    state: StreamState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StreamState {
    Open,
    Ended,
    /// The output before the error is valid.
    Bad,
}

impl Decoder {
    /// `None` for identity, which needs no decoding.
    pub(super) fn new(coding: ContentCoding, cap: RatioCap) -> Result<Option<Self>, DecodeStop> {
        let engine = match coding {
            ContentCoding::Identity => return Ok(None),
            ContentCoding::Gzip => Engine::Inflate(Decompress::new_gzip(15)),
            ContentCoding::Deflate => Engine::Undecided(Vec::new()),
            ContentCoding::Brotli => Engine::Brotli(Box::new(BrotliState::new_strict(
                StandardAlloc::default(),
                StandardAlloc::default(),
                StandardAlloc::default(),
            ))),
            ContentCoding::Zstd => {
                let mut decoder = zstd::stream::raw::Decoder::new().map_err(|_| DecodeStop::Bad)?;
                decoder
                    .set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG))
                    .map_err(|_| DecodeStop::Bad)?;
                Engine::Zstd(decoder)
            }
        };
        let window = vec![0; WINDOW_BYTES];
        Ok(Some(Self { engine, cap, consumed: 0, produced: 0, ended: false, window }))
    }

    /// Decodes the next bytes from the wire. Data after the end of the stream is ignored, as
    /// browsers do; only zstd may continue with another frame.
    pub(super) fn feed(&mut self, chunk: &[u8], sink: &mut CappedBuffer) -> Result<(), DecodeStop> {
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
            self.consumed += step.consumed as u64;
            self.produced += step.produced as u64;
            self.ended = step.state == StreamState::Ended;
            sink.push_slice(self.window.get(..step.produced).unwrap_or_default())?;
            if step.state == StreamState::Bad {
                return Err(DecodeStop::Bad);
            }
            let bomb = self.produced > self.cap.from_bytes
                && self.produced / self.consumed.max(1) > self.cap.ratio;
            if bomb {
                return Err(DecodeStop::Ratio);
            }
            input = input.get(step.consumed..).unwrap_or_default();
            let drained = input.is_empty() && step.produced < self.window.len();
            if drained || (step.consumed == 0 && step.produced == 0) {
                return Ok(());
            }
        }
    }

    /// Checks that the coded stream is complete. Zero bytes count as an empty body.
    pub(super) fn finish(&self) -> Result<(), DecodeStop> {
        let untouched = match &self.engine {
            Engine::Undecided(first) => first.is_empty(),
            _ => self.consumed == 0,
        };
        if self.ended || untouched { Ok(()) } else { Err(DecodeStop::Incomplete) }
    }
}

impl Engine {
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> EngineStep {
        match self {
            Self::Undecided(_) => EngineStep { consumed: 0, produced: 0, state: StreamState::Open },
            Self::Inflate(inflate) => {
                let (before_in, before_out) = (inflate.total_in(), inflate.total_out());
                let status = inflate.decompress(input, output, FlushDecompress::None);
                EngineStep {
                    consumed: usize::try_from(inflate.total_in() - before_in).unwrap_or(0),
                    produced: usize::try_from(inflate.total_out() - before_out).unwrap_or(0),
                    state: match status {
                        Err(_) => StreamState::Bad,
                        Ok(Status::StreamEnd) => StreamState::Ended,
                        Ok(_) => StreamState::Open,
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
                    BrotliResult::ResultFailure => StreamState::Bad,
                    BrotliResult::ResultSuccess => StreamState::Ended,
                    BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => {
                        StreamState::Open
                    }
                };
                EngineStep { consumed: used, produced: made, state }
            }
            Self::Zstd(decoder) => {
                let mut input = InBuffer::around(input);
                let mut output = OutBuffer::around(output);
                let state = match decoder.run(&mut input, &mut output) {
                    Err(_) => StreamState::Bad,
                    Ok(0) => StreamState::Ended,
                    Ok(_) => StreamState::Open,
                };
                EngineStep { consumed: input.pos(), produced: output.pos(), state }
            }
        }
    }
}

#[cfg(test)]
mod tests;
