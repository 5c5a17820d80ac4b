//! Checks what no signature covers: the other members of the signature block. Each must have the
//! one value it can have, or lie near a time that the signature does cover, so that nobody can put a
//! statement of their own into a document without being noticed.

use contract::records::ReplacedSignature;
use contract::{Brand, Timestamp};

use super::checks::{Checks, is_kind};
use super::key_policy::KeyPolicy;
use super::verdict::CheckOutcome;
use crate::json_view::{Members, View};
use crate::resigning::FIXED_KINDS;
use crate::signature::CANONICAL_RULE;

/// How far the clocks of signer and reader may differ.
pub(super) const CLOCK_TOLERANCE_MS: i64 = 5 * 60 * 1000;
/// How long after the time that a document states it may be signed.
pub(super) const SIGNING_DELAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The texts of `canonical`: ours, that of the interface, and that of the reference records. They
/// all name the same rule.
const CANONICAL_TEXTS: [&str; 3] = [
    CANONICAL_RULE,
    "sha256 is taken over the canonical JSON of every field except sha256 and signature",
    "sha256 over the RFC 8785 form of every member except sha256 and signature",
];

const DIRECTORY_PATH: &str = "/.well-known/http-message-signatures-directory";

/// The member that states when a document of this kind was made.
const TIME_MEMBERS: [(&str, &str); 11] = [
    ("claims", "generated_at"),
    ("corroboration", "generated_at"),
    ("day-seal", "sealed_at"),
    ("decision", "decided_at"),
    ("decision-check", "checked_at"),
    ("log", "generated_at"),
    ("log-sth", "created_at"),
    ("resolve", "answered_at"),
    ("revocations", "generated_at"),
    ("scan", "scannedAt"),
    ("staple", "made_at"),
];

/// Checks that the block has no members beside those of the interface, and that the two that
/// explain the signature say what they must.
pub(super) fn check_members(block: Members<'_>, checks: &mut Checks) {
    const BLOCK: [&str; 9] =
        ["alg", "canonical", "key", "kid", "message", "over", "sig", "signed_at", "v"];
    const KEY: [&str; 3] = ["jwk", "kid", "published_in"];
    const JWK: [&str; 3] = ["crv", "kty", "x"];
    let key = block.get("key").and_then(View::as_object);
    let jwk = key.and_then(|key| key.get("jwk")).and_then(View::as_object);
    let unknown = unknown_member(Some(block), &BLOCK, "")
        .or_else(|| unknown_member(key, &KEY, "key."))
        .or_else(|| unknown_member(jwk, &JWK, "key.jwk."));
    let canonical = block.text("canonical");
    let published_in = key.and_then(|key| key.text("published_in"));
    checks.push_result(
        "signature members",
        if let Some(name) = unknown {
            Err(format!(
                "{name} is not a member of a signature, and the signature does not cover it"
            ))
        } else if !canonical.is_some_and(|text| CANONICAL_TEXTS.contains(&text)) {
            Err("canonical does not state the rule of the digest".to_owned())
        } else if !published_in.is_some_and(is_directory_address) {
            Err(format!("key.published_in is not an address that ends with {DIRECTORY_PATH}"))
        } else {
            Ok("no others than specified; canonical and published_in have the specified form")
        },
    );
}

fn unknown_member(members: Option<Members<'_>>, known: &[&str], prefix: &str) -> Option<String> {
    let (name, _) = members?.iter().find(|(name, _)| !known.contains(name))?;
    Some(format!("{prefix}{name}"))
}

fn is_directory_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let service = rest.and_then(|rest| rest.strip_suffix(DIRECTORY_PATH));
    service.is_some_and(|service| {
        service.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '[')
            && service.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~:/[]%".contains(&b))
    })
}

/// Checks `signed_at` against the reader's clock and the time that the document itself states.
pub(super) fn check_signing_time(
    members: Members<'_>,
    signed_at: Option<Timestamp>,
    policy: &KeyPolicy,
    brand: &Brand,
    checks: &mut Checks,
) {
    match signing_time(members, signed_at, policy, brand) {
        Ok((outcome, detail)) => checks.push("signing time", outcome, detail),
        Err(detail) => checks.failed("signing time", detail),
    }
}

