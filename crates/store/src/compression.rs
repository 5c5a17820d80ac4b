//! Compression of stored values, with a limit on the decompressed size.
//!
//! Values of which every one looks like the others (tree heads, logged contents, answers, readings, receipts)
//! are compressed with a dictionary: a sample of such a value. It saves most of their size. A value that was
//! compressed with a dictionary starts with the number of the dictionary; one without starts with
//! zstd's own magic number, and a head from before there were dictionaries is plain JSON.

use std::cell::RefCell;
use std::io;
use std::sync::LazyLock;

use bytes::Bytes;
use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};
use zstd::zstd_safe::{CParameter, DictAttachPref};

use crate::MAX_VALUE_BYTES;

/// Fast, and within a few percent of the higher levels on JSON and HTML.
const LEVEL: i32 = 3;
/// Answers differ little from the sample: at level 3 they are 7 % smaller and take twice as long.
const ANSWER_LEVEL: i32 = 1;
/// What a receipt does not share with the sample is mostly digests. Levels below zero leave out their entropy coding,
/// which would take half of the time and save a tenth.
const RECEIPT_LEVEL: i32 = -1;
/// The first byte of every zstd frame.
const FRAME_START: u8 = 0x28;

/// The samples, by number from 1. Stored values depend on them, so a sample never changes; a better one
/// gets a new number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dictionary {
    Head,
    Content,
    Answer,
    Record,
    Receipt,
}

const SAMPLES: [&[u8]; 5] = [
    include_bytes!("../dictionaries/head-1.dict"),
    include_bytes!("../dictionaries/content-1.dict"),
    include_bytes!("../dictionaries/answer-1.dict"),
    include_bytes!("../dictionaries/record-1.dict"),
    include_bytes!("../dictionaries/receipt-1.dict"),
];

static ENCODERS: LazyLock<Vec<EncoderDictionary<'static>>> = LazyLock::new(|| {
    let levels = [LEVEL, LEVEL, ANSWER_LEVEL, LEVEL, RECEIPT_LEVEL];
    let samples = SAMPLES.iter().zip(levels);
    samples.map(|(sample, level)| EncoderDictionary::copy(sample, level)).collect()
});
static DECODERS: LazyLock<Vec<DecoderDictionary<'static>>> =
    LazyLock::new(|| SAMPLES.iter().map(|sample| DecoderDictionary::copy(sample)).collect());

