//! security.txt (RFC 9116): whom to contact about a vulnerability.

use url::Url;

use super::report::{Report, count_with_noun, quoted};
use super::{text, timestamps};

const YEAR_S: i64 = 366 * 86_400;

const EXPIRES_FIX: &str =
    "Write exactly one Expires line, at most a year ahead: Expires: 2027-06-30T12:00:00Z";
const CONTACT_FIX: &str = "Add a line such as: Contact: mailto:security@your.site";

#[derive(Default)]
struct FieldCounts {
    contacts: usize,
    expires: usize,
    languages: usize,
    canonical: usize,
    canonical_matches: bool,
    signed: bool,
}

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    let text = text::read_text(report, &text::PLAIN_TEXT)?;
    if report.served.media_type().as_deref() == Some("text/plain")
        && !report
            .served
            .media_parameter("charset")
            .is_some_and(|name| name.eq_ignore_ascii_case("utf-8"))
    {
        report.note(
            "no_charset",
            "Content-Type",
            "The Content-Type does not say that the text is UTF-8, which the standard requires.",
            "Send the header: Content-Type: text/plain; charset=utf-8",
        );
    }
    report.must_be_https();
    check_location(report);
    if report.served.truncated {
        report.add_not_read_whole();
        return None;
    }
    let mut found = FieldCounts::default();
    for (number, line) in body_lines(&text, &mut found.signed) {
        check_field(report, &mut found, number, line);
    }
    if found.contacts == 0 {
        report.fatal(
            "no_contact",
            "",
            "The file has no Contact line. The standard requires one.",
            CONTACT_FIX,
        );
    }
    if found.expires == 0 {
        report.error(
            "no_expires",
            "",
            "The Expires line is missing. The standard requires it; without it readers cannot tell whether the file is still valid.",
            EXPIRES_FIX,
        );
    }
    if found.canonical > 0 && !found.canonical_matches {
        report.warn(
            "no_canonical_match",
            "",
            "No Canonical line matches the URL of this file, so readers should not trust it.",
            format!(
                "Add the line: Canonical: {}",
                contract::text::display_safe(report.served.final_url, 200)
            ),
        );
    }
    if found.signed && found.canonical == 0 {
        report.note(
            "signed_without_canonical",
            "",
            "The file is signed but has no Canonical line, so somebody could publish it on another site.",
            "Add a Canonical line with the URL of the file and sign it again.",
        );
    }
    report.set_count("contacts", found.contacts);
    report.version = Some("RFC 9116".into());
    Some(format!(
        "{}{}.",
        count_with_noun(found.contacts, "contact", "contacts"),
        if found.signed { ", signed (the signature was not checked)" } else { "" }
    ))
}

/// Notes a file that is not served at the well-known path.
fn check_location(report: &mut Report<'_>) {
    let path = report.base.as_ref().map(|url| url.path().to_owned());
    if path.is_some_and(|path| path != "/.well-known/security.txt") {
        report.note(
            "legacy_location",
            "",
            "The file is not served at /.well-known/security.txt.",
            "Serve it at /.well-known/security.txt and redirect the old path there.",
        );
    }
}

