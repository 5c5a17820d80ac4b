//! A shell command that repeats a request.

use crate::evidence::Exchange;

/// The curl command for an exchange: the same URL and the same header fields in the same order, and the
/// redirects if the exchange followed some.
#[must_use]
pub fn curl_command(exchange: &Exchange) -> String {
    // -g: the site chose parts of the URL, and curl would send one request for each number in `[1-99999]`.
    let mut command = String::from("curl -g -sS -i --compressed");
    if exchange.hops.len() > 1 {
        command.push_str(" -L --max-redirs 10");
    }
    for line in &exchange.request_headers {
        // curl sets Host itself. --compressed decodes the body that the header fields ask for.
        if !line.name.eq_ignore_ascii_case("host") {
            command.push_str(" -H ");
            command.push_str(&shell_quote(&format!("{}: {}", line.name, line.value)));
        }
    }
    command.push(' ');
    command.push_str(&shell_quote(&exchange.url));
    command
}

/// The text quoted as one word of a POSIX shell.
fn shell_quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;
    use crate::evidence::{ExchangeOutcome, Failure, FailureKind, FailurePhase, HeaderLine, Hop};

    fn exchange(url: &str, hops: usize) -> Exchange {
        let header =
            |name: &str, value: &str| HeaderLine { name: name.to_owned(), value: value.to_owned() };
        let hop = Hop {
            url: url.to_owned(),
            address: None,
            status: Some(301),
            location: None,
            took_ms: 1,
            reused_connection: false,
        };
        Exchange {
            method: "GET".to_owned(),
            url: url.to_owned(),
            request_headers: vec![header("host", "a.lab"), header("user-agent", "it's")],
            started_at: Timestamp::from_millis(0),
            took_ms: 1,
            hops: vec![hop; hops],
            outcome: ExchangeOutcome::Failed(Failure {
                kind: FailureKind::Timeout,
                phase: FailurePhase::Head,
                reason: String::new(),
                detail: String::new(),
            }),
        }
    }

    #[test]
    fn a_quoted_word_survives_any_text() {
        assert_eq!(shell_quote("https://a.lab/?q='$(id)'"), r"'https://a.lab/?q='\''$(id)'\'''");
    }

    /// Without `-g`, curl would send 99,999 requests for this URL.
    #[test]
    fn a_command_sends_one_request_whatever_the_url_holds() {
        assert_eq!(
            curl_command(&exchange("https://a.lab/[1-99999]/{a,b}", 1)),
            r"curl -g -sS -i --compressed -H 'user-agent: it'\''s' 'https://a.lab/[1-99999]/{a,b}'"
        );
    }

    #[test]
    fn redirects_are_followed_only_if_the_exchange_followed_them() {
        for (hops, follows) in [(0, false), (1, false), (2, true)] {
            let command = curl_command(&exchange("https://a.lab/", hops));
            assert_eq!(command.contains(" -L --max-redirs 10 "), follows, "{hops}: {command}");
        }
    }
}
