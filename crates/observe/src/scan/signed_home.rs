//! Reads the home page under our own name with and without our signature, to see whether a site treats
//! agents that prove who they are otherwise.

use agents::Identity;
use contract::evidence::{Exchange, SkipReason};

use super::collected_reads::CollectedReads;
use super::plan::plan_own_home;
use super::plan_reader::PlanReader;
use super::scan_plan::ScanPlan;

pub(super) struct SignedHomeReads<'a> {
    pub(super) scan: &'a ScanPlan<'a>,
    pub(super) reader: &'a PlanReader<'a>,
    pub(super) own: &'a Identity,
    /// Scheme and host that answer.
    pub(super) base: &'a str,
}

impl SignedHomeReads<'_> {
    /// Reads one pair, and a second one in the other order if the answers differ: one difference may be
    /// chance. Nothing is read where requests are not signed.
    pub(super) async fn run(&self, collected: &mut CollectedReads) {
        if !self.base.starts_with("https:") || !self.scan.door.signs_requests(&self.own.id) {
            return;
        }
        if self.reader.robots_gate.is_disallowed("/") {
            for is_signed in [true, false] {
                let planned = plan_own_home(self.own, self.base, is_signed);
                collected.add_not_read(&planned, SkipReason::OptOut);
            }
            return;
        }
        // The token is random, so that a site cannot tell which one comes first.
        let signed_first = self.scan.token.bytes().fold(0, |sum: u8, b| sum ^ b) & 1 == 0;
        let answers = self.read_pair(signed_first, collected).await;
        if answers.is_some_and(|[one, other]| one != other) {
            self.read_pair(!signed_first, collected).await;
        }
    }

    /// What both reads got, for comparison; `None` if one was not made.
    async fn read_pair(
        &self,
        signed_first: bool,
        collected: &mut CollectedReads,
    ) -> Option<[Option<u16>; 2]> {
        let mut answers = Vec::new();
        for is_signed in [signed_first, !signed_first] {
            let planned = plan_own_home(self.own, self.base, is_signed);
            let (_, exchange) = self.reader.read(0, &planned).await;
            let Some(exchange) = exchange else {
                collected.add_not_read(&planned, SkipReason::OptOut);
                return None;
            };
            answers.push(final_status(&exchange));
            collected.add(&planned, exchange);
        }
        answers.try_into().ok()
    }
}

fn final_status(exchange: &Exchange) -> Option<u16> {
    exchange.response().map(|response| response.status)
}