/// The content lines with their line numbers, without the OpenPGP armour.
fn body_lines<'t>(text: &'t str, signed: &mut bool) -> Vec<(usize, &'t str)> {
    let mut lines = Vec::new();
    // In a signed text, the armour headers end at the first empty line.
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

fn check_field(report: &mut Report<'_>, found: &mut FieldCounts, number: usize, line: &str) {
    if line.trim().is_empty() || line.starts_with('#') {
        return;
    }
    let at = format!("line {number}");
    if line.starts_with([' ', '\t']) {
        report.warn(
            "leading_space",
            at.clone(),
            "The line starts with white space. Strict readers ignore it.",
            "Start the line with the field name.",
        );
    }
    let Some((name, value)) = line.split_once(':') else {
        report.error(
            "not_a_field",
            at,
            format!("{} is neither a field nor a comment.", quoted(line.trim())),
            "Write “Name: value”, or start the line with #.",
        );
        return;
    };
    if !value.starts_with(' ') {
        report.warn(
            "no_space",
            at.clone(),
            "There is no space after the colon. The standard requires one.",
            "Add one space after the colon.",
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
            check_contact(report, &at, value);
        }
        "expires" => {
            found.expires += 1;
            check_expires(report, &at, value, found.expires);
        }
        "preferred-languages" => {
            found.languages += 1;
            if found.languages > 1 {
                report.error(
                    "several_languages",
                    at,
                    "There is more than one Preferred-Languages line.",
                    "Put all languages on one line: Preferred-Languages: en, fr",
                );
            }
        }
        "canonical" => {
            found.canonical += 1;
            if value == report.served.final_url || value == report.served.requested_url {
                found.canonical_matches = true;
            }
            check_web_address(report, &at, value);
        }
        "encryption" => check_encryption(report, &at, value),
        "policy" | "acknowledgments" | "hiring" | "csaf" => check_web_address(report, &at, value),
        "acknowledgements" => report.warn(
            "misspelt_field",
            at,
            "The standard spells this field Acknowledgments. Readers ignore this line.",
            "Write: Acknowledgments:",
        ),
        _ => report.note(
            "unknown_field",
            at,
            format!("{} is not a field of the standard. Readers ignore it.", quoted(name.trim())),
            "Check the spelling. If it is intended, no action is needed.",
        ),
    }
}

fn check_contact(report: &mut Report<'_>, at: &str, value: &str) {
    let scheme = value.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("https" | "http") => check_web_address(report, at, value),
        Some("mailto" | "tel") => {}
        Some(_) if Url::parse(value).is_ok() => {}
        _ => report.error(
            "contact_not_uri",
            at,
            format!("{} is not a URI, so tools cannot use it.", quoted(value)),
            if value.contains('@') {
                "Put mailto: before the email address."
            } else {
                "Put mailto:, tel: or https:// before it."
            },
        ),
    }
}

fn check_expires(report: &mut Report<'_>, at: &str, value: &str, so_far: usize) {
    if so_far > 1 {
        report.error(
            "several_expires",
            at,
            "There is more than one Expires line, so readers cannot tell which one applies.",
            EXPIRES_FIX,
        );
    }
    let Some(moment) = timestamps::parse_rfc3339(value) else {
        report.error(
            "bad_expires",
            at,
            format!("{} is not an RFC 3339 date and time.", quoted(value)),
            EXPIRES_FIX,
        );
        return;
    };
    let now = report.served.read_at_s;
    if moment <= now {
        report.fatal(
            "expired",
            at,
            "The file has expired. Readers must not use it any more.",
            format!(
                "Check that the contacts are still correct, then update the line. {EXPIRES_FIX}"
            ),
        );
    } else if moment.saturating_sub(now) > YEAR_S {
        report.warn(
            "long_expiry",
            at,
            "The file is valid for more than a year. The standard advises against that.",
            EXPIRES_FIX,
        );
    }
}

fn check_encryption(report: &mut Report<'_>, at: &str, value: &str) {
    let scheme = value.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("https" | "http") => check_web_address(report, at, value),
        Some("dns" | "openpgp4fpr") => {}
        _ => report.error(
            "key_not_uri",
            at,
            "Encryption must contain the URL of the key, not the key itself.",
            "Write the URL of the key: Encryption: https://your.site/key.asc",
        ),
    }
}

/// Checks a web URL, which must be https in this file.
fn check_web_address(report: &mut Report<'_>, at: &str, value: &str) {
    if value.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("http:")) {
        report.error(
            "not_https",
            at,
            format!("{} uses plain http, which the standard forbids here.", quoted(value)),
            "Use https:// in the URL.",
        );
    } else {
        report.check_absolute_url(at, value);
    }
}
