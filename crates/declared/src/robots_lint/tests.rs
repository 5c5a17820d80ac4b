use super::find_faults;
use crate::fault::{Fault, Weight};
use crate::robots::{MAX_BYTES, Robots};

fn faults(file: &[u8]) -> Vec<Fault> {
    find_faults(&Robots::parse(file))
}

/// Codes and places.
fn found(file: &str) -> Vec<(&'static str, String)> {
    faults(file.as_bytes()).into_iter().map(|fault| (fault.code, fault.at)).collect()
}

#[test]
fn a_sound_file_has_no_faults() {
    for file in [
        "",
        "# nothing\n",
        "User-agent: *\nDisallow:\n",
        "User-agent: GPTBot\nUser-agent: Claude-User\nContent-Signal: search=yes, ai-train=no\nContent-Usage: train-ai=n\nCrawl-delay: 10\nAllow: /\nDisallow: /*.pdf$\nDisallow: *print=1\n\nSitemap: https://s.example/map.xml\nLicense: https://s.example/l.xml\nClean-param: ref\n",
        "\u{feff}User-agent: *\r\nDisallow: /møwe\r\n",
    ] {
        assert_eq!(found(file), [], "{file:?}");
    }
}

#[test]
fn each_fault_is_named_with_its_line() {
    for (file, code, line) in [
        ("Disallow: /\nUser-agent: *\nDisallow: /", "rule_before_group", 1),
        ("Crawl-delay: 1\nUser-agent: *\nDisallow: /", "rule_before_group", 1),
        (
            "User-agent: Mozilla/5.0 (compatible; GPTBot/1.2)\nDisallow: /",
            "full_user_agent_string",
            1,
        ),
        ("User-agent: iaskspider/2.0\nDisallow: /", "token_with_slash", 1),
        ("User-agent: Kangaroo Bot\nDisallow: /", "token_with_space", 1),
        ("User-agent: Ai2Bot\nDisallow: /", "token_beyond_letters", 1),
        ("User-agent:\nDisallow: /", "empty_user_agent", 1),
        ("User-agent: *\nDisallow: private/", "pattern_without_slash", 2),
        ("User-agent: *\nDisallow: /a$b", "dollar_inside", 2),
        ("User-agent: *\nDisallow: /\nSitemap: /map.xml", "relative_sitemap", 3),
        ("User-agent: *\nDisallow: /\nLicense: l.xml", "relative_license", 3),
        ("User-agent: *\nDisallow: /\nNoindex: /x", "noindex_line", 3),
        ("User-agent: *\nContent-Signals: ai-train=no\nAllow: /", "content_signal_misspelt", 2),
        ("User-agent: *\nContent-Signal: ai-train=false\nAllow: /", "signal_value", 2),
        ("User-agent: *\nContent-Signal: ai-train=no; search=yes\nAllow: /", "signal_separator", 2),
        ("User-agent: *\nContent-Signal: ai-trian=no\nAllow: /", "signal_unknown", 2),
        ("Content-Signal: ai-train=no\nUser-agent: *\nAllow: /", "signal_outside_group", 1),
        ("User-agent: *\nAllow: /\n\nContent-Signal: ai-train=no", "signal_outside_group", 4),
        ("User-agent: *\nContent-Usage: Train-AI=n\nAllow: /", "not_a_dictionary", 2),
        ("User-agent: *\nContent-Usage: /x train-genai=n\nAllow: /", "withdrawn_label", 2),
        (
            "User-agent: A\nContent-Usage: train-ai=n\nUser-agent: B\nDisallow: /",
            "content_usage_in_agent_list",
            2,
        ),
        ("User-agent: *\nPermits: ai-train\nAllow: /", "rsl_terms_in_robots", 2),
        ("User-agent: *\nDisallow /", "missing_colon", 2),
        ("User-agent: *\nDisallow: /\nplease keep out of here", "unreadable_line", 3),
        ("User-agent: *\nDisallow: /\nkeep out", "unreadable_line", 3),
        ("User-agent: *\nDisalow: /", "misspelt_name", 2),
        ("User-agent: *\nDisallow: /\nCrawl-delay: often", "bad_crawl_delay", 3),
        (
            "User-agent: *\nDisallow: /a\nUser-agent: B\nAllow: /\nUser-agent: *\nAllow: /",
            "merged_groups",
            5,
        ),
        ("User-agent: *\nDisallow: /\nUser-agent: GPTBot", "group_without_rules", 3),
        ("User-agent: *\nDisallow: /a\0b", "nul_byte", 2),
    ] {
        assert_eq!(found(file), [(code, format!("line {line}"))], "{file:?}");
    }
}

