//! Compressed bodies: as they should be, and as an attacker or a tired proxy makes them.

use super::{SERVED, cut, pages, plain};
use crate::{
    content::{
        self, BAKERY, BOOKSHOP, CLINIC, CYCLES, Extra, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA,
        SCHOOL, packed,
    },
    http::{Ask, Payload, Reply},
    site::Site,
};

pub(super) const SITES: &[Site] = &[
    Site {
        name: "gzip.lab",
        behaviour: "gzip",
        does: "Sends its home page packed with gzip.",
        says: "Everybody is served; the page was unpacked.",
        expect: SERVED,
        text: &FERRY,
        ..pages(|ask| packed_home(ask, "gzip", packed::gzip))
    },
    Site {
        name: "brotli.lab",
        behaviour: "brotli",
        does: "Sends its home page packed with Brotli.",
        says: "Everybody is served; the page was unpacked.",
        text: &CLINIC,
        ..pages(|ask| packed_home(ask, "br", packed::brotli))
    },
    Site {
        name: "zstd.lab",
        behaviour: "zstd",
        does: "Sends its home page packed with Zstandard.",
        says: "Everybody is served; the page was unpacked.",
        text: &MUSEUM,
        ..pages(|ask| packed_home(ask, "zstd", packed::zstd))
    },
    Site {
        name: "deflate.lab",
        behaviour: "deflate",
        does: "Sends its home page packed with deflate.",
        says: "Everybody is served; the page was unpacked.",
        text: &SCHOOL,
        ..pages(|ask| packed_home(ask, "deflate", packed::deflate))
    },
    Site {
        name: "gzip-bomb.lab",
        behaviour: "gzip_bomb",
        does: "Sends a megabyte of gzip that unpacks to a gibibyte.",
        says: "The home page answers; reading stopped at a named limit.",
        expect: cut("too_large", &["decoded_limit", "decompression_ratio"]),
        text: &BOOKSHOP,
        ..pages(|ask| bomb(ask, "gzip", packed::gzip_bomb))
    },
    Site {
        name: "brotli-bomb.lab",
        behaviour: "brotli_bomb",
        does: "Sends eight hundred bytes of Brotli that unpack to a gibibyte.",
        says: "The home page answers; reading stopped at a named limit.",
        expect: cut("too_large", &["decoded_limit", "decompression_ratio"]),
        text: &CYCLES,
        ..pages(|ask| bomb(ask, "br", packed::brotli_bomb))
    },
    Site {
        name: "zstd-bomb.lab",
        behaviour: "zstd_bomb",
        does: "Sends thirty-two kilobytes of Zstandard that unpack to a gibibyte.",
        says: "The home page answers; reading stopped at a named limit.",
        expect: cut("too_large", &["decoded_limit", "decompression_ratio"]),
        text: &GARDEN,
        ..pages(|ask| bomb(ask, "zstd", packed::zstd_bomb))
    },
    Site {
        name: "deflate-bomb.lab",
        behaviour: "deflate_bomb",
        does: "Sends a megabyte of deflate that unpacks to a gibibyte.",
        says: "The home page answers; reading stopped at a named limit.",
        expect: cut("too_large", &["decoded_limit", "decompression_ratio"]),
        text: &HOTEL,
        ..pages(|ask| bomb(ask, "deflate", packed::deflate_bomb))
    },
    Site {
        name: "redirect-bomb.lab",
        behaviour: "redirect_bomb",
        does: "Redirects to its page with a gzip bomb as the body of the redirect.",
        says: "Everybody is served after one redirect, whose body was not unpacked.",
        text: &ORCHESTRA,
        ..pages(|ask| match ask.path {
            "/" => bomb(ask, "gzip", packed::gzip_bomb).found("/home"),
            "/home" => content::home(ask),
            _ => plain(ask),
        })
    },
    Site {
        name: "gzip-lie.lab",
        behaviour: "gzip_lie",
        does: "Says that its home page is packed with gzip, and sends it unpacked.",
        says: "The home page answers, but its body is not what it claims to be.",
        expect: cut("protocol", &["bad_encoding"]),
        text: &BAKERY,
        ..pages(|ask| packed_home(ask, "gzip", <[u8]>::to_vec))
    },
    Site {
        name: "gzip-cut.lab",
        behaviour: "gzip_cut",
        does: "Sends a gzip body that ends in the middle.",
        says: "The home page answers, but its body ends early.",
        expect: cut("protocol", &["incomplete_encoding"]),
        text: &FERRY,
        ..pages(|ask| {
            packed_home(ask, "gzip", |page| {
                let mut packed = packed::gzip(page);
                packed.truncate(packed.len() / 2);
                packed
            })
        })
    },
    Site {
        name: "packed-twice.lab",
        behaviour: "packed_twice",
        does: "Sends its home page packed twice over with gzip and says so.",
        says: "The home page answers; a body packed twice is left unread.",
        expect: cut("protocol", &["unsupported_encoding"]),
        text: &CLINIC,
        ..pages(|ask| packed_home(ask, "gzip, gzip", |page| packed::gzip(&packed::gzip(page))))
    },
    Site {
        name: "unknown-coding.lab",
        behaviour: "unknown_coding",
        does: "Sends its home page in a coding that nobody has heard of.",
        says: "The home page answers; its body is in an unknown coding and is left unread.",
        expect: cut("protocol", &["unsupported_encoding"]),
        text: &MUSEUM,
        ..pages(|ask| {
            packed_home(ask, "x-ribbon", |page| page.iter().map(|byte| byte ^ 0x55).collect())
        })
    },
];

fn packed_home(ask: &Ask<'_>, coding: &'static str, pack: fn(&[u8]) -> Vec<u8>) -> Reply {
    if ask.path != "/" {
        return plain(ask);
    }
    let page = content::page(ask.site.text, Extra::default());
    Reply::html(200, pack(page.as_bytes())).with("content-encoding", coding)
}

fn bomb(ask: &Ask<'_>, coding: &'static str, made: fn(u64) -> Payload) -> Reply {
    if ask.path != "/" {
        return plain(ask);
    }
    Reply::html(200, "").payload(made(packed::BOMB_BYTES)).with("content-encoding", coding)
}
