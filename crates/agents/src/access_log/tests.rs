use std::net::IpAddr;

use super::cells::parse_address;
use super::*;

/// What the tests look at: address, time, method, path and query, status, user agent, conditional.
type Read = (String, Option<i64>, String, String, Option<u16>, String, Option<bool>);

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn read_with(parser: &mut LogParser, line: &str) -> Option<Read> {
    match parser.parse(line.as_bytes()) {
        LogLine::Request(request) => Some((
            request.address.to_string(),
            request.unix_seconds(),
            text(&request.method().decode()),
            text(&request.path_and_query()),
            request.status,
            text(&request.user_agent.decode()),
            request.is_conditional,
        )),
        LogLine::Comment | LogLine::Unreadable => None,
    }
}

fn read(line: &str) -> Option<Read> {
    read_with(&mut LogParser::new(), line)
}

fn visitor(line: &str) -> Option<(String, String)> {
    read(line).map(|read| (read.0, read.5))
}

const NOON: Option<i64> = Some(1_794_830_400);
const COMBINED: &str =
    r#"44.10.0.7 - - [16/Nov/2026:12:00:00 +0000] "GET /a?b=1 HTTP/1.1" 304 12 "-" "GPTBot/1.3""#;

fn expected(path: &str, status: u16, conditional: Option<bool>) -> Option<Read> {
    let method = "GET".to_owned();
    let agent = "GPTBot/1.3".to_owned();
    Some(("44.10.0.7".to_owned(), NOON, method, path.to_owned(), Some(status), agent, conditional))
}

#[test]
fn the_combined_format_is_read() {
    assert_eq!(read(COMBINED), expected("/a?b=1", 304, Some(true)));
    let not_conditional = COMBINED.replace(" 304 ", " 200 ");
    assert_eq!(read(&not_conditional), expected("/a?b=1", 200, None));
    // nginx as its own packages configure it: the forwarded address behind the user agent.
    assert_eq!(
        read(&format!("{COMBINED} \"203.0.113.9\"\r\n")),
        expected("/a?b=1", 304, Some(true))
    );
    for front in ["44.10.0.7, 10.0.0.1", "shop.example:443 44.10.0.7", "::ffff:44.10.0.7"] {
        let line = COMBINED.replacen("44.10.0.7", front, 1);
        assert_eq!(read(&line), expected("/a?b=1", 304, Some(true)), "{front}");
    }
    // A user name with a space, and a path with spaces.
    let spaces = COMBINED.replacen("- -", "- Ann Lee", 1).replacen("/a?b=1", "/a b c", 1);
    assert_eq!(read(&spaces), expected("/a b c", 304, Some(true)));
}

