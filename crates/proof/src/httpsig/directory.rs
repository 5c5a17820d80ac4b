//! The key directory's proof that whoever publishes a key also holds it.

use contract::Timestamp;

use super::{
    Component, HttpSigError, Message, Params, Request, Response, SignatureFields, content_digest,
    sign,
};
use crate::{Digest, SigningKey};

/// What such a signature is tagged with.
pub const DIRECTORY_TAG: &str = "http-message-signatures-directory";

/// One signature by each key over the directory's content and the authority that serves it, so
/// that nobody can publish another's keys as their own. Keys that have not begun to sign are
/// listed and prove themselves too: this is no document, and states nothing but possession.
pub fn prove_directory<'a>(
    keys: impl IntoIterator<Item = &'a SigningKey>,
    target_uri: &str,
    directory: &Digest,
    created: Timestamp,
    expires: Timestamp,
) -> Result<SignatureFields, HttpSigError> {
    let digest = content_digest(directory);
    let fields = [("content-digest", digest.as_str())];
    let request = Request { method: "GET", target_uri, fields: &[] };
    let message = Message::response(Response { status: 200, fields: &fields }, request);
    let components = [Component::of_request("@authority")?, Component::new("content-digest")?];
    let seconds = |at: Timestamp| Some(at.as_millis().div_euclid(1000));
    let params = Params {
        created: seconds(created),
        expires: seconds(expires),
        tag: Some(DIRECTORY_TAG.to_owned()),
        ..Params::default()
    };
    let mut whole = SignatureFields { input: String::new(), signature: String::new() };
    for (place, key) in keys.into_iter().enumerate() {
        let one = sign(&message, &format!("binding{place}"), &components, &params, key)?;
        let comma = if place == 0 { "" } else { ", " };
        whole.input.push_str(&format!("{comma}{}", one.input));
        whole.signature.push_str(&format!("{comma}{}", one.signature));
    }
    Ok(whole)
}
