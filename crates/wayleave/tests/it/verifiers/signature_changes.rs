//! Changes to the members of a signature block, which no signature covers. Every verifier gets them:
//! `wayleave verify`, the one for Node, and the two programs in the documentation.

use contract::{Clock, Timestamp};
use door::SystemClock;
use serde_json::{Value, json};

/// A change to the block of a document that was made just now.
#[derive(Clone, Copy)]
pub(crate) struct SignatureChange {
    pub(crate) name: &'static str,
    /// The check that must fail; `None` if the document is still accepted.
    pub(crate) fails: Option<&'static str>,
    pub(crate) change: fn(&mut Value),
}

const MEMBERS: Option<&str> = Some("signature members");
const TIME: Option<&str> = Some("signing time");

pub(crate) fn now() -> Timestamp {
    SystemClock.now().whole_seconds()
}

fn minutes_from_now(minutes: i64) -> Value {
    json!(now().plus_millis(minutes * 60_000))
}

macro_rules! change {
    ($name:literal, $fails:expr, $change:expr) => {
        SignatureChange { name: $name, fails: $fails, change: $change }
    };
}

pub(crate) const SIGNATURE_CHANGES: &[SignatureChange] = &[
    change!("nothing changed", None, |_| {}),
    change!("a member added", MEMBERS, |block| block["note"] = json!("also signed by the owner")),
    change!("a member added with null", MEMBERS, |block| block["note"] = json!(null)),
    change!("a member called __proto__", MEMBERS, |block| block["__proto__"] = json!({})),
    change!("a member added to the key", MEMBERS, |block| block["key"]["owner"] = json!("x")),
    change!("a member added to the jwk", MEMBERS, |block| block["key"]["jwk"]["use"] =
        json!("sig")),
    change!("canonical another", MEMBERS, |block| block["canonical"] = json!("sha256 of the file")),
    change!("canonical longer", MEMBERS, |block| {
        block["canonical"] = json!(format!("{}.", block["canonical"].as_str().unwrap()));
    }),
    change!("canonical a list", MEMBERS, |block| block["canonical"] = json!([block["canonical"]])),
    change!("canonical absent", MEMBERS, |block| {
        block.as_object_mut().unwrap().remove("canonical");
    }),
    change!("canonical as the interface words it", None, |block| {
        block["canonical"] = json!(
            "sha256 is taken over the canonical JSON of every field except sha256 and signature"
        );
    }),
    change!("canonical as the reference records word it", None, |block| {
        block["canonical"] =
            json!("sha256 over the RFC 8785 form of every member except sha256 and signature");
    }),
    change!("published_in another path", MEMBERS, |block| {
        block["key"]["published_in"] = json!("https://else.example/keys");
    }),
    change!("published_in with a query", MEMBERS, |block| {
        let address = block["key"]["published_in"].as_str().unwrap();
        block["key"]["published_in"] = json!(format!("{address}?v=2"));
    }),
    change!("published_in behind another address", MEMBERS, |block| {
        let address = block["key"]["published_in"].as_str().unwrap();
        block["key"]["published_in"] = json!(format!("https://else.example/?to={address}"));
    }),
    change!("published_in with a user", MEMBERS, |block| {
        block["key"]["published_in"] =
            json!("https://a@b.example/.well-known/http-message-signatures-directory");
    }),
    change!("published_in without a host", MEMBERS, |block| {
        block["key"]["published_in"] =
            json!("https:///.well-known/http-message-signatures-directory");
    }),
    change!("published_in with a line feed", MEMBERS, |block| {
        let address = block["key"]["published_in"].as_str().unwrap();
        block["key"]["published_in"] = json!(format!("{address}\n"));
    }),
    change!("published_in a script", MEMBERS, |block| {
        block["key"]["published_in"] =
            json!("javascript:x/.well-known/http-message-signatures-directory");
    }),
    change!("published_in null", MEMBERS, |block| block["key"]["published_in"] = json!(null)),
    change!("published_in absent", MEMBERS, |block| {
        block["key"].as_object_mut().unwrap().remove("published_in");
    }),
    // Nothing tells at which address the keys were published when the document was signed. The
    // verifiers take them from where the reader says, never from here.
    change!("published_in at another host", None, |block| {
        block["key"]["published_in"] =
            json!("https://else.example/.well-known/http-message-signatures-directory");
    }),
    change!("signed in three minutes", None, |block| block["signed_at"] = minutes_from_now(3)),
    change!("signed in ten minutes", TIME, |block| block["signed_at"] = minutes_from_now(10)),
    change!("signed in a year", TIME, |block| {
        block["signed_at"] = minutes_from_now(365 * 24 * 60);
    }),
    change!("signed three minutes before it was made", None, |block| {
        block["signed_at"] = minutes_from_now(-3);
    }),
    change!("signed an hour before it was made", TIME, |block| {
        block["signed_at"] = minutes_from_now(-60);
    }),
];
