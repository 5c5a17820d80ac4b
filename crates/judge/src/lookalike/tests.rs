use contract::NamePolicy;
use proptest::prelude::*;

use super::*;

fn domain(name: &str) -> Domain {
    let policy = NamePolicy {
        allow_suffixes: vec!["example".to_owned(), "lab".to_owned()],
        ..NamePolicy::default()
    };
    Domain::parse(name, &policy).unwrap()
}

fn of(name: &str) -> Impersonation {
    impersonation(&domain(name), Ranking::built_in(), &ObservedSite::default())
}

#[test]
fn imitations_are_reported_by_class() {
    use ImpersonationVerdict::{Lookalike, Suspected};
    use LikenessClass::{
        Bitsquat, BrandSubdomain, BrandWithLure, BrandWithWord, Confusable, DoubledLetter,
        Hyphenation, IdnHomograph, Insertion, Omission, OtherSuffix, Replacement, Transposition,
    };
    for (name, imitated, class, verdict) in [
        // Characters that look alike.
        ("paypa1.example", "paypal.com", Confusable, Suspected),
        ("paypai.com", "paypal.com", Confusable, Suspected),
        ("g00gle.example", "google.com", Confusable, Suspected),
        ("rnicrosoft.com", "microsoft.com", Confusable, Suspected),
        ("vvhatsapp.example", "whatsapp.com", Confusable, Suspected),
        ("arnazon.example", "amazon.com", Confusable, Suspected),
        ("xn--80ak6aa92e.com", "apple.com", IdnHomograph, Suspected),
        ("раураӏ.example", "paypal.com", IdnHomograph, Suspected),
        ("gооgle.example", "google.com", IdnHomograph, Suspected),
        ("pàypal.example", "paypal.com", IdnHomograph, Suspected),
        ("ebаy.example", "ebay.com", IdnHomograph, Suspected),
        // An accent makes a word, not an imitation.
        ("médium.example", "medium.com", IdnHomograph, Lookalike),
        // Names and words.
        ("paypal-login.example", "paypal.com", BrandWithLure, Suspected),
        ("secure-paypal.example", "paypal.com", BrandWithLure, Suspected),
        ("paypallogin.example", "paypal.com", BrandWithLure, Suspected),
        ("loginpaypal.example", "paypal.com", BrandWithLure, Suspected),
        ("ebay-payment.example", "ebay.com", BrandWithLure, Suspected),
        ("apple-id-verify.example", "apple.com", BrandWithLure, Suspected),
        ("apple-pay.example", "apple.com", BrandWithLure, Lookalike),
        ("paypa1-shop.example", "paypal.com", Confusable, Suspected),
        ("netflix-fans.example", "netflix.com", BrandWithWord, Lookalike),
        ("facebookonline.example", "facebook.com", BrandWithWord, Lookalike),
        // In subdomains.
        ("paypal.com.login.evil.example", "paypal.com", BrandSubdomain, Suspected),
        ("paypal.com.evil.example", "paypal.com", BrandSubdomain, Lookalike),
        ("paypal-login.evil.example", "paypal.com", BrandSubdomain, Lookalike),
        ("paypa1.evil.example", "paypal.com", Confusable, Suspected),
        ("paypal-login.github.io", "paypal.com", BrandWithLure, Suspected),
        // Typos.
        ("goolge.com", "google.com", Transposition, Lookalike),
        ("gogle.com", "google.com", Omission, Lookalike),
        ("gooogle.com", "google.com", DoubledLetter, Lookalike),
        ("googlke.com", "google.com", Insertion, Lookalike),
        ("faceboik.com", "facebook.com", Replacement, Lookalike),
        ("mycrosoft.com", "microsoft.com", Bitsquat, Lookalike),
        ("facebok.example", "facebook.com", Omission, Lookalike),
        ("face-book.example", "facebook.com", Hyphenation, Lookalike),
        ("paypal.example", "paypal.com", OtherSuffix, Lookalike),
    ] {
        let found = of(name);
        assert_eq!(found.verdict, verdict, "{name}: {found:?}");
        let first = found.likeness.first().unwrap_or_else(|| panic!("{name} is like nothing"));
        assert_eq!((first.of.as_str(), &first.class), (imitated, &class), "{name}: {found:?}");
        assert!(!first.why.is_empty());
    }
}

