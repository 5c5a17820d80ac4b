//! A reader that stops at a limit and records why it stopped.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

/// How many bytes one sitemap may have after decompression.
pub(super) const MAX_BYTES: u64 = 50 * 1024 * 1024;

/// Lists of URLs compress to about a twentieth; a larger ratio suggests a decompression bomb.
const MAX_RATIO: u64 = 200;

/// Decompressed size that is always allowed, whatever the ratio.
const ANY_RATIO_BYTES: u64 = 1024 * 1024;

/// How far a packed file of this size is unpacked.
pub(super) fn unpacked_bound(packed: u64) -> u64 {
    packed.saturating_mul(MAX_RATIO).clamp(ANY_RATIO_BYTES, MAX_BYTES)
}

/// Reads at most a given number of bytes from the inner reader.
pub(super) struct BoundedReader<R> {
    inner: R,
    left: u64,
    state: Rc<ReadState>,
}

/// How the reading ended. Written by the [`BoundedReader`], read by whoever holds the `Rc`; one
/// thread only.
#[derive(Default)]
pub(super) struct ReadState {
    stopped: Cell<bool>,
    failed: Cell<bool>,
}

impl ReadState {
    /// Whether the limit was reached with bytes left.
    pub(super) fn stopped(&self) -> bool {
        self.stopped.get()
    }

    /// Whether the inner reader failed.
    pub(super) fn failed(&self) -> bool {
        self.failed.get()
    }
}

impl<R> BoundedReader<R> {
    pub(super) fn new(inner: R, bound: u64) -> Self {
        Self { inner, left: bound, state: Rc::default() }
    }

    pub(super) fn state(&self) -> Rc<ReadState> {
        Rc::clone(&self.state)
    }
}

impl<R: Read> Read for BoundedReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            // One more byte distinguishes the end of the input from the limit.
            let more = self.inner.read(&mut [0]).unwrap_or(0);
            if more > 0 {
                self.state.stopped.set(true);
            }
            return Ok(0);
        }
        let room = usize::try_from(self.left).unwrap_or(usize::MAX).min(into.len());
        let Some(into) = into.get_mut(..room) else { return Ok(0) };
        match self.inner.read(into) {
            Ok(read) => {
                self.left = self.left.saturating_sub(u64::try_from(read).unwrap_or(0));
                Ok(read)
            }
            Err(error) => {
                self.state.failed.set(true);
                Err(error)
            }
        }
    }
}
