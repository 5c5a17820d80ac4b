//! Signatures on the key directory, which prove that its publisher holds every key in it.

use contract::Timestamp;

use super::component::Component;
use super::content_digest::content_digest;
use super::error::HttpSignatureError;
use super::message::{Message, Request, Response};
use super::params::SignatureParams;
use super::sign::{SignatureFields, sign};
use crate::{Digest, SigningKey};

/// The `tag` parameter of these signatures.
pub const DIRECTORY_TAG: &str = "http-message-signatures-directory";

/// One signature by each key over the directory's content and the authority that serves it, so
/// that nobody can publish somebody else's keys as their own. Keys that have not started yet sign
/// too: these signatures only prove possession of the key.
pub fn sign_directory<'a>(
    keys: impl IntoIterator<Item = &'a SigningKey>,
    target_uri: &str,
    directory: &Digest,
    created: Timestamp,
    expires: Timestamp,
) -> Result<SignatureFields, HttpSignatureError> {
    let digest = content_digest(directory);
    let fields = [("content-digest", digest.as_str())];
    let request = Request { method: "GET", target_uri, fields: &[] };
    let message = Message::response(Response { status: 200, fields: &fields }, request);
    let components = [Component::of_request("@authority")?, Component::new("content-digest")?];
    let seconds = |at: Timestamp| Some(at.as_millis().div_euclid(1000));
    let params = SignatureParams {
        created: seconds(created),
        expires: seconds(expires),
        tag: Some(DIRECTORY_TAG.to_owned()),
        ..SignatureParams::default()
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
