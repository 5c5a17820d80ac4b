//! Measures a business without a server: the site is read and the engine is asked now; nothing is signed or stored.

use contract::records::AccuracyRecord;
use contract::{Clock, Domain, Issuer};
use judge::business::PublishedFacts;
use observe::engine::Engine;

use super::MeasureError;
use super::measure::{ask, judge_reading};
use crate::scanner::Scanner;
use crate::settings::Settings;

impl Scanner {
    /// What the site of a domain publishes now about the business behind it.
    pub async fn read_published_facts(
        &self,
        domain: &Domain,
        settings: &Settings,
    ) -> Result<PublishedFacts, MeasureError> {
        let budget = settings.resolve.live_budget.saturating_sub(settings.resolve.reserve);
        let read = self.read_live(domain, budget).await;
        let outcome = read.map_err(|error| MeasureError::Resolve(error.into()))?;
        Some(PublishedFacts::of(&outcome.record))
            .filter(|facts| facts.were_read)
            .ok_or(MeasureError::SiteNotRead)
    }

    /// Asks an engine about the business, and compares.
    pub async fn measure_engine(
        &self,
        facts: &PublishedFacts,
        engine: &Engine,
        settings: &Settings,
        clock: &dyn Clock,
    ) -> Result<AccuracyRecord, MeasureError> {
        let reading = ask(engine, facts, clock.now()).await;
        let issuer = Issuer::new(settings.brand.clone(), &settings.base_url);
        match reading.failure {
            Some(failure) => Err(MeasureError::Engine(failure)),
            None => Ok(judge_reading(&issuer, facts, &reading)),
        }
    }
}
