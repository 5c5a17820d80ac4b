//! Broken connections and broken HTTP. Only the home page misbehaves; robots.txt and the rest
//! answer correctly, so that a record can show both.

use std::time::Duration;

use bytes::Bytes;

use super::base::{
    SERVED, expect_cut_body, expect_failure, expect_home_failure, plain_site, site_with_pages,
};
use crate::{
    content::{
        self, BAKERY, BOOKSHOP, CLINIC, CYCLES, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA,
        PageExtras, SCHOOL,
    },
    http::{
        reply::{Reply, ReplyBody, SiteRequest},
        script::ScriptStep,
    },
    site::{ExpectedRecord, LabSite, PortBehaviour},
};

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "slow.lab",
        behaviour: "slow",
        does: "Answers every request after 0.8 seconds.",
        says: "Every identity gets the page, slowly.",
        expect: SERVED,
        text: &FERRY,
        ..site_with_pages(|request| plain_site(request).delayed_by(800))
    },
    LabSite {
        name: "drip.lab",
        behaviour: "drip",
        does: "Sends its home page at one byte per second.",
        says: "The home page answers. Its body arrived too slowly to be read.",
        expect: expect_cut_body("timeout", &["too_slow"]),
        text: &CLINIC,
        ..site_with_pages(|request| {
            if request.path != "/" {
                return plain_site(request);
            }
            let page = content::page(request.text, PageExtras::default());
            Reply::html(200, "")
                .with_body(ReplyBody::Drip { bytes: page.into(), every: Duration::from_secs(1) })
        })
    },
    LabSite {
        name: "endless.lab",
        behaviour: "endless",
        does: "Sends a home page that never ends.",
        says: "The home page answers. Reading stopped at the size limit.",
        expect: expect_cut_body("too_large", &["wire_limit", "decoded_limit"]),
        text: &MUSEUM,
        ..site_with_pages(endless)
    },
    LabSite {
        name: "stalls-before-head.lab",
        behaviour: "stalls_before_head",
        does: "Accepts the request for its home page and never answers.",
        says: "The home page did not start in time.",
        expect: expect_home_failure("timeout", &["head_timeout"]),
        text: &BOOKSHOP,
        ..raw_site(|request| at_home(request, || vec![ScriptStep::Stall]))
    },
    LabSite {
        name: "stalls-in-head.lab",
        behaviour: "stalls_in_head",
        does: "Stops in the middle of the response head.",
        says: "The home page did not start in time.",
        expect: expect_home_failure("timeout", &["head_timeout"]),
        text: &GARDEN,
        ..raw_site(|request| {
            at_home(request, || vec![send_text("HTTP/1.1 200 OK\r\ncontent-ty"), ScriptStep::Stall])
        })
    },
    LabSite {
        name: "stalls-after-head.lab",
        behaviour: "stalls_after_head",
        does: "Sends a response head and the start of the page, then nothing more.",
        says: "The home page answers. Its body stopped arriving.",
        expect: expect_cut_body("timeout", &["too_slow"]),
        text: &CYCLES,
        ..raw_site(|request| {
            at_home(request, || {
                vec![
                    send_text(HTML_HEAD),
                    send_text("content-length: 5000\r\n\r\n<!doctype html>"),
                    ScriptStep::Stall,
                ]
            })
        })
    },
    LabSite {
        name: "drips-head.lab",
        behaviour: "drips_head",
        does: "Sends its response head at one byte per second.",
        says: "The home page did not start in time.",
        expect: expect_home_failure("timeout", &["head_timeout"]),
        text: &HOTEL,
        ..raw_site(|request| {
            at_home(request, || {
                vec![ScriptStep::Drip(HTML_HEAD.into(), Duration::from_secs(1)), ScriptStep::Stall]
            })
        })
    },
    LabSite {
        name: "resets.lab",
        behaviour: "resets",
        does: "Resets the connection when its home page is requested.",
        says: "The host reset the connection instead of answering.",
        expect: expect_home_failure("protocol", &["connection_reset"]),
        text: &SCHOOL,
        ..raw_site(|request| at_home(request, || vec![ScriptStep::Reset]))
    },
    LabSite {
        name: "resets-at-once.lab",
        behaviour: "resets_at_once",
        does: "Resets every connection on both ports at the first received bytes.",
        says: "The host resets every connection, so nothing is known about the site.",
        expect: expect_failure("tls", &["connection_reset"]),
        text: &ORCHESTRA,
        http: PortBehaviour::RawSocket(|| vec![ScriptStep::Read, ScriptStep::Reset]),
        https: PortBehaviour::RawSocket(|| vec![ScriptStep::Read, ScriptStep::Reset]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "resets-in-body.lab",
        behaviour: "resets_in_body",
        does: "Resets the connection in the middle of the page.",
        says: "The home page answers. The connection was reset while the body was read.",
        expect: expect_cut_body("protocol", &["connection_reset"]),
        text: &BAKERY,
        ..raw_site(|request| {
            at_home(request, || {
                vec![
                    send_text(HTML_HEAD),
                    send_text("content-length: 5000\r\n\r\n<!doctype html>"),
                    // Gives the client time to read what was sent before the reset discards it.
                    ScriptStep::Drip(Bytes::from_static(b"<"), Duration::from_millis(50)),
                    ScriptStep::Drip(Bytes::from_static(b"p"), Duration::from_millis(50)),
                    ScriptStep::Reset,
                ]
            })
        })
    },
    LabSite {
        name: "drops-ai.lab",
        behaviour: "drops_ai",
        does: "Closes the connection when an AI identity asks, and serves all others.",
        says: "AI identities are disconnected without an answer. The browser gets the page.",
        expect: ExpectedRecord { ai_refused: Some(true), ..SERVED },
        text: &FERRY,
        ..raw_site(|request| {
            if request.is_from_ai() && request.path == "/" {
                Vec::new()
            } else {
                script_for(&plain_site(request))
            }
        })
    },
    LabSite {
        name: "empty-reply.lab",
        behaviour: "empty_reply",
        does: "Closes the connection without an answer when its home page is requested.",
        says: "The host closed the connection without an answer.",
        expect: expect_home_failure("protocol", &["connection_closed"]),
        text: &CLINIC,
        ..raw_site(|request| at_home(request, Vec::new))
    },
    LabSite {
        name: "short-body.lab",
        behaviour: "short_body",
        does: "Sends fewer bytes than it announces.",
        says: "The home page answers. Its body ends before the announced length.",
        expect: expect_cut_body("protocol", &["connection_closed"]),
        text: &MUSEUM,
        ..raw_site(|request| {
            at_home(request, || {
                vec![send_text(HTML_HEAD), send_text("content-length: 5000\r\n\r\n<p>Short.</p>")]
            })
        })
    },
    LabSite {
        name: "long-body.lab",
        behaviour: "long_body",
        does: "Sends more bytes than it announces.",
        says: "The home page answers. Only the announced length is read.",
        expect: ExpectedRecord { ai_refused: None, ..SERVED },
        text: &BOOKSHOP,
        ..raw_site(|request| {
            at_home(request, || {
                vec![
                    send_text(HTML_HEAD),
                    send_text("content-length: 12\r\n\r\n<p>Long.</p><p>Longer.</p>"),
                ]
            })
        })
    },
    LabSite {
        name: "two-lengths.lab",
        behaviour: "two_lengths",
        does: "Announces two different lengths for its home page.",
        says: "The response is not valid HTTP.",
        expect: expect_home_failure("protocol", &["bad_response"]),
        text: &GARDEN,
        ..raw_site(|request| {
            at_home(request, || {
                vec![
                    send_text(HTML_HEAD),
                    send_text("content-length: 5\r\ncontent-length: 9\r\n\r\n<p>Hm</p>"),
                ]
            })
        })
    },
    LabSite {
        name: "bad-status.lab",
        behaviour: "bad_status",
        does: "Starts its answer with an invalid status line.",
        says: "The response is not valid HTTP.",
        expect: expect_home_failure("protocol", &["bad_response"]),
        text: &CYCLES,
        ..raw_site(|request| {
            at_home(request, || vec![send_text("HTTP/1.1 yes\r\ncontent-length: 0\r\n\r\n")])
        })
    },
    LabSite {
        name: "no-head.lab",
        behaviour: "no_head",
        does: "Answers with HTML and no response head, as HTTP/0.9 did.",
        says: "The response is not valid HTTP.",
        expect: expect_home_failure("protocol", &["bad_response"]),
        text: &HOTEL,
        ..raw_site(|request| {
            at_home(request, || vec![send_text("<html><body><p>Nine rooms.</p></body></html>\r\n")])
        })
    },
    LabSite {
        name: "bad-chunks.lab",
        behaviour: "bad_chunks",
        does: "Sends its home page in chunks with invalid sizes.",
        says: "The home page answers. Its body is not valid HTTP.",
        expect: expect_cut_body("protocol", BROKEN_BODY),
        text: &SCHOOL,
        ..raw_site(|request| {
            at_home(request, || {
                vec![
                    send_text(HTML_HEAD),
                    send_text(
                        "transfer-encoding: chunked\r\n\r\n5\r\n<p>Hi\r\nzebra\r\n</p>\r\n0\r\n\r\n",
                    ),
                ]
            })
        })
    },
    LabSite {
        name: "endless-trailers.lab",
        behaviour: "endless_trailers",
        does: "Ends its body properly and then sends trailer fields without end.",
        says: "The home page answers. Its body is not valid HTTP.",
        expect: expect_cut_body("protocol", BROKEN_BODY),
        text: &ORCHESTRA,
        ..raw_site(|request| {
            at_home(request, || {
                vec![
                    send_text(HTML_HEAD),
                    send_text("transfer-encoding: chunked\r\n\r\n9\r\n<p>Hi</p>\r\n0\r\n"),
                    ScriptStep::Repeat("x-more: and more\r\n".repeat(256).into(), u64::MAX),
                ]
            })
        })
    },
    LabSite {
        name: "header-flood.lab",
        behaviour: "header_flood",
        does: "Sends a million header fields.",
        says: "The response head exceeds the size limit.",
        expect: expect_home_failure("too_large", &["head_too_large"]),
        text: &BAKERY,
        ..raw_site(|request| {
            at_home(request, || {
                vec![
                    send_text(HTML_HEAD),
                    ScriptStep::Repeat("x-flood: water\r\n".repeat(100).into(), 10_000),
                    send_text("\r\n"),
                ]
            })
        })
    },
    LabSite {
        name: "huge-header.lab",
        behaviour: "huge_header",
        does: "Sends one header field of three hundred kilobytes.",
        says: "The response head exceeds the size limit.",
        expect: expect_home_failure("too_large", &["head_too_large"]),
        text: &FERRY,
        ..raw_site(|request| {
            at_home(request, || {
                vec![
                    send_text(HTML_HEAD),
                    send_text("x-long: "),
                    ScriptStep::Repeat("water ".repeat(100).into(), 512),
                    send_text("\r\n\r\n"),
                ]
            })
        })
    },
    LabSite {
        name: "interim-flood.lab",
        behaviour: "interim_flood",
        does: "Sends interim responses (103) without end.",
        says: "The host sends interim responses and never a final one.",
        expect: expect_home_failure("protocol", &["too_many_interim_responses"]),
        text: &CLINIC,
        ..raw_site(|request| {
            at_home(request, || {
                vec![ScriptStep::Repeat(
                    Bytes::from_static(b"HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n"),
                    u64::MAX,
                )]
            })
        })
    },
];

