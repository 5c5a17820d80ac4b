//! The formats in which operators publish their lists. Pure.

use super::table::{FeedFormat, LabFeed};

/// A document is `head`, the entries with `separator` between them, and `tail`.
pub(super) struct DocumentParts {
    pub(super) media_type: &'static str,
    pub(super) head: String,
    pub(super) separator: &'static str,
    pub(super) tail: &'static str,
    /// Writes one entry: a prefix in CIDR notation, or text that is no prefix.
    pub(super) write_entry: fn(&str) -> String,
}

impl DocumentParts {
    pub(super) fn document(&self, entries: &[String]) -> String {
        let entries: Vec<String> = entries.iter().map(|entry| (self.write_entry)(entry)).collect();
        format!("{}{}{}", self.head, entries.join(self.separator), self.tail)
    }
}

pub(super) fn parts(feed: &LabFeed) -> DocumentParts {
    match feed.format {
        FeedFormat::PrefixJson => prefix_json(feed),
        FeedFormat::JsonInHtml => json_in_html(feed),
        FeedFormat::PlainText => plain_text(feed),
        FeedFormat::Geofeed => geofeed(feed),
        FeedFormat::AddressesInHtml => addresses_in_html(feed),
        FeedFormat::RouteObjects => route_objects(feed),
    }
}

const HTML: &str = "text/html; charset=utf-8";

fn prefix_json(feed: &LabFeed) -> DocumentParts {
    DocumentParts {
        media_type: "application/json",
        head: format!("{{\n  \"creationTime\": \"{}\",\n  \"prefixes\": [\n", feed.creation_time),
        separator: ",\n",
        tail: "\n  ]\n}\n",
        write_entry: |prefix| format!("    {{ \"{}\": \"{prefix}\" }}", key(prefix)),
    }
}

fn key(prefix: &str) -> &'static str {
    if prefix.contains(':') { "ipv6Prefix" } else { "ipv4Prefix" }
}

/// A page about a crawler whose list is JSON with character references. Addresses have no mask.
fn json_in_html(feed: &LabFeed) -> DocumentParts {
    // The pages of one operator differ in the name of this member.
    let write_entry: fn(&str) -> String = if feed.id == "amazonbot" {
        |prefix| format!("    {{&quot;ip_prefix&quot;: &quot;{}&quot;}}", without_mask(prefix))
    } else {
        |prefix| {
            format!("    {{&quot;{}&quot;: &quot;{}&quot;}}", key(prefix), without_mask(prefix))
        }
    };
    DocumentParts {
        media_type: HTML,
        head: format!(
            "<!doctype html>\n<html lang=\"en\"><head><title>IP addresses</title>\n\
             <style>pre &gt; code {{ display: block }}</style></head>\n<body><h1>IP addresses of \
             the crawler</h1>\n<p>Version 1.0.2.1 of this page. The crawler sends requests from \
             these addresses.</p>\n<pre><code class=\"language-json\">{{\n  \
             &quot;creationTime&quot;: &quot;{}&quot;,\n  &quot;prefixes&quot;: [\n",
            feed.creation_time
        ),
        separator: ",\n",
        tail: "\n  ]\n}\n</code></pre>\n<p>&copy; Lab</p></body></html>\n",
        write_entry,
    }
}

fn plain_text(feed: &LabFeed) -> DocumentParts {
    DocumentParts {
        media_type: "text/plain; charset=utf-8",
        head: format!("# Addresses of the crawler, {}\n\n", feed.creation_time),
        separator: "\n",
        tail: "\n",
        write_entry: str::to_owned,
    }
}

/// RFC 8805: prefix, country, region, city, postal code.
fn geofeed(feed: &LabFeed) -> DocumentParts {
    DocumentParts {
        media_type: "text/csv",
        head: format!("# Self-published geolocation, {}\n", feed.creation_time),
        separator: "\n",
        tail: "\n",
        write_entry: |prefix| format!("{prefix},IE,IE-L,Dublin,"),
    }
}

fn addresses_in_html(feed: &LabFeed) -> DocumentParts {
    DocumentParts {
        media_type: HTML,
        head: format!(
            "<!doctype html>\n<html lang=\"en\"><head><title>Our crawler</title></head>\n<body>\
             <h1>Our crawler</h1>\n<p>Its user agent is <code>Mozilla/5.0 (compatible; Robot/1.0; \
             +https://crawler.lab/bot)</code>. As of {}, it uses these addresses:</p>\n<ul>\n",
            feed.creation_time
        ),
        separator: "\n",
        tail: "\n</ul>\n<p>Write to us about them.</p></body></html>\n",
        write_entry: |prefix| format!("  <li>{}</li>", without_mask(prefix)),
    }
}

/// What a routing registry answers for the number of a network.
fn route_objects(feed: &LabFeed) -> DocumentParts {
    DocumentParts {
        media_type: "text/plain",
        head: format!("% Route objects of AS32934, {}\n\n", feed.creation_time),
        separator: "\n\n",
        tail: "\n\n",
        write_entry: |prefix| {
            let name = if prefix.contains(':') { "route6:" } else { "route:" };
            format!(
                "{name:<16}{prefix}\ndescr:          A network of the lab\n\
                 origin:         AS32934\nmnt-by:         MAINT-LAB\nsource:         RADB"
            )
        },
    }
}

fn without_mask(prefix: &str) -> &str {
    prefix.strip_suffix("/32").unwrap_or(prefix)
}
