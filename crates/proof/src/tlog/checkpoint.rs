//! C2SP checkpoints: the text of a note that states the size and the root of a log.

use super::encoding::{parse_base64_digest, parse_decimal, to_base64};
use crate::ProofError;
use crate::digest::Digest;

/// The size and root that a log (identified by its origin) states for its tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    origin: String,
    size: u64,
    root: Digest,
    /// Lines after the three defined ones, kept unchanged.
    extensions: Vec<String>,
}

impl Checkpoint {
    /// Fails if the origin is empty or longer than one line.
    pub fn new(origin: &str, size: u64, root: Digest) -> Result<Self, ProofError> {
        if !is_line(origin) {
            return Err(refused("its origin is not a single line"));
        }
        Ok(Self { origin: origin.to_owned(), size, root, extensions: Vec::new() })
    }

    /// Parses the text of a note. [`Checkpoint::text`] returns exactly the same text.
    pub fn parse(text: &str) -> Result<Self, ProofError> {
        let lines =
            text.strip_suffix('\n').ok_or_else(|| refused("its last line has no line feed"))?;
        let mut lines = lines.split('\n');
        let mut line = || lines.next().ok_or_else(|| refused("it has fewer than three lines"));
        let (origin, size, root) = (line()?, line()?, line()?);
        let size = parse_decimal(size).ok_or_else(|| refused("its size is not a number"))?;
        let root = parse_base64_digest(root)
            .ok_or_else(|| refused("its root is not a digest in base64"))?;
        let mut read = Self::new(origin, size, root)?;
        for line in lines {
            if !is_line(line) {
                return Err(refused("a line after the root is empty"));
            }
            read.extensions.push(line.to_owned());
        }
        Ok(read)
    }

    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    #[must_use]
    pub fn root(&self) -> Digest {
        self.root
    }

    #[must_use]
    pub fn extensions(&self) -> &[String] {
        &self.extensions
    }

    /// The text to be signed.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{}\n{}\n{}\n", self.origin, self.size, to_base64(&self.root));
        for line in &self.extensions {
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

fn is_line(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(|c| c.is_ascii_control())
}

fn refused(why: &'static str) -> ProofError {
    ProofError::Malformed { what: "checkpoint", why }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sha256;

    const EMPTY: &str = "log.example/a\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n";

    #[test]
    fn is_three_lines_and_what_follows() {
        let checkpoint = Checkpoint::new("log.example/a", 0, sha256(b"")).unwrap();
        assert_eq!(checkpoint.text(), EMPTY);
        assert_eq!(Checkpoint::parse(EMPTY), Ok(checkpoint));
        let extended = format!("{EMPTY}one\ntwo words\n");
        let read = Checkpoint::parse(&extended).unwrap();
        assert_eq!(read.extensions(), ["one", "two words"]);
        assert_eq!(read.text(), extended);
    }

    #[test]
    fn other_forms_are_refused() {
        for bad in [
            String::new(),
            "\n".to_owned(),
            EMPTY.trim_end().to_owned(),
            EMPTY.replace("log.example/a", ""),
            EMPTY.replace("\n0\n", "\n00\n"),
            EMPTY.replace("\n0\n", "\n01\n"),
            EMPTY.replace("\n0\n", "\n+1\n"),
            EMPTY.replace("\n0\n", "\n-1\n"),
            EMPTY.replace("\n0\n", "\n\n"),
            EMPTY.replace("\n0\n", "\n0 \n"),
            EMPTY.replace("\n0\n", "\n18446744073709551616\n"),
            EMPTY.replace("uFU=", "uFU"),
            EMPTY.replace("uFU=", "uFV="),
            EMPTY.replace('\n', "\r\n"),
            format!("{EMPTY}\n"),
            format!("{EMPTY}\nx\n"),
            format!("{EMPTY}x"),
            "log.example/a\n0\n".to_owned(),
        ] {
            assert!(Checkpoint::parse(&bad).is_err(), "{bad:?}");
        }
        assert!(Checkpoint::new("a\nb", 0, sha256(b"")).is_err());
        assert!(Checkpoint::new("", 0, sha256(b"")).is_err());
    }

    proptest! {
        #[test]
        fn every_checkpoint_comes_back(origin in "[^\\x00-\\x1f\\x7f]{1,40}", size in any::<u64>(), bytes in any::<[u8; 32]>()) {
            let checkpoint = Checkpoint::new(&origin, size, Digest(bytes)).unwrap();
            prop_assert_eq!(Checkpoint::parse(&checkpoint.text()), Ok(checkpoint));
        }

        #[test]
        fn what_is_read_is_what_would_be_written(text in "[ab \n]{0,4}\n[0-9]{0,3}\n47DEQpj8HBSa\\+/TImW\\+5JCeuQeRkm5NMpJWZG3hSuF[UV]=\n[a\n]{0,5}", any in ".*") {
            let _ = Checkpoint::parse(&any);
            if let Ok(read) = Checkpoint::parse(&text) {
                prop_assert_eq!(read.text(), text);
            }
        }
    }
}