const BROKEN_BODY: &[&str] = &["bad_response", "http_error", "connection_lost"];
const HTML_HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\n";

/// A site that sends raw bytes, inside TLS.
const fn raw_site(script: fn(&SiteRequest<'_>) -> Vec<ScriptStep>) -> LabSite {
    LabSite { https: PortBehaviour::RawReplies(script), ..site_with_pages(plain_site) }
}

/// A site that accepts every request, on both ports, and never answers.
pub(super) const fn stalling_site() -> LabSite {
    LabSite {
        http: PortBehaviour::RawReplies(|_| vec![ScriptStep::Stall]),
        ..raw_site(|_| vec![ScriptStep::Stall])
    }
}

fn at_home(request: &SiteRequest<'_>, script: fn() -> Vec<ScriptStep>) -> Vec<ScriptStep> {
    if request.path == "/" { script() } else { script_for(&plain_site(request)) }
}

fn send_text(text: &'static str) -> ScriptStep {
    ScriptStep::Send(Bytes::from_static(text.as_bytes()))
}

/// A correct reply as raw bytes.
fn script_for(reply: &Reply) -> Vec<ScriptStep> {
    let ReplyBody::Bytes(body) = &reply.body else { return Vec::new() };
    let mut head = format!("HTTP/1.1 {} Said\r\n", reply.status).into_bytes();
    for (name, value) in &reply.headers {
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value);
        head.extend_from_slice(b"\r\n");
    }
    let length = format!("content-length: {}\r\nconnection: close\r\n\r\n", body.len());
    head.extend_from_slice(length.as_bytes());
    vec![ScriptStep::Send(head.into()), ScriptStep::Send(body.clone())]
}

fn endless(request: &SiteRequest<'_>) -> Reply {
    if request.path != "/" {
        return plain_site(request);
    }
    let line = "<p>And then we went on, because nobody had told us to stop.</p>\n";
    Reply::html(200, "").with_body(ReplyBody::Repeat {
        head: "<!doctype html>\n<html><body>\n".into(),
        unit: line.repeat(256).into(),
        times: u64::MAX,
        tail: Bytes::new(),
    })
}
