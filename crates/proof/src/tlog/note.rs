//! C2SP signed notes: a text and lines of signatures over it.

use std::fmt;

use super::cosignature::verified_cosignature_time;
use super::note_signature::{NoteSignature, note_error};
use super::verifier_key::{SignatureType, VerifierKey};
use crate::{KeyPurpose, ProofError, SigningKey};

/// The longest note that is accepted. Sixteen signatures of the largest known kind fit easily.
pub const MAX_NOTE_BYTES: usize = 256 * 1024;

/// The most signatures that are accepted; the specification requires at least 16.
pub const MAX_SIGNATURES: usize = 100;

/// A parsed note, or one to be written. Do not trust its text before [`Note::verify`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    text: String,
    signatures: Vec<NoteSignature>,
}

/// A known key whose signature is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerifiedSigner<'a> {
    pub key: &'a VerifierKey,
    /// The time of the cosignature in Unix seconds, as the witness states it; `None` for other
    /// signatures.
    pub cosigned_at: Option<u64>,
}

/// Why a note is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    #[error("the signature of {0} is invalid")]
    BadSignature(String),
    #[error("no known key signed it")]
    NoKnownKey,
}

impl Note {
    /// A note with this text, signed under this name by a key for log heads.
    pub fn sign(text: &str, name: &str, key: &SigningKey) -> Result<Self, ProofError> {
        if key.purpose() != KeyPurpose::LogHeads {
            return Err(ProofError::Key(format!(
                "the key for {} must not sign a note",
                key.purpose()
            )));
        }
        check_text(text)?;
        let verifier = VerifierKey::new(name, SignatureType::Ed25519, key.public().clone())?;
        let signature = NoteSignature::new(&verifier, key.sign(text.as_bytes())?.to_vec());
        Ok(Self { text: text.to_owned(), signatures: vec![signature] })
    }

    /// Parses a note. Every line below the text must be a well-formed signature line, even if its
    /// key is unknown.
    pub fn parse(bytes: &[u8]) -> Result<Self, ProofError> {
        if bytes.len() > MAX_NOTE_BYTES {
            return Err(note_error("it is too long"));
        }
        let note = str::from_utf8(bytes).map_err(|_| note_error("it is not UTF-8"))?;
        // The text may contain empty lines: the last one separates it from the signatures.
        let split = note.rfind("\n\n").and_then(|at| note.split_at_checked(at + 1));
        let (text, lines) = split.ok_or_else(|| note_error("no empty line follows its text"))?;
        check_text(text)?;
        let lines = lines.strip_prefix('\n').and_then(|lines| lines.strip_suffix('\n'));
        let lines = lines.ok_or_else(|| note_error("its last line has no line feed"))?;
        let mut signatures = Vec::new();
        for line in lines.split('\n') {
            if signatures.len() == MAX_SIGNATURES {
                return Err(note_error("it has too many signatures"));
            }
            signatures.push(NoteSignature::parse(line)?);
        }
        Ok(Self { text: text.to_owned(), signatures })
    }

    /// The signed text, including its final line feed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    #[must_use]
    pub fn signatures(&self) -> &[NoteSignature] {
        &self.signatures
    }

    /// Adds a signature and replaces one by the same key. Fails if the note is full.
    pub fn add(&mut self, signature: NoteSignature) -> Result<(), ProofError> {
        let same = |other: &NoteSignature| {
            other.id() == signature.id() && other.name() == signature.name()
        };
        self.signatures.retain(|other| !same(other));
        if self.signatures.len() >= MAX_SIGNATURES {
            return Err(note_error("it has too many signatures"));
        }
        self.signatures.push(signature);
        Ok(())
    }

    /// The known keys that signed, each once. Signatures of unknown keys are ignored. An invalid
    /// signature under the name and id of a known key makes the whole note invalid.
    pub fn verify<'a>(
        &self,
        known: &'a [VerifierKey],
    ) -> Result<Vec<VerifiedSigner<'a>>, NoteError> {
        let mut verified: Vec<VerifiedSigner<'a>> = Vec::new();
        for signature in &self.signatures {
            let mut claimed = known.iter().filter(|key| signature.claims_key(key)).peekable();
            if claimed.peek().is_none() {
                continue;
            }
            let by = claimed
                .find_map(|key| verify_signature(signature, key, &self.text))
                .ok_or_else(|| NoteError::BadSignature(signature.name().to_owned()))?;
            if !verified.iter().any(|other| other.key == by.key) {
                verified.push(by);
            }
        }
        if verified.is_empty() { Err(NoteError::NoKnownKey) } else { Ok(verified) }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        self.signatures.iter().try_for_each(|signature| write!(f, "{signature}"))
    }
}