#[test]
fn escapes_are_undone() {
    let quoted = r#"2001:db8::7 - - [x] "GET /\"a HTTP/1.1" 200 12 "-" "a \"b\" c\\""#;
    assert_eq!(visitor(quoted), Some(("2001:db8::7".into(), r#"a "b" c\"#.into())));
    let nginx = r#"44.10.0.7 - - [x] "\x16\x03\x01" 400 0 "-" "a\x22b\xzz""#;
    assert_eq!(visitor(nginx), Some(("44.10.0.7".into(), "a\"bxzz".into())));
    let none = r#"44.10.0.7 - - [x] "GET / HTTP/1.1" 200 1 "-" "-""#;
    assert_eq!(visitor(none), Some(("44.10.0.7".into(), String::new())));
}

#[test]
fn caddys_json_is_read() {
    let caddy = r#"{"level":"info","ts":1794830400.25,"request":{"remote_ip":"10.0.0.1","client_ip":"44.10.0.7","method":"GET","uri":"/a?b=1","headers":{"User-Agent":["GPTBot/1.3"],"Accept":["*/*"]}},"status":200}"#;
    assert_eq!(read(caddy), expected("/a?b=1", 200, Some(false)));
    let conditional = caddy.replace("\"Accept\"", "\"If-None-Match\"");
    assert_eq!(read(&conditional), expected("/a?b=1", 200, Some(true)));
    let written = caddy.replace("1794830400.25", "\"2026-11-16T12:00:00.25Z\"");
    assert_eq!(read(&written), expected("/a?b=1", 200, Some(false)));
    let escaped = caddy.replace("GPTBot/1.3", "a\\u0022b");
    assert_eq!(visitor(&escaped), Some(("44.10.0.7".into(), "a\"b".into())));
}

#[test]
fn columns_are_read_as_the_log_names_them() {
    let mut iis = LogParser::new();
    let fields = "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) sc-status\r\n";
    assert_eq!(iis.parse(fields.as_bytes()), LogLine::Comment);
    let line = "2026-11-16 12:00:00 10.0.0.1 GET /a b=1 44.10.0.7 GPTBot/1.3+(x) 200\r\n";
    let found = read_with(&mut iis, line).unwrap();
    assert_eq!(found.3, "/a?b=1");
    assert_eq!((found.1, found.5.as_str(), found.4), (NOON, "GPTBot/1.3 (x)", Some(200)));

    let mut cloudfront = LogParser::new();
    let fields = "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query";
    cloudfront.parse(b"#Version: 1.0");
    cloudfront.parse(fields.as_bytes());
    let line = "2026-11-16\t12:00:00\tFRA2\t12\t44.10.0.7\tGET\td.example\t/a\t200\t-\tGPTBot/1.3%20(x;%2520y)\t-";
    let found = read_with(&mut cloudfront, line).unwrap();
    assert_eq!((found.0.as_str(), found.3.as_str()), ("44.10.0.7", "/a"));
    assert_eq!((found.1, found.5.as_str()), (NOON, "GPTBot/1.3 (x; y)"));
    // A line of another server in the same file.
    assert_eq!(read_with(&mut cloudfront, COMBINED), expected("/a?b=1", 304, Some(true)));
    // Columns that do not say who came cannot be used.
    let mut useless = LogParser::new();
    useless.parse(b"#Fields: date time cs-method");
    assert_eq!(read_with(&mut useless, "2026-11-16 12:00:00 GET"), None);
}

#[test]
fn the_nearest_forwarded_address_counts_only_behind_a_balancer() {
    let mut parser = LogParser::new();
    parser.parse(b"#Fields: c-ip X-Forwarded-For cs(User-Agent)");
    let address = |parser: &mut LogParser, line: &str| read_with(parser, line).unwrap().0;
    assert_eq!(address(&mut parser, "10.0.0.1 8.8.4.4,+44.10.0.7 x"), "44.10.0.7");
    assert_eq!(address(&mut parser, "44.10.0.7 8.8.4.4 x"), "44.10.0.7");
    assert_eq!(address(&mut parser, "10.0.0.1 - x"), "10.0.0.1");
}

#[test]
fn other_lines_are_unreadable() {
    for bad in [
        "x",
        "host - - \"a\" \"b\" \"c\"",
        "44.10.0.7 no quotes",
        "44.10.0.7",
        "\"",
        r#"44.10.0.7 - - [x] "GET / HTTP/1.1" 200 1"#,
        r#"44.10.0.7 - - [x] "GET / HTTP/1.1" 200 1 "-" "open"#,
        r#"44.10.0.7 - - [x] "GET / HTTP/1.1" 200 1 "-" "open\"#,
        r#"256.10.0.7 - - [x] "GET / HTTP/1.1" 200 1 "-" "a""#,
        "{}",
        r#"{"request":{"headers":{}}}"#,
    ] {
        assert_eq!(LogParser::new().parse(bad.as_bytes()), LogLine::Unreadable, "{bad}");
    }
    for comment in ["", "\n", "# anything", "#Fields:"] {
        assert_eq!(LogParser::new().parse(comment.as_bytes()), LogLine::Comment, "{comment}");
    }
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(
        fields in "(#Fields: )?[a-z() -]{0,60}",
        line in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300),
    ) {
        let mut parser = LogParser::new();
        parser.parse(fields.as_bytes());
        parser.parse(b"#Fields: c-ip cs(User-Agent)");
        if let LogLine::Request(request) = parser.parse(&line) {
            let _ = request.path_and_query();
            let _ = request.user_agent.decode();
        }
    }

    #[test]
    fn addresses_are_read_as_the_standard_library_does(octets: [u16; 4], v6: [u16; 8]) {
        let octets = octets.map(|octet| octet % 300);
        let [a, b, c, d] = octets;
        let written = format!("{a}.{b}.{c}.{d}");
        proptest::prop_assert_eq!(parse_address(written.as_bytes()), written.parse().ok());
        let written = std::net::Ipv6Addr::from(v6);
        let canonical = IpAddr::V6(written).to_canonical();
        proptest::prop_assert_eq!(parse_address(written.to_string().as_bytes()), Some(canonical));
    }
}
