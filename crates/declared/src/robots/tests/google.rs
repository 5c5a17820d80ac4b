//! Decisions that Google's open-source parser takes, in cases of our own.

use super::super::{Robots, Scope, path_of, pattern};
use super::may;

/// (file, [(agent, path, allowed)])
type Case = (&'static str, &'static [(&'static str, &'static str, bool)]);

#[test]
fn lines_groups_and_names() {
    let cases: &[Case] = &[
        // Nothing said, nobody asked, nothing asked for.
        ("", &[("Heron", "/", true), ("", "/", true)]),
        ("user-agent: Heron\ndisallow: /\n", &[("", "/", true), ("Heron", "/", false)]),
        // Names and values, colons given, forgotten and misplaced.
        ("user-agent: Heron\ndisallow: /\n", &[("Heron", "/pond/reed", false)]),
        ("bird: Heron\nkeep-out: /\n", &[("Heron", "/pond/reed", true)]),
        ("user-agent Heron\ndisallow /\n", &[("Heron", "/pond/reed", false)]),
        ("user-agent\tHeron\ndisallow \t /\n", &[("Heron", "/pond/reed", false)]),
        ("user-agent Heron now\ndisallow /\n", &[("Heron", "/pond/reed", true)]),
        (" user-agent : Heron \n\x0bdisallow:/\x0b\n", &[("Heron", "/pond", false)]),
        // Groups: rules before any are nobody's, blank lines part nothing, names join.
        (
            "allow: /gate/\n\nuser-agent: Heron\ndisallow: /\nallow: /reed/\nuser-agent: Stork\ndisallow: /\nallow: /roof/\n\n\nallow: /meadow/\nuser-agent: Crane\n\nuser-agent: Heron\nallow: /pond/\ndisallow: /\n",
            &[
                ("Heron", "/reed/b", true),
                ("Heron", "/pond/d", true),
                ("Heron", "/roof/c", false),
                ("Stork", "/roof/c", true),
                ("Stork", "/meadow/a", true),
                ("Stork", "/pond/d", false),
                ("Crane", "/pond/d", true),
                ("Heron", "/gate/", false),
                ("Stork", "/gate/", false),
                ("Crane", "/gate/", false),
            ],
        ),
        // Other records between names end no list.
        (
            "user-agent: Stork\nsitemap: https://nest.example/map.xml\nuser-agent: *\ndisallow: /\n",
            &[("Stork", "/a", false), ("Heron", "/a", false)],
        ),
        (
            "user-agent: Stork\nfeathers: white\nuser-agent: *\ndisallow: /\n",
            &[("Stork", "/a", false), ("Heron", "/a", false)],
        ),
        // Letters of names in any case.
        (
            "USER-AGENT: Heron\nALLOW: /reed/\nDISALLOW: /\n",
            &[("Heron", "/reed/y", true), ("Heron", "/a", false)],
        ),
        (
            "uSeR-aGeNt: Heron\nAlLoW: /reed/\ndIsAlLoW: /\n",
            &[("Heron", "/reed/y", true), ("Heron", "/a", false)],
        ),
        (
            "user-agent: HERON\nallow: /reed/\ndisallow: /\n",
            &[("heron", "/reed/", true), ("hErOn", "/a", false)],
        ),
        // A value counts up to its first foreign character.
        (
            "user-agent: *\ndisallow: /\nuser-agent: Grey Heron\nallow: /reed/\ndisallow: /\n",
            &[
                ("Grey", "/reed/y", true),
                ("Grey Heron", "/reed/y", false),
                ("Heron", "/reed/y", false),
            ],
        ),
        ("user-agent: Heron/3.2 (+https://h.example)\ndisallow: /\n", &[("Heron", "/", false)]),
        // Everyone's group only for those who have none of their own.
        (
            "user-agent: *\nallow: /\nuser-agent: Heron\ndisallow: /\n",
            &[("Heron", "/reed", false), ("Stork", "/reed", true)],
        ),
        (
            "user-agent: Heron\nallow: /\nuser-agent: Stork\ndisallow: /\nuser-agent: Crane\ndisallow: /\n",
            &[("Bittern", "/reed", true)],
        ),
        (
            "user-agent: *\ndisallow: /reed/\nuser-agent: Heron\ndisallow: /pond/\n",
            &[("Heron", "/reed/1", true), ("Heron", "/pond/1", false)],
        ),
        // Stars with company.
        ("user-agent: * (all)\ndisallow: /\n", &[("Heron", "/", false)]),
        ("user-agent: *\tall\ndisallow: /\n", &[("Heron", "/", false)]),
        ("user-agent: *heron\ndisallow: /\n", &[("Heron", "/", true)]),
        // An agent and everyone in one list: the agent's own group all the same.
        (
            "user-agent: Heron\nuser-agent: *\ndisallow: /a\nuser-agent: *\ndisallow: /b\n",
            &[
                ("Heron", "/b", true),
                ("Heron", "/a", false),
                ("Stork", "/b", false),
                ("Stork", "/a", false),
            ],
        ),
    ];
    table(cases);
}

