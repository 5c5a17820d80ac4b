//! The program file of this process.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use proof::{Digest, Hasher};

/// What is known of a program file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Executable {
    pub sha256: Digest,
    pub bytes: u64,
}

/// Hashes the program this process runs. On Linux that is the very file that was started, even when
/// another has been put in its place since.
pub fn running_executable() -> io::Result<Executable> {
    let this = Path::new("/proc/self/exe");
    let place: PathBuf = if this.exists() { this.to_owned() } else { std::env::current_exe()? };
    hash(File::open(place)?)
}

fn hash(mut file: impl Read) -> io::Result<Executable> {
    let mut hasher = Hasher::new();
    let mut bytes = 0;
    let mut part = vec![0; 256 * 1024];
    loop {
        let count = match file.read(&mut part) {
            Ok(0) => return Ok(Executable { sha256: hasher.finish(), bytes }),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(part.get(..count).unwrap_or_default());
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
        assert!(whole.len() > 512 * 1024, "more than one part");
    }
}
