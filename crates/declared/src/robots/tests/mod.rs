use super::*;

mod google;
mod records;

/// Whether `token` may fetch `path` under `file`.
fn may(file: &str, token: &str, path: &str) -> bool {
    Robots::parse(file.as_bytes()).access(token, path).allowed
}

#[test]
fn groups_and_names() {
    for (file, token, path, allowed) in [
        ("user-agent: FooBot\ndisallow: /", "FooBot", "/x", false),
        ("USER-AGENT: foobot\nDISALLOW: /", "FooBot", "/x", false),
        ("foo: FooBot\nbar: /", "FooBot", "/x", true),
        ("user-agent FooBot\ndisallow /", "FooBot", "/x", false),
        ("user-agent FooBot extra\ndisallow /", "FooBot", "/x", true),
        ("disallow: /\nuser-agent: FooBot\nallow: /", "FooBot", "/x", true),
        ("user-agent: FooBot/2.1\ndisallow: /", "foobot", "/x", false),
        ("user-agent: Foo Bar\ndisallow: /", "Foo", "/x", false),
        ("user-agent: * baz\ndisallow: /", "Any", "/x", false),
        ("user-agent: *baz\ndisallow: /", "Any", "/x", true),
        ("user-agent: *\nallow: /\nuser-agent: FooBot\ndisallow: /", "FooBot", "/x", false),
        ("user-agent: *\nallow: /\nuser-agent: FooBot\ndisallow: /", "BarBot", "/x", true),
        // An empty group of one's own opens everything, whatever is said to everyone.
        ("user-agent: *\ndisallow: /\nuser-agent: GPTBot\n", "GPTBot", "/x", true),
        // Groups for one name are joined, also across others.
        (
            "user-agent: a\ndisallow: /\nallow: /x/\nuser-agent: b\nuser-agent: a\nallow: /z/",
            "a",
            "/z/",
            true,
        ),
        (
            "user-agent: a\ndisallow: /\nallow: /x/\nuser-agent: b\nuser-agent: a\nallow: /z/",
            "a",
            "/y",
            false,
        ),
        // Records that are not rules do not end a list of names.
        ("user-agent: a\nsitemap: https://x/\nuser-agent: *\ndisallow: /", "a", "/x", false),
        (
            "user-agent: a\ncontent-signal: ai-train=no\nuser-agent: b\ndisallow: /",
            "a",
            "/x",
            false,
        ),
        ("useragent: a\ndissalow: /", "a", "/x", false),
        ("disallowfoo: /\nuser-agent: a\ndisallowed: /", "a", "/x", false),
    ] {
        assert_eq!(may(file, token, path), allowed, "{file:?} {token} {path}");
    }
}

#[test]
fn rules_and_paths() {
    for (rules, path, allowed) in [
        ("disallow: /x/page.html\nallow: /x/", "/x/page.html", false),
        ("disallow: \nallow: ", "/x", true),
        ("disallow: /\nallow: /", "/x", true),
        ("disallow: /x/", "/X/", true),
        ("disallow: /\nallow: /foo/bar/ツ", "/foo/bar/%E3%83%84", true),
        ("disallow: /\nallow: /foo/bar/%e3%83%84", "/foo/bar/%E3%83%84", true),
        ("disallow: /\nallow: /foo/bar/%62%61%7A", "/foo/bar/baz", false),
        ("disallow: /foo/bar$", "/foo/bar", false),
        ("disallow: /foo/bar$", "/foo/bar/", true),
        ("disallow: /foo/quz#qux\nallow: /", "/foo/quz", false),
        ("disallow: /*.php$", "/a/b.php", false),
        ("disallow: /*.php$", "/a/b.php?x", true),
        ("disallow: /*.php", "/a.php5", false),
        ("disallow: /a*b*c", "/axxbyyczz", false),
        ("disallow: /a*b*c", "/acb", true),
        ("disallow: *", "/x", false),
        ("disallow: /x$y", "/x$y", false),
        ("disallow: /?", "/?a=1", false),
        ("disallow: /\nallow: /home/index.html", "/home/", true),
        ("disallow: /\nallow: /home/index.html", "/home/x", false),
        ("disallow: /", "/robots.txt", true),
    ] {
        let file = format!("user-agent: *\n{rules}");
        assert_eq!(may(&file, "AnyBot", path), allowed, "{rules:?} {path}");
    }
}

#[test]
fn a_decision_points_at_its_line() {
    let file =
        "# hello\r\nUser-agent: *\r\rDisallow: /a\nDisallow: /ab\nSitemap: https://s.lab/m.xml";
    let robots = Robots::parse(file.as_bytes());
    assert_eq!(
        robots.access("x", "/abc"),
        Access { allowed: false, scope: Scope::Everyone, line: Some(5) }
    );
    assert_eq!(
        robots.access("x", "/z"),
        Access { allowed: true, scope: Scope::Everyone, line: None }
    );
    assert_eq!(robots.sitemaps, [SitemapLine { number: 6, value: "https://s.lab/m.xml".into() }]);
    let named = Robots::parse(b"user-agent: Wayleave\ndisallow: /");
    assert_eq!(named.access("wayleave", "/").scope, Scope::Named);
    assert_eq!(
        named.access("other", "/"),
        Access { allowed: true, scope: Scope::Nobody, line: None }
    );
}

