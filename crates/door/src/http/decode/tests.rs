use std::io::Write as _;

use flate2::Compression;
use http::HeaderValue;

use super::*;

const CAP: u64 = 2 * 1024 * 1024;
const RATIO: RatioCap = RatioCap { ratio: 1000, from_bytes: 1024 * 1024 };

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn raw_deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstandard(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

/// Brotli without a compressor: a stream of uncompressed meta-blocks (RFC 7932 section 9.2).
fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bits: Vec<bool> = vec![false]; // WBITS: 16
    for chunk in bytes.chunks(65_536) {
        let length = u32::try_from(chunk.len() - 1).unwrap();
        bits.push(false); // ISLAST
        bits.extend([false, false]); // MNIBBLES: four
        bits.extend((0..16).map(|bit| length >> bit & 1 == 1)); // MLEN - 1
        bits.push(true); // ISUNCOMPRESSED
        pack(&mut bits, &mut out);
        out.extend_from_slice(chunk);
    }
    bits.extend([true, true]); // ISLAST, ISLASTEMPTY
    pack(&mut bits, &mut out);
    out
}

fn pack(bits: &mut Vec<bool>, out: &mut Vec<u8>) {
    for byte in bits.chunks(8) {
        out.push(byte.iter().enumerate().map(|(at, bit)| u8::from(*bit) << at).sum());
    }
    bits.clear();
}

/// Decodes in pieces of `step` bytes and returns the output and how decoding ended.
fn decode(
    coding: ContentCoding,
    wire: &[u8],
    step: usize,
    cap: u64,
) -> (Vec<u8>, Result<(), DecodeStop>) {
    let mut decoder = Decoder::new(coding, RATIO).unwrap().unwrap();
    let mut sink = CappedBuffer::new(cap, 0);
    let fed = wire.chunks(step).try_for_each(|chunk| decoder.feed(chunk, &mut sink));
    (sink.into_bytes().to_vec(), fed.and_then(|()| decoder.finish()))
}

/// Pseudo-random letters, the same every time.
fn text(length: usize) -> Vec<u8> {
    let mut state = 1_u32;
    (0..length)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            b'a' + u8::try_from(state >> 28).unwrap()
        })
        .collect()
}

#[test]
fn exactly_one_known_coding_is_accepted() {
    for (values, expected) in [
        (vec![], Some(ContentCoding::Identity)),
        (vec!["identity"], Some(ContentCoding::Identity)),
        (vec![""], Some(ContentCoding::Identity)),
        (vec!["gzip"], Some(ContentCoding::Gzip)),
        (vec![" GZip "], Some(ContentCoding::Gzip)),
        (vec!["x-gzip"], Some(ContentCoding::Gzip)),
        (vec!["deflate"], Some(ContentCoding::Deflate)),
        (vec!["br"], Some(ContentCoding::Brotli)),
        (vec!["identity, zstd"], Some(ContentCoding::Zstd)),
        (vec!["gzip, gzip"], None),
        (vec!["gzip", "br"], None),
        (vec!["compress"], None),
        (vec!["utf-8"], None),
    ] {
        let mut headers = HeaderMap::new();
        for value in &values {
            headers.append(CONTENT_ENCODING, HeaderValue::from_str(value).unwrap());
        }
        assert_eq!(ContentCoding::from_headers(&headers), expected, "{values:?}");
    }
}

#[test]
fn every_coding_gives_the_text_back_in_pieces_of_any_size() {
    for length in [1, 100, 70_000, 150_000] {
        let plain = text(length);
        for (coding, wire) in [
            (ContentCoding::Gzip, gzip(&plain)),
            (ContentCoding::Deflate, zlib(&plain)),
            (ContentCoding::Deflate, raw_deflate(&plain)),
            (ContentCoding::Brotli, brotli(&plain)),
            (ContentCoding::Zstd, zstandard(&plain)),
        ] {
            for step in [if length > 1000 { 100 } else { 1 }, 1000, usize::MAX] {
                let (bytes, end) = decode(coding, &wire, step, CAP);
                assert_eq!(end, Ok(()), "{coding:?} {length} {step}");
                assert!(bytes == plain, "{coding:?} {length} {step}");
            }
        }
    }
}

#[test]
fn a_body_of_exactly_the_cap_is_whole_and_one_byte_more_is_cut() {
    for over in [0, 1] {
        let plain = text(50_000 + over);
        for (coding, wire) in [
            (ContentCoding::Gzip, gzip(&plain)),
            (ContentCoding::Deflate, zlib(&plain)),
            (ContentCoding::Brotli, brotli(&plain)),
            (ContentCoding::Zstd, zstandard(&plain)),
        ] {
            let (bytes, end) = decode(coding, &wire, 4096, 50_000);
            assert_eq!(bytes.len(), 50_000, "{coding:?}");
            assert_eq!(end, if over == 0 { Ok(()) } else { Err(DecodeStop::Full) }, "{coding:?}");
        }
    }
}

