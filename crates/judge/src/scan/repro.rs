//! A command that repeats a read from a shell.

use contract::evidence::Exchange;

/// The curl command for an exchange: the same address, the same fields in the same order.
pub(super) fn curl(exchange: &Exchange) -> String {
    let mut command = String::from("curl -sS -i --compressed");
    for line in &exchange.request_headers {
        // curl writes Host itself, and --compressed undoes what it asks for.
        if !line.name.eq_ignore_ascii_case("host") {
            command.push_str(" -H ");
            command.push_str(&quoted(&format!("{}: {}", line.name, line.value)));
        }
    }
    command.push(' ');
    command.push_str(&quoted(&exchange.url));
    command
}

/// One word of a POSIX shell, whatever it holds.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_word_survives_any_text() {
        assert_eq!(quoted("https://a.lab/?q='$(id)'"), r"'https://a.lab/?q='\''$(id)'\'''");
    }
}
