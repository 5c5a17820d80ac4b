//! What each error code means and what to do about it.

use contract::errors::ErrorCode;

pub(super) struct ErrorEntry {
    pub(super) word: &'static str,
    pub(super) status: u16,
    pub(super) is_retryable: bool,
    pub(super) meaning: &'static str,
    pub(super) advice: &'static str,
}

pub(super) fn entries() -> Vec<ErrorEntry> {
    let entry = |word: &&'static str| {
        let code = ErrorCode::from_word(word)?;
        let (meaning, advice) = explain(&code);
        Some(ErrorEntry {
            word,
            status: code.http_status(),
            is_retryable: code.retryable(),
            meaning,
            advice,
        })
    };
    ErrorCode::WORDS.iter().filter_map(entry).collect()
}

fn explain(code: &ErrorCode) -> (&'static str, &'static str) {
    match code {
        ErrorCode::BadRequest => (
            "The request is not what the operation expects: not valid JSON, a wrong type, a missing member or a parameter out of its bounds.",
            "Read the sentence in error and the member in param, and correct the request.",
        ),
        ErrorCode::RateLimited => (
            "Too many requests from this address, with this licence, or for this site over all clients.",
            "Wait for the seconds in Retry-After, then send the same request again. RateLimit says how many remain.",
        ),
        ErrorCode::ScanInProgress => (
            "A scan of this domain, or of another name of the same site, is still running.",
            "Wait for the seconds in Retry-After, then send the request again. If the other scan was a public one of the same domain, you get its report.",
        ),
        ErrorCode::DailyBudget => (
            "All free scans of this service for today are used up.",
            "Wait until 00:00 UTC, or use a licence key.",
        ),
        ErrorCode::ScansPaused => (
            "The operator has paused free scans. Scans with a licence key are not affected.",
            "Try again later, or use a licence key.",
        ),
        ErrorCode::BadDomain => (
            "The text is not the name of a public site: an address, a reserved or internal name, or not a name.",
            "Send a domain such as shop.example, or the address of a page on it.",
        ),
        ErrorCode::BadUrl => (
            "The text is not the address of a page on a public site.",
            "Send a whole address with http or https, without a user name and with a standard port.",
        ),
        ErrorCode::TargetNotPublic => (
            "The name leads to an address that is not on the public internet. This service does not connect to it.",
            "Check the DNS records of the name.",
        ),
        ErrorCode::BodyTooLarge => (
            "The body of the request is larger than the operation accepts.",
            "Send less in one request.",
        ),
        ErrorCode::BucketTooLarge => (
            "The prefix matches more domains than one response may contain.",
            "Use a longer prefix.",
        ),
        ErrorCode::UnsupportedMediaType => (
            "The body has a type that the operation does not read.",
            "Send JSON with the header content-type: application/json.",
        ),
        ErrorCode::UnknownField => (
            "The request has a member or parameter that the operation does not know, or the same one twice.",
            "Check the spelling of the name in param. Nothing is ignored silently.",
        ),
        ErrorCode::BatchSize => (
            "The batch is empty or has more items than allowed.",
            "Split it into batches within the bounds of the schema.",
        ),
        ErrorCode::LinkExpired => {
            ("The link to a free key was not used in time.", "Ask for another link.")
        }
        ErrorCode::ReportDeleted => (
            "The operator of this service deleted this report, for example because the owner of the site asked for it. Its digest stays in the seal of its day.",
            "Do not ask again. To see how the site is now, scan it.",
        ),
        ErrorCode::NotFound => (
            "There is nothing at this address, or you may not see it. A private report without a key for its domain looks the same.",
            "Check the address. For a private report send a licence key for its domain.",
        ),
        ErrorCode::UnknownDecision => (
            "No decision with this digest is known here.",
            "Check the digest and the service that issued the receipt. Do not act on the receipt.",
        ),
        ErrorCode::BadLock => (
            "The lock of the MCP server in the request cannot be used.",
            "Send the lock exactly as you stored it.",
        ),
        ErrorCode::ProofNotFound => (
            "There is no proof for what you asked: the entry is not in the log, or the sizes do not fit together.",
            "Ask for the current head and use sizes within it.",
        ),
        ErrorCode::NotTracked => (
            "No answer about this domain is stored, and the request did not permit a live reading.",
            "Permit a live reading (live, or live_ms above 0), or scan the domain first.",
        ),
        ErrorCode::Unauthorized => (
            "The operation needs a licence key, and none was sent or the key is not valid.",
            "Send a valid key in the key header or as a bearer token.",
        ),
        ErrorCode::Forbidden => (
            "The licence key does not cover this domain, or a form of our page has expired or came from another site.",
            "Use a key for the domain. For a form, load the page again.",
        ),
        ErrorCode::Conflict => (
            "The request contradicts something that is already stored.",
            "Read the current state first, then decide whether to send the request.",
        ),
        ErrorCode::IdempotencyReused => (
            "This Idempotency-Key was used with another request.",
            "Choose a new key for each new request.",
        ),
        ErrorCode::IdempotencyInFlight => (
            "A request with this Idempotency-Key is still running.",
            "Wait for the seconds in Retry-After, then send the same request again to get its reply.",
        ),
        ErrorCode::CursorExpired => (
            "The cursor is too old, or another deployment issued it.",
            "Begin again without a cursor.",
        ),
        ErrorCode::NotAcceptable => {
            ("The response does not exist in a form that Accept allows.", "Allow application/json.")
        }
        ErrorCode::MethodNotAllowed => {
            ("This address exists, but not for this method.", "Use a method from the header Allow.")
        }
        ErrorCode::StoreUnreadable => (
            "The stored data cannot be read or written at the moment.",
            "If retryable is true, wait for the seconds in Retry-After and try again. If it is false, only the operator can help: tell them the request_id. Nothing was changed.",
        ),
        ErrorCode::CannotAnswer => (
            "No answer is possible at the moment. No decision is ever guessed.",
            "If retryable is true, wait for the seconds in Retry-After and try again. If it is false, only the operator can help: tell them the request_id. Until you have an answer, do not act.",
        ),
        ErrorCode::SigningUnavailable => (
            "The answer could not be signed or logged, so it was not sent.",
            "If retryable is true, wait for the seconds in Retry-After and try again. If it is false, only the operator can help: tell them the request_id.",
        ),
        ErrorCode::Overloaded => (
            "The server handles as many requests as it accepts at once.",
            "Wait for the seconds in Retry-After, then try again.",
        ),
        ErrorCode::Deadline => (
            "The request took longer than the server allows.",
            "Try again. If it happens again, ask for less in one request.",
        ),
        ErrorCode::Internal | ErrorCode::Unrecognised(_) => (
            "The server made an error. The details are in its logs under the request id.",
            "Report the request id to the operator. The same request is likely to fail again.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained_by_itself() {
        let entries = entries();
        assert_eq!(entries.len(), ErrorCode::WORDS.len());
        for entry in &entries {
            assert!(entry.meaning.ends_with('.') && entry.advice.ends_with('.'), "{}", entry.word);
            let same = entries.iter().filter(|other| other.meaning == entry.meaning).count();
            assert_eq!(same, 1, "{}", entry.word);
            let waits = entry.advice.contains("Retry-After")
                || entry.advice.contains("Wait")
                || entry.advice.contains("again");
            assert!(!entry.is_retryable || waits, "{}", entry.word);
        }
    }
}