#[test]
fn misspelt_and_prefixed_names() {
    for key in [
        "disallow",
        "dissallow",
        "dissalow",
        "disalow",
        "diasllow",
        "disallaw",
        "disallows",
        "DISALLOWED",
    ] {
        assert!(!may(&format!("user-agent: Heron\n{key}: /"), "Heron", "/x"), "{key}");
    }
    for key in ["user-agent", "useragent", "user agent", "user-agents", "UserAgent"] {
        assert!(!may(&format!("{key}: Heron\ndisallow: /"), "Heron", "/x"), "{key}");
    }
    // Nothing is forgiven to allow.
    for key in ["alow", "aloow", "al-low", "permit"] {
        assert!(!may(&format!("user-agent: Heron\ndisallow: /\n{key}: /"), "Heron", "/x"), "{key}");
    }
    assert_eq!(Robots::parse(b"site-map: https://n.example/m.xml").sitemaps.len(), 1);
}

#[test]
fn tokens_with_digits_mean_the_whole_word() {
    let file = "user-agent: Ai2Bot\ndisallow: /\nuser-agent: 360Spider\ndisallow: /\n";
    for (agent, allowed) in [
        ("Ai2Bot", false),
        ("ai2bot", false),
        ("360Spider", false),
        ("Ai2Bot-Dolma", true),
        ("Ai", false),
        ("A", true),
    ] {
        assert_eq!(may(file, agent, "/"), allowed, "{agent}");
    }
    assert!(may("user-agent: iaskspider/2.0\ndisallow: /", "iaskspider/2.0", "/"));
    assert!(!may("user-agent: iaskspider/2.0\ndisallow: /", "iaskspider", "/"));
}

#[test]
fn the_longest_rule_wins() {
    let cases: &[Case] = &[
        ("disallow: /reed/nest.html\nallow: /reed/\n", &[("", "/reed/nest.html", false)]),
        (
            "allow: /reed/nest.html\ndisallow: /reed/\n",
            &[("", "/reed/nest.html", true), ("", "/reed/", false)],
        ),
        ("disallow: \nallow: \n", &[("", "/reed/nest.html", true)]),
        ("disallow:\n", &[("", "/reed", true)]),
        ("disallow: /\nallow: /\n", &[("", "/reed/nest.html", true)]),
        ("disallow: /reed\nallow: /reed/\n", &[("", "/reed", false), ("", "/reed/", true)]),
        ("disallow: /reed/nest.html\nallow: /reed/nest.html\n", &[("", "/reed/nest.html", true)]),
        ("allow: /nest\ndisallow: /*.html\n", &[("", "/nest.html", false), ("", "/nest", true)]),
        (
            "allow: /reed/nest.\ndisallow: /*.html\n",
            &[("", "/reed/nest.html", true), ("", "/reed/egg.html", false)],
        ),
        ("allow: /n\ndisallow: /\n", &[("", "/nest", true)]),
        ("allow: /pond\ndisallow: /pond\n", &[("", "/pond/nest", true)]),
        ("allow: /nest\ndisallow: /*.htm\n", &[("", "/nest.htm", false)]),
        ("allow: /$\ndisallow: /\n", &[("", "/", true), ("", "/nest.html", false)]),
        ("disallow: /Reed/\n", &[("", "/reed/x", true), ("", "/Reed/x", false)]),
    ];
    table_for_everyone(cases);
}

