//! The parameters of a signature.

use sfv::{BareItem, Integer, KeyRef, Parameters, StringRef};

use super::error::HttpSignatureError;

/// The registered name (RFC 9421) of the only supported algorithm.
pub const ALG: &str = "ed25519";

const MALFORMED: HttpSignatureError =
    HttpSignatureError::Malformed("the parameters of a signature");

/// The parameters of a signature. Times are Unix seconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignatureParams {
    pub created: Option<i64>,
    pub expires: Option<i64>,
    pub keyid: Option<String>,
    pub nonce: Option<String>,
    pub tag: Option<String>,
}

impl SignatureParams {
    /// In the order in which they are signed. `alg` is left out because the key determines it.
    pub(super) fn to_parameters(&self) -> Result<Parameters, HttpSignatureError> {
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

    /// Unknown parameters are covered by the signature but otherwise ignored.
    pub(super) fn from_parameters(parameters: &Parameters) -> Result<Self, HttpSignatureError> {
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
                "alg" if text()? != ALG => return Err(HttpSignatureError::Algorithm),
                _ => {}
            }
        }
        Ok(read)
    }
}

fn key(name: &str) -> Result<&KeyRef, HttpSignatureError> {
    KeyRef::from_str(name).map_err(|_| MALFORMED)
}
