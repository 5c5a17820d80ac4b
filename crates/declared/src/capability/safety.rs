//! The safety class of a declared capability: what calling it could do, by its description alone.
//!
//! The strictest sign counts. A capability is `read_only_public` only if it is a GET operation whose request
//! the description gives completely, that needs no credential, costs nothing, has no word that suggests an
//! effect, and answers over HTTPS on the site's own host. An annotation such as `readOnlyHint` is only a
//! promise and loosens nothing. Without any sign the class is unknown, and a capability of unknown class is
//! never called.

use contract::records::SafetyClass;

use super::effect_hints::{CredentialRequirement, EffectHints, MethodKind};
use super::effect_words::{DESTRUCTIVE, MONEY, WRITE};
use super::model::Capability;

/// Further words that mean a payment, with any method.
const MONEY_MORE: [&str; 3] = ["payments", "purchases", "billing"];
/// Words that mean a purchase with a writing method. With a safe method they are lists of past purchases.
const MONEY_WRITTEN: [&str; 13] = [
    "order",
    "orders",
    "book",
    "booking",
    "bookings",
    "reserve",
    "reservation",
    "reservations",
    "cart",
    "carts",
    "invoice",
    "subscription",
    "subscriptions",
];
const ADMINISTRATIVE: [&str; 7] =
    ["admin", "administer", "administration", "administrator", "sudo", "superuser", "impersonate"];
const DESTRUCTIVE_MORE: [&str; 2] = ["deactivate", "unsubscribe"];
const WRITE_MORE: [&str; 3] = ["execute", "login", "logout"];
/// Further words with which a request that should only read may have an effect after all. They say too
/// little to name the effect.
const SUSPECT: [&str; 61] = [
    "accept",
    "activate",
    "apply",
    "assign",
    "authorize",
    "ban",
    "block",
    "bulk",
    "call",
    "callback",
    "clear",
    "clone",
    "close",
    "commit",
    "confirm",
    "consume",
    "deploy",
    "detach",
    "disable",
    "dispatch",
    "enable",
    "enqueue",
    "expire",
    "flush",
    "follow",
    "grant",
    "import",
    "increment",
    "invalidate",
    "invoke",
    "kill",
    "launch",
    "lock",
    "merge",
    "notify",
    "optout",
    "reboot",
    "reject",
    "reset",
    "restart",
    "restore",
    "revoke",
    "rollback",
    "rotate",
    "save",
    "set",
    "shutdown",
    "signin",
    "signout",
    "signup",
    "start",
    "stop",
    "subscribe",
    "sync",
    "toggle",
    "trigger",
    "unlock",
    "unfollow",
    "verify",
    "vote",
    "webhook",
];
/// Parts of words: names may be written without a boundary, as in `deleteuser`, and in other languages.
const SUSPECT_WITHIN: [&str; 24] = [
    "delete",
    "remov",
    "destroy",
    "erase",
    "purge",
    "cancel",
    "unsubscri",
    "logout",
    "logoff",
    "signout",
    "checkout",
    "payment",
    "reset",
    "revoke",
    "shutdown",
    "update",
    "upload",
    "löschen",
    "loeschen",
    "abmelden",
    "supprim",
    "eliminar",
    "borrar",
    "excluir",
];

/// The class of one capability of the site at `domain`.
#[must_use]
pub fn safety_class(capability: &Capability, domain: &str) -> SafetyClass {
    let signs = &capability.hints;
    let safe = signs.method == Some(MethodKind::Safe);
    if signs.words.contains_any(&ADMINISTRATIVE) {
        return SafetyClass::Administrative;
    }
    if signs.commerce
        || signs.words.contains_any(MONEY)
        || signs.words.contains_any(&MONEY_MORE)
        || (!safe && signs.words.contains_any(&MONEY_WRITTEN))
    {
        return SafetyClass::Transactional;
    }
    if signs.method == Some(MethodKind::Delete)
        || signs.destructive == Some(true)
        || signs.words.contains_any(DESTRUCTIVE)
        || signs.words.contains_any(&DESTRUCTIVE_MORE)
    {
        return SafetyClass::WriteDestructive;
    }
    if signs.method == Some(MethodKind::Write)
        || signs.read_only == Some(false)
        || signs.words.contains_any(WRITE)
        || signs.words.contains_any(&WRITE_MORE)
    {
        return SafetyClass::WriteReversible;
    }
    if signs.priced {
        return SafetyClass::Paid;
    }
    if !safe {
        return SafetyClass::Unknown;
    }
    match signs.credential {
        CredentialRequirement::Needed => SafetyClass::ReadOnlyAuthenticated,
        CredentialRequirement::NotNeeded
            if is_called_on(capability, domain) && !may_have_an_effect(signs) =>
        {
            SafetyClass::ReadOnlyPublic
        }
        CredentialRequirement::NotNeeded | CredentialRequirement::Unstated => SafetyClass::Unknown,
    }
}

/// Whether the description gives a whole request, and it goes to this domain.
fn is_called_on(capability: &Capability, domain: &str) -> bool {
    !capability.hints.needs_body
        && capability.is_served_within(domain)
        && capability.call.as_ref().is_some_and(|call| call.is_at(domain))
}

