//! An answer without a server: read now, neither logged nor signed nor kept.

use contract::records::{
    ResolveAnswer, SampleWindow, SamplesByNetwork, VantageStanding, VantageState,
};
use contract::{Clock, Domain};
use judge::resolve::{How, Moment, Place, Read, Readings, Told, answer, bring_up, sections};

use super::ResolveError;
use crate::{Scanner, Settings};

impl Scanner {
    /// Reads a domain within the budget of an answer and decides. The site's robots.txt comes with
    /// it, for questions about a path.
    pub async fn resolve(
        &self,
        domain: &Domain,
        settings: &Settings,
        clock: &dyn Clock,
    ) -> Result<(ResolveAnswer, Option<bytes::Bytes>), ResolveError> {
        let budget = settings.resolve.live_budget;
        let looked =
            self.look_live(domain, budget.saturating_sub(settings.resolve.reserve)).await?;
        let budget_ms = u32::try_from(budget.as_millis()).unwrap_or(u32::MAX);
        let read = Read {
            evidence: &looked.read.evidence,
            bodies: &looked.read.bodies,
            record: &looked.record,
            how: How::Live { budget_ms },
        };
        let place = Place { brand: &settings.brand, base_url: &settings.base_url };
        let mut sections = sections(&read, settings.resolve.ranking(), &place);
        let now = clock.now();
        let moment = Moment {
            now,
            kept: false,
            upgrade: None,
            readings: Told::Now(one_reading(&sections.observers.primary.vantage, now)),
            clock: Told::Now(sections.content_clock.clone()),
            incident: Told::Now(None),
            dns: Told::Now(None),
            control: sections.control.clone(),
        };
        bring_up(&mut sections, moment, &place);
        let code = crate::build::unknown_code(&settings.base_url);
        let robots = looked.record.checks.iter().find(|check| check.path == "/robots.txt");
        let robots =
            robots.and_then(|check| looked.read.bodies.get(check.body_sha256.as_ref()?)).cloned();
        Ok((answer(sections, code, now, &place), robots))
    }
}

fn one_reading(network: &str, now: contract::Timestamp) -> Readings {
    let states = judge::resolve::vantage_words();
    let state = VantageState::SingleVantage;
    Readings {
        standing: VantageStanding {
            means: states.get(state.as_str()).cloned().unwrap_or_default(),
            state,
            networks: 1,
            readings: 1,
            states,
            from: vec![network.to_owned()],
        },
        samples: SamplesByNetwork {
            networks: 1,
            samples: 1,
            groups: vec![contract::records::NetworkSamples {
                network: network.to_owned(),
                samples: 1,
            }],
            window: SampleWindow { from: Some(now), to: Some(now) },
        },
        high_risk: None,
    }
}
