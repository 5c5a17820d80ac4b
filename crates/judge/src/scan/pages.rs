//! The home pages of a scan, read once for all rules.

use std::collections::BTreeMap;

use contract::evidence::{Evidence, Target};
use declared::page::Page;

use crate::Bodies;

/// Pages by the digest of their body: identities that were given the same bytes share one reading.
#[derive(Debug, Default)]
pub(super) struct Pages(BTreeMap<String, Page>);

impl Pages {
    pub(super) fn read(evidence: &Evidence, bodies: &dyn Bodies) -> Self {
        let mut pages = BTreeMap::new();
        let home = evidence.reads.iter().filter(|reading| reading.target == Target::Home);
        for response in home.filter_map(|reading| reading.exchange.response()) {
            if !pages.contains_key(&response.body.sha256)
                && let Some(body) = bodies.body(&response.body.sha256)
            {
                pages.insert(
                    response.body.sha256.clone(),
                    Page::read(body, response.header("content-type")),
                );
            }
        }
        Self(pages)
    }

    pub(super) fn words(&self, sha256: &str) -> Option<Vec<&str>> {
        self.0.get(sha256).map(|page| page.words().collect())
    }
}
