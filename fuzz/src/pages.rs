//! Style sheets of pages, and the comparison of two pages.

use declared::comparison::{
    ComparedPage, ComparedReading, Facet, Reader, TRIAL_REFERENCE_READS, TRIAL_SUSPECT_READS,
    TrialOutcome, TrialReading, differs_from_people, find_suspects, pages_differ, run_trial,
    trial_order,
};
use declared::page::{Page, TextSurface};

use crate::{split_bytes, text};

pub(super) const STYLE_SHEETS_SEEDS: &[&[u8]] = &[
    b"<link rel=stylesheet href=a.css><div class=a id=b><p>seen <b>or not</b></p></div>\0.a>p,#b b:nth-child(2n+1){display:none!important}",
    b"<style>@media print{.a{display:none}}@media (min-width:40em) and (not (hover)){.a{left:-9999px;position:absolute}}</style><p class=a>x y z\0",
    b"<link rel=stylesheet href=a.css><p class='a b'>words here</p>\0:root{--c:#fff;--d:var(--c)}.a{color:var(--d);background:rgb(255 255 255/.9)}@layer x{.b{font-size:calc(1px*0)}}",
    b"<link rel=stylesheet href=a.css><ul><li>one<li>two</ul>\0ul{li:not(:first-child,.x)~&{clip-path:inset(50%)}@supports not (a:b){opacity:0}}@import url(x);a:hover{}",
    b"<p style='text-indent:-999em;transform:translate(-9999px);visibility:hidden'>a b</p><details><summary> </summary>c d</details>\0",
];

/// A page, a NUL, and its style sheet. Styles hide text or show it; they never change what it is.
pub(super) fn style_sheets(data: &[u8]) {
    let (html, css) = split_bytes(data);
    let css = text(css);
    let plain = Page::read(html, None);
    let styled = Page::read_with_styles(html, None, &|_| Some(css.as_ref()));
    assert_eq!(styled.text, plain.text);
    assert_eq!(styled.title, plain.title);
    assert_eq!(styled.style_sheets, plain.style_sheets);
    for page in [&plain, &styled] {
        // What people see, and what is hidden from them between tags, is text of the page.
        let words: std::collections::BTreeSet<&str> = page.text.split(' ').collect();
        let hidden = page.hidden.iter().filter(|hidden| {
            matches!(hidden.surface, TextSurface::CssHidden | TextSurface::HiddenAttribute)
        });
        assert!(hidden.into_iter().all(|hidden| hidden.text.len() <= 128 << 10));
        for line in page.visible.lines() {
            let inner: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
            // The first and the last word of a part may be cut where another part begins.
            for word in inner.iter().skip(1).take(inner.len().saturating_sub(2)) {
                assert!(words.contains(word), "{word:?} is seen but not in the text");
            }
        }
    }
}

pub(super) const COMPARISON_SEEDS: &[&[u8]] = &[
    b"<p>Tins from $5. Call <a href=tel:+442079460000>us</a> at 1 High Street, Leeds LS1 1AA.\0<p>Tins from $9. Call <a href=tel:+442079460009>us</a> at 7 Low Street, York YO1 1AA.",
    b"<main>one two three four five six seven eight nine ten</main>\0<main>one two three four five six seven eight nine eleven</main>",
    b"<div id=root></div><script src=a.js></script>\0<p>words of a page</p>",
    b"\0<script type=application/ld+json>{\"@type\":\"Store\",\"telephone\":\"+442079460000\",\"email\":\"a@b.example\"}</script>",
];

/// Two pages with a NUL between them: comparing is symmetric, and equal pages accuse nobody.
pub(super) fn comparison(data: &[u8]) {
    let (one, other) = split_bytes(data);
    let read = |body: &[u8]| ComparedPage::new(&Page::read(body, None), "shop.example", false);
    let (one, other) = (read(one), read(other));
    for facet in [Facet::Text, Facet::Prices, Facet::Contacts] {
        assert_eq!(one.similarity(&other, facet), other.similarity(&one, facet));
        assert_eq!(one.is_same(&other, facet), other.is_same(&one, facet));
        assert!((0.0..=1.0).contains(&one.similarity(&other, facet)));
        assert!(one.is_same(&one, facet) && one.similarity(&one, facet) == 1.0);
        let seed = data.len() as u64;
        let order = trial_order(TRIAL_REFERENCE_READS, TRIAL_SUSPECT_READS, seed);
        let trial = |suspect_page| {
            let reads: Vec<TrialReading<'_>> = order
                .iter()
                .map(|is_suspect| TrialReading {
                    is_suspect: *is_suspect,
                    page: if *is_suspect { suspect_page } else { &one },
                })
                .collect();
            run_trial(&reads, facet)
        };
        assert!(!matches!(trial(&one), TrialOutcome::FollowsIdentity { .. }));
        let _ = trial(&other);
    }
    let reading = |identity, reader, page| ComparedReading { identity, reader, page };
    let readings = |page| {
        [
            reading("browser", Reader::Browser, &one),
            reading("control", Reader::Control, &one),
            reading("a", Reader::Ai, page),
            reading("b", Reader::Ai, &one),
        ]
    };
    assert!(find_suspects(&readings(&one)).identities.is_empty());
    assert!(!pages_differ(&readings(&one)) && !differs_from_people(&one, &readings(&one)));
    let found = find_suspects(&readings(&other)).identities;
    assert!(found.iter().all(|name| name == "a"));
}