#[test]
fn what_only_sounds_alike_stays_quiet() {
    for name in [
        // In the ranking, or under it.
        "paypal.com",
        "login.paypal.com",
        "paypal-login.paypal.com",
        "accounts.google.com",
        "github.io",
        "amazon.co.uk",
        // Too short.
        "xy.example",
        "cat.example",
        "vk.example",
        "ups-shop.example",
        "lbm.example",
        // Words of everyday language.
        "apple-pie.example",
        "orange.example",
        "applle.example",
        "targets.example",
        "delta-force.example",
        "chess-club.example",
        "weather-bank.lab.example",
        "shop.example",
        "hotel.example",
        "stripes.example",
        // Far from any name.
        "modern-furniture.example",
        "bakery-in-town.example",
        "notpaypal.example",
        "payroll.example",
        "secure-login.example",
        "mybank.example",
        "bankwest.example",
        "paychex.example",
        // Services of others, named in a company's own domain.
        "github.company.example",
        "slack.company.example",
        "google.company.example",
        // Ordinary words in other scripts.
        "пример.example",
        "bücher.example",
        "日本語.example",
        "xn--zzzzzzzzz.example",
        "360-grad.example",
        "24-7.example",
    ] {
        // Some of these are not valid domains; none may be suspected.
        let Ok(domain) = Domain::parse(
            name,
            &NamePolicy { allow_suffixes: vec!["example".to_owned()], ..NamePolicy::default() },
        ) else {
            assert!(name.starts_with("xn--") || name == "github.io", "{name} is no domain");
            continue;
        };
        let found = impersonation(&domain, Ranking::built_in(), &ObservedSite::default());
        assert_eq!(found.verdict, ImpersonationVerdict::NoLookalike, "{name}: {found:?}");
        assert!(found.likeness.is_empty());
        assert_eq!(found.brand_frame, Ranking::built_in().description());
    }
}

#[test]
fn no_name_of_the_list_is_like_another_of_it() {
    let ranking = Ranking::built_in();
    for place in 0..ranking.len() {
        let found = find_likenesses(ranking.name(place), ranking);
        assert!(found.is_empty(), "{}: {found:?}", ranking.name(place));
    }
}

#[test]
fn a_spare_name_of_the_owner_is_not_suspected() {
    let led = |host: &str| ObservedSite { final_host: Some(host.to_owned()) };
    let name = domain("paypa1.example");
    for (host, verdict) in [
        ("www.paypal.com", ImpersonationVerdict::Lookalike),
        ("paypa1.example", ImpersonationVerdict::Suspected),
        ("paypal.com.evil.example", ImpersonationVerdict::Suspected),
        ("google.com", ImpersonationVerdict::Suspected),
    ] {
        let found = impersonation(&name, Ranking::built_in(), &led(host));
        assert_eq!(found.verdict, verdict, "{host}");
        assert_eq!(
            found.likeness[0].why.ends_with("redirects to that name."),
            host == "www.paypal.com"
        );
    }
    let german = impersonation(&domain("arnazon.example"), Ranking::built_in(), &led("amazon.de"));
    assert_eq!(german.verdict, ImpersonationVerdict::Lookalike);
}

#[test]
fn lower_ranks_have_fewer_findings() {
    // Seven thousand names rank above the imitated one.
    let mut lines: String = (0..7_000).map(|n| format!("filler{n}x.lab\n")).collect();
    lines.push_str("quixotry.lab\nquixotryhouse.lab\n");
    let ranking = Ranking::parse(&lines).unwrap();
    let of = |name: &str| impersonation(&domain(name), &ranking, &ObservedSite::default());
    // Not suspected: the name is not well known.
    let looks = of("qu1xotry.lab");
    assert_eq!(looks.verdict, ImpersonationVerdict::Lookalike);
    assert_eq!((looks.likeness[0].rank, looks.likeness[0].of.as_str()), (7_001, "quixotry.lab"));
    assert_eq!(of("quixotryhuose.lab").likeness[0].class, LikenessClass::Transposition);
    for quiet in ["quixotry.example", "quixotry-login.lab", "quixotry.com.lab"] {
        assert_eq!(of(quiet).verdict, ImpersonationVerdict::NoLookalike, "{quiet}");
    }
}

#[test]
fn no_more_is_listed_than_agreed() {
    let lines: String = ('a'..='z').map(|c| format!("northernligh{c}.lab\n")).collect();
    let ranking = Ranking::parse(&lines).unwrap();
    let found = impersonation(&domain("northernligh.lab"), &ranking, &ObservedSite::default());
    assert_eq!(found.likeness.len(), Impersonation::MAX_LIKENESS);
    let ranks: Vec<u64> = found.likeness.iter().map(|likeness| likeness.rank).collect();
    assert_eq!(ranks, [1, 2, 3, 4, 5]);
}

proptest! {
    #[test]
    fn never_panics_and_is_deterministic(host in "[a-z0-9.-]{0,80}") {
        let once = find_likenesses(&host, Ranking::built_in());
        prop_assert_eq!(once, find_likenesses(&host, Ranking::built_in()));
    }

    #[test]
    fn never_panics_on_punycode(left in "(xn--)?[a-z0-9-]{0,59}", right in "xn--[a-z0-9-]{0,59}") {
        let _ = find_likenesses(&format!("{left}.{right}.example"), Ranking::built_in());
        let _ = find_likenesses(&format!("{right}.{left}"), Ranking::built_in());
    }

    #[test]
    fn never_panics_on_any_text(host in "\\PC{0,60}", file in "(\\PC{0,20}\n){0,6}") {
        let _ = find_likenesses(&host, Ranking::built_in());
        let _ = Ranking::parse(&file);
    }
}
