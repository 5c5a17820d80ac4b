use super::*;
use crate::robots::Robots;
use ContentUse::{Cite, Ground, Summarize, Train};
use Effect::{Allow, Conditional, Disallow};

/// The uses of the only statement, or none.
fn uses(parsed: &ParsedStatements) -> Vec<(ContentUse, Effect)> {
    assert!(parsed.statements.len() <= 1, "{parsed:?}");
    parsed.statements.first().map(|statement| statement.uses.clone()).unwrap_or_default()
}

fn codes(parsed: &ParsedStatements) -> Vec<&'static str> {
    parsed.faults.iter().map(|fault| fault.code).collect()
}

mod signals {
    use super::*;

    #[test]
    fn content_signals_map_to_uses() {
        for (value, expected) in [
            ("ai-train=no", vec![(Train, Disallow)]),
            ("search=yes, ai-train=no", vec![(Train, Disallow), (Cite, Allow)]),
            ("AI-INPUT = Yes", vec![(Ground, Allow), (Summarize, Allow)]),
            (
                "use=immediate",
                vec![(Ground, Conditional), (Summarize, Disallow), (Cite, Conditional)],
            ),
            ("use=reference", vec![(Summarize, Disallow), (Cite, Allow)]),
            ("use=full", vec![(Summarize, Allow), (Cite, Allow)]),
            // A ceiling lowers what another signal grants.
            (
                "ai-input=yes,use=reference",
                vec![(Ground, Allow), (Summarize, Disallow), (Cite, Allow)],
            ),
            ("search=no,use=full", vec![(Summarize, Allow), (Cite, Disallow)]),
            ("ai-train=yes,ai-train=no", vec![(Train, Disallow)]),
            ("ai-train=no; search=yes", vec![(Train, Disallow), (Cite, Allow)]),
            ("ai-train=false", vec![]),
            ("ai-train", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(
                uses(&content_signal::parse_value(value, Carrier::Header)),
                expected,
                "{value}"
            );
        }
    }

    #[test]
    fn content_signal_faults() {
        for (value, expected) in [
            ("search=yes, ai-train=no", vec![]),
            ("ai-train=0", vec!["signal_value"]),
            ("ai-train=allow", vec!["signal_value"]),
            ("use=partial", vec!["signal_value"]),
            ("ai-train=no;search=yes", vec!["signal_separator"]),
            ("ai-train=no, ai-train=yes", vec!["signal_repeated"]),
            ("train=no", vec!["signal_unknown"]),
            (" ", vec!["signal_empty"]),
        ] {
            assert_eq!(
                codes(&content_signal::parse_value(value, Carrier::Header)),
                expected,
                "{value}"
            );
        }
    }

    #[test]
    fn signals_of_a_file_carry_their_agents_and_lines() {
        let file = Robots::parse(b"# Content-Signal: ai-train=no\nUser-agent: GPTBot\nContent-signal: ai-train=no # x\nDisallow: /a\n\nContent-Signal: search=yes\n");
        let parsed = content_signal::from_robots(&file);
        let found: Vec<_> = parsed
            .statements
            .iter()
            .map(|s| (s.line, s.agents.join(" "), s.raw.as_str(), s.note.is_some()))
            .collect();
        assert_eq!(
            found,
            [
                (Some(3), "GPTBot".to_owned(), "Content-signal: ai-train=no", false),
                (Some(6), String::new(), "Content-Signal: search=yes", true),
            ]
        );
        // A comment that explains signals is none.
        let comment = Robots::parse(b"# search: yes\n# Content-Signal: ai-train=no\n");
        assert_eq!(content_signal::from_robots(&comment), ParsedStatements::default());
    }
}

mod preferences {
    use super::*;

