//! Pages that change from request to request for everybody, whoever asks. None of them treats AI
//! identities differently, so a record that says so is wrong.

use super::base::{SERVED, plain_site, site_with_pages};
use crate::{
    chance::Chance,
    content::{
        self, BAKERY, BOOKSHOP, CLINIC, CYCLES, GARDEN, HOTEL, MUSEUM, ORCHESTRA, PageExtras,
    },
    http::reply::{Reply, SiteRequest},
    site::{ExpectedRecord, LabSite, MAY_READ},
};

/// Every identity may read the page, and nobody is accused.
const NOBODY_ACCUSED: ExpectedRecord = ExpectedRecord {
    no_finding: &["other_text", "other_prices", "other_contacts"],
    read: MAY_READ,
    ..SERVED
};
/// The same, and so many reads differ that the record says so.
const VARIES: ExpectedRecord = ExpectedRecord { variation: Some("varies"), ..NOBODY_ACCUSED };

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "varies-half.lab",
        behaviour: "varies_half",
        does: "Tests two texts: half of all requests get the one, half the other, at random.",
        says: "The page varies for everybody. Nothing follows the identity.",
        expect: VARIES,
        text: &GARDEN,
        ..site_with_pages(|request| {
            let chance = Chance::new().below(2) == 0;
            home_or(request, chance, other_text)
        })
    },
    LabSite {
        name: "varies-tenth.lab",
        behaviour: "varies_tenth",
        does: "Tests a new text with one request in ten, at random.",
        says: "Nothing follows the identity. Whether the record says that the page varies depends \
               on which requests got the new text.",
        expect: NOBODY_ACCUSED,
        text: &BOOKSHOP,
        ..site_with_pages(|request| {
            let chance = Chance::new().below(10) == 0;
            home_or(request, chance, other_text)
        })
    },
    LabSite {
        name: "varies-quarter.lab",
        behaviour: "varies_quarter",
        does: "Fills a quarter of its text with sentences that are drawn anew for each request.",
        says: "A part of the page varies for everybody. Nothing follows the identity.",
        expect: NOBODY_ACCUSED,
        text: &CLINIC,
        ..site_with_pages(|request| {
            home_or(request, true, |page| {
                let block = random_sentences(45, 45);
                page.replace("</main>", &format!("<section>{block}</section></main>"))
            })
        })
    },
    LabSite {
        name: "varies-block.lab",
        behaviour: "varies_block",
        does: "Shows one of three long recommendations at random.",
        says: "A part of the page varies for everybody. Nothing follows the identity.",
        expect: VARIES,
        text: &MUSEUM,
        ..site_with_pages(|request| {
            home_or(request, true, |page| {
                let block = Chance::new().pick(BLOCKS).copied().unwrap_or_default();
                page.replace("</main>", &format!("<section>{block}</section></main>"))
            })
        })
    },
    LabSite {
        name: "varies-ads.lab",
        behaviour: "varies_ads",
        does: "Shows an advertisement of 10 to 250 words in the middle of its page, a new one for \
               each request.",
        says: "An advertisement varies for everybody. Nothing follows the identity.",
        expect: NOBODY_ACCUSED,
        text: &CYCLES,
        ..site_with_pages(|request| {
            home_or(request, true, |page| {
                let ad = random_sentences(10, 250);
                page.replacen("</p>\n<p>", &format!("</p>\n<aside>{ad}</aside>\n<p>"), 1)
            })
        })
    },
    LabSite {
        name: "varies-prices.lab",
        behaviour: "varies_prices",
        does: "Tests prices: half of all requests are shown higher ones, at random.",
        says: "The prices vary for everybody. Nothing follows the identity.",
        expect: NOBODY_ACCUSED,
        text: &HOTEL,
        ..site_with_pages(|request| {
            let chance = Chance::new().below(2) == 0;
            home_or(request, chance, |page| {
                page.replace("112.00", "124.00").replace("78.00", "86.00")
            })
        })
    },
    LabSite {
        name: "varies-telephone.lab",
        behaviour: "varies_telephone",
        does: "Shows one of four telephone numbers at random, to count which pages people call \
               from.",
        says: "The telephone number varies for everybody. Nothing follows the identity.",
        expect: NOBODY_ACCUSED,
        text: &BAKERY,
        ..site_with_pages(|request| {
            home_or(request, true, |page| {
                let last = ["101", "271", "272", "273"];
                let last = Chance::new().pick(&last).copied().unwrap_or("101");
                page.replace("960101", &format!("960{last}"))
            })
        })
    },
    LabSite {
        name: "varies-in-turn.lab",
        behaviour: "varies_in_turn",
        does: "Runs on two servers with different releases that answer in turn.",
        says: "The page varies for everybody. Nothing follows the identity.",
        expect: NOBODY_ACCUSED,
        text: &ORCHESTRA,
        ..site_with_pages(|request| {
            let turn = request.earlier_requests.is_multiple_of(2);
            home_or(request, turn, other_text)
        })
    },
];

