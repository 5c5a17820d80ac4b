//! Request headers: exactly those of the caller, in the caller's order, after Host.

use contract::evidence::{Failure, FailureKind, FailurePhase, HeaderLine};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};

use crate::failure::new_failure;

/// The request headers of one identity, checked once for all hops.
#[derive(Debug, Default, Clone)]
pub(crate) struct RequestHeaders {
    lines: Vec<(String, String)>,
    /// The parsed names of `lines`, in the same order.
    names: Vec<HeaderName>,
}

impl RequestHeaders {
    /// Drops headers that belong to the connection rather than to the request.
    pub(crate) fn new(given: Vec<(String, String)>) -> Result<Self, Failure> {
        let mut fields = Self { names: Vec::with_capacity(given.len()), lines: given };
        let mut good = true;
        fields.lines.retain(|(name, value)| {
            let Ok(field) = HeaderName::from_bytes(name.as_bytes()) else {
                good = false;
                return false;
            };
            good &= value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
            let keep = !is_connection_header(&field);
            if keep {
                fields.names.push(field);
            }
            keep
        });
        if good {
            return Ok(fields);
        }
        Err(new_failure(
            FailureKind::Protocol,
            FailurePhase::Request,
            "bad_request_header",
            "A request header is not valid.",
        ))
    }

    /// The same headers and these after them. A field that is not valid is left out.
    pub(crate) fn with_fields(&self, added: &[(String, String)]) -> Self {
        let mut fields = self.clone();
        if let Ok(added) = Self::new(added.to_vec()) {
            fields.lines.extend(added.lines);
            fields.names.extend(added.names);
        }
        fields
    }

    /// The headers as recorded: Host first, then the caller's.
    pub(crate) fn into_lines(self, authority: String) -> Vec<HeaderLine> {
        std::iter::once(("Host".to_owned(), authority))
            .chain(self.lines)
            .map(|(name, value)| HeaderLine { name, value })
            .collect()
    }

    /// The header map for one hop. HTTP/2 carries the authority separately and has no Connection
    /// header.
    pub(crate) fn to_header_map(&self, authority: &str, http2: bool) -> HeaderMap {
        let mut map = HeaderMap::with_capacity(self.names.len() + 1);
        let host = (!http2).then_some((&header::HOST, authority));
        let given = self.names.iter().zip(self.lines.iter().map(|(_, value)| value.as_str()));
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

fn is_connection_header(name: &HeaderName) -> bool {
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

/// The response headers as recorded.
pub(crate) fn response_header_lines(headers: &HeaderMap) -> Vec<HeaderLine> {
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
    fn order_is_kept_and_connection_headers_are_dropped() {
        let given = given(&[
            ("User-Agent", "x"),
            ("Host", "evil"),
            ("Accept", "*/*"),
            ("Transfer-Encoding", "chunked"),
            ("Connection", "keep-alive"),
            ("X-Z", "1"),
            ("A", "2"),
        ]);
        let fields = RequestHeaders::new(given).unwrap();
        let names = |map: &HeaderMap| map.keys().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            names(&fields.to_header_map("open.lab", false)),
            ["host", "user-agent", "accept", "connection", "x-z", "a"]
        );
        assert_eq!(
            names(&fields.to_header_map("open.lab", true)),
            ["user-agent", "accept", "x-z", "a"]
        );
        let lines = fields.into_lines("open.lab".to_owned());
        assert_eq!((lines[0].name.as_str(), lines[0].value.as_str()), ("Host", "open.lab"));
        assert_eq!(lines[1].name, "User-Agent");
    }

    #[test]
    fn an_invalid_header_is_an_error() {
        for (name, value) in
            [("a b", "x"), ("a", "x\r\ny: z"), ("", "x"), ("a", "\0"), ("a", "caf\u{e9}")]
        {
            let given = given(&[(name, value)]);
            assert_eq!(RequestHeaders::new(given).unwrap_err().reason, "bad_request_header");
        }
    }
}
