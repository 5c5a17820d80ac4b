//! Opens a log, whatever it is compressed with.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result};

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// A log that is being read.
pub(crate) struct OpenLog {
    pub(crate) text: Box<dyn Read + Send>,
    /// How many bytes of the file have been read, before decompression: for progress.
    pub(crate) bytes_read: Arc<AtomicU64>,
}

/// Opens a file, or standard input for `-`. Gzip and zstd are recognised by their first bytes: rotated logs
/// have all kinds of names.
pub(crate) fn open_log(file: &Path) -> Result<OpenLog> {
    let source: Box<dyn Read + Send> = if file == Path::new("-") {
        Box::new(io::stdin())
    } else {
        let file_name = file.display();
        Box::new(File::open(file).with_context(|| format!("{file_name} cannot be opened"))?)
    };
    let bytes_read = Arc::new(AtomicU64::new(0));
    let mut counted = Counted { source, bytes_read: Arc::clone(&bytes_read) };
    let mut start = Vec::new();
    let unreadable = || format!("{} cannot be read", file.display());
    counted.by_ref().take(4).read_to_end(&mut start).with_context(unreadable)?;
    let is = |magic: &[u8]| start.starts_with(magic);
    let (is_gzip, is_zstd) = (is(GZIP), is(ZSTD));
    let whole = io::Cursor::new(start).chain(counted);
    let text: Box<dyn Read + Send> = if is_gzip {
        // Rotated logs may be several files one behind the other.
        Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::with_capacity(1 << 16, whole)))
    } else if is_zstd {
        Box::new(zstd::stream::read::Decoder::new(whole).with_context(unreadable)?)
    } else {
        Box::new(whole)
    };
    Ok(OpenLog { text, bytes_read })
}

struct Counted<R> {
    source: R,
    bytes_read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.bytes_read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
