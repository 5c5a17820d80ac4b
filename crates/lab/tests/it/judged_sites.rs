//! Sites that the judge is measured on: whom they treat differently, and how often they vary.

use std::collections::BTreeSet;

use lab::{Lab, LabOptions};

use crate::client::{BROWSER, get};

fn ai_user_agents() -> Vec<String> {
    let catalogue = agents::Catalogue::built_in().unwrap();
    catalogue.ai_identities().map(|identity| identity.user_agent.clone()).collect()
}

#[tokio::test]
async fn as_many_identities_are_cloaked_as_the_name_says() {
    let lab = Lab::start(LabOptions::default()).await.unwrap();
    let agents = ai_user_agents();
    for (site, share) in [
        ("cloaks-text-eight.lab", 8),
        ("cloaks-text-three.lab", 3),
        ("cloaks-text-one.lab", 1),
        ("cloaks-prices-eight.lab", 8),
        ("cloaks-prices-three.lab", 3),
        ("cloaks-prices-one.lab", 1),
        ("cloaks-contacts.lab", 10),
        ("cloaks-contacts-eight.lab", 8),
        ("cloaks-contacts-three.lab", 3),
        ("cloaks-contacts-one.lab", 1),
        ("cloaks-contacts-card.lab", 10),
        ("search-bots-refused.lab", 2),
        ("challenged-seven.lab", 7),
        ("empty-for-ai.lab", 10),
    ] {
        let browser = get(&lab, site, "/", BROWSER).await;
        assert_eq!(browser.body, get(&lab, site, "/", "Mozilla/5.0 (compatible)").await.body);
        let mut different = 0;
        for agent in &agents {
            let reply = get(&lab, site, "/", agent).await;
            different += usize::from(reply.body != browser.body || reply.status != browser.status);
        }
        assert_eq!(different, share, "{site}");
    }
}

#[tokio::test]
async fn varying_sites_vary_whoever_asks() {
    let lab = Lab::start(LabOptions::default()).await.unwrap();
    let gptbot = &ai_user_agents()[0];
    for (site, most) in [
        ("varies-half.lab", 2),
        ("varies-tenth.lab", 2),
        ("varies-quarter.lab", 200),
        ("varies-block.lab", 3),
        ("varies-ads.lab", 200),
        ("varies-prices.lab", 2),
        ("varies-telephone.lab", 4),
        ("varies-in-turn.lab", 2),
    ] {
        let mut pages = BTreeSet::new();
        for _ in 0..100 {
            pages.insert(get(&lab, site, "/", BROWSER).await.body);
            pages.insert(get(&lab, site, "/", gptbot).await.body);
            // In turn: without this, each client would always get the same server.
            if pages.len() % 2 == 1 {
                get(&lab, site, "/robots.txt", BROWSER).await;
            }
        }
        assert!((2..=most).contains(&pages.len()), "{site}: {}", pages.len());
    }
}
