//! Addresses that answers point to.

use contract::{Brand, Domain, Timestamp};

/// What an answer says of itself besides what it found.
#[derive(Debug, Clone, Copy)]
pub struct Letterhead<'a> {
    pub brand: &'a Brand,
    pub base_url: &'a str,
    pub now: Timestamp,
}

impl Letterhead<'_> {
    pub(super) fn kind(&self, word: &str) -> String {
        self.brand.kind(word)
    }

    pub(super) fn schema(&self, word: &str) -> String {
        contract::schema::address(word, self.brand, self.base_url)
    }
}

/// The home page of a domain, as it is asked for.
#[must_use]
pub fn home(domain: &Domain) -> String {
    format!("https://{domain}/")
}

/// Whether a path is the home page, which is the one page every scan compares.
#[must_use]
pub fn is_home(path: &str) -> bool {
    path.is_empty() || path == "/"
}

/// Text as the value of a query parameter: everything but unreserved characters is escaped, so
/// that it can neither end the parameter nor begin another.
#[must_use]
pub fn query_value(text: &str) -> String {
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
            query_value("https://a.example/?x=1&y#z"),
            "https%3A%2F%2Fa.example%2F%3Fx%3D1%26y%23z"
        );
        assert_eq!(query_value("ü +"), "%C3%BC%20%2B");
        assert_eq!(query_value("a-b.c_d~e9"), "a-b.c_d~e9");
    }
}
