//! On any input an inspection ends in time and without panic, and its texts are safe to display.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{Answer, NOW};
use crate::files::{FILE_LOCATIONS, FileKind, MAX_ADDRESSES, ServedFile, inspect};

fn looked_at(kind: FileKind, media: &str, body: &[u8], cut: bool) {
    let headers = [("content-type".to_owned(), media.to_owned())];
    let url = "https://shop.example/.well-known/x";
    let found = inspect(
        kind,
        &ServedFile {
            requested_url: url,
            final_url: url,
            redirects: 0,
            status: 200,
            headers: &headers,
            body,
            truncated: cut,
            read_at_s: NOW,
        },
    );
    assert!(found.addresses.len() <= MAX_ADDRESSES);
    for fault in &found.faults {
        for text in [&fault.at, &fault.problem, &fault.fix] {
            assert!(!text.chars().any(char::is_control), "{text:?}");
            assert!(text.chars().count() < 700, "{text}");
        }
    }
    assert!(!found.summary.chars().any(char::is_control));
}

/// Names that the checks look for, so that chance finds its way into them.
const NAMES: [&str; 36] = [
    "name",
    "version",
    "description",
    "skills",
    "url",
    "type",
    "digest",
    "$schema",
    "remotes",
    "supportedInterfaces",
    "protocolVersion",
    "capabilities",
    "extensions",
    "tags",
    "id",
    "keys",
    "kty",
    "x",
    "crv",
    "kid",
    "ucp",
    "services",
    "payment_handlers",
    "linkset",
    "item",
    "href",
    "anchor",
    "entries",
    "identifier",
    "resource",
    "issuer",
    "openapi",
    "paths",
    "get",
    "signatures",
    "protected",
];

fn json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::{Value, json};
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(json!("https://shop.example/a")),
        Just(json!("3.1.0")),
        Just(json!("OKP")),
    ];
    leaf.prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((proptest::sample::select(&NAMES[..]), inner), 0..8)
                .prop_map(|members| Value::Object(
                    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
                )),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_bytes(body in proptest::collection::vec(any::<u8>(), 0..600), media in "\\PC{0,40}", cut: bool) {
        for place in FILE_LOCATIONS {
            looked_at(place.kind, &media, &body, cut);
        }
    }

    #[test]
    fn any_json(value in json()) {
        let body = value.to_string();
        for place in FILE_LOCATIONS {
            looked_at(place.kind, "application/json", body.as_bytes(), false);
        }
    }

    #[test]
    fn any_lines(lines in proptest::collection::vec(
        prop_oneof![
            "#{0,7} ?\\PC{0,20}",
            "[-*+>] \\[\\PC{0,8}\\]\\(\\PC{0,20}\\)\\PC{0,5}",
            "(Contact|Expires|Canonical|Encryption|Policy) ?: ?\\PC{0,30}",
            "(https?|mailto)://\\PC{0,30}",
            "\\PC{0,30}",
        ], 0..20), ) {
        let body = lines.join("\n");
        for kind in [FileKind::LlmsTxt, FileKind::LlmsFullTxt, FileKind::AgentsMd, FileKind::SecurityTxt, FileKind::AiTxt, FileKind::RobotsTxt, FileKind::Sitemap] {
            looked_at(kind, "text/plain", body.as_bytes(), false);
        }
    }

    #[test]
    fn any_markup(parts in proptest::collection::vec(
        prop_oneof![
            Just("<urlset>".to_owned()), Just("</urlset>".to_owned()), Just("<sitemapindex>".to_owned()),
            Just("<url>".to_owned()), Just("</url>".to_owned()), Just("<loc>".to_owned()), Just("</loc>".to_owned()),
            Just("<a:b c='d'/>".to_owned()), Just("<!--".to_owned()), Just("-->".to_owned()), Just("<![CDATA[".to_owned()),
            Just("]]>".to_owned()), Just("&amp;".to_owned()), Just("&#0;".to_owned()), Just("&".to_owned()), "\\PC{0,12}",
        ], 0..30)) {
        looked_at(FileKind::Sitemap, "text/xml", format!("<{}", parts.concat()).as_bytes(), false);
        looked_at(FileKind::Sitemap, "text/xml", parts.concat().as_bytes(), true);
    }
}

#[test]
fn large_hostile_bodies_end_in_time() {
    let bodies = [
        ("[".repeat(1 << 18), "brackets"),
        (format!("[{}1]", "{\"a\":[],".repeat(25_000)), "half objects"),
        (format!("{{{}\"a\":1}}", "\"a\":1,".repeat(40_000)), "one name over and over"),
        (format!("{{\"skills\":[{}1],\"$schema\":1}}", "1,".repeat(100_000)), "wrong items"),
        (format!("<urlset {}>", "a='b' ".repeat(40_000)), "attributes"),
        ("<a>".repeat(75_000), "open elements"),
        (format!("<urlset><url><loc>{}", "&amp;".repeat(50_000)), "references"),
        (format!("# T\n## S\n{}", "- [a](".repeat(40_000)), "one long line"),
        (format!("# T\n## S\n{}", "- [a](b)\n".repeat(25_000)), "links"),
        ("<!--".repeat(60_000), "comments"),
        ("Contact: x\n".repeat(25_000), "contacts"),
    ];
    for (body, what) in &bodies {
        for place in FILE_LOCATIONS {
            let begun = Instant::now();
            looked_at(place.kind, "application/json", body.as_bytes(), false);
            // Linear work takes a small part of this even without optimisation.
            assert!(begun.elapsed() < Duration::from_secs(20), "{what} as {:?}", place.kind);
        }
    }
}

#[test]
fn quotations_are_truncated_and_safe_to_display() {
    let name = format!("\u{202e}\u{7}{}", "x".repeat(10_000));
    let body = serde_json::json!({"linkset": [{name.as_str(): "y"}], name.as_str(): 1});
    let answer = Answer::new(FileKind::ApiCatalog, "application/linkset+json", body.to_string());
    let found = answer.look();
    assert!(found.faults.len() >= 2);
    for fault in found.faults {
        assert!(fault.at.chars().count() < 120 && fault.problem.chars().count() < 300, "{fault:?}");
        assert!(!fault.at.contains('\u{202e}') && !fault.problem.contains('\u{202e}'));
    }
}
