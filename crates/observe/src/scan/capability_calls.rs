//! The last phase of a full scan: calls of operations that the site describes as public and read-only, to
//! compare the responses with the descriptions.
//!
//! Only the class `read_only_public` is ever called (`declared::capability`), under our own name, where the
//! site's robots.txt lets us, at most as often as the allowance of the site grants, over all scans of the
//! day. A response that differs from its description is asked for once more, because nobody is accused on
//! one reading.

use std::time::Duration;

use agents::Identity;
use bytes::Bytes;
use contract::evidence::{Exchange, ReadTarget, Reading, Response, SkipReason};
use contract::limits::CAPABILITY_CALLS_PER_DAY;
use declared::capability::{
    self, CallComparison, CallResponse, DeclaringFile, ReadCall, SiteCapabilities,
    declares_capabilities,
};
use declared::files::{FILE_LOCATIONS, FileKind, ServedFile, inspect};
use door::RedirectPolicy;
use url::Url;

use super::call_allowance::CallAllowance;
use super::collected_reads::CollectedReads;
use super::plan::{self, PlannedRead};
use super::plan_reader::PlanReader;
use super::progress::ProgressRead;
use super::scan_plan::ScanPlan;
use super::shuffle::shuffle;

/// The most calls of one scan.
const MAX_CALLS: usize = CAPABILITY_CALLS_PER_DAY as usize;
/// The pause between two operations, and before the same one is called again.
const PAUSE: Duration = Duration::from_millis(250);
const PAUSE_BEFORE_REPEAT: Duration = Duration::from_secs(1);
const MAX_CALL_TIME: Duration = Duration::from_secs(5);

pub(super) struct CapabilityCalls<'a> {
    pub(super) scan: &'a ScanPlan<'a>,
    pub(super) reader: &'a PlanReader<'a>,
    pub(super) own: &'a Identity,
    pub(super) allowance: &'a dyn CallAllowance,
    /// Whether robots.txt of the site was read.
    pub(super) robots_reachable: bool,
}

/// What a call led to.
enum CallOutcome {
    /// There is nothing against another call.
    Made { differs: bool },
    /// The site or the allowance asks for no more calls.
    Stop,
}

impl<'a> CapabilityCalls<'a> {
    pub(super) async fn run(&self, collected: &mut CollectedReads) {
        let mut calls = self.permitted_calls(collected).await;
        // Other operations each time, so that a site cannot know which ones are checked.
        shuffle(&mut calls, &self.scan.token);
        let mut made = 0;
        for call in calls {
            if made >= MAX_CALLS {
                return;
            }
            let Ok(url) = Url::parse(&call.url) else { continue };
            let timeout = MAX_CALL_TIME.min(self.scan.deadline / 4);
            let planned = plan::plan_call(&url, self.own, timeout);
            if !self.may_read(&url).await {
                // Named once for each operation that would have been called.
                collected.add_not_read(&planned, SkipReason::Robots);
                made += 1;
                continue;
            }
            if made > 0 {
                tokio::time::sleep(PAUSE).await;
            }
            made += 1;
            let CallOutcome::Made { differs } = self.make(&planned, &call, collected).await else {
                return;
            };
            if differs && made < MAX_CALLS {
                tokio::time::sleep(PAUSE_BEFORE_REPEAT).await;
                made += 1;
                let again = self.make(&planned, &call, collected).await;
                if matches!(again, CallOutcome::Stop) {
                    return;
                }
            }
        }
    }

    /// Whether robots.txt was read and lets crawlers, or our token, read this URL.
    async fn may_read(&self, url: &Url) -> bool {
        let gate = self.reader.robots_gate;
        gate.load(url).await;
        self.robots_reachable && gate.lets_read(url, &self.scan.catalogue.own_token)
    }

    /// Makes one call, if it is granted.
    async fn make(
        &self,
        planned: &PlannedRead<'a>,
        call: &ReadCall,
        collected: &mut CollectedReads,
    ) -> CallOutcome {
        if self.reader.visit.remaining() < PAUSE {
            collected.add_not_read(planned, SkipReason::Deadline);
            return CallOutcome::Stop;
        }
        if !self.allowance.draw(self.scan.domain).await {
            collected.add_not_read(planned, SkipReason::DailyLimit);
            return CallOutcome::Stop;
        }
        self.reader.reporter.expect_more(1);
        let fetched = self.reader.visit.fetch(planned.request(RedirectPolicy::Never)).await;
        let body = fetched.body.clone();
        let exchange = self.reader.bodies.add(fetched, self.reader.visit);
        self.reader.reporter.report(Some(ProgressRead::new(planned, &exchange)));
        let outcome = call_outcome(&exchange, &body, call);
        collected.add(planned, exchange);
        outcome
    }

