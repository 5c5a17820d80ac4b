//! Connections and HTTP that misbehave. Only the home page does; robots.txt and the rest answer as
//! they should, so that a record can show both.

use std::time::Duration;

use bytes::Bytes;

use super::{SERVED, cut, pages, plain, stops};
use crate::{
    content::{
        self, BAKERY, BOOKSHOP, CLINIC, CYCLES, Extra, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA,
        SCHOOL,
    },
    http::{Ask, Payload, Reply, Step},
    site::{Expect, Site, Web},
};

pub(super) const SITES: &[Site] = &[
    Site {
        name: "slow.lab",
        behaviour: "slow",
        does: "Answers every request after eight tenths of a second.",
        says: "Everybody is served, slowly.",
        expect: SERVED,
        text: &FERRY,
        ..pages(|ask| plain(ask).after(800))
    },
    Site {
        name: "drip.lab",
        behaviour: "drip",
        does: "Sends its home page one byte a second.",
        says: "The home page answers; its body came too slowly to be read.",
        expect: cut("timeout", &["too_slow"]),
        text: &CLINIC,
        ..pages(|ask| {
            if ask.path != "/" {
                return plain(ask);
            }
            let page = content::page(ask.site.text, Extra::default());
            Reply::html(200, "")
                .payload(Payload::Drip { bytes: page.into(), every: Duration::from_secs(1) })
        })
    },
    Site {
        name: "endless.lab",
        behaviour: "endless",
        does: "Sends a home page that never ends.",
        says: "The home page answers; reading stopped at the size limit.",
        expect: cut("too_large", &["wire_limit", "decoded_limit"]),
        text: &MUSEUM,
        ..pages(endless)
    },
    Site {
        name: "stalls-before-head.lab",
        behaviour: "stalls_before_head",
        does: "Takes the request for its home page and never answers.",
        says: "The home page did not begin in time.",
        expect: stops("timeout", &["head_timeout"]),
        text: &BOOKSHOP,
        ..wire(|ask| at_home(ask, || vec![Step::Stall]))
    },
    Site {
        name: "stalls-in-head.lab",
        behaviour: "stalls_in_head",
        does: "Stops in the middle of the response head.",
        says: "The home page did not begin in time.",
        expect: stops("timeout", &["head_timeout"]),
        text: &GARDEN,
        ..wire(|ask| at_home(ask, || vec![send("HTTP/1.1 200 OK\r\ncontent-ty"), Step::Stall]))
    },
    Site {
        name: "stalls-after-head.lab",
        behaviour: "stalls_after_head",
        does: "Sends a response head, the first words of the page, and nothing more.",
        says: "The home page answers; its body stopped coming.",
        expect: cut("timeout", &["too_slow"]),
        text: &CYCLES,
        ..wire(|ask| {
            at_home(ask, || {
                vec![
                    send(HTML_HEAD),
                    send("content-length: 5000\r\n\r\n<!doctype html>"),
                    Step::Stall,
                ]
            })
        })
    },
    Site {
        name: "drips-head.lab",
        behaviour: "drips_head",
        does: "Sends its response head one byte a second.",
        says: "The home page did not begin in time.",
        expect: stops("timeout", &["head_timeout"]),
        text: &HOTEL,
        ..wire(|ask| {
            at_home(ask, || vec![Step::Drip(HTML_HEAD.into(), Duration::from_secs(1)), Step::Stall])
        })
    },
    Site {
        name: "resets.lab",
        behaviour: "resets",
        does: "Resets the connection when asked for its home page.",
        says: "The host reset the connection instead of answering.",
        expect: stops("protocol", &["connection_reset"]),
        text: &SCHOOL,
        ..wire(|ask| at_home(ask, || vec![Step::Reset]))
    },
    Site {
        name: "resets-at-once.lab",
        behaviour: "resets_at_once",
        does: "Resets every connection on both ports at the first bytes it receives.",
        says: "The host resets every connection; nothing is known of the site.",
        expect: super::fails("tls", &["connection_reset"]),
        text: &ORCHESTRA,
        http: Web::Socket(|| vec![Step::Read, Step::Reset]),
        https: Web::Socket(|| vec![Step::Read, Step::Reset]),
        ..pages(plain)
    },
    Site {
        name: "resets-in-body.lab",
        behaviour: "resets_in_body",
        does: "Resets the connection in the middle of the page.",
        says: "The home page answers; the connection was reset in its body.",
        expect: cut("protocol", &["connection_reset"]),
        text: &BAKERY,
        ..wire(|ask| {
            at_home(ask, || {
                vec![
                    send(HTML_HEAD),
                    send("content-length: 5000\r\n\r\n<!doctype html>"),
                    // Time for what was sent to be read before the reset sweeps it away.
                    Step::Drip(Bytes::from_static(b"<"), Duration::from_millis(50)),
                    Step::Drip(Bytes::from_static(b"p"), Duration::from_millis(50)),
                    Step::Reset,
                ]
            })
        })
    },
    Site {
        name: "drops-ai.lab",
        behaviour: "drops_ai",
        does: "Closes the connection on AI identities and serves everybody else.",
        says: "AI identities are dropped without an answer; the browser is served.",
        expect: Expect { ai_refused: Some(true), ..SERVED },
        text: &FERRY,
        ..wire(
            |ask| if ask.is_from_ai() && ask.path == "/" { Vec::new() } else { steps(&plain(ask)) },
        )
    },
    Site {
        name: "empty-reply.lab",
        behaviour: "empty_reply",
        does: "Closes the connection without a word when asked for its home page.",
        says: "The host closed the connection without an answer.",
        expect: stops("protocol", &["connection_closed"]),
        text: &CLINIC,
        ..wire(|ask| at_home(ask, Vec::new))
    },
    Site {
        name: "short-body.lab",
        behaviour: "short_body",
        does: "Announces more bytes than it sends.",
        says: "The home page answers; its body ends before its announced length.",
        expect: cut("protocol", &["connection_closed"]),
        text: &MUSEUM,
        ..wire(|ask| {
            at_home(ask, || {
                vec![send(HTML_HEAD), send("content-length: 5000\r\n\r\n<p>Short.</p>")]
            })
        })
    },
    Site {
        name: "long-body.lab",
        behaviour: "long_body",
        does: "Announces fewer bytes than it sends.",
        says: "The home page answers and counts as long as it was announced.",
        expect: Expect { ai_refused: None, ..SERVED },
        text: &BOOKSHOP,
        ..wire(|ask| {
            at_home(ask, || {
                vec![send(HTML_HEAD), send("content-length: 12\r\n\r\n<p>Long.</p><p>Longer.</p>")]
            })
        })
    },
    Site {
        name: "two-lengths.lab",
        behaviour: "two_lengths",
        does: "Announces two different lengths for its home page.",
        says: "The response is not valid HTTP.",
        expect: stops("protocol", &["bad_response"]),
        text: &GARDEN,
        ..wire(|ask| {
            at_home(ask, || {
                vec![
                    send(HTML_HEAD),
                    send("content-length: 5\r\ncontent-length: 9\r\n\r\n<p>Hm</p>"),
                ]
            })
        })
    },
    Site {
        name: "bad-status.lab",
        behaviour: "bad_status",
        does: "Begins its answer with a line that is no status line.",
        says: "The response is not valid HTTP.",
        expect: stops("protocol", &["bad_response"]),
        text: &CYCLES,
        ..wire(|ask| at_home(ask, || vec![send("HTTP/1.1 yes\r\ncontent-length: 0\r\n\r\n")]))
    },
    Site {
        name: "no-head.lab",
        behaviour: "no_head",
        does: "Answers with bare HTML, as HTTP/0.9 did.",
        says: "The response is not valid HTTP.",
        expect: stops("protocol", &["bad_response"]),
        text: &HOTEL,
        ..wire(|ask| {
            at_home(ask, || vec![send("<html><body><p>Nine rooms.</p></body></html>\r\n")])
        })
    },
    Site {
        name: "bad-chunks.lab",
        behaviour: "bad_chunks",
        does: "Sends its home page in chunks whose sizes are no numbers.",
        says: "The home page answers; its body breaks the rules of HTTP.",
        expect: cut("protocol", BROKEN_BODY),
        text: &SCHOOL,
        ..wire(|ask| {
            at_home(ask, || {
                vec![
                    send(HTML_HEAD),
                    send(
                        "transfer-encoding: chunked\r\n\r\n5\r\n<p>Hi\r\nzebra\r\n</p>\r\n0\r\n\r\n",
                    ),
                ]
            })
        })
    },
    Site {
        name: "endless-trailers.lab",
        behaviour: "endless_trailers",
        does: "Ends its body properly and then sends trailer fields without end.",
        says: "The home page answers; its body breaks the rules of HTTP.",
        expect: cut("protocol", BROKEN_BODY),
        text: &ORCHESTRA,
        ..wire(|ask| {
            at_home(ask, || {
                vec![
                    send(HTML_HEAD),
                    send("transfer-encoding: chunked\r\n\r\n9\r\n<p>Hi</p>\r\n0\r\n"),
                    Step::Repeat("x-more: and more\r\n".repeat(256).into(), u64::MAX),
                ]
            })
        })
    },
    Site {
        name: "header-flood.lab",
        behaviour: "header_flood",
        does: "Sends a million header fields.",
        says: "The response head is larger than is read.",
        expect: stops("too_large", &["head_too_large"]),
        text: &BAKERY,
        ..wire(|ask| {
            at_home(ask, || {
                vec![
                    send(HTML_HEAD),
                    Step::Repeat("x-flood: water\r\n".repeat(100).into(), 10_000),
                    send("\r\n"),
                ]
            })
        })
    },
    Site {
        name: "huge-header.lab",
        behaviour: "huge_header",
        does: "Sends one header field of three hundred kilobytes.",
        says: "The response head is larger than is read.",
        expect: stops("too_large", &["head_too_large"]),
        text: &FERRY,
        ..wire(|ask| {
            at_home(ask, || {
                vec![
                    send(HTML_HEAD),
                    send("x-long: "),
                    Step::Repeat("water ".repeat(100).into(), 512),
                    send("\r\n\r\n"),
                ]
            })
        })
    },
    Site {
        name: "interim-flood.lab",
        behaviour: "interim_flood",
        does: "Sends interim responses (103) without end.",
        says: "The host sends interim responses and never the real one.",
        expect: stops("protocol", &["too_many_interim_responses"]),
        text: &CLINIC,
        ..wire(|ask| {
            at_home(ask, || {
                vec![Step::Repeat(
                    Bytes::from_static(b"HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n"),
                    u64::MAX,
                )]
            })
        })
    },
];

