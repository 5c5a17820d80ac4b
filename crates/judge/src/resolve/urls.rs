//! URLs in answers.

use contract::Domain;

/// The URL of the home page of a domain, as it is requested.
#[must_use]
pub fn home_url(domain: &Domain) -> String {
    format!("https://{domain}/")
}

/// Whether a path is the home page, the one page that every scan compares.
#[must_use]
pub fn is_home_path(path: &str) -> bool {
    path.is_empty() || path == "/"
}

/// Escapes text for use as the value of a query parameter. All but unreserved characters are escaped, so
/// the value can neither end its parameter nor start another.
#[must_use]
pub fn escape_query_value(text: &str) -> String {
    use std::fmt::Write as _;

    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                escaped.push(char::from(byte));
            }
            // Writing to a string cannot fail.
            _ => drop(write!(escaped, "%{byte:02X}")),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_leave_its_parameter() {
        assert_eq!(
            escape_query_value("https://a.example/?x=1&y#z"),
            "https%3A%2F%2Fa.example%2F%3Fx%3D1%26y%23z"
        );
        assert_eq!(escape_query_value("ü +"), "%C3%BC%20%2B");
        assert_eq!(escape_query_value("a-b.c_d~e9"), "a-b.c_d~e9");
    }
}
