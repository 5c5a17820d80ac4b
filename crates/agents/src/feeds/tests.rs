//! Every format with samples as operators write them, and what is not a feed. All samples are made
//! up.

use proptest::prelude::*;

use super::*;

const FORMATS: [FeedFormat; 6] = [
    FeedFormat::PrefixJson,
    FeedFormat::JsonInHtml,
    FeedFormat::PlainText,
    FeedFormat::Geofeed,
    FeedFormat::AddressesInHtml,
    FeedFormat::RouteObjects,
];

/// Compares the prefixes, joined by spaces, and the numbers of entries and skipped ones.
fn check(format: FeedFormat, text: &str, prefixes: &str, entries: usize, skipped: usize) {
    let content =
        parse_feed(format, text.as_bytes()).unwrap_or_else(|fault| panic!("{fault}: {text}"));
    let found = content.prefixes.to_text();
    assert_eq!(found.lines().collect::<Vec<_>>().join(" "), prefixes, "{text}");
    assert_eq!((content.entries, content.skipped), (entries, skipped), "{text}");
}

fn check_fault(format: FeedFormat, text: impl AsRef<[u8]>, fault: FeedFault) {
    let start: String = String::from_utf8_lossy(text.as_ref()).chars().take(200).collect();
    assert_eq!(parse_feed(format, text.as_ref()), Err(fault), "{start}");
}

