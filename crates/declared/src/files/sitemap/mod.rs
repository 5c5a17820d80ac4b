//! Sitemaps (sitemaps.org 0.9): XML lists and indexes, feeds, plain lists of addresses, all of
//! them also packed with gzip. Read as a stream: nothing is kept but what is being looked at.

mod bounded;
mod entry;
mod list;
mod xml;

use std::io::{BufRead, BufReader, Cursor, Read};

use flate2::read::MultiGzDecoder;

use super::http::Media;
use super::report::{Report, counted};
use crate::fault::Weight;
use crate::shape::looks_like_html;
use bounded::Bounded;
use entry::Entries;

/// What one sitemap may hold, in bytes after unpacking.
const MAX_BYTES: u64 = 50 * 1024 * 1024;

/// What one sitemap may hold, in entries.
const MAX_ENTRIES: usize = 50_000;

/// Packed lists of addresses shrink to a twentieth or so; what grows more than this is no sitemap.
const MAX_RATIO: u64 = 200;

/// Small files may grow this far whatever the ratio.
const ANY_RATIO_BYTES: u64 = 1024 * 1024;

/// How much is looked at to tell what it is.
const HEAD_BYTES: u64 = 1_024;

const XML_MEDIA: Media = Media {
    right: &["application/xml", "text/xml"],
    tolerated: &["application/rss+xml", "application/atom+xml"],
    otherwise: Weight::Warning,
};
const GZIP_MEDIA: Media = Media {
    right: &["application/gzip", "application/x-gzip"],
    tolerated: &["application/octet-stream", "application/xml", "text/xml"],
    otherwise: Weight::Warning,
};
const TEXT_MEDIA: Media =
    Media { right: &["text/plain"], tolerated: &[], otherwise: Weight::Warning };

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    let body = report.served.body;
    if !body.starts_with(b"\x1f\x8b") {
        return read(report, Bounded::new(body, MAX_BYTES), false);
    }
    if report.served.header("content-encoding").is_some() {
        report.warn(
            "packed_twice",
            "Content-Encoding",
            "The sitemap is packed as a file and again by the server; readers unpack it once and see rubbish.",
            "Serve the .gz file without Content-Encoding, or the plain XML with it.",
        );
    }
    let packed = u64::try_from(body.len()).unwrap_or(u64::MAX);
    let bound = packed.saturating_mul(MAX_RATIO).clamp(ANY_RATIO_BYTES, MAX_BYTES);
    read(report, Bounded::new(MultiGzDecoder::new(body), bound), true)
}

fn read<R: Read>(report: &mut Report<'_>, source: Bounded<R>, packed: bool) -> Option<String> {
    let state = source.state();
    let mut source = BufReader::new(source);
    let mut head = Vec::new();
    // What cannot be unpacked is told below, where reading goes on.
    let broken = (&mut source).take(HEAD_BYTES).read_to_end(&mut head).is_err();
    if broken && head.is_empty() {
        cannot_unpack(report);
        return None;
    }
    if looks_like_html(&head) {
        report.spoil(
            "html_instead",
            "",
            "An HTML page came where a sitemap is expected; servers do this when they answer every unknown path with the home page.",
            "Serve the sitemap itself, or answer 404.",
        );
        return None;
    }
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        report.spoil("utf16", "", "The sitemap is UTF-16; it must be UTF-8.", "Save it as UTF-8.");
        return None;
    }
    let bare = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
    let is_xml = bare.trim_ascii_start().starts_with(b"<");
    if bare.trim_ascii().is_empty() && head.len() < 1_024 {
        report.spoil("empty", "", "The sitemap is empty.", "Fill it, or answer 404.");
        return None;
    }
    report.media(match (packed, is_xml) {
        (true, _) => &GZIP_MEDIA,
        (false, true) => &XML_MEDIA,
        (false, false) => &TEXT_MEDIA,
    });
    report.note_other_host();
    let skipped = head.len() - bare.len();
    let mut head = Cursor::new(head);
    head.set_position(u64::try_from(skipped).unwrap_or(0));
    let mut entries = Entries::default();
    let reader = head.chain(source);
    let shape = if is_xml {
        xml::read(report, reader, &mut entries, packed, &state)
    } else {
        list::read(report, reader, &mut entries)
    };
    if state.failed() {
        cannot_unpack(report);
    } else if state.stopped() {
        too_large(report, packed);
    }
    if entries.number > MAX_ENTRIES {
        report.error(
            "too_many_entries",
            "",
            format!(
                "The sitemap holds {} entries; readers take 50,000 and ignore the rest.",
                entries.number
            ),
            "Split it and list the parts in a sitemap index.",
        );
    }
    if entries.number == 0 && !report.served.cut && shape.is_some() {
        report.warn(
            "no_entries",
            "",
            "The sitemap lists nothing.",
            "List your pages, or remove the file and its line in robots.txt.",
        );
    }
    let shape = shape?;
    report.version = Some(shape.to_owned());
    report.count("entries", entries.number);
    report.count("with_lastmod", entries.dated);
    let index = shape == "sitemapindex";
    Some(format!(
        "{}{}{}.",
        if report.served.cut || state.stopped() { "At least " } else { "" },
        if index {
            counted(entries.number, "sitemap", "sitemaps")
        } else {
            counted(entries.number, "address", "addresses")
        },
        if index { " in an index" } else { "" }
    ))
}

fn cannot_unpack(report: &mut Report<'_>) {
    if report.served.cut {
        report.not_read_whole();
    } else {
        report.spoil(
            "bad_gzip",
            "",
            "The file begins like gzip and cannot be unpacked.",
            "Pack it again: gzip -k sitemap.xml",
        );
    }
}

fn too_large(report: &mut Report<'_>, packed: bool) {
    report.spoil(
        "too_large",
        "",
        if packed {
            "Unpacked, the sitemap is larger than 50 MiB or more than 200 times its packed size; reading was stopped there."
        } else {
            "The sitemap is larger than 50 MiB, the most that readers take."
        },
        "Split it and list the parts in a sitemap index.",
    );
}

/// Both forms are read through this.
trait Source: BufRead {}
impl<R: BufRead> Source for R {}
