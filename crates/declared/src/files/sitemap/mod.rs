//! Sitemaps (sitemaps.org 0.9): XML lists and indexes, feeds and plain lists of URLs, optionally
//! compressed with gzip. Parsed as a stream: only the current entry is kept in memory.

mod bounded_reader;
mod entry;
mod page_date;
mod plain_list;
mod xml;

use std::io::{BufReader, Cursor, Read};

use flate2::read::MultiGzDecoder;

use super::http::MediaTypes;
use super::report::{Report, count_with_noun};
use crate::fault::Weight;
use crate::sniff::looks_like_html;
use bounded_reader::{BoundedReader, MAX_BYTES, unpacked_bound};
use entry::{EntryCounter, MAX_ENTRIES};
pub use page_date::{PageLastmod, page_lastmod};

/// How many bytes are examined to detect the format.
const HEAD_BYTES: u64 = 1_024;

const XML_MEDIA: MediaTypes = MediaTypes {
    accepted: &["application/xml", "text/xml"],
    tolerated: &["application/rss+xml", "application/atom+xml"],
    weight_otherwise: Weight::Warning,
};
const GZIP_MEDIA: MediaTypes = MediaTypes {
    accepted: &["application/gzip", "application/x-gzip"],
    tolerated: &["application/octet-stream", "application/xml", "text/xml"],
    weight_otherwise: Weight::Warning,
};
const TEXT_MEDIA: MediaTypes =
    MediaTypes { accepted: &["text/plain"], tolerated: &[], weight_otherwise: Weight::Warning };

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    let body = report.served.body;
    if !body.starts_with(b"\x1f\x8b") {
        return check_stream(report, BoundedReader::new(body, MAX_BYTES), false);
    }
    if report.served.header("content-encoding").is_some() {
        report.warn(
            "packed_twice",
            "Content-Encoding",
            "The sitemap is compressed twice: as a .gz file and again by the server. Readers decompress it once and cannot read it.",
            "Serve the .gz file without Content-Encoding, or the plain XML with it.",
        );
    }
    let packed = u64::try_from(body.len()).unwrap_or(u64::MAX);
    let bound = unpacked_bound(packed);
    check_stream(report, BoundedReader::new(MultiGzDecoder::new(body), bound), true)
}

fn check_stream<R: Read>(
    report: &mut Report<'_>,
    source: BoundedReader<R>,
    packed: bool,
) -> Option<String> {
    let state = source.state();
    let mut source = BufReader::new(source);
    let mut head = Vec::new();
    // A decompression error after the first bytes is reported below, where reading continues.
    let broken = (&mut source).take(HEAD_BYTES).read_to_end(&mut head).is_err();
    if broken && head.is_empty() {
        add_cannot_unpack(report);
        return None;
    }
    if looks_like_html(&head) {
        report.fatal(
            "html_instead",
            "",
            "The server sent an HTML page instead of a sitemap. It probably answers every unknown path with the home page.",
            "Serve the sitemap, or answer 404 if you do not have one.",
        );
        return None;
    }
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        report.fatal("utf16", "", "The sitemap is UTF-16. It must be UTF-8.", "Save it as UTF-8.");
        return None;
    }
    let bare = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
    let is_xml = bare.trim_ascii_start().starts_with(b"<");
    if bare.trim_ascii().is_empty() && head.len() < 1_024 {
        report.fatal("empty", "", "The sitemap is empty.", "Add your pages to it, or answer 404.");
        return None;
    }
    report.check_media_type(match (packed, is_xml) {
        (true, _) => &GZIP_MEDIA,
        (false, true) => &XML_MEDIA,
        (false, false) => &TEXT_MEDIA,
    });
    report.note_other_host();
    let skipped = head.len() - bare.len();
    let mut head = Cursor::new(head);
    head.set_position(u64::try_from(skipped).unwrap_or(0));
    let mut entries = EntryCounter::default();
    let reader = head.chain(source);
    let shape = if is_xml {
        xml::parse(report, reader, &mut entries, packed, &state)
    } else {
        plain_list::parse(report, reader, &mut entries)
    };
    if state.failed() {
        add_cannot_unpack(report);
    } else if state.stopped() {
        add_too_large(report, packed);
    }
    if entries.number > MAX_ENTRIES {
        report.error(
            "too_many_entries",
            "",
            format!(
                "The sitemap contains {} entries. Readers use the first 50,000 and ignore the rest.",
                entries.number
            ),
            "Split it and list the parts in a sitemap index.",
        );
    }
    if entries.number == 0 && !report.served.truncated && shape.is_some() {
        report.warn(
            "no_entries",
            "",
            "The sitemap lists no pages.",
            "List your pages, or remove the file and its line in robots.txt.",
        );
    }
    let shape = shape?;
    report.version = Some(shape.to_owned());
    report.set_count("entries", entries.number);
    report.set_count("with_lastmod", entries.dated);
    report.newest_date = entries.newest.take();
    let index = shape == "sitemapindex";
    Some(format!(
        "{}{}{}.",
        if report.served.truncated || state.stopped() { "At least " } else { "" },
        if index {
            count_with_noun(entries.number, "sitemap", "sitemaps")
        } else {
            count_with_noun(entries.number, "URL", "URLs")
        },
        if index { " in an index" } else { "" }
    ))
}

fn add_cannot_unpack(report: &mut Report<'_>) {
    if report.served.truncated {
        report.add_not_read_whole();
    } else {
        report.fatal(
            "bad_gzip",
            "",
            "The file starts like gzip but cannot be decompressed.",
            "Compress it again: gzip -k sitemap.xml",
        );
    }
}

fn add_too_large(report: &mut Report<'_>, packed: bool) {
    report.fatal(
        "too_large",
        "",
        if packed {
            "Decompressed, the sitemap is larger than 50 MiB or more than 200 times its compressed size. We stopped reading there."
        } else {
            "The sitemap is larger than 50 MiB, the maximum that readers accept."
        },
        "Split it and list the parts in a sitemap index.",
    );
}