thread_local! {
    /// Reused, because creating a compressor costs more than compressing a small record. The first is
    /// without a dictionary.
    static COMPRESSORS: RefCell<[Option<Compressor<'static>>; SAMPLES.len() + 1]> =
        const { RefCell::new([const { None }; SAMPLES.len() + 1]) };
    /// The same for decompressing.
    static DECOMPRESSORS: RefCell<[Option<Decompressor<'static>>; SAMPLES.len() + 1]> =
        const { RefCell::new([const { None }; SAMPLES.len() + 1]) };
}

impl Dictionary {
    fn number(self) -> u8 {
        match self {
            Self::Head => 1,
            Self::Content => 2,
            Self::Answer => 3,
            Self::Record => 4,
            Self::Receipt => 5,
        }
    }
}

/// Compresses a value of any kind.
pub fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    with_compressor(0, |compressor| compressor.compress(bytes))
}

/// Compresses a value of this kind. [`decompress`] finds the dictionary by itself.
pub fn compress_with(dictionary: Dictionary, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let number = dictionary.number();
    with_compressor(number, |compressor| {
        let mut packed = vec![number];
        packed.append(&mut compressor.compress(bytes)?);
        Ok(packed)
    })
}

fn with_compressor<T>(
    number: u8,
    compress: impl FnOnce(&mut Compressor<'static>) -> io::Result<T>,
) -> io::Result<T> {
    COMPRESSORS.with_borrow_mut(|kept| {
        let unknown = || io::Error::other("there is no such dictionary");
        let slot = kept.get_mut(usize::from(number)).ok_or_else(unknown)?;
        let compressor = match (slot, number.checked_sub(1)) {
            (Some(compressor), _) => compressor,
            (slot, None) => slot.insert(Compressor::new(LEVEL)?),
            (slot, Some(index)) => {
                let dictionary = ENCODERS.get(usize::from(index)).ok_or_else(unknown)?;
                let mut compressor = Compressor::with_prepared_dictionary(dictionary)?;
                // For most values zstd would copy the tables of the dictionary, which takes longer than to compress.
                compressor
                    .set_parameter(CParameter::ForceAttachDict(DictAttachPref::ForceAttach))?;
                slot.insert(compressor)
            }
        };
        compress(compressor)
    })
}

/// Decompresses what [`compress`] or [`compress_with`] returned, or says why that fails. Never returns
/// more than the longest allowed value, whatever a damaged header states.
pub fn decompress(packed: &[u8]) -> Result<Bytes, String> {
    let (number, frame) = match packed.split_first() {
        Some((&number @ 1..FRAME_START, frame)) => (number, frame),
        _ => (0, packed),
    };
    // Every frame that we made states its size. A damaged one may state any, or none.
    let stated = zstd::zstd_safe::get_frame_content_size(frame);
    let stated = stated.map_err(|_| "its header is damaged")?.ok_or("its header states no size")?;
    let size = usize::try_from(stated).ok().filter(|size| *size <= MAX_VALUE_BYTES);
    let size = size.ok_or("it is longer than any stored value can be")?;
    DECOMPRESSORS.with_borrow_mut(|kept| {
        let unknown = || "it needs a dictionary that this build lacks".to_owned();
        let slot = kept.get_mut(usize::from(number)).ok_or_else(unknown)?;
        let decompressor = match (slot, number.checked_sub(1)) {
            (Some(decompressor), _) => decompressor,
            (slot, None) => slot.insert(Decompressor::new().map_err(|e| e.to_string())?),
            (slot, Some(index)) => {
                let dictionary = DECODERS.get(usize::from(index)).ok_or_else(unknown)?;
                let made = Decompressor::with_prepared_dictionary(dictionary);
                slot.insert(made.map_err(|e| e.to_string())?)
            }
        };
        decompressor.decompress(frame, size).map(Bytes::from).map_err(|e| e.to_string())
    })
}

/// A head as it is stored: compressed, or plain JSON.
pub fn decompress_head(stored: &[u8]) -> Result<Bytes, String> {
    match stored.first() {
        Some(1..=FRAME_START) => decompress(stored),
        _ => Ok(Bytes::copy_from_slice(stored)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Dictionary; 5] = [
        Dictionary::Head,
        Dictionary::Content,
        Dictionary::Answer,
        Dictionary::Record,
        Dictionary::Receipt,
    ];

    #[test]
    fn what_was_packed_comes_back_and_nothing_else_does() {
        for bytes in [&b""[..], b"x", &[7; 100_000]] {
            assert_eq!(decompress(&compress(bytes).unwrap()).unwrap(), bytes);
            for dictionary in ALL {
                let packed = compress_with(dictionary, bytes).unwrap();
                assert_eq!(decompress(&packed).unwrap(), bytes, "{dictionary:?}");
            }
        }
        assert!(decompress(b"not a frame").is_err());
        assert!(decompress(b"").is_err() && decompress(&[39, 0x28]).is_err());
        let mut cut = compress(&[7; 100_000]).unwrap();
        cut.pop();
        assert!(decompress(&cut).is_err());
        for bomb in [
            compress(&vec![0; MAX_VALUE_BYTES + 1]).unwrap(),
            compress_with(Dictionary::Answer, &vec![0; MAX_VALUE_BYTES + 1]).unwrap(),
        ] {
            assert!(bomb.len() < 10_000 && decompress(&bomb).is_err());
        }
    }

    #[test]
    fn heads_from_before_there_were_dictionaries_are_read() {
        for head in [&b"{}"[..], b"sth", b""] {
            assert_eq!(decompress_head(head).unwrap(), head);
            let packed = compress_with(Dictionary::Head, head).unwrap();
            assert_eq!(decompress_head(&packed).unwrap(), head);
        }
    }

    #[test]
    fn a_value_like_the_sample_becomes_small() {
        for (dictionary, sample) in ALL.into_iter().zip(SAMPLES) {
            let packed = compress_with(dictionary, sample).unwrap();
            assert!(packed.len() * 50 < sample.len() + 2_000, "{dictionary:?}: {}", packed.len());
        }
    }

    /// Values in existing databases depend on the samples.
    #[test]
    fn samples_never_change() {
        let digests = SAMPLES.map(|sample| crate::Digest::of(sample).to_hex());
        assert_eq!(digests, DIGESTS);
    }

    const DIGESTS: [&str; 5] = [
        "e1ddd47d5b1958ebf7720ceddecc9deba1cee7efb5bcf5c9a8726aee700e4cc7",
        "56e3fb5f1e13a49a1e3eb92d71848274810af83bae8ffe16661e2738b3bb0c8b",
        "2442da61ab331fd9ef952ad38c27e7f683f38c809fff007bc3c4310c07451d8b",
        "30947e9d6be30389d04b29d1c07506b0da98585af6e579acd505f5c90de87149",
        "14460cd60b52faea7eb6549a6400c7dba7b84e45d38eaf76fe7e1c09ed7a4c51",
    ];
}