#[test]
fn prefixes_stars_and_ends() {
    let under = "disallow: /\nallow: ";
    for (allow, yes, no) in [
        (
            "/eel",
            &[
                "/eel",
                "/eel.html",
                "/eel/smoked.html",
                "/eelgrass",
                "/eelgrass/long.html",
                "/eel.html?id=9",
            ][..],
            &["/cod", "/Eel.asp", "/moray-eel", "/?id=eel"][..],
        ),
        (
            "/eel*",
            &["/eel", "/eel.html", "/eel/smoked.html", "/eelgrass", "/eel.html?id=9"],
            &["/cod", "/Eel.cod", "/moray-eel", "/?id=eel"],
        ),
        (
            "/eel/",
            &["/eel/", "/eel/?smoked", "/eel/smoked.html"],
            &["/cod", "/eel", "/eel.html", "/Eel/Smoked.html"],
        ),
        (
            "/*.cgi",
            &[
                "/a.cgi",
                "/b/a.cgi",
                "/b/a.cgi?p=1",
                "//b/any.cgi.old.html",
                "/a.cgi/",
                "/list?f=a.cgi/",
            ],
            &["/cod", "/cgi/", "/list?cgi", "/windows.CGI"],
        ),
        (
            "/*.cgi$",
            &["/a.cgi", "/b/a.cgi"],
            &["/a.cgi?p=1", "/a.cgi/", "/a.cgi5", "/cgi/", "/a?cgi", "/aacgiaa", "//windows.CGI"],
        ),
        ("/eel*.cgi", &["/eel.cgi", "/eelgrass/moray.cgi?p=1"], &["/cod", "/Eel.CGI"]),
        ("/a$b", &["/a$b", "/a$bc"], &["/a", "/ab"]),
        ("*/z$", &["/z", "/y/z"], &["/z/"]),
        ("/**x*$", &["/x", "/axa"], &["/a"]),
    ] {
        for (paths, wanted) in [(yes, true), (no, false)] {
            for path in paths {
                assert_eq!(
                    may(&format!("user-agent: *\n{under}{allow}"), "Heron", path),
                    wanted,
                    "{allow} {path}"
                );
            }
        }
    }
    table_for_everyone(&[
        (
            "disallow: /pond/reed/egg\nallow: /pond/*/eel\n",
            &[("", "/pond/reed/egg", false), ("", "/pond/egg", true), ("", "/pond//egg", true)],
        ),
        (
            "disallow: /pond/reed$\nallow: /pond/reed/eel\n",
            &[("", "/pond/reed", false), ("", "/pond/reed/eel", true), ("", "/pond/reed/", true)],
        ),
        (
            "# disallow: /\ndisallow: /pond/egg#shell\nallow: /\n",
            &[("", "/pond/reed", true), ("", "/pond/egg", false)],
        ),
    ]);
}

#[test]
fn an_index_page_that_is_allowed_opens_its_folder() {
    table_for_everyone(&[(
        "allow: /hall/index.html\ndisallow: /\n",
        &[
            ("", "/hall/", true),
            ("", "/hall/index.htm", false),
            ("", "/hall/index.html", true),
            ("", "/hall/x", false),
            ("", "/hall", false),
        ],
    )]);
    table_for_everyone(&[(
        "allow: /hall/index.htm\ndisallow: /\n",
        &[("", "/hall/", true), ("", "/hall/index.html", true)],
    )]);
    // Not the other way round, and not for what only looks like it.
    table_for_everyone(&[("disallow: /hall/index.html\n", &[("", "/hall/", true)])]);
    table_for_everyone(&[("allow: /hall/my-index.html\ndisallow: /\n", &[("", "/hall/", false)])]);
    // With a star before it.
    table_for_everyone(&[(
        "allow: /*/index.html\ndisallow: /\n",
        &[("", "/hall/", true), ("", "/", false)],
    )]);
}

#[test]
fn encoding_of_patterns() {
    table_for_everyone(&[
        (
            "disallow: /\nallow: /a/b?k=v&u=http://c.example?d&e\n",
            &[("", "/a/b?k=v&u=http://c.example?d&e", true)],
        ),
        // Two and three bytes above ASCII; the path has to come encoded.
        (
            "disallow: /\nallow: /møwe/€\n",
            &[("", "/m%C3%B8we/%E2%82%AC", true), ("", "/møwe/€", false)],
        ),
        ("disallow: /\nallow: /m%C3%B8we\n", &[("", "/m%C3%B8we", true), ("", "/møwe", false)]),
        ("disallow: /\nallow: /m%c3%b8we\n", &[("", "/m%C3%B8we", true)]),
        // Escapes of plain letters stay as they are.
        ("disallow: /\nallow: /%65%65l\n", &[("", "/eel", false), ("", "/%65%65l", true)]),
    ]);
    for (pattern, escaped) in [
        ("https://n.example", "https://n.example"),
        ("/a/b/c", "/a/b/c"),
        ("ø", "%C3%B8"),
        ("%bd", "%BD"),
        ("%b", "%b"),
        ("%%bd%zz", "%%BD%zz"),
    ] {
        let found = pattern::percent_encoded(pattern.as_bytes()).unwrap_or_else(|| pattern.into());
        assert_eq!(String::from_utf8(found).unwrap(), escaped, "{pattern}");
    }
}

