//! Who owns a site: spellings of one name, and people who are named on a page but own nothing.

use serde_json::json;

use super::base::{SERVED, plain_site, site_with_pages};
use crate::{
    content::{self, BAKERY, FERRY, HOTEL, PageExtras},
    http::reply::{Reply, SiteRequest},
    site::{ExpectedRecord, LabSite, MAY_READ},
};

const AGREES: ExpectedRecord =
    ExpectedRecord { no_finding: &["facts_disagree"], read: MAY_READ, ..SERVED };

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "name-spellings.lab",
        behaviour: "name_spellings",
        does: "Writes its own name in three ways: with spaces, in one word, and as a domain name.",
        says: "The site has one name. Its spellings do not contradict each other.",
        expect: AGREES,
        text: &BAKERY,
        ..site_with_pages(|request| {
            let card = json!({
                "@context": "https://schema.org",
                "@graph": [
                    { "@type": "Organization", "name": "Harbour Lane Bakery",
                      "url": format!("https://{}/", request.site_name) },
                    { "@type": "WebSite", "name": "HarbourLaneBakery.com",
                      "url": format!("https://{}/", request.site_name) }
                ]
            });
            let meta = "<meta property=\"og:site_name\" content=\"harbourlanebakery\">\n";
            with_data(request, meta, &card)
        })
    },
    LabSite {
        name: "article-author.lab",
        behaviour: "article_author",
        does: "Has an article with an author, a photographer and a publisher in structured data.",
        says: "The publisher owns the site. The people who are named do not contradict that.",
        expect: AGREES,
        text: &FERRY,
        ..site_with_pages(|request| {
            let card = json!({
                "@context": "https://schema.org", "@type": "NewsArticle",
                "headline": "A new boat for the sound",
                "author": { "@type": "Person", "name": "Ida Marlow" },
                "image": { "@type": "ImageObject", "creator": { "@type": "Person",
                           "name": "Tom Ashby" } },
                "publisher": { "@type": "Organization", "name": "Sound Ferries",
                               "url": format!("https://{}/", request.site_name) }
            });
            let meta = "<meta name=\"author\" content=\"Ida Marlow\">\n\
                        <meta property=\"og:site_name\" content=\"Sound Ferries\">\n";
            with_data(request, meta, &card)
        })
    },
    LabSite {
        name: "two-owners.lab",
        behaviour: "two_owners",
        does: "Names one company in JSON-LD and a different one as the name of the site.",
        says: "The page contradicts itself about the name of its owner.",
        expect: ExpectedRecord { finding: &["facts_disagree"], ..SERVED },
        text: &HOTEL,
        ..site_with_pages(|request| {
            let card = json!({
                "@context": "https://schema.org",
                "@graph": [
                    { "@type": "Hotel", "@id": "#hotel", "name": "The Signal House Hotel",
                      "url": format!("https://{}/", request.site_name) },
                    { "@type": "Hotel", "@id": "#hotel", "name": "Grand Meridian Palace",
                      "url": format!("https://{}/", request.site_name) }
                ]
            });
            with_data(request, "", &card)
        })
    },
];

fn with_data(request: &SiteRequest<'_>, meta: &str, card: &serde_json::Value) -> Reply {
    if request.path != "/" {
        return plain_site(request);
    }
    let head = format!("{meta}<script type=\"application/ld+json\">{card}</script>\n");
    content::home_with(request, PageExtras { head: &head, ..PageExtras::default() })
}
