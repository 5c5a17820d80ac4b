//! security.txt (RFC 9116): whom to tell of a hole.

use url::Url;

use super::report::{Report, counted, quoted};
use super::{text, when};

const YEAR_S: i64 = 366 * 86_400;

const EXPIRES_FIX: &str =
    "Write exactly one line, at most a year ahead: Expires: 2027-06-30T12:00:00Z";
const CONTACT_FIX: &str = "Write a line like: Contact: mailto:security@your.site";

#[derive(Default)]
struct Found {
    contacts: usize,
    expires: usize,
    languages: usize,
    canonical: usize,
    canonical_matches: bool,
    signed: bool,
}

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    let text = text::open(report, &text::PLAIN)?;
    if report.served.media_type().as_deref() == Some("text/plain")
        && !report
            .served
            .media_parameter("charset")
            .is_some_and(|name| name.eq_ignore_ascii_case("utf-8"))
    {
        report.note(
            "no_charset",
            "Content-Type",
            "The answer does not say that the text is UTF-8, which the standard asks for.",
            "Send the header: Content-Type: text/plain; charset=utf-8",
        );
    }
    report.must_be_https();
    location(report);
    if report.served.cut {
        report.not_read_whole();
        return None;
    }
    let mut found = Found::default();
    for (number, line) in body_lines(&text, &mut found.signed) {
        field(report, &mut found, number, line);
    }
    if found.contacts == 0 {
        report.spoil(
            "no_contact",
            "",
            "The file names no contact, which is what it is for.",
            CONTACT_FIX,
        );
    }
    if found.expires == 0 {
        report.error(
            "no_expires",
            "",
            "The line Expires is missing, which is required; readers cannot tell whether the file is still true.",
            EXPIRES_FIX,
        );
    }
    if found.canonical > 0 && !found.canonical_matches {
        report.warn(
            "no_canonical_match",
            "",
            "None of the Canonical lines is the address this file was read from, so a reader must doubt it.",
            format!("Add the line: Canonical: {}", crate::shown::shown(report.served.final_url, 200)),
        );
    }
    if found.signed && found.canonical == 0 {
        report.note(
            "signed_without_canonical",
            "",
            "The file is signed but does not say where it belongs, so it could be put elsewhere.",
            "Add a line Canonical with the address of the file and sign it again.",
        );
    }
    report.count("contacts", found.contacts);
    report.version = Some("RFC 9116".into());
    Some(format!(
        "{}{}.",
        counted(found.contacts, "contact", "contacts"),
        if found.signed { ", signed (the signature was not checked)" } else { "" }
    ))
}

/// The file counts only at its well-known place.
fn location(report: &mut Report<'_>) {
    let path = report.base.as_ref().map(|url| url.path().to_owned());
    if path.is_some_and(|path| path != "/.well-known/security.txt") {
        report.note(
            "legacy_location",
            "",
            "The file was found at another path than /.well-known/security.txt.",
            "Serve it at /.well-known/security.txt and redirect the old path there.",
        );
    }
}

/// The lines that count, without an OpenPGP frame, with their numbers.
fn body_lines<'t>(text: &'t str, signed: &mut bool) -> Vec<(usize, &'t str)> {
    let mut lines = Vec::new();
    // In a signed text the armour's own header lines run to the first empty line.
    let mut in_armour_head = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_end() == "-----BEGIN PGP SIGNED MESSAGE-----" && lines.is_empty() {
            *signed = true;
            in_armour_head = true;
        } else if *signed && line.trim_end() == "-----BEGIN PGP SIGNATURE-----" {
            break;
        } else if in_armour_head {
            in_armour_head = !line.trim().is_empty();
        } else {
            let line = if *signed { line.strip_prefix("- ").unwrap_or(line) } else { line };
            lines.push((index + 1, line));
        }
    }
    lines
}

