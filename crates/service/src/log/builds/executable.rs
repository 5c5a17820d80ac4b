//! The program file of this process.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use proof::{Digest, Hasher};

/// Digest and size of a program file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Executable {
    pub sha256: Digest,
    pub bytes: u64,
}

/// Hashes the program that this process runs. On Linux that is the file that was started, even if
/// another file has replaced it since.
pub fn running_executable() -> io::Result<Executable> {
    let this = Path::new("/proc/self/exe");
    let path: PathBuf = if this.exists() { this.to_owned() } else { std::env::current_exe()? };
    hash_file(File::open(path)?)
}

fn hash_file(mut file: impl Read) -> io::Result<Executable> {
    let mut hasher = Hasher::new();
    let mut bytes = 0;
    let mut buffer = vec![0; 256 * 1024];
    loop {
        let count = match file.read(&mut buffer) {
            Ok(0) => return Ok(Executable { sha256: hasher.finish(), bytes }),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(buffer.get(..count).unwrap_or_default());
        bytes += count as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_file() {
        let whole = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let read = running_executable().unwrap();
        assert_eq!((read.sha256, read.bytes), (proof::sha256(&whole), whole.len() as u64));
        assert!(whole.len() > 512 * 1024, "larger than one buffer");
    }
}
