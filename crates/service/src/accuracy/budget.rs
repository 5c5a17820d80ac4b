//! What the engines may cost in a day, over all domains. Counted in the store, so that a restart gives nothing back.

use contract::engine_evidence::EngineReading;
use observe::engine::spent_tokens;
use store::{AllowanceDraw, AllowanceOutcome, Day, Digest, StoreError};

use super::Accuracy;

/// Tokens are counted in steps of so many.
const TOKENS_PER_STEP: u64 = 1_000;
/// More steps than one question can cost.
const MAX_STEPS: u64 = 1_000;

/// Counts questions to engines, by how they ended.
const CALLS: &str = "wayleave_engine_calls_total";
/// Counts the tokens that engines said they used.
const TOKENS: &str = "wayleave_engine_tokens_total";

impl Accuracy {
    /// Counts one question. `false` if the day's calls or tokens are used up.
    pub(super) async fn draw_call(&self, day: Day) -> Result<bool, StoreError> {
        let steps = self.store.allowance_used(day.into(), tokens_key()).await?;
        if u64::from(steps) * TOKENS_PER_STEP >= self.settings.tokens_per_day {
            return Ok(false);
        }
        let draw = AllowanceDraw { key: calls_key(), limit: self.settings.calls_per_day };
        let outcome = self.store.draw_allowances(day.into(), vec![draw]).await?;
        Ok(outcome == AllowanceOutcome::Granted)
    }

    /// Counts what a question cost.
    pub(super) async fn count_cost(
        &self,
        day: Day,
        reading: &EngineReading,
    ) -> Result<(), StoreError> {
        let result = match &reading.failure {
            None => "answered".to_owned(),
            Some(failure) => failure.reason.to_string(),
        };
        let engine = reading.engine.clone();
        metrics::counter!(CALLS, "engine" => engine.clone(), "result" => result).increment(1);
        let tokens = spent_tokens(reading);
        metrics::counter!(TOKENS, "engine" => engine).increment(tokens);
        let steps = tokens.div_ceil(TOKENS_PER_STEP).min(MAX_STEPS);
        let draw = AllowanceDraw { key: tokens_key(), limit: u32::MAX };
        let draws = (0..steps).map(|_| draw).collect::<Vec<_>>();
        if !draws.is_empty() {
            self.store.draw_allowances(day.into(), draws).await?;
        }
        Ok(())
    }
}

fn calls_key() -> Digest {
    Digest::of(b"calls of engines")
}

fn tokens_key() -> Digest {
    Digest::of(b"tokens of engines")
}
