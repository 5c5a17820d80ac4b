//! Reads a response body: streamed, decoded and hashed, with a cap before and after decoding and a
//! minimum transfer rate.

use std::pin::pin;

use bytes::Bytes;
use contract::evidence::{BodyFacts, Failure, FailureKind, FailurePhase, VISIT_LIMIT};
use http::HeaderMap;
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use tokio::time::Instant;

use super::connection::ConnectionDriver;
use super::decode::{CappedBuffer, ContentCoding, DecodeStop, Decoder, RatioCap};
use super::sha256_hex;
use crate::byte_budget::{ByteBudget, TrafficBudget};
use crate::failure::{deadline_failure, http_failure, new_failure};
use crate::read_timer::ReadTimer;
use crate::{BodyCaps, Limits, ReadKind};

/// The part of a body that was read.
#[derive(Debug)]
pub(crate) struct BodyRead {
    pub(crate) facts: BodyFacts,
    pub(crate) bytes: Bytes,
    /// Whether the connection is at the end of this response and can serve another request.
    pub(crate) connection_reusable: bool,
}

/// The limits that apply to one body.
pub(crate) struct BodyBounds<'a> {
    pub(crate) caps: BodyCaps,
    pub(crate) limits: &'a Limits,
    pub(crate) timer: &'a ReadTimer,
    pub(crate) kind: ReadKind,
    /// Shared by all bodies of the visit, like `traffic`.
    pub(crate) byte_budget: &'a ByteBudget,
    pub(crate) traffic: &'a TrafficBudget,
}

pub(crate) async fn read_body(
    headers: &HeaderMap,
    mut incoming: Incoming,
    driver: &mut ConnectionDriver,
    bounds: &BodyBounds<'_>,
) -> BodyRead {
    let BodyBounds { caps, limits, timer, kind, byte_budget, traffic } = *bounds;
    let sink = CappedBuffer::new(caps.decoded, incoming.size_hint().lower());
    let budgets = Some(VisitBudgets { kind, byte_budget, traffic });
    let mut reader = BodyReader { wire_bytes: 0, buffer: sink, decoder: None, budgets };
    let coding = ContentCoding::from_headers(headers);
    let ratio = RatioCap {
        ratio: limits.max_decompression_ratio,
        from_bytes: limits.ratio_checked_from_bytes,
    };
    let decoder = coding
        .ok_or_else(unsupported_encoding_failure)
        .and_then(|coding| Decoder::new(coding, ratio).map_err(decode_failure));
    let mut at_end = false;
    let cut = match decoder {
        Err(failure) => Some(failure),
        Ok(decoder) => {
            reader.decoder = decoder;
            let pace = BodyPace { start: Instant::now(), limits, timer };
            let read_to_end = reader.read_to_end(&mut incoming, driver, caps.wire, &pace).await;
            at_end = read_to_end.is_ok();
            read_to_end.and_then(|()| reader.finish()).err()
        }
    };
    let bytes = reader.buffer.into_bytes();
    let facts = BodyFacts {
        sha256: sha256_hex(&bytes),
        bytes: bytes.len() as u64,
        wire_bytes: reader.wire_bytes,
        encoding: coding.and_then(ContentCoding::name).map(str::to_owned),
        cut,
    };
    BodyRead { facts, bytes, connection_reusable: at_end }
}

/// Reads and discards a small body so that the connection can be reused. Returns whether it can.
pub(crate) async fn drain_body(
    mut incoming: Incoming,
    driver: &mut ConnectionDriver,
    limits: &Limits,
    timer: &ReadTimer,
) -> bool {
    const MOST: u64 = 16 * 1024;
    if incoming.is_end_stream() {
        return true;
    }
    if incoming.size_hint().lower() > MOST {
        return false;
    }
    let pace = BodyPace { start: Instant::now(), limits, timer };
    let mut reader = BodyReader {
        wire_bytes: 0,
        buffer: CappedBuffer::new(MOST, 0),
        decoder: None,
        budgets: None,
    };
    reader.read_to_end(&mut incoming, driver, MOST, &pace).await.is_ok()
}

struct BodyReader<'a> {
    wire_bytes: u64,
    buffer: CappedBuffer,
    decoder: Option<Decoder>,
    /// `None` if the bytes are discarded.
    budgets: Option<VisitBudgets<'a>>,
}

/// What all bodies of the visit share.
#[derive(Clone, Copy)]
struct VisitBudgets<'a> {
    kind: ReadKind,
    byte_budget: &'a ByteBudget,
    traffic: &'a TrafficBudget,
}

