//! HTTP over vetted sockets: dialling, connections, connection reuse, bodies.

pub(crate) mod body;
pub(crate) mod connect_race;
pub(crate) mod connection;
mod decode;
pub(crate) mod dial;
pub(crate) mod fuzzing;
pub(crate) mod headers;
pub(crate) mod pool;
pub(crate) mod request;
pub(crate) mod streamed_body;

/// The SHA-256 digest in lower-case hex, as it is recorded.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, bytes);
    data_encoding::HEXLOWER.encode(digest.as_ref())
}
