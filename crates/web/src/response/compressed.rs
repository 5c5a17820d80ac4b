//! Compressed forms of documents (gzip, brotli).

use std::{io::Write, sync::Arc};

use bytes::Bytes;
use tokio::sync::OnceCell;

use crate::off_worker::run_off_worker;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Coding {
    Brotli,
    Gzip,
}

/// The compressed forms of one document, each made when it is first asked for. A response that has this as
/// an extension is compressed once.
#[derive(Debug, Clone, Default)]
pub(crate) struct CompressedForms(Arc<[OnceCell<Option<Bytes>>; 2]>);

impl CompressedForms {
    pub(crate) async fn get(&self, plain: &Bytes, coding: Coding) -> Option<Bytes> {
        let [brotli, gzip] = &*self.0;
        let form = match coding {
            Coding::Brotli => brotli,
            Coding::Gzip => gzip,
        };
        // Clients that ask meanwhile wait for the same result.
        form.get_or_init(|| encode_off_worker(plain, coding, true)).await.clone()
    }
}

pub(crate) async fn encode_off_worker(
    plain: &Bytes,
    coding: Coding,
    is_constant: bool,
) -> Option<Bytes> {
    let plain = plain.clone();
    run_off_worker(move || encode(&plain, coding, is_constant)).await.ok()?.map(Bytes::from)
}

fn encode(plain: &[u8], coding: Coding, is_constant: bool) -> Option<Vec<u8>> {
    match coding {
        Coding::Gzip => {
            let level = if is_constant { 9 } else { 5 };
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(level));
            encoder.write_all(plain).ok()?;
            encoder.finish().ok()
        }
        Coding::Brotli => {
            let quality = if is_constant { 9 } else { 4 };
            let mut encoder = brotli::CompressorWriter::new(Vec::new(), 4_096, quality, 20);
            encoder.write_all(plain).ok()?;
            encoder.flush().ok()?;
            Some(encoder.into_inner())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn what_is_compressed_can_be_read_again() {
        let plain = "the same words again and again ".repeat(300);
        for is_constant in [false, true] {
            let gzip = encode(plain.as_bytes(), Coding::Gzip, is_constant).unwrap();
            let mut text = String::new();
            flate2::read::GzDecoder::new(gzip.as_slice()).read_to_string(&mut text).unwrap();
            assert_eq!(text, plain);
            let packed = encode(plain.as_bytes(), Coding::Brotli, is_constant).unwrap();
            let mut text = String::new();
            brotli::Decompressor::new(packed.as_slice(), 4_096).read_to_string(&mut text).unwrap();
            assert_eq!(text, plain);
            assert!(gzip.len() * 10 < plain.len() && packed.len() * 10 < plain.len());
        }
    }
}
