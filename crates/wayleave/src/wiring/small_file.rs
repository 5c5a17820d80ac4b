//! Files of the operator that are read as a whole.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// The text of a file of at most this many bytes.
pub(super) fn read_text(file: &Path, max_bytes: u64) -> Result<String> {
    let shown = file.display();
    let opened = File::open(file).with_context(|| format!("{shown} cannot be read"))?;
    let mut text = String::new();
    opened
        .take(max_bytes + 1)
        .read_to_string(&mut text)
        .with_context(|| format!("{shown} cannot be read"))?;
    if text.len() as u64 > max_bytes {
        bail!("{shown} is larger than {max_bytes} bytes");
    }
    Ok(text)
}
