//! Reading a body: streamed, decoded, capped on the wire and decoded, never slower than the
//! slowest rate, hashed.

use std::pin::pin;

use bytes::Bytes;
use contract::evidence::{Body, Failure, FailureKind, Phase};
use http::HeaderMap;
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use tokio::time::Instant;

use super::decode::{Coding, Decoder, RatioCap, Sink, Stop};
use super::sha256_hex;
use super::wire::Driver;
use crate::failure::{deadline as past_deadline, failure, http as http_failure};
use crate::visit::Room;
use crate::watch::Watch;
use crate::{Caps, Limits};

/// A body, as far as it was read.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) facts: Body,
    pub(crate) bytes: Bytes,
    /// Whether the connection is at the end of this response and may serve another.
    pub(crate) at_end: bool,
}

/// What holds for one body.
pub(crate) struct Bounds<'a> {
    pub(crate) caps: Caps,
    pub(crate) limits: &'a Limits,
    pub(crate) watch: &'a Watch,
    /// What all bodies of the visit share.
    pub(crate) room: &'a Room,
}

pub(crate) async fn read(
    headers: &HeaderMap,
    mut incoming: Incoming,
    driver: &mut Driver,
    bounds: &Bounds<'_>,
) -> Read {
    let Bounds { caps, limits, watch, room } = *bounds;
    let sink = Sink::new(caps.decoded, incoming.size_hint().lower());
    let mut reader = Reader { wire: 0, sink, decoder: None, room: Some(room) };
    let coding = Coding::of(headers);
    let ratio = RatioCap { ratio: limits.ratio, from: limits.ratio_from };
    let decoder = coding
        .ok_or_else(unsupported)
        .and_then(|coding| Decoder::new(coding, ratio).map_err(stopped));
    let mut at_end = false;
    let cut = match decoder {
        Err(failure) => Some(failure),
        Ok(decoder) => {
            reader.decoder = decoder;
            let pace = Pace { start: Instant::now(), limits, watch };
            let ended = reader.run(&mut incoming, driver, caps.wire, &pace).await;
            at_end = ended.is_ok();
            ended.and_then(|()| reader.finish()).err()
        }
    };
    let bytes = reader.sink.into_bytes();
    let facts = Body {
        sha256: sha256_hex(&bytes),
        bytes: bytes.len() as u64,
        wire_bytes: reader.wire,
        encoding: coding.and_then(Coding::name).map(str::to_owned),
        cut,
    };
    Read { facts, bytes, at_end }
}

/// Reads away a small body nobody wants, so that the connection can be used again. Says whether it
/// can.
pub(crate) async fn drain(
    mut incoming: Incoming,
    driver: &mut Driver,
    limits: &Limits,
    watch: &Watch,
) -> bool {
    const MOST: u64 = 16 * 1024;
    if incoming.is_end_stream() {
        return true;
    }
    if incoming.size_hint().lower() > MOST {
        return false;
    }
    let pace = Pace { start: Instant::now(), limits, watch };
    let mut reader = Reader { wire: 0, sink: Sink::new(MOST, 0), decoder: None, room: None };
    reader.run(&mut incoming, driver, MOST, &pace).await.is_ok()
}

struct Reader<'a> {
    wire: u64,
    sink: Sink,
    decoder: Option<Decoder>,
    /// Nothing when what is read is not kept.
    room: Option<&'a Room>,
}

/// How long the next frame may take.
struct Pace<'a> {
    start: Instant,
    limits: &'a Limits,
    watch: &'a Watch,
}

impl Pace<'_> {
    /// The moment at which `wire` bytes in all are too few.
    fn too_slow_at(&self, wire: u64) -> Instant {
        let earned = std::time::Duration::from_secs(wire / self.limits.rate_bytes.max(1));
        self.start + self.limits.rate_after.max(earned)
    }
}

impl Reader<'_> {
    async fn run(
        &mut self,
        incoming: &mut Incoming,
        driver: &mut Driver,
        wire_cap: u64,
        pace: &Pace<'_>,
    ) -> Result<(), Failure> {
        loop {
            let slow = pace.too_slow_at(self.wire);
            let until = slow.min(pace.watch.deadline());
            let frame = pin!(incoming.frame());
            let next = pin!(driver.drive(frame));
            let frame = match pace.watch.until(until, next).await {
                None if until == slow => return Err(too_slow()),
                None => return Err(past_deadline(Phase::Body)),
                Some(None) => return Ok(()),
                Some(Some(frame)) => frame.map_err(|error| http_failure(&error, Phase::Body))?,
            };
            // Trailers are not read.
            let Ok(mut data) = frame.into_data() else { continue };
            let room = wire_cap - self.wire;
            let fits = data.len() as u64 <= room;
            if !fits {
                data.truncate(usize::try_from(room).unwrap_or(0));
            }
            if !data.is_empty() && self.room.is_some_and(Room::is_used_up) {
                return Err(failure(
                    FailureKind::TooLarge,
                    Phase::Body,
                    "visit_limit",
                    "All bodies of this scan together are larger than is read.",
                ));
            }
            self.wire += data.len() as u64;
            let before = self.sink.len();
            let decoded = self.decode(data);
            if let Some(room) = self.room {
                room.use_up(self.sink.len().saturating_sub(before));
            }
            decoded.map_err(stopped)?;
            if !fits {
                return Err(failure(
                    FailureKind::TooLarge,
                    Phase::Body,
                    "wire_limit",
                    "The body is larger on the wire than is read.",
                ));
            }
        }
    }

    fn decode(&mut self, data: Bytes) -> Result<(), Stop> {
        match &mut self.decoder {
            None => self.sink.take(data),
            Some(decoder) => decoder.feed(&data, &mut self.sink),
        }
    }

    fn finish(&self) -> Result<(), Failure> {
        self.decoder.as_ref().map_or(Ok(()), Decoder::finish).map_err(stopped)
    }
}

fn stopped(stop: Stop) -> Failure {
    let (kind, reason, detail) = match stop {
        Stop::Full => (FailureKind::TooLarge, "decoded_limit", "The body is larger than is read."),
        Stop::Ratio => (
            FailureKind::TooLarge,
            "decompression_ratio",
            "The body grows out of proportion when it is decompressed.",
        ),
        Stop::Bad => (
            FailureKind::Protocol,
            "bad_encoding",
            "The body is not in the encoding that its header names.",
        ),
        Stop::Incomplete => (
            FailureKind::Protocol,
            "incomplete_encoding",
            "The compressed body ends before its end.",
        ),
    };
    failure(kind, Phase::Body, reason, detail)
}

fn unsupported() -> Failure {
    failure(
        FailureKind::Protocol,
        Phase::Body,
        "unsupported_encoding",
        "The body is in an encoding, or in several, that are not undone.",
    )
}

fn too_slow() -> Failure {
    failure(
        FailureKind::Timeout,
        Phase::Body,
        "too_slow",
        "The body came slower than is waited for.",
    )
}
