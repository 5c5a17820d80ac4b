//! C2SP signed notes: a text and lines of signatures over it.

use std::fmt;

use data_encoding::BASE64;

use super::cosignature::cosigned_at;
use super::vkey::{SignatureType, VerifierKey, is_name};
use crate::{KeyPurpose, ProofError, SigningKey};

/// The longest note that is read. Sixteen signatures of the largest kind in sight fit in well.
pub const MAX_NOTE_BYTES: usize = 256 * 1024;

/// The most signatures that are read; the specification asks for no fewer than 16.
pub const MAX_SIGNATURES: usize = 100;

const DASH: &str = "\u{2014} ";

/// A note as it was read or is about to be written. Nothing of its text is to be believed before
/// [`Note::verify`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    text: String,
    signatures: Vec<NoteSignature>,
}

/// One line of a note: whose signature it is, and its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteSignature {
    name: String,
    id: u32,
    bytes: Vec<u8>,
}

/// A known key whose signature is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerifiedBy<'a> {
    pub key: &'a VerifierKey,
    /// When it cosigned, in seconds since 1970, by its own word; nothing for other signatures.
    pub cosigned_at: Option<u64>,
}

/// Why a note is not to be believed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoteFault {
    #[error("the signature of {0} is not good")]
    BadSignature(String),
    #[error("no key that is known has signed it")]
    NoKnownKey,
}

impl Note {
    /// A note of this text with the signature of a key for log heads, under this name.
    pub fn sign(text: &str, name: &str, key: &SigningKey) -> Result<Self, ProofError> {
        if key.purpose() != KeyPurpose::LogHeads {
            return Err(ProofError::Key(format!(
                "a note is not signed by the key for {}",
                key.purpose()
            )));
        }
        check_text(text)?;
        let verifier = VerifierKey::new(name, SignatureType::Ed25519, key.public().clone())?;
        let signature = NoteSignature::new(&verifier, key.sign(text.as_bytes())?.to_vec());
        Ok(Self { text: text.to_owned(), signatures: vec![signature] })
    }

    /// Reads a note. Every line below the text must be of the form of a signature, also those of
    /// keys that nobody knows.
    pub fn parse(bytes: &[u8]) -> Result<Self, ProofError> {
        if bytes.len() > MAX_NOTE_BYTES {
            return Err(refused("it is too long"));
        }
        let note = str::from_utf8(bytes).map_err(|_| refused("it is not UTF-8"))?;
        // The text may have empty lines of its own: the last one parts it from the signatures.
        let split = note.rfind("\n\n").and_then(|at| note.split_at_checked(at + 1));
        let (text, lines) = split.ok_or_else(|| refused("no empty line ends its text"))?;
        check_text(text)?;
        let lines = lines.strip_prefix('\n').and_then(|lines| lines.strip_suffix('\n'));
        let lines = lines.ok_or_else(|| refused("its last line does not end"))?;
        let mut signatures = Vec::new();
        for line in lines.split('\n') {
            if signatures.len() == MAX_SIGNATURES {
                return Err(refused("it has too many signatures"));
            }
            signatures.push(NoteSignature::parse(line)?);
        }
        Ok(Self { text: text.to_owned(), signatures })
    }

    /// The text that is signed, with the line feed at its end.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    #[must_use]
    pub fn signatures(&self) -> &[NoteSignature] {
        &self.signatures
    }

    /// Adds a signature in place of one by the same key. Refused where the note is full.
    pub fn add(&mut self, signature: NoteSignature) -> Result<(), ProofError> {
        let same =
            |other: &NoteSignature| (other.id, &other.name) == (signature.id, &signature.name);
        self.signatures.retain(|other| !same(other));
        if self.signatures.len() >= MAX_SIGNATURES {
            return Err(refused("it has too many signatures"));
        }
        self.signatures.push(signature);
        Ok(())
    }

    /// Which of the known keys have signed, each once. Signatures of other keys are passed over;
    /// one bad signature under the name and id of a known key refuses the whole note.
    pub fn verify<'a>(&self, known: &'a [VerifierKey]) -> Result<Vec<VerifiedBy<'a>>, NoteFault> {
        let mut verified: Vec<VerifiedBy<'a>> = Vec::new();
        for signature in &self.signatures {
            let mut claimed = known.iter().filter(|key| signature.is_of(key)).peekable();
            if claimed.peek().is_none() {
                continue;
            }
            let by = claimed
                .find_map(|key| signature.verified_by(key, &self.text))
                .ok_or_else(|| NoteFault::BadSignature(signature.name.clone()))?;
            if !verified.iter().any(|other| other.key == by.key) {
                verified.push(by);
            }
        }
        if verified.is_empty() { Err(NoteFault::NoKnownKey) } else { Ok(verified) }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        self.signatures.iter().try_for_each(|signature| write!(f, "{signature}"))
    }
}

