//! What calling a declared capability could do, told without calling it.
//!
//! The strictest sign counts. Only one thing makes a capability `read_only_public`: an operation with
//! a safe method, described request by request, that needs no credential, costs nothing and answers
//! over https within the site's own name. An annotation that promises harmlessness is a promise and
//! loosens nothing. Where nothing tells, the class is unknown, and what is unknown is never called.

use contract::records::SafetyClass;
use declared::capability::{Capability, Credential, Method, Signs};

/// Words of money, whatever the method.
const MONEY: [&str; 13] = [
    "checkout",
    "pay",
    "payment",
    "payments",
    "purchase",
    "purchases",
    "buy",
    "refund",
    "charge",
    "donate",
    "withdraw",
    "transfer",
    "billing",
];
/// Words that mean a purchase once something is written; read, they are lists of what was bought.
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
const DESTRUCTIVE: [&str; 12] = [
    "delete",
    "remove",
    "destroy",
    "erase",
    "purge",
    "drop",
    "wipe",
    "cancel",
    "terminate",
    "deactivate",
    "unsubscribe",
    "uninstall",
];
const WRITE: [&str; 22] = [
    "add", "approve", "create", "edit", "execute", "insert", "install", "invite", "login",
    "logout", "modify", "publish", "register", "rename", "replace", "run", "send", "submit",
    "update", "upload", "write", "move",
];

/// The class of one capability of the site at `domain`.
pub(super) fn class(capability: &Capability, domain: &str) -> SafetyClass {
    let signs = &capability.signs;
    let safe = signs.method == Some(Method::Safe);
    if signs.words.any(&ADMINISTRATIVE) {
        return SafetyClass::Administrative;
    }
    if signs.commerce || signs.words.any(&MONEY) || (!safe && signs.words.any(&MONEY_WRITTEN)) {
        return SafetyClass::Transactional;
    }
    if signs.method == Some(Method::Delete)
        || signs.destructive == Some(true)
        || signs.words.any(&DESTRUCTIVE)
    {
        return SafetyClass::WriteDestructive;
    }
    if signs.method == Some(Method::Write)
        || signs.read_only == Some(false)
        || signs.words.any(&WRITE)
    {
        return SafetyClass::WriteReversible;
    }
    if signs.priced {
        return SafetyClass::Paid;
    }
    if safe { reading(signs, capability.answers_within(domain)) } else { SafetyClass::Unknown }
}

/// Of what only reads: for everyone, for those who are known, or not to be told.
fn reading(signs: &Signs, own_address: bool) -> SafetyClass {
    match signs.credential {
        Credential::Needed => SafetyClass::ReadOnlyAuthenticated,
        Credential::NotNeeded if own_address && !signs.needs_body => SafetyClass::ReadOnlyPublic,
        Credential::NotNeeded | Credential::Untold => SafetyClass::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use declared::files::Kind;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn operation(method: &str, path: &str, operation: &Value) -> Capability {
        let file = json!({"openapi": "3.1.0", "paths": {path: {method: operation}}});
        let url = "https://ferry.lab/openapi.json";
        let found =
            declared::capability::read(Kind::OpenApi, url, file.to_string().as_bytes()).items;
        found.into_iter().next().unwrap()
    }

    fn class_of(method: &str, path: &str, said: &Value) -> SafetyClass {
        class(&operation(method, path, said), "ferry.lab")
    }

    #[test]
    fn operations_by_their_signs() {
        use SafetyClass::{
            Administrative, Paid, ReadOnlyAuthenticated, ReadOnlyPublic, Transactional, Unknown,
            WriteDestructive, WriteReversible,
        };
        for (method, path, said, expected) in [
            ("get", "/times", json!({}), ReadOnlyPublic),
            ("head", "/times", json!({}), ReadOnlyPublic),
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
            assert_eq!(class_of(method, path, &said), expected, "{method} {path} {said}");
        }
    }

    fn tool(annotations: &Value) -> SafetyClass {
        let card = json!({"serverInfo": {"name": "x"}, "transport": {"endpoint": "/mcp"},
            "tools": [{"name": "times", "annotations": annotations}]});
        let url = "https://ferry.lab/.well-known/mcp/server-card.json";
        let found =
            declared::capability::read(Kind::McpServerCard, url, card.to_string().as_bytes()).items;
        class(&found[0], "ferry.lab")
    }

    #[test]
    fn annotations_make_a_class_stricter_and_never_looser() {
        assert_eq!(tool(&json!({})), SafetyClass::Unknown);
        assert_eq!(tool(&json!({"readOnlyHint": true})), SafetyClass::Unknown, "a promise");
        assert_eq!(tool(&json!({"readOnlyHint": false})), SafetyClass::WriteDestructive);
        assert_eq!(
            tool(&json!({"readOnlyHint": false, "destructiveHint": false})),
            SafetyClass::WriteReversible
        );
        assert_eq!(tool(&json!({"destructiveHint": true})), SafetyClass::WriteDestructive);
    }

    fn method() -> impl Strategy<Value = Option<Method>> {
        prop_oneof![
            Just(None),
            Just(Some(Method::Safe)),
            Just(Some(Method::Write)),
            Just(Some(Method::Delete)),
            Just(Some(Method::Other)),
        ]
    }

    proptest! {
        /// Nothing but a plain safe operation of the site's own is ever public.
        #[test]
        fn public_is_the_narrowest_class(
            method in method(), needs_body: bool, priced: bool, commerce: bool,
            read_only: Option<bool>, destructive: Option<bool>, own: bool,
            credential in prop_oneof![
                Just(Credential::NotNeeded), Just(Credential::Needed), Just(Credential::Untold)],
        ) {
            let host = if own { "ferry.lab" } else { "other.lab" };
            let signs = Signs {
                method, needs_body, credential, priced, commerce, read_only, destructive,
                ..Signs::default()
            };
            let endpoint = Some(format!("https://{host}/x"));
            let found = class(&Capability { name: String::new(), endpoint, signs }, "ferry.lab");
            let public = method == Some(Method::Safe) && !needs_body && !priced && !commerce
                && read_only != Some(false) && destructive != Some(true) && own
                && credential == Credential::NotNeeded;
            prop_assert_eq!(found == SafetyClass::ReadOnlyPublic, public);
        }
    }
}