    /// The requests that may be made, by the descriptions that were read.
    async fn permitted_calls(&self, collected: &CollectedReads) -> Vec<ReadCall> {
        let files: Vec<ReadFile> = collected
            .reads
            .iter()
            .filter_map(|reading| self.read_file(reading, collected))
            .collect();
        if !files.iter().any(|file| file.kind == FileKind::OpenApi) {
            return Vec::new();
        }
        let domain = self.scan.domain.to_string();
        let choose = move || permitted_calls(&files, &domain);
        tokio::task::spawn_blocking(choose).await.unwrap_or_default()
    }

    /// A file that may declare capabilities, or say where a token is needed.
    fn read_file(&self, reading: &Reading, collected: &CollectedReads) -> Option<ReadFile> {
        let kind = match reading.target {
            ReadTarget::ServiceDescription => FileKind::OpenApi,
            ReadTarget::MachineFile => {
                FILE_LOCATIONS.iter().find(|place| place.path == reading.path)?.kind
            }
            _ => return None,
        };
        let response = reading.exchange.response()?;
        let is_whole = (200..300).contains(&response.status) && response.body.cut.is_none();
        let is_relevant = declares_capabilities(kind) || kind == FileKind::OauthResource;
        // A host that sends the same for paths that cannot exist declares nothing with it.
        let is_sent_for_anything = collected.reads.iter().any(|other| {
            other.target == ReadTarget::ControlPath
                && other.exchange.response().is_some_and(|r| r.body.sha256 == response.body.sha256)
        });
        (is_whole && is_relevant && !is_sent_for_anything).then_some(())?;
        Some(ReadFile {
            kind,
            path: reading.path.clone(),
            requested_url: reading.exchange.url.clone(),
            redirects: reading.exchange.hops.len().saturating_sub(1),
            read_at_s: reading.exchange.started_at.as_millis() / 1_000,
            body: self.reader.bodies.get(&response.body.sha256)?,
            response: response.clone(),
        })
    }
}

fn call_outcome(exchange: &Exchange, body: &[u8], call: &ReadCall) -> CallOutcome {
    let Some(response) = exchange.response() else { return CallOutcome::Stop };
    if matches!(response.status, 429 | 503) {
        return CallOutcome::Stop;
    }
    let compared = call.compare(&CallResponse {
        status: response.status,
        content_type: response.header("content-type"),
        body,
        is_cut: response.body.cut.is_some(),
    });
    CallOutcome::Made { differs: matches!(compared, CallComparison::Differs(_)) }
}

/// A file of the site, as it was read.
struct ReadFile {
    kind: FileKind,
    path: String,
    requested_url: String,
    redirects: usize,
    read_at_s: i64,
    response: Response,
    body: Bytes,
}

impl ReadFile {
    fn is_usable(&self) -> bool {
        let headers: Vec<(String, String)> = self
            .response
            .headers
            .iter()
            .map(|line| (line.name.clone(), line.value.clone()))
            .collect();
        let served = ServedFile {
            requested_url: &self.requested_url,
            final_url: &self.response.url,
            redirects: self.redirects,
            status: self.response.status,
            headers: &headers,
            body: &self.body,
            truncated: false,
            read_at_s: self.read_at_s,
        };
        inspect(self.kind, &served).usable
    }
}

fn permitted_calls(files: &[ReadFile], domain: &str) -> Vec<ReadCall> {
    let usable: Vec<&ReadFile> = files.iter().filter(|file| file.is_usable()).collect();
    let token_needed_at = usable
        .iter()
        .find(|file| file.kind == FileKind::OauthResource)
        .and_then(|file| capability::protected_resource(&file.body));
    let declaring =
        usable.iter().filter(|file| declares_capabilities(file.kind)).map(|file| DeclaringFile {
            kind: file.kind,
            path: &file.path,
            url: &file.response.url,
            body: &file.body,
        });
    let site = SiteCapabilities::read(declaring, token_needed_at.as_deref(), domain);
    site.permitted_calls().filter(|call| call.is_comparable()).cloned().collect()
}