impl NoteSignature {
    pub(super) fn new(key: &VerifierKey, bytes: Vec<u8>) -> Self {
        Self { name: key.name().to_owned(), id: key.id(), bytes }
    }

    /// Reads a line, without the line feed that ends it.
    pub fn parse(line: &str) -> Result<Self, ProofError> {
        let rest = line.strip_prefix(DASH);
        let rest = rest.ok_or_else(|| refused("a line of signatures has no dash in front"))?;
        let (name, bytes) =
            rest.split_once(' ').ok_or_else(|| refused("a signature has no name"))?;
        if !is_name(name) {
            return Err(refused("the name of a signature is not one"));
        }
        let bytes = BASE64.decode(bytes.as_bytes());
        let bytes = bytes.map_err(|_| refused("a signature is not base64"))?;
        match bytes.split_first_chunk() {
            Some((id, bytes)) if !bytes.is_empty() => Ok(Self {
                name: name.to_owned(),
                id: u32::from_be_bytes(*id),
                bytes: bytes.to_vec(),
            }),
            _ => Err(refused("a signature is too short")),
        }
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[must_use]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The signature behind the key id.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether it says that it is this key's.
    fn is_of(&self, key: &VerifierKey) -> bool {
        self.id == key.id() && self.name == key.name()
    }

    fn verified_by<'a>(&self, key: &'a VerifierKey, text: &str) -> Option<VerifiedBy<'a>> {
        match key.kind() {
            SignatureType::Ed25519 => key
                .public()
                .verifies(text.as_bytes(), &self.bytes)
                .then_some(VerifiedBy { key, cosigned_at: None }),
            SignatureType::Cosignature => {
                let cosigned_at = Some(cosigned_at(text, key.public(), &self.bytes)?);
                Some(VerifiedBy { key, cosigned_at })
            }
        }
    }
}

/// The whole line, with the line feed that ends it.
impl fmt::Display for NoteSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = self.id.to_be_bytes().to_vec();
        bytes.extend_from_slice(&self.bytes);
        writeln!(f, "{DASH}{} {}", self.name, BASE64.encode(&bytes))
    }
}

fn check_text(text: &str) -> Result<(), ProofError> {
    if !text.ends_with('\n') {
        return Err(refused("its text does not end with a line feed"));
    }
    if text.bytes().any(|byte| byte < 0x20 && byte != b'\n') {
        return Err(refused("its text has a control character"));
    }
    Ok(())
}

fn refused(why: &'static str) -> ProofError {
    ProofError::Form { what: "signed note", why }
}

#[cfg(test)]
mod tests {
    use contract::Timestamp;
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
        let names = |known: &[VerifierKey]| -> Result<Vec<String>, NoteFault> {
            Ok(note.verify(known)?.iter().map(|by| by.key.name().to_owned()).collect())
        };
        assert_eq!(names(std::slice::from_ref(&one)).unwrap(), ["log.example"]);
        assert_eq!(names(&[two.clone(), one.clone()]).unwrap(), ["log.example", "other.example"]);
        assert_eq!(names(&[]), Err(NoteFault::NoKnownKey));
        // The same key under another name, and another key under the same name, are unknown.
        let strangers = [known("log.example", 2), known("other.example", 1), known("c", 1)];
        assert_eq!(names(&strangers), Err(NoteFault::NoKnownKey));
    }

    #[test]
    fn a_bad_signature_of_a_known_key_refuses_the_note() {
        let mut forged = note();
        forged.text = "another text\n".to_owned();
        forged
            .add(Note::sign(&forged.text, "other.example", &key(2)).unwrap().signatures[0].clone())
            .unwrap();
        let [one, two] = [known("log.example", 1), known("other.example", 2)];
        let bad = NoteFault::BadSignature("log.example".to_owned());
        assert_eq!(forged.verify(&[one.clone(), two.clone()]), Err(bad.clone()));
        assert_eq!(forged.verify(&[two]).unwrap().len(), 1);
        // Also where a good one by the same key stands before it.
        let mut twice = note();
        let mut second = twice.signatures[0].clone();
        second.bytes[0] ^= 1;
        twice.signatures.push(second);
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
    fn forms_that_the_specification_does_not_know_are_refused() {
        let good = note().to_string();
        let line = note().signatures[0].to_string();
        let short = BASE64.encode(&[1, 2, 3, 4]);
        for bad in [
            String::new(),
            "\n\n".to_owned(),
            TEXT.to_owned(),
            format!("{TEXT}{line}"),
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