/// Whether a word of its names, its examples or its summary suggests an effect, or not all words are known.
fn may_have_an_effect(signs: &EffectHints) -> bool {
    let (names, summary) = (&signs.words, &signs.summary);
    let of_summary: [&[&str]; 8] = [
        MONEY,
        &MONEY_MORE,
        &ADMINISTRATIVE,
        DESTRUCTIVE,
        &DESTRUCTIVE_MORE,
        WRITE,
        &WRITE_MORE,
        &SUSPECT,
    ];
    names.contains_any(&SUSPECT)
        || names.contains_within(&SUSPECT_WITHIN)
        || of_summary.iter().any(|words| summary.contains_verb(words))
        || !names.are_complete()
        || !summary.are_complete()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::super::file_capabilities::read_capabilities;
    use super::*;
    use crate::files::FileKind;

    fn operation(method: &str, path: &str, operation: &Value) -> Capability {
        let file = json!({"openapi": "3.1.0", "paths": {path: {method: operation}}});
        let url = "https://ferry.lab/openapi.json";
        let found = read_capabilities(FileKind::OpenApi, url, file.to_string().as_bytes()).items;
        found.into_iter().next().unwrap()
    }

    fn class_of(method: &str, path: &str, operation_json: &Value) -> SafetyClass {
        safety_class(&operation(method, path, operation_json), "ferry.lab")
    }

    #[test]
    fn operations_by_their_signs() {
        use SafetyClass::{
            Administrative, Paid, ReadOnlyAuthenticated, ReadOnlyPublic, Transactional, Unknown,
            WriteDestructive, WriteReversible,
        };
        for (method, path, operation_json, expected) in [
            ("get", "/times", json!({}), ReadOnlyPublic),
            ("head", "/times", json!({}), Unknown),
            ("get", "/orders", json!({"security": []}), ReadOnlyPublic),
            ("get", "/orders", json!({"security": [{"key": []}]}), ReadOnlyAuthenticated),
            ("get", "/times", json!({"security": 1}), Unknown),
            ("get", "/times", json!({"requestBody": {"required": true}}), Unknown),
            ("get", "/times", json!({"servers": [{"url": "https://other.lab"}]}), Unknown),
            ("get", "/times", json!({"servers": [{"url": "http://ferry.lab"}]}), Unknown),
            ("trace", "/times", json!({}), Unknown),
            ("get", "/times", json!({"responses": {"402": {}}}), Paid),
            ("get", "/times", json!({"operationId": "updateTimes"}), WriteReversible),
            ("get", "/delete/{id}", json!({}), WriteDestructive),
            ("get", "/pay", json!({}), Transactional),
            ("get", "/admin/users", json!({}), Administrative),
            ("post", "/notes", json!({}), WriteReversible),
            ("put", "/notes", json!({"security": [{"key": []}]}), WriteReversible),
            ("post", "/orders", json!({}), Transactional),
            ("delete", "/notes", json!({}), WriteDestructive),
            ("delete", "/orders", json!({}), Transactional),
            ("delete", "/notes", json!({"tags": ["admin"]}), Administrative),
        ] {
            assert_eq!(
                class_of(method, path, &operation_json),
                expected,
                "{method} {path} {operation_json}"
            );
        }
    }

    fn tool(annotations: &Value) -> SafetyClass {
        let card = json!({"serverInfo": {"name": "x"}, "transport": {"endpoint": "/mcp"},
            "tools": [{"name": "times", "annotations": annotations}]});
        let url = "https://ferry.lab/.well-known/mcp/server-card.json";
        let found =
            read_capabilities(FileKind::McpServerCard, url, card.to_string().as_bytes()).items;
        safety_class(&found[0], "ferry.lab")
    }

    #[test]
    fn annotations_make_a_class_stricter_and_never_looser() {
        assert_eq!(tool(&json!({})), SafetyClass::Unknown);
        assert_eq!(tool(&json!({"readOnlyHint": true})), SafetyClass::Unknown, "only a promise");
        assert_eq!(tool(&json!({"readOnlyHint": false})), SafetyClass::WriteDestructive);
        assert_eq!(
            tool(&json!({"readOnlyHint": false, "destructiveHint": false})),
            SafetyClass::WriteReversible
        );
        assert_eq!(tool(&json!({"destructiveHint": true})), SafetyClass::WriteDestructive);
    }

    proptest! {
        /// Only a plain safe operation on the site's own domain is ever public.
        #[test]
        fn public_is_the_narrowest_class(
            method in prop_oneof![
                Just(None), Just(Some(MethodKind::Safe)), Just(Some(MethodKind::Write)),
                Just(Some(MethodKind::Delete)), Just(Some(MethodKind::Other)),
            ],
            needs_body: bool, priced: bool, commerce: bool, has_call: bool,
            read_only: Option<bool>, destructive: Option<bool>, own: bool,
            credential in prop_oneof![
                Just(CredentialRequirement::NotNeeded), Just(CredentialRequirement::Needed), Just(CredentialRequirement::Unstated)],
        ) {
            let template = operation("get", "/x", &json!({}));
            let hints = EffectHints {
                method, needs_body, credential, priced, commerce, read_only, destructive,
                ..EffectHints::default()
            };
            let call = template.call.clone().filter(|_| has_call);
            let found = safety_class(
                &Capability { hints, call, ..template },
                if own { "ferry.lab" } else { "other.lab" },
            );
            let public = method == Some(MethodKind::Safe) && !needs_body && !priced && !commerce
                && read_only != Some(false) && destructive != Some(true) && own && has_call
                && credential == CredentialRequirement::NotNeeded;
            prop_assert_eq!(found == SafetyClass::ReadOnlyPublic, public);
        }
    }
}