/// Verifies one signature line with the key that it names.
fn verify_signature<'a>(
    signature: &NoteSignature,
    key: &'a VerifierKey,
    text: &str,
) -> Option<VerifiedSigner<'a>> {
    match key.kind() {
        SignatureType::Ed25519 => key
            .public()
            .verifies(text.as_bytes(), signature.bytes())
            .then_some(VerifiedSigner { key, cosigned_at: None }),
        SignatureType::Cosignature => {
            let cosigned_at =
                Some(verified_cosignature_time(text, key.public(), signature.bytes())?);
            Some(VerifiedSigner { key, cosigned_at })
        }
    }
}

fn check_text(text: &str) -> Result<(), ProofError> {
    if !text.ends_with('\n') {
        return Err(note_error("its text does not end with a line feed"));
    }
    if text.bytes().any(|byte| byte < 0x20 && byte != b'\n') {
        return Err(note_error("its text has a control character"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use contract::Timestamp;
    use data_encoding::BASE64;
    use proptest::prelude::*;

    use super::*;
    use crate::tlog::{Checkpoint, cosign};

    const TEXT: &str = "first line\n\nthird line, behind an empty one\n";

    fn key(seed: u8) -> SigningKey {
        let from = Timestamp::from_millis(0);
        SigningKey::from_seed(&[seed; 32], KeyPurpose::LogHeads, from).unwrap()
    }

    fn known(name: &str, seed: u8) -> VerifierKey {
        VerifierKey::new(name, SignatureType::Ed25519, key(seed).public().clone()).unwrap()
    }

    fn note() -> Note {
        Note::sign(TEXT, "log.example", &key(1)).unwrap()
    }

    #[test]
    fn is_text_an_empty_line_and_signatures() {
        let note = note();
        let written = note.to_string();
        let line = written.strip_prefix(TEXT).unwrap().strip_prefix("\n— log.example ").unwrap();
        let blob = BASE64.decode(line.strip_suffix('\n').unwrap().as_bytes()).unwrap();
        assert_eq!(blob[..4], known("log.example", 1).id().to_be_bytes());
        assert!(key(1).public().verifies(TEXT.as_bytes(), &blob[4..]));
        assert_eq!(Note::parse(written.as_bytes()), Ok(note.clone()));
        assert_eq!(note.text(), TEXT);
        let line = note.signatures()[0].to_string();
        assert_eq!(NoteSignature::parse(line.trim_end()), Ok(note.signatures()[0].clone()));
    }

    #[test]
    fn known_keys_count_and_others_do_not() {
        let mut note = note();
        note.add(Note::sign(TEXT, "other.example", &key(2)).unwrap().signatures[0].clone())
            .unwrap();
        let [one, two] = [known("log.example", 1), known("other.example", 2)];
        let names = |known: &[VerifierKey]| -> Result<Vec<String>, NoteError> {
            Ok(note.verify(known)?.iter().map(|by| by.key.name().to_owned()).collect())
        };
        assert_eq!(names(std::slice::from_ref(&one)).unwrap(), ["log.example"]);
        assert_eq!(names(&[two.clone(), one.clone()]).unwrap(), ["log.example", "other.example"]);
        assert_eq!(names(&[]), Err(NoteError::NoKnownKey));
        // The same key under another name, and another key under the same name, are unknown.
        let strangers = [known("log.example", 2), known("other.example", 1), known("c", 1)];
        assert_eq!(names(&strangers), Err(NoteError::NoKnownKey));
    }

    #[test]
    fn a_bad_signature_of_a_known_key_refuses_the_note() {
        let mut forged = note();
        forged.text = "another text\n".to_owned();
        forged
            .add(Note::sign(&forged.text, "other.example", &key(2)).unwrap().signatures[0].clone())
            .unwrap();
        let [one, two] = [known("log.example", 1), known("other.example", 2)];
        let bad = NoteError::BadSignature("log.example".to_owned());
        assert_eq!(forged.verify(&[one.clone(), two.clone()]), Err(bad.clone()));
        assert_eq!(forged.verify(&[two]).unwrap().len(), 1);
        // Also if a valid one by the same key comes before it.
        let mut twice = note();
        let mut changed = twice.signatures[0].bytes().to_vec();
        changed[0] ^= 1;
        twice.signatures.push(NoteSignature::new(&one, changed));
        assert_eq!(twice.verify(std::slice::from_ref(&one)), Err(bad));
        // Twice the same is one signature.
        let mut same = note();
        same.signatures.push(same.signatures[0].clone());
        assert_eq!(same.verify(&[one]).unwrap().len(), 1);
    }

    #[test]
    fn adding_replaces_what_the_same_key_signed_before() {
        let checkpoint = Checkpoint::new("log.example", 0, crate::sha256(b"")).unwrap();
        let mut note = Note::sign(&checkpoint.text(), "log.example", &key(1)).unwrap();
        for second in [5, 9] {
            let at = Timestamp::from_millis(second * 1000);
            note.add(cosign(&checkpoint, "w.example", &key(3), at).unwrap()).unwrap();
        }
        assert_eq!(note.signatures().len(), 2);
        let witness =
            VerifierKey::new("w.example", SignatureType::Cosignature, key(3).public().clone());
        let known = [witness.unwrap(), known("log.example", 1)];
        let times: Vec<_> = note.verify(&known).unwrap().iter().map(|by| by.cosigned_at).collect();
        assert_eq!(times, [None, Some(9)]);
    }

    #[test]
    fn forms_that_the_specification_does_not_know_are_note_error() {
        let good = note().to_string();
        let line = note().signatures[0].to_string();
        let short = BASE64.encode(&[1, 2, 3, 4]);
        for bad in [
            String::new(),
            "\n\n".to_owned(),
            TEXT.to_owned(),
            format!("{TEXT}{line}"),
            // Two padded texts, one after the other.
            format!("{TEXT}\n— a {}{}\n", BASE64.encode(&[1]), BASE64.encode(&[2; 9])),
            format!("{TEXT}\n"),
            format!("{TEXT}\n\n"),
            format!("\n{line}"),
            good.trim_end().to_owned(),
            format!("{good}\n"),
            format!("{good}x\n"),
            good.replace('—', "-"),
            good.replace("— ", "—"),
            good.replace("— ", "—  "),
            good.replace("log.example", "log+example"),
            good.replace("log.example ", "log.example  "),
            good.replace("log.example ", "log.example\u{2003}"),
            good.replace("log.example ", ""),
            good.replace("first", "fi\rst"),
            good.replace("first", "fi\tst"),
            good.replace("\n— ", "\r\n— "),
            format!("{TEXT}\n— log.example {short}\n"),
            format!("{TEXT}\n— log.example AAAA\n"),
            format!("{TEXT}\n— log.example {}\n", line.trim_end().trim_end_matches('=')),
        ] {
            assert!(Note::parse(bad.as_bytes()).is_err(), "{bad:?}");
        }
        assert!(Note::parse(&[good.as_bytes(), &[0xFF]].concat()).is_err());
    }

    #[test]
    fn a_hundred_signatures_are_read_and_no_more() {
        let line = note().signatures[0].to_string();
        let full = format!("{TEXT}\n{}", line.repeat(MAX_SIGNATURES));
        assert_eq!(Note::parse(full.as_bytes()).unwrap().signatures().len(), 100);
        assert!(Note::parse(format!("{full}{line}").as_bytes()).is_err());
        let large = format!("{}\n{line}", "x\n".repeat(MAX_NOTE_BYTES / 2));
        assert!(Note::parse(large.as_bytes()).is_err());
        // Sixteen of the largest kind in sight.
        let big = format!("— w.example {}\n", BASE64.encode(&[7; 5000]));
        assert!(Note::parse(format!("{TEXT}\n{}", big.repeat(16)).as_bytes()).is_ok());
        let mut full = Note::parse(full.as_bytes()).unwrap();
        assert!(
            full.add(Note::sign(TEXT, "other", &key(2)).unwrap().signatures[0].clone()).is_err()
        );
    }

    #[test]
    fn only_the_log_heads_key_signs_and_only_text() {
        let from = Timestamp::from_millis(0);
        for purpose in KeyPurpose::ALL {
            let key = SigningKey::from_seed(&[1; 32], purpose, from).unwrap();
            let signed = Note::sign(TEXT, "log.example", &key);
            assert_eq!(signed.is_ok(), purpose == KeyPurpose::LogHeads, "{purpose}");
        }
        for text in ["", "no line feed", "a\tb\n"] {
            assert!(Note::sign(text, "log.example", &key(1)).is_err(), "{text:?}");
        }
        assert!(Note::sign(TEXT, "log example", &key(1)).is_err());
    }

    proptest! {
        #[test]
        fn any_text_comes_back(text in "[^\\x00-\\x1f]*(\n[^\\x00-\\x1f]*){0,5}", name in "[a-z0-9./-]{1,30}") {
            let text = format!("{text}\n");
            let note = Note::sign(&text, &name, &key(1)).unwrap();
            let read = Note::parse(note.to_string().as_bytes()).unwrap();
            prop_assert_eq!(&read, &note);
            prop_assert_eq!(read.verify(&[known(&name, 1)]).unwrap().len(), 1);
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), lines in "(— ?[a-z +]{0,3} ?[A-Za-z0-9+/=]{0,12}\n?){0,4}") {
            let _ = Note::parse(&bytes);
            if let Ok(note) = Note::parse(format!("text\n\n{lines}").as_bytes()) {
                prop_assert_eq!(note.to_string(), format!("text\n\n{lines}"));
            }
        }
    }
}
