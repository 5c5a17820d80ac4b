//! How much a walk may cost, to us and to the server.

use std::time::Duration;

/// The bounds of one walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct McpBudget {
    /// For everything, including the end of the session.
    pub total: Duration,
    /// For one question and its answer.
    pub request: Duration,
    /// For the first question, `server/discover`: servers of the older era may never answer it.
    pub discover: Duration,
    /// For everything that is read after the lists and is not one: whether the server also speaks the
    /// older era, and its card.
    pub extras: Duration,
    /// The most bytes of one answer, before and after decoding.
    pub response_bytes: u64,
    /// The most bytes of all answers together.
    pub walk_bytes: u64,
    /// The most pages of all lists together; those of the second walk count apart.
    pub pages: u32,
    /// The most items of all lists together.
    pub items: u32,
}

impl Default for McpBudget {
    fn default() -> Self {
        Self {
            total: Duration::from_secs(10),
            request: Duration::from_secs(4),
            discover: Duration::from_millis(2500),
            extras: Duration::from_millis(2500),
            response_bytes: 2 << 20,
            walk_bytes: 8 << 20,
            pages: 50,
            items: 2_000,
        }
    }
}

impl McpBudget {
    /// The same with at most this time in total. The times of the single questions shrink with it, so
    /// that a server that is silent to the first one can still be asked the second one.
    #[must_use]
    pub fn within(self, total: Duration) -> Self {
        if total >= self.total {
            return self;
        }
        let share = |part: Duration| {
            let ratio = part.as_secs_f64() / self.total.as_secs_f64().max(f64::MIN_POSITIVE);
            total.mul_f64(ratio.clamp(0.0, 1.0))
        };
        Self {
            total,
            request: share(self.request),
            discover: share(self.discover),
            extras: share(self.extras),
            ..self
        }
    }

    /// The part of the total that is kept for ending the session: lists may not use it.
    pub(super) fn closing(&self) -> Duration {
        (self.total / 10).min(Duration::from_millis(500))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_walk_has_shorter_questions() {
        let short = McpBudget::default().within(Duration::from_secs(2));
        assert_eq!(short.total, Duration::from_secs(2));
        assert_eq!(short.request, Duration::from_millis(800));
        assert_eq!(short.discover, Duration::from_millis(500));
        assert_eq!(short.extras, Duration::from_millis(500));
        let same = McpBudget::default();
        assert_eq!(same.within(Duration::from_secs(60)), same);
    }
}