#[test]
fn byte_order_marks_whole_or_cut_are_passed_over() {
    for mark in [&b"\xef\xbb\xbf"[..], b"\xef\xbb", b"\xef"] {
        let file = [mark, b"user-agent: a\ndisallow: /"].concat();
        assert!(!Robots::parse(&file).access("a", "/").allowed, "{mark:?}");
    }
    let broken = [&b"\xef\x11\xbf"[..], b"user-agent: a\ndisallow: /"].concat();
    assert!(Robots::parse(&broken).access("a", "/").allowed);
}

#[test]
fn a_long_file_is_cut_and_a_long_line_still_counts() {
    let long = format!("user-agent: a\ndisallow: /{}\n", "x".repeat(40_000));
    let cut = format!("/{}", "x".repeat(39_000));
    assert!(!Robots::parse(long.as_bytes()).access("a", &cut).allowed);
    let huge = format!("user-agent: a\n{}disallow: /", "# comment\n".repeat(60_000));
    let robots = Robots::parse(huge.as_bytes());
    assert!(robots.truncated && robots.access("a", "/").allowed);
}

#[test]
fn the_unfinished_line_of_a_truncated_file_is_not_a_rule() {
    let head = "user-agent: *\ndisallow: /admin\n";
    // The limit falls behind every possible part of the last line.
    for part in
        ["d", "disallow:", "disallow: /", "disallow: /private", "allow: /admin", "user-agent: b"]
    {
        for ending in ["", "/more\nuser-agent: a\ndisallow: /\n"] {
            let filler = super::MAX_BYTES - head.len() - part.len() - 2;
            let file = format!("{head}#{}\n{part}{ending}", "x".repeat(filler));
            let robots = Robots::parse_received(file.as_bytes(), true);
            assert!(robots.truncated);
            assert!(robots.access("a", "/").allowed, "{part}");
            assert!(robots.access("a", "/private").allowed, "{part}");
            assert!(!robots.access("b", "/admin").allowed, "{part}");
        }
    }
    // A line that was received completely counts, and so does the last line of a complete file.
    for (file, truncated) in
        [("user-agent: *\ndisallow: /\n", true), ("user-agent: *\ndisallow: /", false)]
    {
        assert!(!Robots::parse_received(file.as_bytes(), truncated).access("a", "/").allowed);
    }
    let cut = Robots::parse_received(b"user-agent: *\rdisallow: /", true);
    assert!(cut.access("a", "/").allowed && cut.rule_text(2).is_none());
    assert!(Robots::parse_received(b"disallow", true).access("a", "/").allowed);
    // Of a line this long nobody reads the end.
    let long = format!("user-agent: *\ndisallow: /{}", "x".repeat(20_000));
    let path = format!("/{}", "x".repeat(20_000));
    assert!(!Robots::parse_received(long.as_bytes(), true).access("a", &path).allowed);
}

/// The plain reading of `*` and `$`, slow and obvious, to hold the quick one against.
fn obvious(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => true,
        [b'$'] => path.is_empty(),
        [b'*', rest @ ..] => (0..=path.len()).any(|at| obvious(rest, &path[at..])),
        [first, rest @ ..] => path.first() == Some(first) && obvious(rest, &path[1..]),
    }
}

proptest::proptest! {
    #[test]
    fn patterns_match_as_the_plain_reading_does(pattern in "/[ab*$]{0,8}", path in "/[ab$]{0,10}") {
        proptest::prop_assert_eq!(
            pattern::matches(pattern.as_bytes(), path.as_bytes()),
            obvious(pattern.as_bytes(), path.as_bytes())
        );
    }

    #[test]
    fn any_bytes_are_a_file(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300), path in "/\\PC{0,20}") {
        let _ = Robots::parse(&bytes).access("Wayleave", &path);
    }
}

proptest::proptest! {
    /// Whatever the bytes, every reader of the file comes back, and says lines that exist.
    #[test]
    fn any_lines_are_a_file(file in "((?i)(user-agent|allow|disallow|content-signal|content-usage|crawl-delay|license|sitemap|noindex|# begin x managed content|# end x managed content)?[: =]{0,2}[a-zA-Z*/$,=;%0-9 \\x00\u{80}-\u{ff}]{0,12}(\r\n|\n|\r)){0,12}", path in "/[a-z/*$%]{0,8}") {
        let robots = Robots::parse(file.as_bytes());
        let lines = file.lines().count() + file.matches('\r').count() + 2;
        let access = robots.access("abc", &path);
        if let Some(line) = access.line {
            proptest::prop_assert!(usize::try_from(line).unwrap() <= lines);
            proptest::prop_assert!(robots.rule_text(line).is_some());
        }
        for fault in crate::robots_lint::find_faults(&robots) {
            proptest::prop_assert!(!fault.problem.is_empty() && !fault.fix.is_empty());
            proptest::prop_assert!(!fault.problem.chars().any(char::is_control), "{:?}", fault);
        }
        let _ = (robots.content_signals(), robots.content_usage(), robots.licenses(), robots.unknown_records(), robots.managed_blocks(), robots.crawl_delay("abc"));
    }
}
