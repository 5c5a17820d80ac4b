//! Compressed bodies, correct ones and decompression bombs.
//!
//! Brotli and Zstandard are encoded by hand, because the bombs use constructs that an encoder would
//! hardly produce: one literal and a copy of sixteen million bytes, or a block that repeats one
//! byte.

use std::{io::Write, sync::LazyLock};

use bytes::Bytes;
use flate2::{
    Compress, Compression, Crc, FlushCompress,
    write::{GzEncoder, ZlibEncoder},
};

use crate::http::reply::ReplyBody;

/// The decompressed size of the bombs.
pub(crate) const BOMB_BYTES: u64 = 1 << 30;

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to a vector cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// `deflate` as HTTP means it: with the zlib wrapper.
pub(crate) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// Brotli without compression: stored blocks only.
pub(crate) fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut out = BitWriter::default();
    out.put(0, 1); // window of 2^16
    for chunk in bytes.chunks(1 << 16) {
        out.put(0, 1); // not the last block
        out.put(0, 2); // four nibbles of length
        out.put(chunk.len() as u64 - 1, 16);
        out.put(1, 1); // stored
        out.align();
        out.bytes.extend_from_slice(chunk);
    }
    out.put(0b11, 2); // the last block, empty
    out.bytes
}

/// Zstandard without compression: raw blocks only.
pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut out = ZSTD_HEAD.to_vec();
    for chunk in bytes.chunks(ZSTD_BLOCK) {
        out.extend_from_slice(&zstd_block(0, chunk.len()));
        out.extend_from_slice(chunk);
    }
    out.extend_from_slice(&ZSTD_END);
    out
}

/// A gzip body that expands to this many zeros (a power of two, at least one mebibyte).
pub(crate) fn gzip_bomb(size: u64) -> ReplyBody {
    let mut crc = Crc::new();
    crc.update(&vec![0; ZEROS_PER_UNIT]);
    let mut length = ZEROS_PER_UNIT as u64;
    while length < size {
        let mut same = Crc::new();
        same.combine(&crc);
        crc.combine(&same);
        length *= 2;
    }
    let mut tail = EMPTY_LAST_BLOCK.to_vec();
    tail.extend_from_slice(&crc.sum().to_le_bytes());
    tail.extend_from_slice(&u32::try_from(size).unwrap_or_default().to_le_bytes());
    deflated_zeros(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff], size, tail)
}

pub(crate) fn deflate_bomb(size: u64) -> ReplyBody {
    let mut tail = EMPTY_LAST_BLOCK.to_vec();
    // Adler-32 of zeros: the first sum stays 1, the second counts the bytes.
    let second = u32::try_from(size % 65_521).unwrap_or_default();
    tail.extend_from_slice(&(second << 16 | 1).to_be_bytes());
    deflated_zeros(&[0x78, 0x9c], size, tail)
}

pub(crate) fn zstd_bomb(size: u64) -> ReplyBody {
    let mut block = zstd_block(1, ZSTD_BLOCK).to_vec();
    block.push(0);
    ReplyBody::Repeat {
        head: Bytes::from_static(&ZSTD_HEAD),
        unit: block.repeat(64).into(),
        times: size / (ZSTD_BLOCK as u64 * 64),
        tail: Bytes::from_static(&ZSTD_END),
    }
}

pub(crate) fn brotli_bomb(size: u64) -> ReplyBody {
    const BLOCK: u64 = 1 << 24;
    let mut out = BitWriter::default();
    out.put(0, 1); // window of 2^16
    for _ in 0..size / BLOCK {
        out.put(0, 1); // not the last block
        out.put(2, 2); // six nibbles of length
        out.put(BLOCK - 1, 24);
        out.put(0, 1); // compressed
        out.put(0, 3); // one block type each for literals, commands, distances
        out.put(0, 6); // no postfix bits, no direct distances
        out.put(0, 2); // literal context mode
        out.put(0, 2); // one tree for literals, one for distances
        // Three codes of one symbol each, which then costs no bits: literal 0; "insert 1, copy
        // 2118 + 24 bits"; distance "1 + 1 bit".
        for (symbol, width) in [(0, 8), (399, 10), (16, 6)] {
            out.put(1, 2);
            out.put(0, 2);
            out.put(symbol, width);
        }
        out.put(BLOCK - 1 - 2118, 24);
        out.put(0, 1);
    }
    out.put(0b11, 2); // the last block, empty
    ReplyBody::Bytes(out.bytes.into())
}

const ZEROS_PER_UNIT: usize = 1 << 20;
const EMPTY_LAST_BLOCK: [u8; 5] = [1, 0, 0, 0xff, 0xff];

/// DEFLATE data that expands to `size` zeros, between a head and a tail.
fn deflated_zeros(head: &'static [u8], size: u64, tail: Vec<u8>) -> ReplyBody {
    static UNIT: LazyLock<Bytes> = LazyLock::new(|| {
        let mut out = Vec::with_capacity(64 * 1024);
        let mut compress = Compress::new(Compression::best(), false);
        // Flushed to a byte boundary, so that the unit can be sent repeatedly.
        let _ = compress.compress_vec(&vec![0; ZEROS_PER_UNIT], &mut out, FlushCompress::Full);
        out.into()
    });
    ReplyBody::Repeat {
        head: Bytes::from_static(head),
        unit: UNIT.clone(),
        times: size / ZEROS_PER_UNIT as u64,
        tail: tail.into(),
    }
}

