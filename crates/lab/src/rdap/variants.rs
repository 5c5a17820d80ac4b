//! The forms in which registries answer: odd but usable ones, refusals, and faults.

#![expect(
    clippy::indexing_slicing,
    reason = "the documents are written here; a missing member is made"
)]

use serde_json::{Value, json};

use super::document::{error_object, jcard, registrar_entity};

/// What a careful reader makes of a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RdapResult {
    Registered,
    /// The registry says that it has no such domain.
    NotFound,
    /// The registry wants fewer requests, or none.
    Refused,
    /// Nothing can be told from it.
    Failed,
}

/// One form of the registry's answer. Its domain is `rdap-{word}.lab`.
#[derive(Debug, Clone, Copy)]
pub struct RdapVariant {
    pub word: &'static str,
    pub does: &'static str,
    pub result: RdapResult,
    pub(super) form: Form,
}

/// How the answer is made.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    /// The complete document after a change.
    Changed(fn(&mut Value)),
    /// This text in place of the document, with `{name}` for the name.
    Text(fn(&Value) -> String),
    Page {
        status: u16,
    },
    ErrorObject {
        status: u16,
        code: u16,
    },
    Status {
        status: u16,
        retry_after: Option<&'static str>,
    },
    EmptyBody,
    Slow,
    RedirectToPrivate,
    /// To a name that has a private address.
    RedirectToPrivateName,
    RedirectLoop,
    RedirectOnce,
    RedirectToHttp,
    TenMegabytes,
    Truncated,
    GzipBomb,
    Gzip,
    OtherMediaType,
}

impl RdapVariant {
    /// The domain whose registration has this form.
    #[must_use]
    pub fn domain(&self) -> String {
        format!("rdap-{}.lab", self.word)
    }

    pub(super) fn of_domain(name: &str) -> Option<&'static Self> {
        let word = name.strip_prefix("rdap-")?.strip_suffix(".lab")?;
        VARIANTS.iter().find(|variant| variant.word == word)
    }
}

/// All of them.
#[must_use]
pub fn rdap_variants() -> &'static [RdapVariant] {
    VARIANTS
}

const fn usable(word: &'static str, does: &'static str, change: fn(&mut Value)) -> RdapVariant {
    RdapVariant { word, does, result: RdapResult::Registered, form: Form::Changed(change) }
}

const fn other(
    word: &'static str,
    does: &'static str,
    result: RdapResult,
    form: Form,
) -> RdapVariant {
    RdapVariant { word, does, result, form }
}