#[test]
fn a_list_ended_by_a_rule_is_not_ambiguous() {
    let file = "User-agent: A\nContent-Usage: train-ai=n\nAllow: /\nUser-agent: B\nDisallow: /";
    assert_eq!(found(file), []);
    // Two stars in one list are one group.
    assert_eq!(found("User-agent: *\nUser-agent: *\nDisallow: /"), []);
}

#[test]
fn faults_of_the_whole_file() {
    let wide: Vec<u8> =
        "User-agent: *\nDisallow: /".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let wide_be: Vec<u8> =
        "User-agent: *\nDisallow: /".encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (file, code) in [
        ([&b"\xff\xfe"[..], &wide].concat(), "utf16"),
        ([&b"\xfe\xff"[..], &wide_be].concat(), "utf16"),
        (wide, "utf16"),
        (wide_be, "utf16"),
        (b"\xff\xfe".to_vec(), "utf16_empty"),
        (b"\xfe\xff\0\n\0 ".to_vec(), "utf16_empty"),
        (b"\n <!DOCTYPE html><title>x</title>".to_vec(), "html_body"),
        (b"\xef\xbb\xbf<HTML>\nDisallow: /".to_vec(), "html_body"),
        (b"\xef\xbbUser-agent: *\nDisallow: /".to_vec(), "broken_byte_order_mark"),
    ] {
        let faults = faults(&file);
        assert_eq!(faults.first().map(|f| f.code), Some(code), "{file:?} {faults:?}");
        if code.starts_with("utf16") {
            assert_eq!(faults.len(), 1);
            assert!(Robots::parse(&file).access("GPTBot", "/").allowed, "as crawlers read it");
        }
    }
    let latin = faults(b"User-agent: *\nAllow: /\nDisallow: /m\xf8we\n");
    assert_eq!(
        latin.iter().map(|f| (f.code, f.at.as_str())).collect::<Vec<_>>(),
        [("not_utf8", "line 3")]
    );
}

#[test]
fn a_character_split_by_our_limit_is_not_a_fault() {
    let mut file = b"User-agent: *\nDisallow: /\n#".to_vec();
    file.resize(MAX_BYTES - 1, b'x');
    file.extend("ø".as_bytes());
    assert_eq!(
        faults(&file).iter().map(|f| f.code).collect::<Vec<_>>(),
        ["truncated", "long_line"]
    );
}

#[test]
fn a_long_line_is_reported() {
    let file = format!("user-agent: *\ndisallow: /{}\nallow: /\n", "x".repeat(17_000));
    assert_eq!(found(&file), [("long_line", "line 2".into())]);
}

#[test]
fn a_group_added_by_a_cdn_is_reported_as_such() {
    let file = "# BEGIN Cloudflare Managed content\nUser-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /\n# END Cloudflare Managed Content\nUser-agent: *\nDisallow: /admin\n";
    let faults = faults(file.as_bytes());
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!((faults[0].code, faults[0].at.as_str()), ("merged_groups", "line 6"));
    assert!(faults[0].problem.contains("Cloudflare"), "{}", faults[0].problem);
}

#[test]
fn a_full_user_agent_header_gets_its_token_as_fix() {
    let fault = &faults(b"User-agent: Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2)\nDisallow: /")[0];
    assert_eq!(fault.weight, Weight::Error);
    assert_ne!(fault.fix, "User-agent: Mozilla");
    assert_eq!(
        faults(b"User-agent: Mozilla/5.0 (compatible; GPTBot/1.2)\nDisallow: /")[0].fix,
        "User-agent: GPTBot"
    );
}

#[test]
fn many_faults_are_counted_and_not_all_listed() {
    let faults = faults("Disallow: /\n".repeat(5_000).as_bytes());
    assert_eq!(faults.len(), 101);
    let last = faults.last().unwrap();
    assert_eq!(last.code, "more_faults");
    assert!(last.problem.contains("4900"), "{}", last.problem);
}
