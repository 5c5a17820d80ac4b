//! How often declared operations of one site are called: counted for all scans and callers together, and
//! stored, so that a restart does not begin anew.

use contract::Domain;
use contract::limits::CAPABILITY_CALLS_PER_DAY;
use futures_util::future::BoxFuture;
use observe::CallAllowance;
use store::{AllowanceDraw, AllowanceOutcome, Day};

use crate::access::Access;

impl CallAllowance for Access {
    /// Counts one call of the registrable domain, whichever of its names is scanned. If it cannot be
    /// counted, it is not granted.
    fn draw<'a>(&'a self, domain: &'a Domain) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let key = self.secret.mac("capability calls", &[domain.registrable().as_bytes()]);
            let draw = AllowanceDraw { key, limit: CAPABILITY_CALLS_PER_DAY };
            let today = Day::of(self.clock.now());
            match self.store.draw_allowances(today.into(), vec![draw]).await {
                Ok(outcome) => outcome == AllowanceOutcome::Granted,
                Err(error) => {
                    tracing::warn!(%error, "a call of a declared operation could not be counted");
                    false
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[tokio::test]
    async fn the_names_of_a_site_share_three_calls_a_day() {
        let dir = tempfile::tempdir().unwrap();
        let service = testing::build_service(dir.path(), Vec::new());
        let access = &service.access;
        let domain = |name: &str| Domain::parse(name, &contract::NamePolicy::default()).unwrap();
        for name in ["shop.co.uk", "api.shop.co.uk", "www.shop.co.uk"] {
            assert!(access.draw(&domain(name)).await, "{name}");
        }
        assert!(!access.draw(&domain("shop.co.uk")).await);
        assert!(!access.draw(&domain("other.shop.co.uk")).await);
        assert!(access.draw(&domain("other.co.uk")).await, "another site");
    }
}
