//! A shell command that repeats a request.

use crate::evidence::Exchange;

/// The curl command for an exchange: the same URL and the same header fields in the same order.
#[must_use]
pub fn curl_command(exchange: &Exchange) -> String {
    let mut command = String::from("curl -sS -i --compressed");
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

    #[test]
    fn a_quoted_word_survives_any_text() {
        assert_eq!(shell_quote("https://a.lab/?q='$(id)'"), r"'https://a.lab/?q='\''$(id)'\'''");
    }
}
