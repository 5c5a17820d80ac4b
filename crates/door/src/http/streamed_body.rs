//! A response body that is handed on as it arrives, decoded and bounded like one that is read whole.

use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use contract::evidence::{Failure, FailurePhase};
use http::HeaderMap;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::Instant;

use super::body::{
    BodyPace, decode_failure, too_slow_failure, unsupported_encoding_failure, visit_limit_failure,
    wire_limit_failure,
};
use super::connection::Connection;
use super::decode::{CappedBuffer, ContentCoding, Decoder, RatioCap};
use super::pool::PoolEntry;
use crate::failure::{deadline_failure, http_failure};
use crate::read_timer::ReadTimer;
use crate::send::{HopResponse, RequestSlots, release_connection};
use crate::visit_state::VisitState;
use crate::{BodyCaps, ReadKind};

/// The body of one answer, from the first byte to wherever reading stops. Dropping it before its
/// end closes the connection.
#[derive(Debug)]
pub(crate) struct StreamedBody {
    visit: Arc<VisitState>,
    timer: ReadTimer,
    incoming: Incoming,
    /// `None` once the body was read to its end and the connection given back.
    held: Option<HeldConnection>,
    decoder: Option<Decoder>,
    coding: ContentCoding,
    caps: BodyCaps,
    kind: ReadKind,
    start: Instant,
    wire_bytes: u64,
    decoded_bytes: u64,
    /// Why reading stopped before the end.
    stopped: Option<Failure>,
}

#[derive(Debug)]
struct HeldConnection {
    connection: Connection,
    pool_entry: Arc<PoolEntry>,
    _slots: RequestSlots,
}

/// How long the next bytes may take.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Pace {
    /// The minimum transfer rate of all bodies.
    MinimumRate,
    /// A stream of events may pause; only this time and the deadline end it.
    Until(Instant),
}

impl StreamedBody {
    pub(crate) fn new(
        visit: Arc<VisitState>,
        timer: ReadTimer,
        headers: &HeaderMap,
        hop_response: HopResponse,
        kind: ReadKind,
        caps: BodyCaps,
    ) -> Self {
        let limits = &visit.context.policy.limits;
        let ratio = RatioCap {
            ratio: limits.max_decompression_ratio,
            from_bytes: limits.ratio_checked_from_bytes,
        };
        let coding = ContentCoding::from_headers(headers);
        let decoder = coding
            .ok_or_else(unsupported_encoding_failure)
            .and_then(|coding| Decoder::new(coding, ratio).map_err(decode_failure));
        let (decoder, stopped) = match decoder {
            Ok(decoder) => (decoder, None),
            Err(failure) => (None, Some(failure)),
        };
        let HopResponse { response, connection, pool_entry, slots } = hop_response;
        Self {
            visit,
            timer,
            incoming: response.into_body(),
            held: Some(HeldConnection { connection, pool_entry, _slots: slots }),
            decoder,
            coding: coding.unwrap_or(ContentCoding::Identity),
            caps,
            kind,
            start: Instant::now(),
            wire_bytes: 0,
            decoded_bytes: 0,
            stopped,
        }
    }

    pub(crate) fn wire_bytes(&self) -> u64 {
        self.wire_bytes
    }

    pub(crate) fn decoded_bytes(&self) -> u64 {
        self.decoded_bytes
    }

    pub(crate) fn encoding(&self) -> Option<&'static str> {
        self.coding.name()
    }

    /// The next decoded bytes, perhaps none of them yet; `None` at the end of the body. After a
    /// failure every call gives the same failure, except after a pause that was too long for this
    /// caller.
    pub(crate) async fn next_bytes(&mut self, pace: Pace) -> Result<Option<Bytes>, Failure> {
        if let Some(stopped) = &self.stopped {
            return Err(stopped.clone());
        }
        let next = self.read_frame(pace).await;
        match &next {
            Ok(Some(_)) => {}
            Ok(None) => self.give_connection_back(),
            // The stream itself is sound: another call may wait longer.
            Err(_) if matches!(pace, Pace::Until(_)) && !self.is_over() => {}
            Err(failure) => {
                self.stopped = Some(failure.clone());
                self.held = None;
            }
        }
        next
    }

    fn is_over(&self) -> bool {
        self.timer.is_expired() || self.held.is_none()
    }

    async fn read_frame(&mut self, pace: Pace) -> Result<Option<Bytes>, Failure> {
        let limits = &self.visit.context.policy.limits;
        let Some(held) = &mut self.held else { return Ok(None) };
        let pace_end = match pace {
            Pace::MinimumRate => {
                let pace = BodyPace { start: self.start, limits, timer: &self.timer };
                pace.too_slow_at(self.wire_bytes)
            }
            Pace::Until(time) => time,
        };
        let until = pace_end.min(self.timer.deadline());
        let frame = {
            let frame = pin!(self.incoming.frame());
            let next = pin!(held.connection.driver.drive(frame));
            self.timer.run_until(until, next).await
        };
        let frame = match frame {
            None if matches!(pace, Pace::MinimumRate) && until == pace_end => {
                return Err(too_slow_failure());
            }
            None => return Err(deadline_failure(FailurePhase::Body)),
            Some(None) => {
                self.decoder.as_ref().map_or(Ok(()), Decoder::finish).map_err(decode_failure)?;
                return Ok(None);
            }
            Some(Some(frame)) => frame.map_err(|error| self.broken(&error))?,
        };
        // Trailers are ignored.
        let Ok(data) = frame.into_data() else { return Ok(Some(Bytes::new())) };
        self.decode(data).map(Some)
    }

    /// A connection that broke is over, whatever the pace.
    fn broken(&mut self, error: &hyper::Error) -> Failure {
        let failure = http_failure(error, FailurePhase::Body);
        self.stop(failure)
    }

    fn stop(&mut self, failure: Failure) -> Failure {
        self.stopped = Some(failure.clone());
        self.held = None;
        failure
    }

    /// Counts and decodes what came, within the limits of this body and of the visit.
    fn decode(&mut self, mut data: Bytes) -> Result<Bytes, Failure> {
        let remaining = self.caps.wire.saturating_sub(self.wire_bytes);
        if data.len() as u64 > remaining {
            return Err(self.stop(wire_limit_failure()));
        }
        let wanted = data.len() as u64;
        let allowed = if wanted == 0 {
            0
        } else if self.visit.byte_budget.is_exhausted() {
            return Err(self.stop(visit_limit_failure()));
        } else {
            self.visit.traffic.take(self.kind, wanted)
        };
        if allowed < wanted {
            return Err(self.stop(visit_limit_failure()));
        }
        self.wire_bytes += wanted;
        if let Some(decoder) = &mut self.decoder {
            let room = self.caps.decoded.saturating_sub(self.decoded_bytes);
            let mut decoded = CappedBuffer::new(room, wanted);
            let fed = decoder.feed(&data, &mut decoded);
            data = decoded.into_bytes();
            if let Err(stop) = fed {
                return Err(self.stop(decode_failure(stop)));
            }
        } else if self.decoded_bytes + wanted > self.caps.decoded {
            return Err(self.stop(decode_failure(super::decode::DecodeStop::Full)));
        }
        self.decoded_bytes += data.len() as u64;
        self.visit.byte_budget.spend(data.len());
        Ok(data)
    }

    fn give_connection_back(&mut self) {
        if let Some(HeldConnection { connection, pool_entry, _slots }) = self.held.take() {
            release_connection(&self.visit, true, connection, &pool_entry);
        }
    }

    /// When this body must have been read.
    pub(crate) fn deadline(&self) -> Instant {
        self.timer.deadline()
    }
}
