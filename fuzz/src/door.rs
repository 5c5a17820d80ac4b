//! What comes from the network: URLs, DNS packets, bodies and certificates.

use door::fuzzing::{
    decode_body, describe_certificate, parse_dns_answer, parse_events, parse_name,
    parse_name_servers, parse_redirect,
};
use door::{Policy, RecordType, read_pem};

use crate::{lab_names, split_line, text};

pub(super) const URL_GUARD_SEEDS: &[&[u8]] = &[
    b"https://a.example.org/x?q#f\n//b.example.org/../y",
    b"http://www.example.org:80/\nhttp://169.254.169.254/latest",
    b"https://user:pw@example.org/\nfile:///etc/passwd",
    b"https://example.org/\n\\\\0x7f.1\\",
];

/// A URL that passed has a public host and an allowed port, also after a redirect.
pub(super) fn url_guard(data: &[u8]) {
    let text = text(data);
    let (url, location) = split_line(&text);
    let policy = Policy::public();
    let (first, second) = parse_redirect(url, location, &policy);
    for target in [first, second].into_iter().flatten() {
        assert!([80, 443].contains(&target.port));
        assert!(target.url.len() <= policy.limits.max_url_bytes);
        assert!(target.host.contains('.') && target.host.parse::<std::net::IpAddr>().is_err());
        assert!(target.path_and_query.starts_with('/') && !target.url.contains('#'));
        assert!(target.authority.starts_with(&target.host));
        assert!(!target.path_and_query.contains(['\r', '\n', ' ']));
        // The recorded form is a URL that passes and stays as it is.
        let (again, _) = parse_redirect(&target.url, "", &policy);
        assert_eq!(again, Some(target));
    }
}

pub(super) const RESOLV_CONF_SEEDS: &[&[u8]] =
    &[b"# c\nnameserver 127.0.0.53\nnameserver ::1 # local\nsearch a\nnameserver fe80::1%eth0\n"];

pub(super) fn resolv_conf(data: &[u8]) {
    let servers = parse_name_servers(&text(data));
    assert!(servers.len() <= 3 && servers.iter().all(|server| server.port() == 53));
}

pub(super) const DNS_ANSWER_SEEDS: &[&[u8]] = &[
    b"\0\x07\x81\x80\0\x01\0\x01\0\0\0\0\x01a\x03lab\0\0\x01\0\x01\xc0\x0c\0\x01\0\x01\0\0\0\x05\0\x04\x7f\0\0\x01",
    b"\0\x07\x81\x80\0\x01\0\x02\0\0\0\0\x01a\x03lab\0\0\x01\0\x01\xc0\x0c\0\x05\0\x01\0\0\0\x05\0\x04\x01b\xc0\x0e\xc0\x23\0\x05\0\x01\0\0\0\x05\0\x02\xc0\x0c",
    b"\0\x07\x81\x80\0\x01\0\x01\0\0\0\0\x01a\x03lab\0\0\x10\0\x01\xc0\x0c\0\x10\0\x01\0\0\0\x05\0\x06\x02v=\x02ab",
];

/// One packet as the answer to one question: bounded, and only addresses of the asked kind.
pub(super) fn dns_answer(data: &[u8]) {
    let names = lab_names();
    for kind in
        [RecordType::A, RecordType::Aaaa, RecordType::Cname, RecordType::Txt, RecordType::Ptr]
    {
        let Some(answer) = parse_dns_answer("a.lab", kind, 7, data, (4, 3), &names) else {
            continue;
        };
        assert!(answer.record.records.len() <= 4 && answer.record.cnames.len() <= 3);
        assert!(answer.record.rcode.is_some());
        for address in &answer.addresses {
            assert_eq!(kind, if address.is_ipv4() { RecordType::A } else { RecordType::Aaaa });
        }
    }
    let text = text(data);
    if let Some(name) = parse_name(&text, &names) {
        assert_eq!(parse_name(&name, &names).as_ref(), Some(&name));
    }
}

pub(super) const CONTENT_CODING_SEEDS: &[&[u8]] = &[
    b"gzip\n\x1f\x8b\x08\0\0\0\0\0\0\x03\xb3)-\xcaIJ,.\xb1\xd3\x87\x92\x00\x9a\x8e\x1b\x9e\x0f\0\0\0",
    b"deflate\nx\x9cKLJN\x04\0\x03\xd8\x01\x8b",
    b"deflate\nKLJN\x04\0",
    b"br\n\x0b\x01\x80abcd\x03",
    b"zstd\n(\xb5/\xfd\x04\0!\0\0abcd\0\0\0\0",
    b"identity, gzip\n",
];

/// A body decodes to the same bytes however it is cut into chunks, within its cap.
pub(super) fn content_coding(data: &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let (coding, body) = data.split_at(end);
    let body = body.strip_prefix(b"\n").unwrap_or(body);
    const CAP: u64 = 256 << 10;
    let Some((whole, complete)) = decode_body(coding, body, usize::MAX, CAP) else { return };
    assert!(whole.len() as u64 <= CAP);
    let pieces = decode_body(coding, body, 3, CAP);
    if complete {
        assert_eq!(pieces, Some((whole, true)));
    }
}

pub(super) const CERTIFICATE_SEEDS: &[&[u8]] = &[
    b"-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n",
    b"\x30\x82\x01\x00\x30\x81\xb5\xa0\x03\x02\x01\x02\x02\x01\x01\x30\x05\x06\x03\x2b\x65\x70",
];

/// Certificates in DER and PEM.
pub(super) fn certificate(data: &[u8]) {
    if let Some(certificate) = describe_certificate(data) {
        assert!(certificate.sans.len() <= 100);
        assert!(certificate.subject.chars().count() <= 512);
        assert!(u32::try_from(certificate.sans.len()).is_ok_and(|n| n <= certificate.sans_total));
    }
    if let Ok(list) = read_pem(data) {
        assert!(!list.is_empty());
        for der in &list {
            let _ = describe_certificate(der);
        }
    }
}

pub(super) const EVENT_STREAM_SEEDS: &[&[u8]] = &[
    b"\xef\xbb\xbf: hello\r\nretry: 10\r\nid: 1\r\nevent: endpoint\r\ndata: /message\r\n\r\n",
    b"data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1}\n\ndata\n\n",
    b"data:a\rdata:b\r\revent:\n\nid:\0\n\n",
];

/// The events are the same however the stream is cut into pieces, and none exceeds the limit.
pub(super) fn event_stream(data: &[u8]) {
    const MAX_EVENT_BYTES: usize = 256;
    let whole = parse_events(data, data.len(), MAX_EVENT_BYTES);
    for piece in [1, 2, 7] {
        assert_eq!(parse_events(data, piece, MAX_EVENT_BYTES), whole);
    }
    for event in whole.into_iter().flatten() {
        // A byte that is not UTF-8 becomes a character of three bytes.
        assert!(event.data.len() <= MAX_EVENT_BYTES * 3 && event.name.len() <= MAX_EVENT_BYTES * 3);
        assert!(!event.data.contains('\r') && !event.name.contains(['\r', '\n']));
    }
}
