//! Compressed bodies: correct ones, broken ones and decompression bombs.

use super::base::{SERVED, expect_cut_body, plain_site, site_with_pages};
use crate::{
    content::{
        self, BAKERY, BOOKSHOP, CLINIC, CYCLES, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA,
        PageExtras, SCHOOL, compressed,
    },
    http::reply::{Reply, ReplyBody, SiteRequest},
    site::LabSite,
};

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "gzip.lab",
        behaviour: "gzip",
        does: "Sends its home page compressed with gzip.",
        says: "Every identity gets the page, which was decompressed.",
        expect: SERVED,
        text: &FERRY,
        ..site_with_pages(|request| packed_home(request, "gzip", compressed::gzip))
    },
    LabSite {
        name: "brotli.lab",
        behaviour: "brotli",
        does: "Sends its home page compressed with Brotli.",
        says: "Every identity gets the page, which was decompressed.",
        text: &CLINIC,
        ..site_with_pages(|request| packed_home(request, "br", compressed::brotli))
    },
    LabSite {
        name: "zstd.lab",
        behaviour: "zstd",
        does: "Sends its home page compressed with Zstandard.",
        says: "Every identity gets the page, which was decompressed.",
        text: &MUSEUM,
        ..site_with_pages(|request| packed_home(request, "zstd", compressed::zstd))
    },
    LabSite {
        name: "deflate.lab",
        behaviour: "deflate",
        does: "Sends its home page compressed with deflate.",
        says: "Every identity gets the page, which was decompressed.",
        text: &SCHOOL,
        ..site_with_pages(|request| packed_home(request, "deflate", compressed::deflate))
    },
    LabSite {
        name: "gzip-bomb.lab",
        behaviour: "gzip_bomb",
        does: "Sends one megabyte of gzip that expands to one gibibyte.",
        says: "The home page answers. Reading stopped at a size limit.",
        expect: expect_cut_body("too_large", &["decoded_limit", "decompression_ratio"]),
        text: &BOOKSHOP,
        ..site_with_pages(|request| bomb(request, "gzip", compressed::gzip_bomb))
    },
    LabSite {
        name: "brotli-bomb.lab",
        behaviour: "brotli_bomb",
        does: "Sends eight hundred bytes of Brotli that expand to one gibibyte.",
        says: "The home page answers. Reading stopped at a size limit.",
        expect: expect_cut_body("too_large", &["decoded_limit", "decompression_ratio"]),
        text: &CYCLES,
        ..site_with_pages(|request| bomb(request, "br", compressed::brotli_bomb))
    },
    LabSite {
        name: "zstd-bomb.lab",
        behaviour: "zstd_bomb",
        does: "Sends thirty-two kilobytes of Zstandard that expand to one gibibyte.",
        says: "The home page answers. Reading stopped at a size limit.",
        expect: expect_cut_body("too_large", &["decoded_limit", "decompression_ratio"]),
        text: &GARDEN,
        ..site_with_pages(|request| bomb(request, "zstd", compressed::zstd_bomb))
    },
    LabSite {
        name: "deflate-bomb.lab",
        behaviour: "deflate_bomb",
        does: "Sends one megabyte of deflate that expands to one gibibyte.",
        says: "The home page answers. Reading stopped at a size limit.",
        expect: expect_cut_body("too_large", &["decoded_limit", "decompression_ratio"]),
        text: &HOTEL,
        ..site_with_pages(|request| bomb(request, "deflate", compressed::deflate_bomb))
    },
    LabSite {
        name: "redirect-bomb.lab",
        behaviour: "redirect_bomb",
        does: "Redirects to its page, with a gzip bomb as the body of the redirect.",
        says: "Every identity gets the page after one redirect. The body of the redirect was not \
               decompressed.",
        text: &ORCHESTRA,
        ..site_with_pages(|request| match request.path {
            "/" => bomb(request, "gzip", compressed::gzip_bomb).into_redirect_to("/home"),
            "/home" => content::home(request),
            _ => plain_site(request),
        })
    },
    LabSite {
        name: "gzip-lie.lab",
        behaviour: "gzip_lie",
        does: "Declares gzip for its home page but sends it uncompressed.",
        says: "The home page answers, but its body is not gzip as declared.",
        expect: expect_cut_body("protocol", &["bad_encoding"]),
        text: &BAKERY,
        ..site_with_pages(|request| packed_home(request, "gzip", <[u8]>::to_vec))
    },
    LabSite {
        name: "gzip-cut.lab",
        behaviour: "gzip_cut",
        does: "Sends a truncated gzip body.",
        says: "The home page answers, but its compressed body is incomplete.",
        expect: expect_cut_body("protocol", &["incomplete_encoding"]),
        text: &FERRY,
        ..site_with_pages(|request| {
            packed_home(request, "gzip", |page| {
                let mut packed = compressed::gzip(page);
                packed.truncate(packed.len() / 2);
                packed
            })
        })
    },
    LabSite {
        name: "packed-twice.lab",
        behaviour: "packed_twice",
        does: "Sends its home page compressed twice with gzip and declares it.",
        says: "The home page answers. A body that is compressed twice is not read.",
        expect: expect_cut_body("protocol", &["unsupported_encoding"]),
        text: &CLINIC,
        ..site_with_pages(|request| {
            packed_home(request, "gzip, gzip", |page| compressed::gzip(&compressed::gzip(page)))
        })
    },
    LabSite {
        name: "unknown-coding.lab",
        behaviour: "unknown_coding",
        does: "Sends its home page in an unknown content coding.",
        says: "The home page answers. Its content coding is unknown, so the body is not read.",
        expect: expect_cut_body("protocol", &["unsupported_encoding"]),
        text: &MUSEUM,
        ..site_with_pages(|request| {
            packed_home(request, "x-ribbon", |page| page.iter().map(|byte| byte ^ 0x55).collect())
        })
    },
];

fn packed_home(
    request: &SiteRequest<'_>,
    coding: &'static str,
    pack: fn(&[u8]) -> Vec<u8>,
) -> Reply {
    if request.path != "/" {
        return plain_site(request);
    }
    let page = content::page(request.text, PageExtras::default());
    Reply::html(200, pack(page.as_bytes())).with_header("content-encoding", coding)
}

fn bomb(request: &SiteRequest<'_>, coding: &'static str, make_body: fn(u64) -> ReplyBody) -> Reply {
    if request.path != "/" {
        return plain_site(request);
    }
    Reply::html(200, "")
        .with_body(make_body(compressed::BOMB_BYTES))
        .with_header("content-encoding", coding)
}
