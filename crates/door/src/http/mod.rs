//! HTTP over vetted sockets: dialling, connections and their reuse, bodies.

pub(crate) mod body;
mod decode;
pub(crate) mod dial;
pub(crate) mod fields;
pub(crate) mod pool;
pub(crate) mod wire;

/// The digest of bytes, as it is recorded.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, bytes);
    data_encoding::HEXLOWER.encode(digest.as_ref())
}
