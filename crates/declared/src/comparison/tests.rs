//! Tests of the comparison on made-up sites: what is drawn by chance is never blamed on an identity,
//! what follows the identity always is.

use proptest::prelude::*;

use super::*;
use crate::page::Page;

const TEXT: &str = "The ferry leaves the north quay at seven, at nine and at noon, and comes back an hour later each \
    time. A crossing takes forty minutes when the sea is calm and an hour when it is not. Tickets are sold on \
    board, in coins or by card, and children under six travel free with a grown-up who keeps hold of them.";

fn page(body: &str) -> ComparedPage {
    let html = format!("<!doctype html><title>Ferry</title><main><p>{TEXT}</p>{body}</main>");
    ComparedPage::new(&Page::read(html.as_bytes(), Some("text/html")), "ferry.example", false)
}

fn readings<'a>(pages: &'a [(&'static str, Reader, ComparedPage)]) -> Vec<ComparedReading<'a>> {
    pages
        .iter()
        .map(|(identity, reader, page)| ComparedReading { identity, reader: *reader, page })
        .collect()
}

fn suspects(pages: &[(&'static str, Reader, ComparedPage)]) -> Vec<String> {
    find_suspects(&readings(pages)).identities.into_iter().collect()
}

const LONG_OFFER: &str = "<p>Please buy our newest subscription today because nothing else on this page is meant for \
    you at all, and whoever reads this far has been told that there is nothing more to be found here.</p>";

#[test]
fn a_text_that_a_person_got_too_is_not_suspected() {
    let (a, b) = (page(""), page(LONG_OFFER));
    let people = |control: &ComparedPage| {
        vec![
            ("browser", Reader::Browser, a.clone()),
            ("browser", Reader::Browser, a.clone()),
            ("control", Reader::Control, control.clone()),
            ("gptbot", Reader::Ai, b.clone()),
            ("claudebot", Reader::Ai, a.clone()),
        ]
    };
    assert_eq!(suspects(&people(&a)), ["gptbot"]);
    assert_eq!(suspects(&people(&b)), [""; 0]);
}

/// Compression makes readers reach the size limit at different places of the same page.
#[test]
fn of_a_page_that_was_cut_only_what_was_read_is_compared() {
    let whole = page(LONG_OFFER);
    let cut = ComparedPage { is_cut: true, ..page("") };
    assert!(cut.is_same(&whole, Facet::Text) && whole.is_same(&cut, Facet::Text));
    assert!(!page("").is_same(&whole, Facet::Text), "a shorter page that is complete is another");
    // What was read of the other page is longer than this complete one.
    let cut_later = ComparedPage { is_cut: true, ..whole };
    assert!(!page("").is_same(&cut_later, Facet::Text));
    assert!(cut.is_same(&cut_later, Facet::Text), "both are cut");
    let nothing = ComparedPage { is_cut: true, ..ComparedPage::default() };
    assert!(!nothing.is_same(&cut_later, Facet::Text), "nothing was read");
}

#[test]
fn other_contacts_and_prices_are_suspected_and_missing_ones_are_not() {
    let shop = |contact: &str| page(&format!("<p>{contact}</p>"));
    let own = shop("Phone 020 7946 0123, 12 Harbour Street, hello@ferry.example. Return 14.50 EUR");
    for other in [
        "Phone 020 7946 0999, 12 Harbour Street, hello@ferry.example. Return 14.50 EUR",
        "Phone 020 7946 0123, 99 Quarry Road, hello@ferry.example. Return 14.50 EUR",
        "Phone 020 7946 0123, 12 Harbour Street, win@prize.example. Return 14.50 EUR",
        "Phone 020 7946 0123, 12 Harbour Street, hello@ferry.example. Return 19.50 EUR",
    ] {
        let pages = [
            ("browser", Reader::Browser, own.clone()),
            ("browser", Reader::Browser, own.clone()),
            ("gptbot", Reader::Ai, shop(other)),
        ];
        assert_eq!(suspects(&pages), ["gptbot"], "{other}");
    }
    let abroad =
        shop("Phone +44 20 7946 0123, 12 Harbour Street, hello@ferry.example. Return 14.50 EUR");
    assert!(own.is_same(&abroad, Facet::Contacts) && own.is_same(&abroad, Facet::Prices));
    // A page without them has no other ones.
    let without = shop("");
    assert!(own.is_same(&without, Facet::Contacts) && own.is_same(&without, Facet::Prices));
    let declared = |number: &str| {
        page(&format!(
            "<script type=\"application/ld+json\">{{\"@context\":\"https://schema.org\",\"@type\":\"LocalBusiness\",\
             \"name\":\"Ferry\",\"telephone\":\"{number}\"}}</script>"
        ))
    };
    let pages = [
        ("browser", Reader::Browser, declared("+44 20 7946 0123")),
        ("gptbot", Reader::Ai, declared("+44 20 7946 0999")),
    ];
    assert_eq!(suspects(&pages), ["gptbot"]);
}

#[test]
fn a_rule_against_everything_but_browsers_needs_all_the_others() {
    let (a, b) = (page(""), page(LONG_OFFER));
    let mut pages = vec![
        ("browser", Reader::Browser, a.clone()),
        ("control", Reader::Control, b.clone()),
        ("gptbot", Reader::Ai, b.clone()),
        ("claudebot", Reader::Ai, b.clone()),
    ];
    let found = find_suspects(&readings(&pages));
    assert!(found.control_with_ai && found.identities.len() == 2);
    // One crawler with the browser's page: the others match the control client's.
    pages.push(("ccbot", Reader::Ai, a));
    assert_eq!(find_suspects(&readings(&pages)), Suspects::default());
}

#[test]
fn a_page_that_scripts_fill_is_compared_with_nothing() {
    let shell = Page::read(b"<title>x</title><div id=root></div><script src=a.js></script>", None);
    let shell = ComparedPage::new(&shell, "ferry.example", false);
    assert!(shell.is_script_shell);
    let pages = [
        ("browser", Reader::Browser, shell.clone()),
        ("browser", Reader::Browser, shell),
        ("gptbot", Reader::Ai, page("")),
    ];
    assert_eq!(suspects(&pages), [""; 0]);
}

fn trial(order: &[bool], mut draw: impl FnMut(bool, usize) -> ComparedPage) -> [TrialOutcome; 3] {
    let pages: Vec<ComparedPage> =
        order.iter().enumerate().map(|(at, suspect)| draw(*suspect, at)).collect();
    let reads: Vec<TrialReading<'_>> = order
        .iter()
        .zip(&pages)
        .map(|(is_suspect, page)| TrialReading { is_suspect: *is_suspect, page })
        .collect();
    Facet::ALL.map(|facet| run_trial(&reads, facet))
}

#[test]
fn what_follows_the_identity_is_found_whatever_the_order() {
    let (own, other) = (page(""), page(LONG_OFFER));
    for seed in 0..20 {
        let order = trial_order(TRIAL_REFERENCE_READS, TRIAL_SUSPECT_READS, seed);
        let [text, prices, contacts] =
            trial(&order, |suspect, _| if suspect { other.clone() } else { own.clone() });
        assert_eq!(text, TrialOutcome::FollowsIdentity { splits: 6_435 });
        assert!(matches!(prices, TrialOutcome::Chance { .. }));
        assert!(matches!(contacts, TrialOutcome::Chance { .. }));
    }
}

/// Every order of the slots is tried against sites that alternate, change once, or draw: the share of
/// orders that lead to an accusation is at most the stated one.
#[test]
fn a_site_that_does_not_look_at_the_identity_is_hardly_ever_accused() {
    let (own, other) = (page(""), page(LONG_OFFER));
    type Site = fn(usize) -> bool;
    let sites: [Site; 4] = [|at| at % 2 == 0, |at| at < 8, |at| at * 7 % 15 < 7, |at| at == 3];
    for site in sites {
        let accused = (0..500)
            .filter(|seed| {
                let order = trial_order(8, 7, *seed);
                let outcomes =
                    trial(&order, |_, at| if site(at) { other.clone() } else { own.clone() });
                outcomes.iter().any(|o| matches!(o, TrialOutcome::FollowsIdentity { .. }))
            })
            .count();
        assert!(accused <= 2, "{accused} of 500");
    }
}

#[test]
fn too_few_reads_decide_nothing() {
    let own = page("");
    let read = |is_suspect| TrialReading { is_suspect, page: &own };
    assert_eq!(run_trial(&[], Facet::Text), TrialOutcome::TooFew { splits: 0 });
    let few: Vec<_> = [true, false, true, false, true, false].map(read).to_vec();
    assert_eq!(run_trial(&few, Facet::Text), TrialOutcome::TooFew { splits: 10 });
    let many = vec![read(true); MAX_TRIAL_READS + 1];
    assert!(matches!(run_trial(&many, Facet::Text), TrialOutcome::TooFew { .. }));
}

proptest! {
    #[test]
    fn any_text_can_be_compared(text in "\\PC{0,300}") {
        let one = page(&text);
        for facet in Facet::ALL {
            prop_assert!((one.similarity(&one, facet) - 1.0).abs() < 1e-9);
            prop_assert!(one.is_same(&one, facet));
        }
    }
}
