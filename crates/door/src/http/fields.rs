//! Request header fields: exactly the caller's, in the caller's order, behind Host.

use contract::evidence::{Failure, FailureKind, HeaderLine, Phase};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};

use crate::failure::failure;

/// The fields of one identity, checked once for all hops.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    given: Vec<(String, String)>,
    /// The same names, in the same order.
    names: Vec<HeaderName>,
}

impl Fields {
    /// Leaves out what belongs to the connection rather than to the request.
    pub(crate) fn new(given: Vec<(String, String)>) -> Result<Self, Failure> {
        let mut fields = Self { names: Vec::with_capacity(given.len()), given };
        let mut good = true;
        fields.given.retain(|(name, value)| {
            let Ok(field) = HeaderName::from_bytes(name.as_bytes()) else {
                good = false;
                return false;
            };
            good &= value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
            let keep = !is_the_doors(&field);
            if keep {
                fields.names.push(field);
            }
            keep
        });
        if good {
            return Ok(fields);
        }
        Err(failure(
            FailureKind::Protocol,
            Phase::Request,
            "bad_request_header",
            "A header field to be sent is not a valid one.",
        ))
    }

    /// As recorded: Host first, then the caller's.
    pub(crate) fn into_lines(self, authority: String) -> Vec<HeaderLine> {
        std::iter::once(("Host".to_owned(), authority))
            .chain(self.given)
            .map(|(name, value)| HeaderLine { name, value })
            .collect()
    }

    /// For one hop. HTTP/2 carries the authority by itself and knows no Connection field.
    pub(crate) fn map(&self, authority: &str, http2: bool) -> HeaderMap {
        let mut map = HeaderMap::with_capacity(self.names.len() + 1);
        let host = (!http2).then_some((&header::HOST, authority));
        let given = self.names.iter().zip(self.given.iter().map(|(_, value)| value.as_str()));
        for (name, value) in host.into_iter().chain(given) {
            if http2 && *name == header::CONNECTION {
                continue;
            }
            if let Ok(value) = HeaderValue::from_str(value) {
                map.append(name.clone(), value);
            }
        }
        map
    }
}

fn is_the_doors(name: &HeaderName) -> bool {
    [
        header::HOST,
        header::CONTENT_LENGTH,
        header::TRANSFER_ENCODING,
        header::UPGRADE,
        header::EXPECT,
        header::TRAILER,
        header::PROXY_AUTHORIZATION,
    ]
    .contains(name)
        || ["keep-alive", "proxy-connection"].contains(&name.as_str())
}

/// Response header fields, as recorded.
pub(crate) fn received(headers: &HeaderMap) -> Vec<HeaderLine> {
    headers
        .iter()
        .map(|(name, value)| HeaderLine {
            name: name.as_str().to_owned(),
            value: String::from_utf8_lossy(value.as_bytes()).into_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(fields: &[(&str, &str)]) -> Vec<(String, String)> {
        fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
    }

    #[test]
    fn order_is_kept_and_the_connections_own_fields_are_left_out() {
        let given = given(&[
            ("User-Agent", "x"),
            ("Host", "evil"),
            ("Accept", "*/*"),
            ("Transfer-Encoding", "chunked"),
            ("Connection", "keep-alive"),
            ("X-Z", "1"),
            ("A", "2"),
        ]);
        let fields = Fields::new(given).unwrap();
        let names = |map: &HeaderMap| map.keys().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            names(&fields.map("open.lab", false)),
            ["host", "user-agent", "accept", "connection", "x-z", "a"]
        );
        assert_eq!(names(&fields.map("open.lab", true)), ["user-agent", "accept", "x-z", "a"]);
        let lines = fields.into_lines("open.lab".to_owned());
        assert_eq!((lines[0].name.as_str(), lines[0].value.as_str()), ("Host", "open.lab"));
        assert_eq!(lines[1].name, "User-Agent");
    }

    #[test]
    fn a_field_that_would_break_the_request_is_an_error() {
        for (name, value) in
            [("a b", "x"), ("a", "x\r\ny: z"), ("", "x"), ("a", "\0"), ("a", "caf\u{e9}")]
        {
            let given = given(&[(name, value)]);
            assert_eq!(Fields::new(given).unwrap_err().reason, "bad_request_header");
        }
    }
}