    #[test]
    fn headers_are_dictionaries() {
        for (values, expected) in [
            (vec!["train-ai=n"], vec![(Train, Disallow)]),
            (vec!["train-ai=y, search=n"], vec![(Train, Allow), (Cite, Disallow)]),
            (vec!["ai-use=n"], vec![(Ground, Disallow), (Summarize, Disallow)]),
            // Several lines are one value; of one label the last counts.
            (vec!["train-ai=n", "search=y"], vec![(Train, Disallow), (Cite, Allow)]),
            (vec!["train-ai=y", "train-ai=n"], vec![(Train, Disallow)]),
            (vec!["train-ai=n, train-ai=y"], vec![(Train, Allow)]),
            (vec!["train-ai=y, train-ai"], vec![]),
            // Parameters and unknown labels are ignored.
            (vec!["train-ai=n;until=2030;x, moo=n"], vec![(Train, Disallow)]),
            (vec!["all=n, train-genai=n"], vec![]),
            // Values that are not the tokens y and n say nothing, and spoil nothing.
            (vec!["train-ai, search=y"], vec![(Cite, Allow)]),
            (vec!["train-ai=?0, search=y"], vec![(Cite, Allow)]),
            (vec!["train-ai=\"n\", search=y"], vec![(Cite, Allow)]),
            (vec!["train-ai=no, search=y"], vec![(Cite, Allow)]),
            (vec!["train-ai=Y, search=y"], vec![(Cite, Allow)]),
            (vec!["train-ai=(n), search=y"], vec![(Cite, Allow)]),
            (vec!["train-ai=1, search=y"], vec![(Cite, Allow)]),
            // What is no dictionary says nothing at all.
            (vec!["Train-AI=n, search=y"], vec![]),
            (vec!["train-ai=n,"], vec![]),
            (vec!["train-ai=n; search"], vec![(Train, Disallow)]),
            (vec!["train-ai = n"], vec![]),
            (vec!["train-ai=n, sëarch=y"], vec![]),
            (vec![""], vec![]),
            (vec![], vec![]),
        ] {
            assert_eq!(uses(&aipref::from_headers(&values)), expected, "{values:?}");
        }
    }

    #[test]
    fn faults_of_headers() {
        for (value, expected) in [
            ("train-ai=n", vec![]),
            ("train-ai=n,", vec!["not_a_dictionary"]),
            ("bots=n", vec!["withdrawn_label"]),
            ("moo=n", vec!["unknown_label"]),
            ("search", vec!["preference_value"]),
            ("", vec!["no_preference"]),
        ] {
            assert_eq!(codes(&aipref::from_headers(&[value])), expected, "{value}");
        }
    }

    /// The working group's own example, with other names.
    #[test]
    fn rules_of_a_file() {
        let file = Robots::parse(
            b"User-Agent: *\nAllow: /\nDisallow: /never/\nContent-Usage: train-ai=n\nContent-Usage: /open/ train-ai=y\n\nUser-Agent: LabBot\nAllow: /\nContent-Usage: train-ai=y\n",
        );
        for (agent, path, expected, line) in [
            ("Other", "/test", vec![(Train, Disallow)], Some(4)),
            ("Other", "/never/test", vec![], None),
            ("Other", "/open/test", vec![(Train, Allow)], Some(5)),
            ("LabBot", "/test", vec![(Train, Allow)], Some(9)),
            ("LabBot", "/never/test", vec![(Train, Allow)], Some(9)),
            ("LabBot", "/open/test", vec![(Train, Allow)], Some(9)),
        ] {
            let parsed = aipref::from_robots(&file, agent, path);
            assert_eq!(uses(&parsed), expected, "{agent} {path}");
            assert_eq!(parsed.statements.first().and_then(|s| s.line), line, "{agent} {path}");
        }
        let limited = aipref::from_robots(&file, "Other", "/open/test");
        assert_eq!(limited.statements[0].path.as_deref(), Some("/open/"));
        assert_eq!(limited.statements[0].agents, ["*"]);
        assert_eq!(limited.statements[0].raw, "Content-Usage: /open/ train-ai=y");
    }

    #[test]
    fn equal_paths_both_count() {
        let file = Robots::parse(
            b"User-agent: *\nAllow: /\nContent-Usage: /a\ttrain-ai=y\nContent-Usage: /a train-ai=n, search=y # why\nContent-Usage: train-ai=y\n",
        );
        let parsed = aipref::from_robots(&file, "x", "/a/b");
        let found: Vec<_> = parsed.statements.iter().map(|s| (s.line, s.uses.clone())).collect();
        assert_eq!(
            found,
            [(Some(3), vec![(Train, Allow)]), (Some(4), vec![(Train, Disallow), (Cite, Allow)])]
        );
    }