/// The minimum transfer rate, as a time limit for the next frame.
pub(super) struct BodyPace<'a> {
    pub(super) start: Instant,
    pub(super) limits: &'a Limits,
    pub(super) timer: &'a ReadTimer,
}

impl BodyPace<'_> {
    /// The time at which a total of `wire` bytes is too little.
    pub(super) fn too_slow_at(&self, wire: u64) -> Instant {
        let earned = std::time::Duration::from_secs(wire / self.limits.min_bytes_per_second.max(1));
        self.start + self.limits.min_rate_after.max(earned)
    }
}

impl BodyReader<'_> {
    async fn read_to_end(
        &mut self,
        incoming: &mut Incoming,
        driver: &mut ConnectionDriver,
        wire_cap: u64,
        pace: &BodyPace<'_>,
    ) -> Result<(), Failure> {
        loop {
            let slow = pace.too_slow_at(self.wire_bytes);
            let until = slow.min(pace.timer.deadline());
            let frame = pin!(incoming.frame());
            let next = pin!(driver.drive(frame));
            let frame = match pace.timer.run_until(until, next).await {
                None if until == slow => return Err(too_slow_failure()),
                None => return Err(deadline_failure(FailurePhase::Body)),
                Some(None) => return Ok(()),
                Some(Some(frame)) => {
                    frame.map_err(|error| http_failure(&error, FailurePhase::Body))?
                }
            };
            // Trailers are ignored.
            let Ok(mut data) = frame.into_data() else { continue };
            let remaining = wire_cap - self.wire_bytes;
            let fits = data.len() as u64 <= remaining;
            if !fits {
                data.truncate(usize::try_from(remaining).unwrap_or(0));
            }
            let wanted = data.len() as u64;
            if wanted > 0
                && let Some(VisitBudgets { kind, byte_budget, traffic }) = self.budgets
            {
                let allowed =
                    if byte_budget.is_exhausted() { 0 } else { traffic.take(kind, wanted) };
                data.truncate(usize::try_from(allowed).unwrap_or(0));
            }
            let within_visit_limit = data.len() as u64 == wanted;
            self.wire_bytes += data.len() as u64;
            let before = self.buffer.len();
            let decoded = self.decode(data);
            if let Some(VisitBudgets { byte_budget, .. }) = self.budgets {
                byte_budget.spend(self.buffer.len().saturating_sub(before));
            }
            decoded.map_err(decode_failure)?;
            if !within_visit_limit {
                return Err(visit_limit_failure());
            }
            if !fits {
                return Err(wire_limit_failure());
            }
        }
    }

    fn decode(&mut self, data: Bytes) -> Result<(), DecodeStop> {
        match &mut self.decoder {
            None => self.buffer.push_chunk(data),
            Some(decoder) => decoder.feed(&data, &mut self.buffer),
        }
    }

    fn finish(&self) -> Result<(), Failure> {
        self.decoder.as_ref().map_or(Ok(()), Decoder::finish).map_err(decode_failure)
    }
}

pub(super) fn visit_limit_failure() -> Failure {
    new_failure(
        FailureKind::TooLarge,
        FailurePhase::Body,
        VISIT_LIMIT,
        "The bodies of this scan together exceed the size limit.",
    )
}

pub(super) fn wire_limit_failure() -> Failure {
    new_failure(
        FailureKind::TooLarge,
        FailurePhase::Body,
        "wire_limit",
        "The body exceeds the size limit on the wire.",
    )
}

pub(super) fn decode_failure(stop: DecodeStop) -> Failure {
    let (kind, reason, detail) = match stop {
        DecodeStop::Full => {
            (FailureKind::TooLarge, "decoded_limit", "The body exceeds the size limit.")
        }
        DecodeStop::Ratio => (
            FailureKind::TooLarge,
            "decompression_ratio",
            "The body expands more than the decompression limit allows.",
        ),
        DecodeStop::Bad => (
            FailureKind::Protocol,
            "bad_encoding",
            "The body is not encoded as its Content-Encoding header says.",
        ),
        DecodeStop::Incomplete => {
            (FailureKind::Protocol, "incomplete_encoding", "The compressed body is incomplete.")
        }
    };
    new_failure(kind, FailurePhase::Body, reason, detail)
}

pub(super) fn unsupported_encoding_failure() -> Failure {
    new_failure(
        FailureKind::Protocol,
        FailurePhase::Body,
        "unsupported_encoding",
        "The body uses an unknown content encoding, or more than one.",
    )
}

pub(super) fn too_slow_failure() -> Failure {
    new_failure(
        FailureKind::Timeout,
        FailurePhase::Body,
        "too_slow",
        "The body arrived more slowly than the minimum rate.",
    )
}
