//! Makes the planned reads of one scan.

use std::sync::Arc;
use std::time::Duration;

use agents::Role;
use contract::evidence::{Exchange, ReadTarget};
use door::{FetchResult, RedirectGate, RedirectPolicy, Visit};

use super::collected_reads::CollectedBodies;
use super::plan::{PlannedRead, ReadRun};
use super::progress::{ProgressRead, Reporter};
use super::retry;
use super::robots_gate::{self, RobotsGate};
use super::same_site::SameSiteGate;

/// What all parallel reads share.
pub(super) struct PlanReader<'a> {
    pub(super) visit: &'a Visit,
    pub(super) robots_gate: &'a Arc<RobotsGate>,
    pub(super) same_site_gate: Arc<SameSiteGate>,
    pub(super) bodies: &'a CollectedBodies,
    pub(super) reporter: &'a Reporter<'a>,
    /// How long a follow-up read waits for the read before it.
    pub(super) follow_up_after: Duration,
}

/// A finished read by its index in the plan; `None` if robots.txt of its host disallows it.
pub(super) type FinishedRead = (usize, Option<Exchange>);

impl PlanReader<'_> {
    /// Makes a read and the read that follows it on the same connection.
    pub(super) async fn read_run(
        &self,
        plan: &[PlannedRead<'_>],
        run: ReadRun,
    ) -> Vec<FinishedRead> {
        let Some(planned) = plan.get(run.first) else { return Vec::new() };
        // Boxed: a scan has twenty runs in progress, and every run would have room for three reads.
        let mut first = Box::pin(self.read(run.first, planned));
        let Some((at, next)) = run.follow_up.and_then(|at| Some((at, plan.get(at)?))) else {
            return vec![first.await];
        };
        // If the first read takes too long, the second one starts anyway.
        let in_time = tokio::time::timeout(self.follow_up_after, &mut first).await;
        let follow_up = Box::pin(self.read(at, next));
        let done = match in_time {
            Ok(first) => vec![first, follow_up.await],
            Err(_) => {
                let (first, follow_up) = tokio::join!(first, follow_up);
                vec![first, follow_up]
            }
        };
        // This identity has no more reads. The browser has: two runs belong to it.
        if next.identity.role != Role::Browser {
            self.visit.close_connections(&next.identity.id);
        }
        done
    }

    pub(super) async fn read(&self, at: usize, planned: &PlannedRead<'_>) -> FinishedRead {
        // The site's own hosts were checked before; a sitemap or a licence may be on another host.
        let disallowed = matches!(planned.target, ReadTarget::Sitemap | ReadTarget::Licence)
            && self.robots_gate.check_redirect(&planned.url).await == Some(robots_gate::OPT_OUT);
        if disallowed {
            self.reporter.report(None);
            return (at, None);
        }
        let gate: Arc<dyn RedirectGate> = if planned.stays_on_site {
            self.same_site_gate.clone()
        } else {
            self.robots_gate.clone()
        };
        let fetched = fetch_with_retry(planned, self.visit, RedirectPolicy::IfAllowed(gate)).await;
        let exchange = self.bodies.add(fetched, self.visit);
        self.reporter.report(Some(ProgressRead::new(planned, &exchange)));
        (at, Some(exchange))
    }
}

/// Makes one read, and repeats it once if the host answers that it is busy. The last response
/// counts.
pub(super) async fn fetch_with_retry(
    planned: &PlannedRead<'_>,
    visit: &Visit,
    follow: RedirectPolicy,
) -> FetchResult {
    /// The least time that a second read needs.
    const LEAST: Duration = Duration::from_millis(250);
    let first = visit.fetch(planned.request(follow.clone())).await;
    let Some(pause) = retry::retry_delay(&first.exchange) else { return first };
    if visit.remaining() < pause + LEAST {
        return first;
    }
    tokio::time::sleep(pause).await;
    let second = visit.fetch(planned.request(follow)).await;
    let (counted, dropped) =
        if second.exchange.response().is_some() { (second, first) } else { (first, second) };
    visit.release_bytes(dropped.body.len());
    counted
}