    #[test]
    fn a_rule_before_any_group_says_so() {
        let file = Robots::parse(b"Content-Usage: train-ai=n\nUser-agent: *\nAllow: /\n");
        let parsed = aipref::from_robots(&file, "x", "/");
        assert_eq!(uses(&parsed), [(Train, Disallow)]);
        assert!(parsed.statements[0].note.is_some() && parsed.statements[0].agents.is_empty());
    }
}

mod mining {
    use super::*;

    #[test]
    fn the_first_entry_that_matches_decides() {
        let file = br#"[
            {"location": "/shop/*", "tdm-reservation": 0},
            {"location": "/shop/deep/", "tdm-reservation": 1},
            {"location": "/%7Ejane$", "tdm-reservation": 1, "tdm-policy": "https://s.example/p.json"},
            {"location": "/old", "tdm-reservation": "1"},
            {"location": "/old", "tdm-reservation": 1},
            {"location": "/zero", "tdm-reservation": 0, "tdm-policy": "https://s.example/p.json"},
            {"location": "/", "tdm-reservation": 1}
        ]"#;
        for (path, expected) in [
            // The longer pattern comes later and loses.
            ("/shop/deep/x", vec![(Train, Allow)]),
            // Escapes of plain characters are decoded on both sides.
            ("/~jane", vec![(Train, Conditional)]),
            ("/%7ejane", vec![(Train, Conditional)]),
            ("/~jane/x", vec![(Train, Disallow)]),
            // A first match without a value says nothing.
            ("/old/x", vec![]),
            ("/zero", vec![(Train, Allow)]),
            ("/", vec![(Train, Disallow)]),
        ] {
            assert_eq!(uses(&tdmrep::from_file(file, path)), expected, "{path}");
        }
        let parsed = tdmrep::from_file(br#"[{"location": "/a", "tdm-reservation": 1}]"#, "/b");
        assert_eq!(parsed, ParsedStatements::default(), "no match is nothing said");
    }

