//! An answer without a server: the site is read now; nothing is logged, signed or stored.

use contract::Issuer;
use contract::records::{
    ResolveAnswer, SampleWindow, SamplesByNetwork, VantageState, VantageSummary,
};
use contract::{Clock, Domain};
use judge::resolve::{
    JudgedReading, ReadingKind, ReadingsSummary, RefreshInputs, TimedLookup, assemble_answer,
    build_sections, refresh_sections,
};

use super::query::ResolveError;
use crate::scanner::Scanner;
use crate::settings::Settings;

impl Scanner {
    /// Reads a domain within the time budget of an answer and decides. Also returns the site's
    /// robots.txt, for questions about a path.
    pub async fn resolve(
        &self,
        domain: &Domain,
        settings: &Settings,
        clock: &dyn Clock,
    ) -> Result<(ResolveAnswer, Option<bytes::Bytes>), ResolveError> {
        let budget = settings.resolve.live_budget;
        let outcome =
            self.read_live(domain, budget.saturating_sub(settings.resolve.reserve)).await?;
        let budget_ms = u32::try_from(budget.as_millis()).unwrap_or(u32::MAX);
        let reading = JudgedReading {
            evidence: &outcome.collected.evidence,
            bodies: &outcome.collected.bodies,
            record: &outcome.record,
            kind: ReadingKind::Live { budget_ms },
        };
        let issuer = Issuer::new(settings.brand.clone(), &settings.base_url);
        let mut sections = build_sections(&reading, settings.resolve.ranking(), &issuer);
        let now = clock.now();
        let inputs = RefreshInputs {
            now,
            is_stored_reading: false,
            upgrade: None,
            readings: TimedLookup::InTime(single_reading_summary(
                &sections.observers.primary.vantage,
                now,
            )),
            clock: TimedLookup::InTime(sections.content_clock.clone()),
            incident: TimedLookup::InTime(None),
            dns: TimedLookup::InTime(None),
            control: TimedLookup::InTime(sections.control.clone()),
        };
        refresh_sections(&mut sections, inputs, &issuer);
        let code = crate::log::builds::unknown_code(&settings.base_url);
        let robots = outcome.record.checks.iter().find(|check| check.path == "/robots.txt");
        let robots = robots
            .and_then(|check| outcome.collected.bodies.get(check.body_sha256.as_ref()?))
            .cloned();
        Ok((assemble_answer(sections, code, now, &issuer), robots))
    }
}

fn single_reading_summary(network: &str, now: contract::Timestamp) -> ReadingsSummary {
    let states = judge::resolve::vantage_state_meanings();
    let state = VantageState::SingleVantage;
    ReadingsSummary {
        standing: VantageSummary {
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
