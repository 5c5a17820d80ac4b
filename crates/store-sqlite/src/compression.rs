//! Compression of stored values, with a limit on the decompressed size.

use std::cell::RefCell;
use std::io::{self, Read};

use bytes::Bytes;
use store::MAX_VALUE_BYTES;
use zstd::bulk::Compressor;

/// Fast, and within a few percent of the higher levels on JSON and HTML.
const LEVEL: i32 = 3;

thread_local! {
    /// Reused, because creating a compressor costs more than compressing a small record.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
}

pub(crate) fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|kept| {
        let compressor = match kept {
            Some(compressor) => compressor,
            None => kept.insert(Compressor::new(LEVEL)?),
        };
        compressor.compress(bytes)
    })
}

/// Decompresses what [`compress`] returned, or says why that fails. Never returns more than the
/// longest allowed value, whatever a damaged header states.
pub(crate) fn decompress(packed: &[u8]) -> Result<Bytes, String> {
    let mut bytes = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_buffer(packed).map_err(|e| e.to_string())?;
    let limit = MAX_VALUE_BYTES as u64 + 1;
    decoder.take(limit).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    if bytes.len() > MAX_VALUE_BYTES {
        return Err(String::from("it is longer than any stored value can be"));
    }
    Ok(Bytes::from(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_back_and_nothing_else_does() {
        for bytes in [&b""[..], b"x", &[7; 100_000]] {
            assert_eq!(decompress(&compress(bytes).unwrap()).unwrap(), bytes);
        }
        assert!(decompress(b"not a frame").is_err());
        let mut cut = compress(&[7; 100_000]).unwrap();
        cut.pop();
        assert!(decompress(&cut).is_err());
        let bomb = compress(&vec![0; MAX_VALUE_BYTES + 1]).unwrap();
        assert!(bomb.len() < 10_000 && decompress(&bomb).is_err());
    }
}