/// The magic number, no options, a window of 2^17.
const ZSTD_HEAD: [u8; 6] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38];
/// An empty last block.
const ZSTD_END: [u8; 3] = [1, 0, 0];
const ZSTD_BLOCK: usize = 1 << 17;

/// The head of a block that is not the last: 0 raw, 1 one byte repeated.
fn zstd_block(kind: u8, size: usize) -> [u8; 3] {
    let head = u32::from(kind) << 1 | u32::try_from(size).unwrap_or_default() << 3;
    let [a, b, c, _] = head.to_le_bytes();
    [a, b, c]
}

/// Writes bits, the lowest first.
#[derive(Default)]
struct BitWriter {
    bytes: Vec<u8>,
    /// Bits used of the last byte; 0 when it is full or there is none.
    used: u32,
}

impl BitWriter {
    fn put(&mut self, value: u64, width: u32) {
        for position in 0..width {
            if self.used == 0 {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= u8::from(value >> position & 1 == 1) << self.used;
            }
            self.used = (self.used + 1) % 8;
        }
    }

    fn align(&mut self) {
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use flate2::read::{GzDecoder, ZlibDecoder};

    use super::*;

    /// The parts of a payload one after the other, as they would come over the wire.
    struct Wire(Box<dyn Iterator<Item = Bytes>>, Bytes);

    impl Wire {
        fn new(payload: ReplyBody) -> Self {
            let parts: Box<dyn Iterator<Item = Bytes>> = match payload {
                ReplyBody::Bytes(bytes) => Box::new(std::iter::once(bytes)),
                ReplyBody::Repeat { head, unit, times, tail } => Box::new(
                    std::iter::once(head)
                        .chain(std::iter::repeat_n(unit, usize::try_from(times).unwrap()))
                        .chain(std::iter::once(tail)),
                ),
                ReplyBody::Drip { .. } | ReplyBody::Channel(_) => panic!("bombs do not drip"),
            };
            Self(parts, Bytes::new())
        }
    }

    impl Read for Wire {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            while self.1.is_empty() {
                match self.0.next() {
                    Some(part) => self.1 = part,
                    None => return Ok(0),
                }
            }
            let taken = self.1.split_to(self.1.len().min(buffer.len()));
            buffer[..taken.len()].copy_from_slice(&taken);
            Ok(taken.len())
        }
    }

    /// Decompresses to the end (including checksums) and returns the number of bytes, which must
    /// all be zero.
    fn unpacked(mut reader: impl Read) -> u64 {
        let mut buffer = vec![0xff; 1 << 20];
        let mut total = 0;
        loop {
            match reader.read(&mut buffer).unwrap() {
                0 => return total,
                length => total += length as u64,
            }
            assert_eq!(buffer[0], 0);
        }
    }

    /// Decompressed to the end, so that lengths and checksums are checked; small, because
    /// unoptimised decoders are slow.
    #[test]
    fn every_bomb_unpacks_to_zeros_to_its_very_end() {
        const SIZE: u64 = 16 << 20;
        assert_eq!(unpacked(GzDecoder::new(Wire::new(gzip_bomb(SIZE)))), SIZE);
        assert_eq!(unpacked(ZlibDecoder::new(Wire::new(deflate_bomb(SIZE)))), SIZE);
        assert_eq!(unpacked(zstd::Decoder::new(Wire::new(zstd_bomb(SIZE))).unwrap()), SIZE);
        let wire = Wire::new(brotli_bomb(SIZE));
        assert_eq!(unpacked(brotli_decompressor::Decompressor::new(wire, 1 << 16)), SIZE);
    }

    #[test]
    fn a_gibibyte_costs_little_on_the_wire() {
        for (payload, most) in [
            (gzip_bomb(BOMB_BYTES), 1_100_000),
            (deflate_bomb(BOMB_BYTES), 1_100_000),
            (zstd_bomb(BOMB_BYTES), 33_000),
            (brotli_bomb(BOMB_BYTES), 1_000),
        ] {
            let length = match payload {
                ReplyBody::Bytes(bytes) => bytes.len() as u64,
                ReplyBody::Repeat { unit, times, .. } => unit.len() as u64 * times,
                ReplyBody::Drip { .. } | ReplyBody::Channel(_) => panic!("bombs do not drip"),
            };
            assert!(length < most, "{length}");
        }
    }

    #[test]
    fn honest_codings_come_back_as_they_went_in() {
        let text = "a ferry, a bakery, a museum; ".repeat(10_000).into_bytes();
        let read = |mut reader: Box<dyn Read>| {
            let mut out = Vec::new();
            reader.read_to_end(&mut out).unwrap();
            out
        };
        let owned = io::Cursor::new;
        assert_eq!(read(Box::new(GzDecoder::new(owned(gzip(&text))))), text);
        assert_eq!(read(Box::new(ZlibDecoder::new(owned(deflate(&text))))), text);
        assert_eq!(read(Box::new(zstd::Decoder::new(owned(zstd(&text))).unwrap())), text);
        let packed = brotli(&text);
        let reader = brotli_decompressor::Decompressor::new(owned(packed), 4096);
        assert_eq!(read(Box::new(reader)), text);
    }
}
