//! A service that offers no free keys.

use super::*;

/// The response as it was sent, without the date.
fn raw(server: &Server, method: &str, path: &str, headers: &str) -> Vec<(String, String)> {
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: x\r\nx-request-id: same\r\n{headers}content-length: 0\r\n\
         connection: close\r\n\r\n"
    );
    let reply = server.send(head.as_bytes());
    let body = reply.text();
    let mut parts: Vec<(String, String)> =
        reply.headers.into_iter().filter(|(name, _)| name != "date").collect();
    parts.push(("status".to_owned(), reply.status.to_string()));
    parts.push(("body".to_owned(), body));
    parts
}

#[test]
fn without_free_keys_their_addresses_are_like_unknown_ones() {
    let server = Server::shared();
    let token = format!("/keys/free/{}", "a".repeat(43));
    for path in [PATH, "/keys/free", &token] {
        for method in ["GET", "POST", "HEAD", "OPTIONS", "DELETE"] {
            for headers in [
                "",
                "accept: text/html\r\n",
                "content-type: application/json\r\n",
                "origin: https://a.example\r\naccess-control-request-method: POST\r\n",
            ] {
                assert_eq!(
                    raw(server, method, path, headers),
                    raw(server, method, "/api/v1/no-such-address", headers),
                    "{method} {path}"
                );
            }
        }
    }
    let document = server.get("/openapi.json").text();
    assert!(!document.contains("requestFreeKey"), "it is not described either");
}