fn signing_time(
    members: Members<'_>,
    signed_at: Option<Timestamp>,
    policy: &KeyPolicy,
    brand: &Brand,
) -> Result<(CheckOutcome, String), String> {
    let passed = |detail: String| Ok((CheckOutcome::Passed, detail));
    let signed_at = signed_at.ok_or("signed_at is missing or not a timestamp")?;
    let later_than_now =
        |time: Timestamp| policy.read_at().filter(|now| time > now.plus_millis(CLOCK_TOLERANCE_MS));
    let in_the_future = later_than_now(signed_at)
        .map(|now| format!("signed_at is {signed_at}, in the future: it is {now} here"));
    let kind = members.text("kind").unwrap_or_default();
    let member = TIME_MEMBERS.iter().find(|(word, _)| is_kind(kind, word, brand));
    let Some((word, name, stated)) =
        member.and_then(|(word, name)| Some((*word, *name, members.get(name)?)))
    else {
        return in_the_future.map_or_else(
            || passed(format!("signed at {signed_at}; the document states no time of its own")),
            Err,
        );
    };
    // A document that was signed again because its key was compromised states when.
    let again = members.get(ReplacedSignature::MEMBER).and_then(|replaced| replaced.get("at"));
    let (name, stated) = again.map_or((name, stated), |at| ("replaced_signature.at", at));
    let made_at: Timestamp = stated
        .as_str()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| format!("{name} is not a timestamp"))?;
    // The times of heads and daily seals never run backwards, so after a clock was set back they are
    // ahead of it. A time in the future that the signature covers is no change of the document, and
    // must not make every later answer of that log invalid.
    let is_fixed = FIXED_KINDS.contains(&word);
    let is_ahead = is_fixed && later_than_now(made_at).is_some();
    if let Some(reason) = in_the_future.filter(|_| !is_ahead) {
        return Err(reason);
    }
    let early = if is_fixed { SIGNING_DELAY_MS } else { CLOCK_TOLERANCE_MS };
    // Their content cannot change, so they are signed again as of the start of the new key.
    let kid = members.get("signature").and_then(|block| block.get("kid")).and_then(View::as_str);
    if is_fixed
        && made_at < signed_at
        && kid.and_then(|kid| policy.start_of(kid)) == Some(signed_at)
    {
        return passed(format!(
            "signed again at {signed_at}, the start of its key; {name} is {made_at}"
        ));
    }
    if signed_at < made_at.plus_millis(-early) {
        Err(format!("signed_at is {signed_at}, before the document was made ({name} {made_at})"))
    } else if signed_at > made_at.plus_millis(SIGNING_DELAY_MS) && is_fixed && !policy.has_keys() {
        let detail = format!(
            "signed_at is {signed_at}, more than a day after {name}, {made_at}; without a key directory it is \
             unknown whether its key started then"
        );
        Ok((CheckOutcome::NotChecked, detail))
    } else if signed_at > made_at.plus_millis(SIGNING_DELAY_MS) {
        Err(format!("signed_at is {signed_at}, more than a day after {name}, {made_at}"))
    } else if is_ahead {
        passed(format!(
            "signed at {signed_at}, {name} is {made_at}: the clock of the log ran ahead"
        ))
    } else {
        passed(format!("signed at {signed_at}, {name} is {made_at}"))
    }
}

/// Checks when the head in an answer was made. A decision that has not changed keeps its place in
/// the log, and a log whose clock ran ahead dates its heads ahead ever since: both are told and not
/// refused. A head cannot be older than what was observed, because that is in its leaf.
pub(super) fn check_head_time(answer: Members<'_>, created_at: Timestamp, checks: &mut Checks) {
    let time = |value: Option<View<'_>>| -> Option<Timestamp> { value?.as_str()?.parse().ok() };
    let Some(answered_at) = time(answer.get("answered_at")) else {
        checks.push("head time", CheckOutcome::Passed, format!("created at {created_at}"));
        return;
    };
    let freshness = answer.get("freshness").and_then(View::as_object);
    let observed_at = time(freshness.and_then(|freshness| freshness.get("observed_at")));
    let result = if created_at > answered_at.plus_millis(SIGNING_DELAY_MS) {
        Ok(format!(
            "the head is of {created_at}, more than a day after the answer, {answered_at}: \
             one of the two times is wrong"
        ))
    } else if observed_at.is_some_and(|seen| created_at < seen.plus_millis(-SIGNING_DELAY_MS)) {
        Err(format!("the head is of {created_at}, more than a day before what the answer observed"))
    } else if created_at < answered_at.plus_millis(-SIGNING_DELAY_MS) {
        Ok(format!(
            "the head is of {created_at}, more than a day before the answer, {answered_at}: \
             this decision was logged then and has not changed"
        ))
    } else {
        Ok(format!("the head is of {created_at}, within a day of the answer"))
    };
    checks.push_result("head time", result);
}