const BROKEN_BODY: &[&str] = &["bad_response", "http_error", "connection_lost"];
const HTML_HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\n";

/// A site that writes its own bytes, inside TLS.
const fn wire(script: fn(&Ask<'_>) -> Vec<Step>) -> Site {
    Site { https: Web::Wire(script), ..pages(plain) }
}

/// A site that takes every request, on both ports, and answers none.
pub(super) const fn stalling() -> Site {
    Site { http: Web::Wire(|_| vec![Step::Stall]), ..wire(|_| vec![Step::Stall]) }
}

fn at_home(ask: &Ask<'_>, script: fn() -> Vec<Step>) -> Vec<Step> {
    if ask.path == "/" { script() } else { steps(&plain(ask)) }
}

fn send(text: &'static str) -> Step {
    Step::Send(Bytes::from_static(text.as_bytes()))
}

/// An honest reply, written out.
fn steps(reply: &Reply) -> Vec<Step> {
    let Payload::Bytes(body) = &reply.body else { return Vec::new() };
    let mut head = format!("HTTP/1.1 {} Said\r\n", reply.status).into_bytes();
    for (name, value) in &reply.headers {
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value);
        head.extend_from_slice(b"\r\n");
    }
    let length = format!("content-length: {}\r\nconnection: close\r\n\r\n", body.len());
    head.extend_from_slice(length.as_bytes());
    vec![Step::Send(head.into()), Step::Send(body.clone())]
}

fn endless(ask: &Ask<'_>) -> Reply {
    if ask.path != "/" {
        return plain(ask);
    }
    let line = "<p>And then we went on, because nobody had told us to stop.</p>\n";
    Reply::html(200, "").payload(Payload::Repeat {
        head: "<!doctype html>\n<html><body>\n".into(),
        unit: line.repeat(256).into(),
        times: u64::MAX,
        tail: Bytes::new(),
    })
}
