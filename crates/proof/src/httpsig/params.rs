//! The parameters of a signature.

use sfv::{BareItem, Integer, KeyRef, Parameters, StringRef};

use super::{ALG, HttpSigError};

const MALFORMED: HttpSigError = HttpSigError::Malformed("the parameters of a signature");

/// What a signature says of itself. Times are seconds of Unix.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Params {
    pub created: Option<i64>,
    pub expires: Option<i64>,
    pub keyid: Option<String>,
    pub nonce: Option<String>,
    pub tag: Option<String>,
}

impl Params {
    /// In the order in which they are signed. `alg` is not said: the key says it.
    pub(super) fn write(&self) -> Result<Parameters, HttpSigError> {
        let mut parameters = Parameters::new();
        for (name, time) in [("created", self.created), ("expires", self.expires)] {
            if let Some(time) = time {
                let time = Integer::try_from(time).map_err(|_| MALFORMED)?;
                parameters.insert(key(name)?.to_owned(), BareItem::Integer(time));
            }
        }
        for (name, text) in [("keyid", &self.keyid), ("nonce", &self.nonce), ("tag", &self.tag)] {
            if let Some(text) = text {
                let text = StringRef::from_str(text).map_err(|_| MALFORMED)?;
                parameters.insert(key(name)?.to_owned(), BareItem::String(text.to_owned()));
            }
        }
        Ok(parameters)
    }

    /// Parameters that are not known are signed with the others and mean nothing here.
    pub(super) fn read(parameters: &Parameters) -> Result<Self, HttpSigError> {
        let mut read = Self::default();
        for (name, value) in parameters {
            let time = || value.as_integer().map(i64::from).ok_or(MALFORMED);
            let text = || Ok(value.as_string().ok_or(MALFORMED)?.as_str().to_owned());
            match name.as_str() {
                "created" => read.created = Some(time()?),
                "expires" => read.expires = Some(time()?),
                "keyid" => read.keyid = Some(text()?),
                "nonce" => read.nonce = Some(text()?),
                "tag" => read.tag = Some(text()?),
                "alg" if text()? != ALG => return Err(HttpSigError::Algorithm),
                _ => {}
            }
        }
        Ok(read)
    }
}

fn key(name: &str) -> Result<&KeyRef, HttpSigError> {
    KeyRef::from_str(name).map_err(|_| MALFORMED)
}