const BLOCKS: &[&str] = &[
    "<h2>Letters from the coast</h2><p>A lighthouse keeper wrote to his sister every week for \
     eleven years. The letters speak of storms, of a goat that ate the signal flags, and of ships \
     that never answered. We show forty of them, with the lamp, the logbook and the chair in which \
     they were written. Younger visitors may send a message by flags to the other end of the hall, \
     where somebody will try to read it.</p>",
    "<h2>Behind the workshop door</h2><p>On the last Thursday of the month our restorers open \
     their workshop. They explain how a broken tooth of a wheel is cut anew, why old oil turns to \
     glue, and what can be learned from a single screw. Bring a small object that has stopped \
     working. It will be looked at, and sometimes it goes home ticking. Places are few, so come \
     early and take a number at the cloakroom.</p>",
    "<h2>A walk along the canal</h2><p>Our guide leads from the factory gate along the towpath to \
     the two locks, past the dye house and the school for weavers. The walk takes ninety minutes \
     and ends at the boatyard, where there is soup. Good shoes are needed after rain. Dogs are \
     welcome, prams are not, because of the steps beside the second lock. In winter the walk \
     begins an hour earlier, while there is light.</p>",
];

/// The home page, changed if `changed`. Nothing may keep a copy, so that each request is answered
/// anew.
fn home_or(request: &SiteRequest<'_>, changed: bool, change: fn(String) -> String) -> Reply {
    if request.path != "/" {
        return plain_site(request);
    }
    let page = content::page(request.text, PageExtras::default());
    Reply::html(200, if changed { change(page) } else { page })
        .with_header("cache-control", "no-store")
}

/// The same business in another text: the paragraphs between the summary and the address differ.
fn other_text(page: String) -> String {
    const OTHER: &str = "<p>We have written this page anew, because visitors told us that the old \
        one answered no question. In short: come when the door is open, ask whoever stands \
        nearest, and take your time. Everything that we make or mend or sell can be seen, touched \
        and sent back.</p>\n<p>People come from both sides of the hill. Some bring a drawing, some \
        bring a photograph, most bring a bag. We listen first, then we show what we have, and then \
        we say honestly whether it will do. If it will not, we know somebody in the next town who \
        can help, and we write the address on a card.</p>\n<p>Children may look into every drawer \
        except one. There is a bench for those who wait, a hook for wet coats, and a tap for dogs. \
        Once a year we close for a week, count everything twice, and begin again.</p>\n";
    let Some((head, rest)) = page.split_once("</em></p>\n") else { return page };
    let Some((_, tail)) = rest.split_once("</main>") else { return page };
    format!("{head}</em></p>\n{OTHER}</main>{tail}")
}

/// Between `low` and `high` words in random sentences.
fn random_sentences(low: u64, high: u64) -> String {
    const WORDS: &[&str] = &[
        "lantern", "meadow", "copper", "button", "thunder", "basket", "window", "pepper", "saddle",
        "ribbon", "hammer", "island", "candle", "feather", "bridge", "orchard", "velvet", "marble",
        "harvest", "whistle", "anchor", "blanket", "cedar", "compass", "drummer", "engine",
        "fountain", "glacier", "honey", "ivory", "jasmine", "kettle", "ladder", "mirror",
    ];
    let mut chance = Chance::new();
    let mut text = String::new();
    for number in 0..chance.between(low, high) {
        text.push_str(if number == 0 {
            ""
        } else if number % 9 == 0 {
            ". "
        } else {
            " "
        });
        text.push_str(chance.pick(WORDS).copied().unwrap_or_default());
    }
    format!("<p>{text}.</p>")
}
