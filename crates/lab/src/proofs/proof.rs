//! What can be published.

/// How a proof is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProofKind {
    /// A meta element in the head of the home page.
    Meta,
    /// A TXT record.
    Txt,
    /// A line of a file below `/.well-known/`.
    File,
}

impl ProofKind {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Meta => "meta",
            Self::Txt => "txt",
            Self::File => "file",
        }
    }

    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Meta, Self::Txt, Self::File].into_iter().find(|kind| kind.as_str() == word)
    }
}

/// One proof to publish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabProof {
    pub(super) kind: ProofKind,
    /// The strings of a TXT record; one for the other kinds.
    pub(super) strings: Vec<String>,
    /// The name of the meta element, the whole name of the TXT record or the path of the file; that of
    /// the lab's brand if there is none.
    pub(super) name: Option<String>,
}

impl LabProof {
    #[must_use]
    pub fn new(kind: ProofKind, value: &str) -> Self {
        Self { kind, strings: vec![value.to_owned()], name: None }
    }

    #[must_use]
    pub fn meta(content: &str) -> Self {
        Self::new(ProofKind::Meta, content)
    }

    #[must_use]
    pub fn txt(value: &str) -> Self {
        Self::new(ProofKind::Txt, value)
    }

    /// A TXT record of several strings.
    #[must_use]
    pub fn txt_strings(strings: &[&str]) -> Self {
        let strings = strings.iter().map(|string| (*string).to_owned()).collect();
        Self { kind: ProofKind::Txt, strings, name: None }
    }

    #[must_use]
    pub fn file(line: &str) -> Self {
        Self::new(ProofKind::File, line)
    }

    /// The same under another name than that of the lab's brand.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: Some(name.to_owned()), ..self }
    }
}

/// Why a proof was not published.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PublishError {
    #[error("the lab has no site {0} that can publish this; `wayleave lab sites` lists its sites")]
    UnknownSite(String),
    #[error("a value has 1 to {MAX_VALUE_BYTES} characters, and no control characters")]
    BadValue,
    #[error("this is not a name that can be published under")]
    BadName,
    #[error("{MAX_PROOFS} values are published for this site; remove some first")]
    TooMany,
}

/// The longest value and name, and the most proofs of one site.
pub(super) const MAX_VALUE_BYTES: usize = 1_024;
pub(super) const MAX_NAME_BYTES: usize = 253;
pub(super) const MAX_PROOFS: usize = 256;