#[test]
fn paths_of_addresses() {
    for (url, path) in [
        ("", "/"),
        ("https://nest.example", "/"),
        ("https://nest.example/", "/"),
        ("https://nest.example/a/", "/a/"),
        ("https://nest.example/a/b?c=https://d.example/", "/a/b?c=https://d.example/"),
        ("https://nest.example/a?b=c#part", "/a?b=c"),
        ("nest.example", "/"),
        ("nest.example/a/b", "/a/b"),
        ("nest.example?a", "/?a"),
        ("nest.example/a;b#c", "/a;b"),
        ("nest.example#a/b", "/"),
        ("//nest/b/c", "/b/c"),
        ("/a", "/a"),
        ("a", "/"),
        ("a/b", "/b"),
    ] {
        assert_eq!(path_of(url), path, "{url}");
    }
}

#[test]
fn a_long_line_is_cut_where_google_cuts_it() {
    // The whole line may have 2083 * 8 - 1 bytes.
    let room = 2_083 * 8 - 1 - "disallow: ".len();
    let long_path = format!("/{}", "e".repeat(room - 1));
    let file = format!("user-agent: Heron\ndisallow: {long_path}/eel\n");
    assert!(may(&file, "Heron", "/cod"));
    assert!(!may(&file, "Heron", &format!("{long_path}/cod")), "cut rules still count");
    let one_less = long_path.strip_suffix('e').unwrap();
    assert!(may(&file, "Heron", one_less), "and no shorter than that");
    let room = 2_083 * 8 - 1 - "allow: ".len();
    let long_path = format!("/{}", "o".repeat(room - 1));
    let file = format!("user-agent: Heron\ndisallow: /\nallow: {long_path}/eel\n");
    assert!(!may(&file, "Heron", "/"));
    assert!(
        may(&file, "Heron", &format!("{long_path}/eel"))
            && may(&file, "Heron", &format!("{long_path}/cod"))
    );
}

#[test]
fn every_kind_of_line_ending_counts_once() {
    for file in [
        "user-agent: a\nallow: /x\nuser-agent: b\n\n\ndisallow: /\n",
        "user-agent: a\r\nallow: /x\r\nuser-agent: b\r\n\r\n\r\ndisallow: /\r\n",
        "user-agent: a\rallow: /x\ruser-agent: b\r\r\rdisallow: /\r",
        "user-agent: a\nallow: /x\nuser-agent: b\n\n\ndisallow: /",
        "user-agent: a\nallow: /x\r\nuser-agent: b\n\r\n\ndisallow: /",
    ] {
        let robots = Robots::parse(file.as_bytes());
        assert_eq!(robots.access("a", "/x").line, Some(2), "{file:?}");
        assert_eq!(robots.access("b", "/x").line, Some(6), "{file:?}");
        assert_eq!(robots.rule_text(6).as_deref(), Some("disallow: /"), "{file:?}");
        assert_eq!(robots.access("b", "/").scope, Scope::Named);
    }
}

#[test]
fn marks_count_only_at_the_start() {
    let broken = [&b"\xef\x11\xbf"[..], b"user-agent: a\nuser-agent: b\ndisallow: /"].concat();
    let robots = Robots::parse(&broken);
    assert!(robots.access("a", "/").allowed && !robots.access("b", "/").allowed);
    let inside = b"user-agent: a\n\xef\xbb\xbfdisallow: /\n";
    assert!(Robots::parse(inside).access("a", "/").allowed);
}

#[test]
fn a_zero_byte_ends_its_line() {
    assert!(!may("user-agent: a\ndisallow: /x\0y\n", "a", "/x"));
    assert!(may("user-agent: a\n\0disallow: /x\n", "a", "/x"));
}

fn table(cases: &[Case]) {
    for (file, expectations) in cases {
        for (agent, path, allowed) in *expectations {
            assert_eq!(may(file, agent, path), *allowed, "{file:?} {agent} {path}");
        }
    }
}

fn table_for_everyone(cases: &[Case]) {
    for (rules, expectations) in cases {
        for (_, path, allowed) in *expectations {
            let file = format!("user-agent: *\n{rules}");
            assert_eq!(may(&file, "Heron", path), *allowed, "{rules:?} {path}");
        }
    }
}