#[test]
fn decompression_bombs_stop_at_a_limit() {
    let zeros = vec![0; 5 * 1024 * 1024];
    for (coding, wire) in
        [(ContentCoding::Gzip, gzip(&zeros)), (ContentCoding::Zstd, zstandard(&zeros))]
    {
        let (bytes, end) = decode(coding, &wire, usize::MAX, CAP);
        assert!(matches!(end, Err(DecodeStop::Ratio | DecodeStop::Full)), "{coding:?} {end:?}");
        assert!(bytes.len() as u64 <= CAP, "{coding:?}");
        // Below the size from which the ratio is checked, only the cap applies.
        let (bytes, end) = decode(coding, &wire, usize::MAX, 1000);
        assert_eq!((bytes.len(), end), (1000, Err(DecodeStop::Full)), "{coding:?}");
    }
}

#[test]
fn a_wrong_coding_is_bad_and_the_output_so_far_is_kept() {
    let page = b"<!doctype html><title>not compressed at all</title>".repeat(10);
    for coding in
        [ContentCoding::Gzip, ContentCoding::Deflate, ContentCoding::Brotli, ContentCoding::Zstd]
    {
        let (_, end) = decode(coding, &page, 64, CAP);
        assert!(matches!(end, Err(DecodeStop::Bad | DecodeStop::Incomplete)), "{coding:?} {end:?}");
    }
    let plain = text(100_000);
    let mut spoilt = gzip(&plain);
    let checksum = spoilt.len() - 8;
    spoilt[checksum] ^= 1;
    let (bytes, end) = decode(ContentCoding::Gzip, &spoilt, 512, CAP);
    assert_eq!(end, Err(DecodeStop::Bad));
    assert!(bytes == plain);
}

#[test]
fn a_truncated_stream_is_incomplete_and_no_bytes_are_an_empty_body() {
    let plain = text(10_000);
    for (coding, wire) in [
        (ContentCoding::Gzip, gzip(&plain)),
        (ContentCoding::Deflate, zlib(&plain)),
        (ContentCoding::Brotli, brotli(&plain)),
        (ContentCoding::Zstd, zstandard(&plain)),
    ] {
        let (_, end) = decode(coding, &wire[..wire.len() - 1], 512, CAP);
        assert_eq!(end, Err(DecodeStop::Incomplete), "{coding:?}");
        assert_eq!(decode(coding, &[], 1, CAP), (vec![], Ok(())), "{coding:?}");
    }
}

#[test]
fn bytes_behind_the_end_are_ignored_and_further_zstd_frames_are_read() {
    let mut padded = gzip(b"page");
    padded.extend_from_slice(&[0; 100]);
    assert_eq!(decode(ContentCoding::Gzip, &padded, 10, CAP), (b"page".to_vec(), Ok(())));
    let frames = [zstandard(b"one "), zstandard(b"two")].concat();
    for step in [1, 5, 1000] {
        assert_eq!(decode(ContentCoding::Zstd, &frames, step, CAP), (b"one two".to_vec(), Ok(())));
    }
}

#[test]
fn a_zstd_window_beyond_the_bound_is_refused() {
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
    encoder.window_log(24).unwrap();
    encoder.write_all(&text(100)).unwrap();
    encoder.flush().unwrap();
    encoder.write_all(&text(100)).unwrap();
    let wire = encoder.finish().unwrap();
    assert_eq!(decode(ContentCoding::Zstd, &wire, 1000, CAP).1, Err(DecodeStop::Bad));
}

#[test]
fn a_body_in_one_piece_is_kept_as_it_is_and_any_other_is_joined() {
    let large = Bytes::from(text(10_000));
    let mut sink = CappedBuffer::new(20_000, 0);
    sink.push_chunk(large.clone()).unwrap();
    assert_eq!(sink.len(), 10_000);
    assert_eq!(sink.into_bytes().as_ptr(), large.as_ptr());

    let piece = Bytes::from_static(b"one piece");
    let mut sink = CappedBuffer::new(100, 9);
    sink.push_chunk(piece.clone()).unwrap();
    let copy = sink.into_bytes();
    assert_eq!(copy, piece);
    assert_ne!(copy.as_ptr(), piece.as_ptr());

    let mut sink = CappedBuffer::new(12, u64::MAX);
    sink.push_chunk(Bytes::new()).unwrap();
    sink.push_chunk(piece.clone()).unwrap();
    assert_eq!(sink.push_chunk(piece.clone()), Err(DecodeStop::Full));
    assert_eq!(sink.into_bytes(), "one pieceone");
    let mut sink = CappedBuffer::new(3, 0);
    assert_eq!(sink.push_chunk(piece), Err(DecodeStop::Full));
    assert_eq!(sink.into_bytes(), "one");
}

proptest::proptest! {
    #[test]
    fn arbitrary_bytes_never_panic_or_exceed_the_cap(wire: Vec<u8>, step in 1_usize..40, which in 0..4) {
        let coding = [ContentCoding::Gzip, ContentCoding::Deflate, ContentCoding::Brotli, ContentCoding::Zstd][which as usize];
        let (bytes, _) = decode(coding, &wire, step, 1000);
        proptest::prop_assert!(bytes.len() <= 1000);
    }
}
