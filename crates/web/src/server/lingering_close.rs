//! Ends a connection without destroying the response that the client has not read yet.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Closes the write side, then reads and drops what the client is still sending. Closing a socket with
/// unread bytes resets it, and a reset can destroy a response that the client has not read yet
/// (mostly after a refused upload).
pub(super) async fn lingering_close<S>(mut stream: S, patience: Duration)
where
    S: AsyncReadExt + AsyncWriteExt + Unpin,
{
    const MOST: usize = 4 * 1_024 * 1_024;
    let drain = async {
        if stream.shutdown().await.is_err() {
            return;
        }
        let mut dropped = 0;
        let mut buffer = [0_u8; 8_192];
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            dropped += count;
            if dropped > MOST {
                return;
            }
        }
    };
    // A timeout is a normal end here.
    let _ = tokio::time::timeout(patience, drain).await;
}