fn field(report: &mut Report<'_>, found: &mut Found, number: usize, line: &str) {
    if line.trim().is_empty() || line.starts_with('#') {
        return;
    }
    let at = format!("line {number}");
    if line.starts_with([' ', '\t']) {
        report.warn(
            "leading_space",
            at.clone(),
            "The line begins with white space; strict readers pass it over.",
            "Let the line begin with the name of the field.",
        );
    }
    let Some((name, value)) = line.split_once(':') else {
        report.error(
            "not_a_field",
            at,
            format!("{} is neither a field nor a comment.", quoted(line.trim())),
            "Write “Name: value”, or begin the line with #.",
        );
        return;
    };
    if !value.starts_with(' ') {
        report.warn(
            "no_space",
            at.clone(),
            "No space stands after the colon, where the standard's grammar has one.",
            "Put one space after the colon.",
        );
    }
    let value = value.trim();
    if value.is_empty() {
        report.error(
            "empty_value",
            at,
            "The field has no value.",
            "Give it a value or remove the line.",
        );
        return;
    }
    match name.trim().to_ascii_lowercase().as_str() {
        "contact" => {
            found.contacts += 1;
            contact(report, &at, value);
        }
        "expires" => {
            found.expires += 1;
            expires(report, &at, value, found.expires);
        }
        "preferred-languages" => {
            found.languages += 1;
            if found.languages > 1 {
                report.error(
                    "several_languages",
                    at,
                    "Preferred-Languages stands more than once.",
                    "Write one line with all of them: Preferred-Languages: en, fr",
                );
            }
        }
        "canonical" => {
            found.canonical += 1;
            if value == report.served.final_url || value == report.served.asked_url {
                found.canonical_matches = true;
            }
            web_address(report, &at, value);
        }
        "encryption" => encryption(report, &at, value),
        "policy" | "acknowledgments" | "hiring" | "csaf" => web_address(report, &at, value),
        "acknowledgements" => report.warn(
            "misspelt_field",
            at,
            "The field is spelt Acknowledgments in the standard; readers pass this one over.",
            "Write: Acknowledgments:",
        ),
        _ => report.note(
            "unknown_field",
            at,
            format!("{} is not a field of the standard; readers ignore it.", quoted(name.trim())),
            "Nothing must be done; check the spelling.",
        ),
    }
}

fn contact(report: &mut Report<'_>, at: &str, value: &str) {
    let scheme = value.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("https" | "http") => web_address(report, at, value),
        Some("mailto" | "tel") => {}
        Some(_) if Url::parse(value).is_ok() => {}
        _ => report.error(
            "contact_not_uri",
            at,
            format!("{} is not a URI, so a tool cannot use it.", quoted(value)),
            if value.contains('@') {
                "Put mailto: before the mail address."
            } else {
                "Put mailto:, tel: or https:// before it."
            },
        ),
    }
}

fn expires(report: &mut Report<'_>, at: &str, value: &str, so_far: usize) {
    if so_far > 1 {
        report.error(
            "several_expires",
            at,
            "Expires stands more than once, so nobody knows which counts.",
            EXPIRES_FIX,
        );
    }
    let Some(moment) = when::rfc3339(value) else {
        report.error(
            "bad_expires",
            at,
            format!("{} is not a moment as RFC 3339 writes it.", quoted(value)),
            EXPIRES_FIX,
        );
        return;
    };
    let now = report.served.read_at_s;
    if moment <= now {
        report.spoil(
            "expired",
            at,
            "The file has expired; readers must not use it any more.",
            format!("Check that the contacts still hold, then renew the line. {EXPIRES_FIX}"),
        );
    } else if moment.saturating_sub(now) > YEAR_S {
        report.warn(
            "long_expiry",
            at,
            "The file says it holds for more than a year, which the standard advises against.",
            EXPIRES_FIX,
        );
    }
}

fn encryption(report: &mut Report<'_>, at: &str, value: &str) {
    let scheme = value.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("https" | "http") => web_address(report, at, value),
        Some("dns" | "openpgp4fpr") => {}
        _ => report.error(
            "key_not_uri",
            at,
            "Encryption must say where the key is, not hold the key.",
            "Write the address of the key: Encryption: https://your.site/key.asc",
        ),
    }
}

/// Web addresses in this file must be https.
fn web_address(report: &mut Report<'_>, at: &str, value: &str) {
    if value.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("http:")) {
        report.error(
            "not_https",
            at,
            format!("{} is plain http, which the standard forbids here.", quoted(value)),
            "Write the address with https://.",
        );
    } else {
        report.absolute(at, value);
    }
}