    #[test]
    fn faults_of_files() {
        for (file, expected) in [
            (r#"[{"location": "/", "tdm-reservation": 1}]"#, vec![]),
            (r#"{"location": "/", "tdm-reservation": 1}"#, vec!["not_an_array"]),
            ("<!doctype html>", vec!["not_json"]),
            (r#"[{"location": "/", "tdm-reservation": "1"}]"#, vec!["reservation_value"]),
            (r#"[{"location": "/", "tdm-reservation": 2}]"#, vec!["reservation_value"]),
            (r#"[{"location": "/"}]"#, vec!["reservation_value"]),
            (r#"[{"tdm-reservation": 1}, 7]"#, vec!["no_location", "no_location"]),
            (r#"[{"location": "x", "tdm-reservation": 1}]"#, vec!["location_without_slash"]),
            (
                r#"[{"location": "/", "tdm-reservation": 1, "tdm-policy": "https://s.example/p.PDF?x"}]"#,
                vec!["policy_is_pdf"],
            ),
            (
                r#"[{"location": "/", "tdm-reservation": 1, "tdm-policy": "ask us"}]"#,
                vec!["policy_address"],
            ),
            (
                r#"[{"location": "/", "tdm-reservation": 0, "tdm-policy": "https://s.example/p"}]"#,
                vec!["policy_without_reservation"],
            ),
        ] {
            assert_eq!(codes(&tdmrep::from_file(file.as_bytes(), "/")), expected, "{file}");
        }
    }

    #[test]
    fn headers_and_meta() {
        assert_eq!(uses(&tdmrep::from_headers(Some(" 1 "), None)), [(Train, Disallow)]);
        assert_eq!(
            uses(&tdmrep::from_headers(Some("1"), Some("https://s.example/p"))),
            [(Train, Conditional)]
        );
        assert_eq!(uses(&tdmrep::from_meta(Some("0"), None)), [(Train, Allow)]);
        assert_eq!(uses(&tdmrep::from_headers(None, Some("https://s.example/p"))), []);
        let wrong = tdmrep::from_meta(Some("yes"), None);
        assert_eq!((uses(&wrong), codes(&wrong)), (vec![], vec!["reservation_value"]));
        assert_eq!(tdmrep::from_meta(Some("1"), None).statements[0].carrier, Carrier::Meta);
    }
}

mod licences {
    use super::*;

    fn rsl(inner: &str) -> String {
        format!("<?xml version=\"1.0\"?>\n<rsl xmlns=\"https://rslstandard.org/rsl\">{inner}</rsl>")
    }

    fn of(inner: &str) -> ParsedStatements {
        rsl::parse(rsl(inner).as_bytes(), "/news/today")
    }

    #[test]
    fn licences_map_to_uses() {
        let all =
            |effect| vec![(Train, effect), (Ground, effect), (Summarize, effect), (Cite, effect)];
        for (license, expected) in [
            ("<permits type=\"usage\">all</permits>", all(Allow)),
            ("<prohibits type=\"usage\">all</prohibits>", all(Disallow)),
            ("<prohibits type=\"usage\">ai-train</prohibits>", vec![(Train, Disallow)]),
            // What is not listed is not licensed.
            (
                "<permits type=\"usage\">search</permits>",
                vec![(Train, Disallow), (Ground, Disallow), (Summarize, Disallow), (Cite, Allow)],
            ),
            (
                "<permits type=\"usage\">ai-index, search</permits>",
                vec![(Train, Disallow), (Ground, Allow), (Summarize, Disallow), (Cite, Allow)],
            ),
            (
                "<permits type=\"usage\">ai-all\n search</permits><prohibits type=\"usage\">ai-train</prohibits>",
                vec![(Train, Disallow), (Ground, Allow), (Summarize, Allow), (Cite, Allow)],
            ),
            // A price, and anything but free is one, makes it a matter of terms.
            (
                "<permits type=\"usage\">ai-input</permits><payment type=\"crawl\"><amount currency=\"USD\">0.01</amount></payment>",
                vec![
                    (Train, Disallow),
                    (Ground, Conditional),
                    (Summarize, Conditional),
                    (Cite, Disallow),
                ],
            ),
            (
                "<permits type=\"usage\">all</permits><payment type=\"attribution\"/>",
                all(Conditional),
            ),
            ("<permits type=\"usage\">all</permits><payment type=\"free\"/>", all(Allow)),
            ("<payment type=\"training\"/>", all(Conditional)),
            ("<payment type=\"free\"/>", all(Allow)),
            // For some people or places only.
            (
                "<permits type=\"usage\">all</permits><permits type=\"user\">non-commercial</permits>",
                all(Conditional),
            ),
            ("<permits type=\"usage\"><![CDATA[all]]></permits>", all(Allow)),
            ("", vec![]),
        ] {
            let parsed = of(&format!("<content url=\"/\"><license>{license}</license></content>"));
            assert_eq!(uses(&parsed), expected, "{license}");
            assert_eq!(codes(&parsed), [] as [&str; 0], "{license}");
        }
        let server = of(
            "<content url=\"/\" server=\"https://l.example\"><license><permits type=\"usage\">all</permits></license></content>",
        );
        assert_eq!(uses(&server), all(Conditional));
        assert!(server.statements[0].raw.starts_with("<content url=\"/\" server"));
        assert_eq!(server.statements[0].path.as_deref(), Some("/"));
    }

    #[test]
    fn the_more_specific_content_wins() {
        let no = "<license><prohibits type=\"usage\">ai-train</prohibits></license>";
        let yes = "<license><permits type=\"usage\">ai-train</permits></license>";
        for (inner, expected) in [
            (
                format!("<content url=\"/\">{no}</content><content url=\"/news/\">{yes}</content>"),
                Allow,
            ),
            (
                format!(
                    "<content url=\"https://s.example/news/*\">{no}</content><content url=\"https://s.example/\">{yes}</content>"
                ),
                Disallow,
            ),
            (
                format!("<content url=\"/\">{no}</content><content url=\"/shop/\">{yes}</content>"),
                Disallow,
            ),
            // At equal length the prohibition wins, in either order.
            (
                format!("<content url=\"/\">{yes}</content><content url=\"/\">{no}</content>"),
                Disallow,
            ),
            (format!("<content url=\"/\">{no}{yes}</content>"), Disallow),
        ] {
            let found = uses(&of(&inner)).into_iter().find(|(what, _)| *what == Train);
            assert_eq!(found, Some((Train, expected)), "{inner}");
        }
        assert_eq!(uses(&of(&format!("<content url=\"/shop/\">{no}</content>"))), []);
    }

    #[test]
    fn wrong_structures_are_reported() {
        for (body, expected) in [
            (rsl("<content url=\"/\"><license><permits type=\"train-ai\">false</permits></license></content>"), vec!["rsl_type"]),
            (rsl("<content url=\"/\"><license><permits type=\"usage\">train-ai</permits></license></content>"), vec!["rsl_usage"]),
            ("<rsl><content/></rsl>".into(), vec!["rsl_namespace"]),
            ("<html><body/></html>".into(), vec!["rsl_root"]),
            ("Just words".into(), vec!["rsl_ill_formed"]),
            (String::new(), vec!["rsl_ill_formed"]),
            (rsl("<content url=\"/\"><license>").replace("</rsl>", ""), vec!["rsl_ill_formed"]),
            (rsl("<content></rsl>"), vec!["rsl_ill_formed"]),
            ("<!DOCTYPE x [<!ENTITY a \"all\">]><rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><permits type=\"usage\">&a;</permits></license></content></rsl>".into(), vec!["rsl_doctype"]),
            (rsl(&"<a>".repeat(40)), vec!["rsl_too_deep"]),
        ] {
            let parsed = rsl::parse(body.as_bytes(), "/");
            assert_eq!(codes(&parsed), expected, "{body}");
        }
    }

    #[test]
    fn an_unclosed_file_grants_nothing() {
        let body =
            rsl("<content url=\"/\"><license><permits type=\"usage\">all</permits></license>")
                .replace("</rsl>", "");
        assert_eq!(uses(&rsl::parse(body.as_bytes(), "/")), []);
    }

    #[test]
    fn entities_are_not_expanded() {
        let parsed = of(
            "<content url=\"/\"><license><permits type=\"usage\">&lol; search</permits></license></content>",
        );
        assert!(uses(&parsed).contains(&(Cite, Allow)));
    }
}

mod robots_tags {
    use super::*;

    #[test]
    fn directives_map_to_uses() {
        let answers = |effect| vec![(Ground, effect), (Summarize, effect)];
        for (value, expected) in [
            ("noai", vec![(Train, Disallow)]),
            ("noarchive", [vec![(Train, Disallow)], answers(Disallow)].concat()),
            ("nocache", [vec![(Train, Conditional)], answers(Conditional)].concat()),
            ("NOARCHIVE, NoCache", [vec![(Train, Conditional)], answers(Conditional)].concat()),
            ("nosnippet", [answers(Disallow), vec![(Cite, Conditional)]].concat()),
            ("max-snippet:0", [answers(Disallow), vec![(Cite, Conditional)]].concat()),
            (
                "max-snippet: 50, max-snippet:90",
                [answers(Conditional), vec![(Cite, Conditional)]].concat(),
            ),
            ("max-snippet:-1", vec![]),
            ("noindex", vec![(Cite, Disallow)]),
            ("none", vec![(Cite, Disallow)]),
            ("index, follow", vec![]),
            // A date with colons and commas is no agent and no directive.
            ("unavailable_after: Saturday, 30-Aug-26 15:00:00 PST, noai", vec![(Train, Disallow)]),
            ("max-image-preview:large, noindex", vec![(Cite, Disallow)]),
        ] {
            let parsed = x_robots::from_headers(&[value], &[]);
            assert_eq!(uses(&parsed), expected, "{value}");
            assert_eq!(codes(&parsed), [] as [&str; 0], "{value}");
            assert!(parsed.statements.iter().all(|s| s.agents.is_empty()), "{value}");
            assert_eq!(uses(&x_robots::from_meta(&[("Robots", value)])), expected, "{value}");
        }
    }

    #[test]
    fn prefixes_name_agents() {
        let values =
            ["googlebot: noindex, nosnippet, otherbot: noai", "noarchive", "bingbot: nocache"];
        let parsed = x_robots::from_headers(&values, &[]);
        let found: Vec<_> =
            parsed.statements.iter().map(|s| (s.agents.join(""), s.uses.len())).collect();
        assert_eq!(
            found,
            [
                ("".to_owned(), 3),
                ("bingbot".to_owned(), 3),
                ("googlebot".to_owned(), 3),
                ("otherbot".to_owned(), 1)
            ]
        );
        let only = x_robots::from_headers(&values, &["OtherBot"]);
        assert_eq!(only.statements.len(), 2, "everyone's and its own: {only:?}");
        // In a date a name must be followed by a directive to be one.
        let dated = x_robots::from_headers(
            &["unavailable_after: 25 Jun 2027 15:00:00 GMT, somebot: noai"],
            &[],
        );
        assert_eq!(dated.statements[0].agents, ["somebot"]);
    }

    #[test]
    fn one_carrier_softens_the_other() {
        let parsed = x_robots::from_page(&["noarchive"], &[("robots", "nocache")], &[]);
        for statement in &parsed.statements {
            assert!(
                statement.uses.iter().all(|(_, effect)| *effect == Conditional),
                "{statement:?}"
            );
        }
        assert_eq!(parsed.statements.len(), 2);
    }

    #[test]
    fn other_meta_elements_and_words() {
        let parsed = x_robots::from_meta(&[
            ("description", "noindex"),
            ("viewport", "noai"),
            ("GoogleBot", "nosnippet"),
            ("author", "none"),
        ]);
        assert_eq!(parsed.statements.len(), 1);
        assert_eq!(parsed.statements[0].agents, ["googlebot"]);
        assert_eq!(codes(&x_robots::from_headers(&["noindx"], &[])), ["unknown_directive"]);
        assert_eq!(
            codes(&x_robots::from_headers(&["max-snippet:few"], &[])),
            ["max_snippet_value"]
        );
        // Images alone: a statement with a note and no use.
        let images = x_robots::from_headers(&["noimageai"], &[]);
        assert!(images.statements[0].uses.is_empty() && images.statements[0].note.is_some());
    }
}

mod other_files {
    use super::*;

    #[test]
    fn ai_txt_rules_apply_by_file_type() {
        for (file, expected) in [
            ("User-Agent: *\nDisallow: /\n", vec![(Train, Disallow)]),
            ("User-Agent: *\nDisallow: /\nAllow: *.txt\n", vec![(Train, Conditional)]),
            ("User-Agent: *\nDisallow: *.html\nDisallow: *.jpg\n", vec![(Train, Conditional)]),
            ("User-Agent: *\nDisallow: *.jpg\nAllow: *.png\n", vec![]),
        ] {
            let parsed = ai_txt::parse(file.as_bytes());
            assert_eq!(uses(&parsed), expected, "{file}");
            assert!(parsed.statements[0].note.is_some() && parsed.faults.is_empty());
        }
        assert_eq!(codes(&ai_txt::parse(b"# AI policy\nWe love robots.\n")), ["ai_txt_unknown"]);
    }

    fn headers(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn payment_schemes_are_distinguished() {
        let offer = data_encoding::BASE64.encode(
            br#"{"x402Version":2,"accepts":[{"scheme":"exact","network":"eip155:8453","amount":"10000","asset":"USDC"}]}"#,
        );
        for (status, given, expected) in [
            (
                402,
                vec![("Crawler-Price", "USD 0.01")],
                Some((Mechanism::PayPerCrawl, Some("USD 0.01"))),
            ),
            (
                402,
                vec![("crawler-error", "MissingCrawlerPrice")],
                Some((Mechanism::PayPerCrawl, None)),
            ),
            (
                402,
                vec![("PAYMENT-REQUIRED", offer.as_str())],
                Some((Mechanism::X402, Some("10000 USDC eip155:8453"))),
            ),
            (402, vec![("PAYMENT-REQUIRED", "not base64!")], Some((Mechanism::X402, None))),
            (
                402,
                vec![("WWW-Authenticate", "License error=\"payment_required\"")],
                Some((Mechanism::License402, None)),
            ),
            (
                401,
                vec![("WWW-Authenticate", "Basic realm=\"x\", License error=\"invalid\"")],
                Some((Mechanism::License402, None)),
            ),
            (401, vec![("WWW-Authenticate", "Bearer realm=\"license\"")], None),
            (402, vec![], Some((Mechanism::PaymentRequired, None))),
            (403, vec![("crawler-price", "USD 1")], None),
            (200, vec![("crawler-price", "USD 1")], None),
        ] {
            let toll = payment::from_response(status, &headers(&given));
            let found = toll.as_ref().map(|toll| (toll.mechanism, toll.price.as_deref()));
            assert_eq!(found, expected, "{status} {given:?}");
            if let Some(toll) = toll {
                let statement = toll.to_statement();
                assert_eq!(
                    statement.uses,
                    [(Train, Conditional), (Ground, Conditional), (Summarize, Conditional)]
                );
                assert_eq!(statement.carrier, Carrier::Status);
            }
        }
    }

    #[test]
    fn quotations_are_short_and_safe_to_display() {
        let long = format!("ai-train=no, {}\u{7}\u{202e}", "x".repeat(500));
        let statement = &content_signal::parse_value(&long, Carrier::Header).statements[0];
        assert_eq!(statement.raw.chars().count(), 300);
        let bell = &content_signal::parse_value("ai-train=no\u{7}, search=yes", Carrier::Header);
        assert!(!bell.statements[0].raw.chars().any(char::is_control));
        assert!(bell.faults.iter().all(|f| !f.problem.chars().any(char::is_control)));
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read(
        text in "(?s)([a-z-]{0,9}[=:;,<>/\"'&!\\[\\]{} *?%0-9yn]{0,4}|noai|unavailable_after:|ai-train=no|train-ai=n|<rsl>|<content url=\"/\">|<license>|</license>|<permits type=\"usage\">|\\PC){0,12}",
        status in 400u16..404,
    ) {
        let bytes = text.as_bytes();
        let parsed = [
            content_signal::parse_value(&text, Carrier::Header),
            aipref::from_headers(&[&text]),
            aipref::from_robots(&Robots::parse(format!("user-agent: *\ncontent-usage: {text}").as_bytes()), "a", "/"),
            tdmrep::from_file(bytes, "/"),
            tdmrep::from_headers(Some(&text), Some(&text)),
            rsl::parse(bytes, "/"),
            rsl::parse(format!("<rsl>{text}</rsl>").as_bytes(), &text),
            x_robots::from_page(&[&text], &[("robots", &text), (&text, &text)], &["a"]),
            ai_txt::parse(bytes),
        ];
        for parsed in parsed {
            for statement in parsed.statements {
                proptest::prop_assert!(statement.raw.chars().count() <= 300);
                proptest::prop_assert!(!statement.raw.chars().any(char::is_control));
                let mut uses: Vec<ContentUse> = statement.uses.iter().map(|(what, _)| *what).collect();
                uses.dedup();
                proptest::prop_assert_eq!(uses.len(), statement.uses.len());
            }
            for fault in parsed.faults {
                proptest::prop_assert!(!fault.problem.chars().any(char::is_control), "{:?}", fault);
            }
        }
        let _ = payment::from_response(status, &[("www-authenticate".into(), text.clone()), ("payment-required".into(), text)]);
    }

    #[test]
    fn any_bytes_are_a_declaration(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        let _ = (tdmrep::from_file(&bytes, "/"), rsl::parse(&bytes, "/"), ai_txt::parse(&bytes));
    }
}
