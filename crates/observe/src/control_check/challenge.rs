//! Recognises a page with status 200 that asks visitors to prove that they are people. It stands in
//! for the site's own page, so it says nothing about a proof.
//!
//! Only marks that are certain by themselves. The rules of `judge` know more products, but this crate
//! does not judge; a page that is not recognised here is reported as a page without the proof, which a
//! later reading corrects.

use contract::evidence::Response;

/// How much of a page is searched.
const SEARCHED_BYTES: usize = 64 * 1024;

/// Header fields and the values that mark a challenge.
const HEADERS: &[(&str, &[&str])] = &[
    ("cf-mitigated", &["challenge"]),
    ("x-vercel-mitigated", &["challenge"]),
    ("x-amzn-waf-action", &["challenge", "captcha"]),
    ("x-dd-b", &["1", "2"]),
];

const MARKUP: &[&str] = &[
    "_cf_chl_opt",
    "gokuprops",
    "captcha-delivery.com",
    "px-captcha",
    "_incapsula_resource?",
    "anubis_challenge",
    "/.well-known/sgcaptcha/",
];

pub(super) fn is_challenge(response: &Response, body: &[u8]) -> bool {
    let in_header = HEADERS.iter().any(|(name, values)| {
        response
            .headers_named(name)
            .any(|value| values.iter().any(|mark| value.trim().eq_ignore_ascii_case(mark)))
    });
    let searched = body.get(..SEARCHED_BYTES).unwrap_or(body);
    let markup = String::from_utf8_lossy(searched).to_ascii_lowercase();
    in_header || MARKUP.iter().any(|mark| markup.contains(mark))
}