#[test]
fn json_lists_are_read_in_all_variants() {
    for (text, prefixes, entries, skipped) in [
        (
            r#"{"creationTime":"2026-01-02T11:00:00.000000","prefixes":[{"ipv6Prefix":"2a00:1::/64"},{"ipv4Prefix":"5.6.7.0/28"}]}"#,
            "5.6.7.0/28 2a00:1::/64",
            2,
            0,
        ),
        // A byte order mark and white space.
        (
            "\u{feff}\r\n {\"prefixes\" : [ {\"ipv4Prefix\" : \"5.6.7.8\"} ] } \n",
            "5.6.7.8/32",
            1,
            0,
        ),
        // Members of the drafts.
        (
            r#"{"formatVersion":"1.9","synctoken":"7","notes":"n","prefixes":[{"ipv4Prefix":"5.6.7.0/24","services":["a","b"]},{"ipv4Prefix":"5.6.8.0/24","service":"c"}]}"#,
            "5.6.7.0/24 5.6.8.0/24",
            2,
            0,
        ),
        // A cloud's list: other names, a list of its own for IPv6.
        (
            r#"{"syncToken":"1","createDate":"2026-01-02-11-00-00","prefixes":[{"ip_prefix":"5.6.0.0/16","region":"x"}],"ipv6_prefixes":[{"ipv6_prefix":"2a00:1::/32"}]}"#,
            "5.6.0.0/16 2a00:1::/32",
            2,
            0,
        ),
        (r#"{"ipv6_prefixes":["2a00:1::/32"]}"#, "2a00:1::/32", 1, 0),
        // Texts instead of objects; host bits; repetitions; a prefix inside another.
        (r#"{"prefixes":["5.6.7.8/24","5.6.7.0/24","5.6.7.9"]}"#, "5.6.7.0/24", 3, 0),
        // Characters without width.
        (r#"{"prefixes":[{"ipv4Prefix":"5.6.7.\u200b0/24\u200b"}]}"#, "5.6.7.0/24", 1, 0),
        // One of two members is empty.
        (
            r#"{"prefixes":[{"ipv4Prefix":"5.6.7.0/24","ipv6Prefix":null},{"ipv4Prefix":"","ipv6Prefix":"2a00::/48"}]}"#,
            "5.6.7.0/24 2a00::/48",
            2,
            0,
        ),
        // Entries that are none; an entry with two prefixes is none either.
        (
            r#"{"prefixes":[{},null,5,[],"x",{"ipv4Prefix":"3.455.766.537"},{"ipv4Prefix":7},{"name":"5.6.7.8"},{"ipv4Prefix":"5.6.7.0/24","ipv6Prefix":"2a00::/48"},{"ip_prefix":"5.6.8.0/24"}]}"#,
            "5.6.8.0/24",
            1,
            9,
        ),
        // A list inside the list is not this feed's.
        (r#"{"prefixes":["5.6.8.0/24"],"old":{"prefixes":["5.6.9.0/24"]}}"#, "5.6.8.0/24", 1, 0),
    ] {
        check(FeedFormat::PrefixJson, text, prefixes, entries, skipped);
    }
}

#[test]
fn the_time_of_a_json_list_is_kept() {
    let time = |text: &str| {
        let json = format!(r#"{{"creationTime":"{text}","prefixes":["5.6.7.8"]}}"#);
        parse_feed(FeedFormat::PrefixJson, json.as_bytes()).unwrap().created_at
    };
    assert_eq!(
        time("2026-01-02T11:00:00.055838"),
        Some("2026-01-02T11:00:00.055Z".parse().unwrap())
    );
    assert_eq!(time("soon"), None);
}

#[test]
fn what_is_no_json_list_is_refused() {
    use FeedFault::*;
    let invalid = |reason, line, column| InvalidJson { reason, line, column };
    for (text, fault) in [
        (r#"{"prefixes":[]}"#, NoPrefixes),
        (r#"{"prefixes":["x"]}"#, NoPrefixes),
        (r#"{"prefixes":[{"ipv4Prefix":"5.6.7.0/24"}"#, Truncated),
        (r#"{"prefixes":[{"ipv4Prefix":"5.6.7."#, Truncated),
        (r#"{"prefixes":"5.6.7.0/24"}"#, NotAPrefixList),
        (r#"{"prefixes":{"ipv4Prefix":"5.6.7.0/24"}}"#, NotAPrefixList),
        (r#"{"data":{"prefixes":["5.6.7.0/24"]}}"#, NotAPrefixList),
        (r#"{"error":"not found"}"#, NotAPrefixList),
        (r#"["5.6.7.0/24"]"#, NotAPrefixList),
        (r#"{"ipv4Prefix":"5.6.7.0/24"}"#, NotAPrefixList),
        ("null", NotAPrefixList),
        ("5.6.7.0/24", invalid("unexpected data after the value", 1, 4)),
        ("{\n\"prefixes\":[,]}", invalid("expected a value", 2, 13)),
        (
            r#"{"prefixes":["5.6.7.8"],"prefixes":["5.6.7.9"]}"#,
            invalid("repeated member name", 1, 46),
        ),
        (r#"{"formatVersion":"2.0","prefixes":["5.6.7.8"]}"#, UnsupportedVersion { major: 2 }),
        ("<!DOCTYPE html><title>404</title>5.6.7.8", WebPage),
        ("\u{feff}\n<html>", WebPage),
    ] {
        check_fault(FeedFormat::PrefixJson, text, fault);
    }
}

#[test]
fn json_is_found_in_pages() {
    const LIST: &str = "{&quot;creationTime&quot;: &quot;2026-01-02T11:00:00Z&quot;,\n&quot;prefixes&quot;: [{&#34;ip_prefix&#34;: &#x22;5.6.7.8&#x22;}]}";
    let code =
        format!("<!doctype html><p>Addresses {{here}}:</p><pre><code>{LIST}</code></pre><footer>");
    check(FeedFormat::JsonInHtml, &code, "5.6.7.8/32", 1, 0);
    let content = parse_feed(FeedFormat::JsonInHtml, code.as_bytes()).unwrap();
    assert_eq!(content.created_at, Some("2026-01-02T11:00:00Z".parse().unwrap()));
    for page in [
        // Highlighted code.
        r#"<pre><code>{<span class="k">"prefixes"</span>:[<b>"5.6.</b>7.8"]}</code></pre>"#,
        // A script with data, behind scripts and data of other kinds.
        r#"<style>a{"b"}</style><script>if (a) { b = {"c": 1}; } for(;;){</script>
           <script type="application/json">{"d":{"e":"}"}}</script><script>{"prefixes":["5.6.7.8"]}</script>"#,
        // Quotation marks in the text around.
        r#"<p>{"a" and {"b" are not JSON: {"c": x}.</p>{"prefixes":["5.6.7.8"]} {"#,
        // No page at all.
        r#"{"prefixes":["5.6.7.8"]}"#,
    ] {
        check(FeedFormat::JsonInHtml, page, "5.6.7.8/32", 1, 0);
    }
}

#[test]
fn pages_without_a_json_list_are_refused() {
    use FeedFault::*;
    for (page, fault) in [
        ("<h1>Not found</h1>", NoJsonInPage),
        ("<p>5.6.7.8</p>", NoJsonInPage),
        (r#"<script>{"a":{"prefixes":["5.6.7.8"]}}</script>"#, NoJsonInPage),
        (r#"<pre>{"a":[,]}</pre>"#, NoJsonInPage),
        (
            r#"<pre>{"prefixes":["5.6.7.8",]}</pre>"#,
            InvalidJson { reason: "expected a value", line: 1, column: 24 },
        ),
        (r#"<pre>{"prefixes":[]}</pre>"#, NoPrefixes),
        (r#"<pre>{"prefixes":["5.6.7.8","5.6"#, Truncated),
        (r#"<pre>{"prefixes":["5.6.7.8"],"a":{"#, Truncated),
    ] {
        check_fault(FeedFormat::JsonInHtml, page, fault);
    }
}

#[test]
fn plain_lists_are_read() {
    check(
        FeedFormat::PlainText,
        "\u{feff}# Addresses of a bot\r\n5.6.7.0/28 # first\r\n\r\n\u{200b}5.6.8.9\u{200b}\n; old\n2a00:1::/48;second\n5.6.9.1, 5.6.9.2\t5.6.9.3 third\nAll of 5.6.10.0/24\n000/0\n 1.2.3.4/40",
        "5.6.7.0/28 5.6.8.9/32 5.6.9.1/32 5.6.9.2/32 5.6.9.3/32 2a00:1::/48",
        6,
        3,
    );
    check(FeedFormat::PlainText, "5.6.7.8\r5.6.7.9\r\u{200b}\r", "5.6.7.8/32 5.6.7.9/32", 2, 0);
    for (text, fault) in [
        ("# nothing yet\n", FeedFault::NoPrefixes),
        ("Not found", FeedFault::NoPrefixes),
        ("Your address 5.6.7.8 is blocked.", FeedFault::NoPrefixes),
        ("<html>5.6.7.8\n5.6.7.9", FeedFault::WebPage),
    ] {
        check_fault(FeedFormat::PlainText, text, fault);
    }
}

#[test]
fn geofeeds_are_read() {
    check(
        FeedFormat::Geofeed,
        "# prefix,country,region,city,code\n5.6.7.0/24,US,US-CA,Los Angeles,\n\"5.6.8.0/24\",IE,,\"Dublin, North\",\r\n 2a00:1::/48 ,SE\n\nprefix,country\n5.6.9.1\n5.6.10.0/99,US\n",
        "5.6.7.0/24 5.6.8.0/24 5.6.9.1/32 2a00:1::/48",
        4,
        2,
    );
    check_fault(FeedFormat::Geofeed, "US,5.6.7.0/24\n", FeedFault::NoPrefixes);
    check_fault(FeedFormat::Geofeed, "<html>,", FeedFault::WebPage);
}

#[test]
fn route_objects_are_read() {
    check(
        FeedFormat::RouteObjects,
        "% registry\nroute:          5.6.0.0/20\ndescr: 9.9.9.9\norigin:     AS64500\n\nRoute6: 2a00:1::/32 # all\nroute: 5.6.0.0/20\nroute-set: 5.6.7.8\nroute: nowhere\n",
        "5.6.0.0/20 2a00:1::/32",
        3,
        1,
    );
    check_fault(FeedFormat::RouteObjects, "%  No entries found\n", FeedFault::NoPrefixes);
}

#[test]
fn addresses_are_found_in_the_text_of_pages() {
    let page = "<!doctype html><title>Bot 9.9.9.9</title><script>v='9.9.9.8'</script>\
        <p title='9.9.9.7'>Our bot (Bot/1.0.0.120, build 1.0.0.121, version: 9.9.9.6, v9.9.9.5, 9.9.9.4-beta) uses:\
        <ul><li>5.6.7.8</li><li>5.6.7.9.</li></ul><table><tr><td>5.6.8.0/24<td>2a00:1::/48</table>\
        (5.6.9.1, \"5.6.9.2\"; 5.6.9.3) and&nbsp;5.6.9&#46;4 since 11.12.2026 at 12:30:45. It costs 000/0 or 3.455.766.537.\
        <!-- 9.9.9.3 --> std::vec dead::beef :: 5.6.7.8:80 x5.6.7.1 5.6.7.2.example";
    check(
        FeedFormat::AddressesInHtml,
        page,
        "5.6.7.8/32 5.6.7.9/32 5.6.8.0/24 5.6.9.1/32 5.6.9.2/32 5.6.9.3/32 5.6.9.4/32 2a00:1::/48",
        8,
        1,
    );
}

#[test]
fn a_page_that_turns_robots_away_is_not_a_list() {
    use FeedFault::*;
    for (page, fault) in [
        ("<h1>Just a moment</h1><p>Ray ID: 1 <p>Client 5.6.7.8", RefusalPage),
        ("<p>Access Denied</p><p>5.6.7.8", RefusalPage),
        ("<p>Your IP address 5.6.7.8 was blocked", RefusalPage),
        ("<p>Please verify you are human. 5.6.7.8", RefusalPage),
        ("<p>Not found", NoPrefixes),
    ] {
        check_fault(FeedFormat::AddressesInHtml, page, fault);
    }
}

#[test]
fn nothing_is_no_feed_in_any_format() {
    for format in FORMATS {
        for text in ["", " \r\n\t", "\u{feff}"] {
            check_fault(format, text, FeedFault::Empty);
        }
        assert!(parse_feed(format, b"\0\xff\xfe{").is_err());
        assert!(parse_feed(format, b"<html><h1>503 Service Unavailable</h1></html>").is_err());
        // The words of the data files.
        assert_eq!(serde_json::to_value(format).unwrap(), format.as_str());
    }
}

#[test]
fn size_is_bounded_in_every_format() {
    let too_large = vec![b' '; MAX_FEED_BYTES + 1];
    for format in FORMATS {
        check_fault(format, &too_large, FeedFault::TooLarge);
        check_fault(format, too_large.get(1..).unwrap(), FeedFault::Empty);
    }
    let address = |n: usize| format!("5.{}.{}.{}", n >> 16, n >> 8 & 255, n & 255);
    let addresses: Vec<String> = (0..=MAX_PREFIXES).map(address).collect();
    let most = addresses[1..].join("\n");
    assert_eq!(parse_feed(FeedFormat::PlainText, most.as_bytes()).unwrap().entries, MAX_PREFIXES);
    let json = format!("{{\"prefixes\":[\"{}\"]}}", addresses.join("\",\""));
    for (format, text) in [
        (FeedFormat::PlainText, addresses.join("\n")),
        (FeedFormat::Geofeed, addresses.join(",US\n")),
        (FeedFormat::RouteObjects, format!("route:{}", addresses.join("\nroute:"))),
        (FeedFormat::AddressesInHtml, addresses.join("<br>")),
        (FeedFormat::JsonInHtml, json.clone()),
        (FeedFormat::PrefixJson, json),
    ] {
        check_fault(format, text, FeedFault::TooManyPrefixes);
    }
}

/// Quadratic work on any of these would take minutes even at a fiftieth of the largest size.
#[test]
fn hostile_feeds_are_refused_in_linear_time() {
    let fill = |part: &str, bytes: usize| part.repeat(bytes / part.len());
    for part in [
        "[",
        "{",
        "{\"a\":",
        "{\"",
        "\"",
        "\\",
        "{\"a\":1}",
        "{\"prefixes\":",
        "[{},",
        "&",
        "&quot;{",
        "<",
        "<a ",
        "<!--",
        "<pre>",
        "<script>",
        "1.",
        "1.2.3.4",
        ":",
        "\n",
        "a\n",
        "route:\n",
        "#",
        ",",
        "/",
        "\u{200b}",
        "\u{feff}",
        "é",
    ] {
        let bytes = fill(part, MAX_FEED_BYTES / 50);
        for format in FORMATS {
            assert!(parse_feed(format, bytes.as_bytes()).is_err(), "{format:?}: {part}");
        }
    }
    // As many lines as fit.
    let lines = fill("\n", MAX_FEED_BYTES - 1);
    check_fault(FeedFormat::PlainText, format!("a{lines}"), FeedFault::NoPrefixes);
    // More values than fit into memory as a tree.
    let values = format!("{{\"prefixes\":[0{}]}}", fill(",0", MAX_FEED_BYTES - 20));
    let fault = parse_feed(FeedFormat::PrefixJson, values.as_bytes()).unwrap_err();
    assert!(matches!(fault, FeedFault::InvalidJson { reason: "too many values", .. }), "{fault}");
    // Deep nesting inside something that begins like a list.
    let nested = format!("{{\"prefixes\":[{}", fill("[", MAX_FEED_BYTES / 50));
    check_fault(
        FeedFormat::PrefixJson,
        nested,
        FeedFault::InvalidJson { reason: "nested too deeply", line: 1, column: 76 },
    );
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for format in FORMATS {
            let _ = parse_feed(format, &bytes);
        }
    }

    #[test]
    fn any_text_that_resembles_a_feed_is_read_without_panic(
        text in "(\\{|\\}|\\[|\\]|\"prefixes\":|\"ipv4Prefix\":|\"5\\.6\\.7\\.0/24\"|5\\.6\\.7\\.8|2a00::|<pre>|<script>|</script>|&quot;|&#|;|,|:|/|\n| |\\.|\u{200b}|route:){0,40}",
    ) {
        for format in FORMATS {
            if let Ok(content) = parse_feed(format, text.as_bytes()) {
                prop_assert!(!content.prefixes.is_empty());
                prop_assert!(content.entries >= content.prefixes.len());
            }
        }
    }
}