const VARIANTS: &[RdapVariant] = &[
    usable("thin", "Names the registrar by its id only.", |object| {
        object["entities"] = json!([{"objectClassName": "entity", "roles": ["registrar"],
            "publicIds": [{"type": "IANA Registrar ID", "identifier": "9998"}]}]);
    }),
    usable("thick", "Lists a registrant and contacts with personal data.", |object| {
        let person = |role: &str, name: &str| {
            json!({"objectClassName": "entity", "roles": [role],
            "handle": "P-1", "vcardArray": ["vcard", [["version", {}, "text", "4.0"],
            ["fn", {}, "text", name], ["email", {}, "text", "jane@person.lab"],
            ["tel", {"type": "voice"}, "uri", "tel:+49.301234567"]]]})
        };
        if let Some(entities) = object["entities"].as_array_mut() {
            entities.insert(0, person("registrant", "Jane Registrant"));
            entities.push(person("administrative", "Joan Contact"));
        }
    }),
    usable("no-events", "Has no events.", |object| object["events"] = json!([])),
    usable("no-registration-date", "Says when it expires, not when it was registered.", |object| {
        object["events"] =
            json!([{"eventAction": "expiration", "eventDate": "2031-02-03T00:00:00Z"}]);
    }),
    usable("registrar-expiration", "Has only the registrar's date of expiry.", |object| {
        object["events"] = json!([
            {"eventAction": "registration", "eventDate": "2019-02-03T00:00:00Z"},
            {"eventAction": "registrar expiration", "eventDate": "2032-02-03T00:00:00Z"},
        ]);
    }),
    usable("transferred", "Was transferred twice; the newer transfer comes first.", |object| {
        push_events(
            object,
            &[("transfer", "2025-06-01T00:00:00Z"), ("transfer", "2021-06-01T00:00:00Z")],
        );
    }),
    usable("reregistered", "Was registered again after it was deleted.", |object| {
        push_events(object, &[("reregistration", "2024-01-02T03:04:05Z")]);
    }),
    usable("several-registrars", "Lists three registrars, the first without an id.", |object| {
        object["entities"] = json!([
            registrar_entity("Without Id", None),
            registrar_entity("First With Id", Some("9994")),
            registrar_entity("Second With Id", Some("9995")),
        ]);
    }),
    usable("nested-registrar", "Has the registrar inside another entity.", |object| {
        object["entities"] = json!([{"objectClassName": "entity", "roles": ["sponsor"],
            "entities": [registrar_entity("Nested Names", Some("9996"))]}]);
    }),
    usable("no-registrar", "Names no registrar.", |object| object["entities"] = json!([])),
    usable(
        "registrar-without-id",
        "The registrar has no IANA id, as under most country codes.",
        |object| {
            object["entities"] = json!([registrar_entity("Country Names", None)]);
        },
    ),
    usable("numeric-id", "Writes the IANA id as a number.", |object| {
        object["entities"][0]["publicIds"][0]["identifier"] = json!(9_994);
    }),
    usable("jscontact", "Describes the registrar by JSContact.", |object| {
        object["entities"] = json!([{"objectClassName": "entity", "roles": ["registrar"],
            "jscard_0": {"@type": "Card", "version": "1.0", "name": {"full": "JSContact Names"}}}]);
    }),
    usable(
        "organization-list",
        "Names the registrar by a list of organisation and unit.",
        |object| {
            object["entities"] = json!([{"objectClassName": "entity", "roles": ["registrar"],
            "vcardArray": ["vcard", [["org", {}, "text", ["Listed Names", "Registry desk"]]]]}]);
        },
    ),
    usable("epp-status", "Uses the status words of EPP.", |object| {
        object["status"] = json!(["clientTransferProhibited", "serverHold", "ok"]);
    }),
    usable("status-with-links", "Adds the address of an explanation to each status.", |object| {
        object["status"] = json!(["clientHold https://icann.org/epp#clientHold"]);
    }),
    usable("single-values", "Sends single values where lists belong.", |object| {
        object["status"] = json!("active");
        object["nameservers"] = json!({"ldhName": "only.dns.lab"});
        object["entities"] = registrar_entity("Single Names", Some("9997"));
        object["entities"]["roles"] = json!("registrar");
    }),
    usable("redemption", "Is in the redemption period.", |object| {
        object["status"] = json!(["redemption period", "server hold"]);
    }),
    usable("pending-delete", "Is about to be deleted.", |object| {
        object["status"] = json!(["pendingDelete"]);
    }),
    usable("ds-data", "Has keys of DNSSEC, and does not say that it is signed.", |object| {
        object["secureDNS"] =
            json!({"dsData": [{"keyTag": 1, "algorithm": 13, "digestType": 2, "digest": "00"}]});
    }),
    usable("dnssec-as-text", "Writes true as a text.", |object| {
        object["secureDNS"] = json!({"delegationSigned": "true"});
    }),
    usable("no-secure-dns", "Says nothing about DNSSEC.", |object| {
        object["secureDNS"] = Value::Null
    }),
    usable("redacted", "Withholds the expiry and the registrant (RFC 9537).", |object| {
        object["events"] =
            json!([{"eventAction": "registration", "eventDate": "2019-02-03T00:00:00Z"}]);
        object["redacted"] = json!([
            {"name": {"type": "Registrant Name"}, "prePath": "$.entities[0].vcardArray[1][0]",
             "pathLang": "jsonpath", "method": "removal", "reason": {"description": "Server policy"}},
            {"name": {"description": "Registry expiry date"}, "method": "removal"},
        ]);
    }),
    usable("odd-dates", "Writes each date in another form.", |object| {
        object["events"] = json!([
            {"eventAction": "Registration", "eventDate": "04-Mar-2019"},
            {"eventAction": "expiration", "eventDate": "2031-03-04 09:10:11 UTC"},
            {"eventAction": "last changed", "eventDate": "2025-03-04T09:10:11.123456+0200"},
        ]);
    }),
    usable("dates-unknown", "Writes dates that stand for none.", |object| {
        object["events"] = json!([
            {"eventAction": "registration", "eventDate": "0000-00-00T00:00:00Z"},
            {"eventAction": "expiration", "eventDate": "1970-01-01T00:00:00Z"},
            {"eventAction": "last changed", "eventDate": null},
        ]);
    }),
    usable("null-lists", "Has null in place of its lists.", |object| {
        for member in ["nameservers", "status", "events", "entities"] {
            object[member] = Value::Null;
        }
    }),
    usable("upper-case", "Writes names in upper case and with a dot at the end.", |object| {
        let name = object["ldhName"].as_str().unwrap_or_default().to_uppercase();
        object["ldhName"] = json!(format!("{name}."));
        object["nameservers"] = json!([{"ldhName": "NS1.DNS.LAB."}, {"ldhName": "ns1.dns.lab"}]);
    }),
    usable("unicode-name-only", "Has a name for people only.", |object| {
        let name = object["ldhName"].take();
        object["unicodeName"] = name;
    }),
    usable("without-class", "Does not say that it is a domain.", |object| {
        object["objectClassName"] = Value::Null;
    }),
    usable("long-names", "Has a registrar with a very long name and direction marks.", |object| {
        object["entities"][0]["vcardArray"] = jcard(&format!("\u{202e}{}", "Names ".repeat(400)));
    }),
    other(
        "duplicate-members",
        "Has its name twice, the right one last.",
        RdapResult::Registered,
        Form::Text(|object| {
            let text = object.to_string();
            format!("{{\"ldhName\":\"other.lab\",{}", text.strip_prefix('{').unwrap_or(&text))
        }),
    ),
    other(
        "byte-order-mark",
        "Begins with a byte order mark.",
        RdapResult::Registered,
        Form::Text(|object| format!("\u{feff}{object}")),
    ),
    other("gzip", "Is compressed.", RdapResult::Registered, Form::Gzip),
    other(
        "other-media-type",
        "Is declared as plain text.",
        RdapResult::Registered,
        Form::OtherMediaType,
    ),
    other(
        "redirect-once",
        "Redirects to the document.",
        RdapResult::Registered,
        Form::RedirectOnce,
    ),
    other(
        "error-404",
        "Answers 404 with an error object.",
        RdapResult::NotFound,
        Form::ErrorObject { status: 404, code: 404 },
    ),
    other(
        "error-in-200",
        "Answers 200 with an error object for 404.",
        RdapResult::NotFound,
        Form::ErrorObject { status: 200, code: 404 },
    ),
    other(
        "empty-404",
        "Answers 404 without a body.",
        RdapResult::NotFound,
        Form::Status { status: 404, retry_after: None },
    ),
    other(
        "too-many-requests",
        "Answers 429 and asks to wait for two minutes.",
        RdapResult::Refused,
        Form::Status { status: 429, retry_after: Some("120") },
    ),
    other(
        "too-many-until",
        "Answers 429 and names a date far away.",
        RdapResult::Refused,
        Form::Status { status: 429, retry_after: Some("Fri, 31 Dec 2100 00:00:00 GMT") },
    ),
    other(
        "forbidden",
        "Answers 403.",
        RdapResult::Refused,
        Form::Status { status: 403, retry_after: None },
    ),
    other(
        "unavailable",
        "Answers 503 and asks to wait.",
        RdapResult::Refused,
        Form::Status { status: 503, retry_after: Some("60") },
    ),
    other(
        "server-error",
        "Answers 500.",
        RdapResult::Failed,
        Form::Status { status: 500, retry_after: None },
    ),
    other(
        "error-500-in-200",
        "Answers 200 with an error object for 500.",
        RdapResult::Failed,
        Form::ErrorObject { status: 200, code: 500 },
    ),
    other(
        "bad-request",
        "Answers 400 with an error object.",
        RdapResult::Failed,
        Form::ErrorObject { status: 400, code: 400 },
    ),
    other(
        "no-content",
        "Answers 204.",
        RdapResult::Failed,
        Form::Status { status: 204, retry_after: None },
    ),
    other(
        "another-name",
        "Describes another domain.",
        RdapResult::Failed,
        Form::Changed(|object| object["ldhName"] = json!("another.lab")),
    ),
    other(
        "lookalike-name",
        "Describes a domain whose name looks the same.",
        RdapResult::Failed,
        Form::Changed(|object| object["ldhName"] = json!("rdap-lookalike-namе.lab")),
    ),
    other(
        "unnamed",
        "Does not say which domain it describes.",
        RdapResult::Failed,
        Form::Changed(|object| object["ldhName"] = Value::Null),
    ),
    other(
        "entity-object",
        "Describes an entity.",
        RdapResult::Failed,
        Form::Changed(|object| object["objectClassName"] = json!("entity")),
    ),
    other(
        "search-result",
        "Answers with a list of domains.",
        RdapResult::Failed,
        Form::Text(|object| json!({"domainSearchResults": [object]}).to_string()),
    ),
    other(
        "deep-nesting",
        "Nests lists a thousand deep.",
        RdapResult::Failed,
        Form::Text(|object| {
            let text = object.to_string();
            let (open, close) = ("[".repeat(1_000), "]".repeat(1_000));
            format!("{{\"deep\":{open}{close},{}", text.strip_prefix('{').unwrap_or(&text))
        }),
    ),
    other(
        "ten-megabytes",
        "Has ten megabytes of entities.",
        RdapResult::Failed,
        Form::TenMegabytes,
    ),
    other("truncated", "Ends halfway.", RdapResult::Failed, Form::Truncated),
    other("html", "Answers with a page.", RdapResult::Failed, Form::Page { status: 200 }),
    other(
        "html-404",
        "Answers 404 with a page, as a server whose addresses moved.",
        RdapResult::Failed,
        Form::Page { status: 404 },
    ),
    other("empty", "Answers 200 without a body.", RdapResult::Failed, Form::EmptyBody),
    other(
        "gzip-bomb",
        "Is a gzip body that expands to one gibibyte.",
        RdapResult::Failed,
        Form::GzipBomb,
    ),
    other("slow", "Sends one byte a second.", RdapResult::Failed, Form::Slow),
    other(
        "redirect-to-private",
        "Redirects to an address of this machine.",
        RdapResult::Failed,
        Form::RedirectToPrivate,
    ),
    other(
        "redirect-to-private-name",
        "Redirects to a name that has a private address.",
        RdapResult::Failed,
        Form::RedirectToPrivateName,
    ),
    other("redirect-loop", "Redirects to itself.", RdapResult::Failed, Form::RedirectLoop),
    other(
        "redirect-to-http",
        "Redirects to the document without TLS.",
        RdapResult::Failed,
        Form::RedirectToHttp,
    ),
];

fn push_events(object: &mut Value, events: &[(&str, &str)]) {
    if let Some(list) = object["events"].as_array_mut() {
        let event =
            |(action, date): &(&str, &str)| json!({"eventAction": action, "eventDate": date});
        list.extend(events.iter().map(event));
    }
}

/// The body of [`Form::ErrorObject`].
pub(super) fn error_text(code: u16) -> String {
    let title = if code == 404 { "Object not found" } else { "Error" };
    error_object(code, title).to_string()
}
