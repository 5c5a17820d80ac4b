//! Counts the requests of logs, on all cores.

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use agents::AgentIndex;
use agents::access_log::{LogLine, LogRequest};
use agents::verdict::{ReverseDns, SignatureEvidence, VisitorChecker, VisitorEvidence};
use anyhow::{Context, Result};
use contract::Timestamp;
use contract::records::VisitorVerdict;
use foldhash::fast::RandomState;
use indicatif::ProgressBar;
use judge::conduct::{AgentCounts, Claim, ConductTally, Sighting, SiteRules};

use crate::access_logs::{Block, LogBlocks, open_log};
use crate::commands::scan_progress;

/// Blocks that wait for a thread.
const WAITING_BLOCKS: usize = 4;
/// User agents, and agents' visitors, that each thread remembers.
const MAX_REMEMBERED: usize = 50_000;
/// Longer ones are not remembered, so that a log of odd lines costs no memory.
const MAX_KNOWN_BYTES: usize = 512;

/// What was counted.
#[derive(Debug, Default)]
pub(super) struct LogCounts {
    pub(super) agents: Vec<(AgentIndex, AgentCounts)>,
    files: usize,
    requests: u64,
    /// Requests that name no known agent.
    others: u64,
    unreadable: u64,
    /// Of agents' requests.
    without_time: u64,
    pub(super) first_seen: Option<Timestamp>,
    pub(super) last_seen: Option<Timestamp>,
}

impl LogCounts {
    pub(super) fn files_text(&self) -> String {
        if self.files == 1 { "1 file".to_owned() } else { format!("{} files", self.files) }
    }

    pub(super) fn summary(&self) -> String {
        let Self { requests, others, unreadable, without_time, .. } = self;
        let lines = if *unreadable == 1 { "line" } else { "lines" };
        let mut text = format!(
            "{requests} requests, {others} of them by no known agent; {unreadable} {lines} could not be read."
        );
        if *without_time > 0 {
            text.push_str(&format!(
                "\n{without_time} of the agents' requests have no time that can be read and are missing in the peaks."
            ));
        }
        text
    }
}

/// Reads the files one after the other. The order of lines does not matter.
pub(super) fn count_logs(
    files: &[PathBuf],
    checker: &VisitorChecker,
    rules: Option<&SiteRules>,
    now: Timestamp,
) -> Result<LogCounts> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (sender, receiver) = mpsc::sync_channel::<Block>(WAITING_BLOCKS);
    let receiver = Mutex::new(receiver);
    let (give_back, used_buffers) = mpsc::channel();
    let tally = Mutex::new(ConductTally::default());
    let counters = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                let give_back = give_back.clone();
                let (receiver, tally) = (&receiver, &tally);
                scope.spawn(move || {
                    let mut counter = Counter::new(checker, rules, now, tally);
                    loop {
                        // The lock is held while waiting only: blocks are counted at the same time.
                        let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
                        let Ok(block) = next else { return counter.finish() };
                        counter.count_block(&block);
                        // The reader may have ended.
                        let _ = give_back.send(block.into_buffer());
                    }
                })
            })
            .collect();
        let read = read_files(files, sender, &used_buffers);
        let counted: Vec<Counted> =
            workers.into_iter().filter_map(|worker| worker.join().ok()).collect();
        read.map(|too_long| (too_long, counted))
    });
    let (too_long, counted) = counters?;
    anyhow::ensure!(counted.len() == threads, "a thread that counts failed");
    let mut total = LogCounts { files: files.len(), unreadable: too_long, ..LogCounts::default() };
    for one in counted {
        total.requests += one.requests;
        total.others += one.others;
        total.unreadable += one.unreadable;
        total.without_time += one.without_time;
        total.see(one.first_seen);
        total.see(one.last_seen);
    }
    anyhow::ensure!(
        total.requests > 0 || total.unreadable == 0,
        "none of the {} lines could be read. Logs must be in the combined format (nginx, Apache), the JSON of Caddy, or \
         the W3C format (IIS, CloudFront)",
        total.unreadable
    );
    total.agents = tally.into_inner().unwrap_or_else(PoisonError::into_inner).finish().collect();
    Ok(total)
}

impl LogCounts {
    fn see(&mut self, at: Option<Timestamp>) {
        let Some(at) = at else { return };
        self.first_seen = Some(self.first_seen.map_or(at, |seen| seen.min(at)));
        self.last_seen = Some(self.last_seen.map_or(at, |seen| seen.max(at)));
    }
}

/// Returns the number of lines that were skipped because of their length.
fn read_files(
    files: &[PathBuf],
    sender: mpsc::SyncSender<Block>,
    used_buffers: &mpsc::Receiver<Vec<u8>>,
) -> Result<u64> {
    let size = |file: &PathBuf| std::fs::metadata(file).map_or(0, |metadata| metadata.len());
    let bar = scan_progress::logs_bar(files.iter().map(size).sum());
    let mut finished_bytes = 0;
    let mut too_long = 0;
    for file in files {
        let log = open_log(file)?;
        let mut blocks = LogBlocks::new(log.text);
        let unreadable = || format!("{} cannot be read", file.display());
        while let Some(block) = blocks
            .next_block(used_buffers.try_recv().unwrap_or_default())
            .with_context(unreadable)?
        {
            show_progress(&bar, finished_bytes, &log.bytes_read);
            if sender.send(block).is_err() {
                break;
            }
        }
        too_long += blocks.skipped_lines;
        finished_bytes += log.bytes_read.load(Ordering::Relaxed);
    }
    bar.finish_and_clear();
    Ok(too_long)
}

fn show_progress(bar: &ProgressBar, finished: u64, current: &Arc<AtomicU64>) {
    bar.set_position(finished + current.load(Ordering::Relaxed));
}

/// The counts of one thread.
struct Counter<'a> {
    checker: &'a VisitorChecker,
    rules: Option<&'a SiteRules>,
    now: Timestamp,
    /// Whether a user agent, as it is written, names an agent: then it has a number. Logs have few different
    /// ones.
    user_agents: HashMap<Vec<u8>, Option<u32>, RandomState>,
    /// The verdicts about visitors with such a user agent.
    visitors: HashMap<(u32, IpAddr), Option<(AgentIndex, Claim)>, RandomState>,
    /// The patterns of the rules that were broken, by line.
    patterns: HashMap<u32, Option<String>>,
    /// What all threads counted. A minute that lies in several blocks is counted by several threads, and
    /// only the sum of them is a peak: therefore each block is added at once.
    shared: &'a Mutex<ConductTally<AgentIndex>>,
    /// Of the current block.
    tally: ConductTally<AgentIndex>,
    counted: Counted,
}

#[derive(Default)]
struct Counted {
    requests: u64,
    others: u64,
    unreadable: u64,
    without_time: u64,
    first_seen: Option<Timestamp>,
    last_seen: Option<Timestamp>,
}

impl<'a> Counter<'a> {
    fn new(
        checker: &'a VisitorChecker,
        rules: Option<&'a SiteRules>,
        now: Timestamp,
        shared: &'a Mutex<ConductTally<AgentIndex>>,
    ) -> Self {
        Self {
            checker,
            rules,
            now,
            user_agents: HashMap::default(),
            visitors: HashMap::default(),
            patterns: HashMap::new(),
            shared,
            tally: ConductTally::default(),
            counted: Counted::default(),
        }
    }

    fn finish(self) -> Counted {
        self.counted
    }

    fn count_block(&mut self, block: &Block) {
        let too_long = block.for_each_line(|parser, line| match parser.parse(line) {
            LogLine::Request(request) => self.count(&request),
            LogLine::Comment => {}
            LogLine::Unreadable => self.counted.unreadable += 1,
        });
        self.counted.unreadable += too_long;
        let block = std::mem::take(&mut self.tally);
        if !block.is_empty() {
            self.shared.lock().unwrap_or_else(PoisonError::into_inner).merge(block);
        }
    }

    fn count(&mut self, request: &LogRequest<'_>) {
        self.counted.requests += 1;
        let Some((agent, claim)) = self.claim_of(request) else {
            self.counted.others += 1;
            return;
        };
        let at = request.unix_seconds().map(|seconds| Timestamp::from_millis(seconds * 1000));
        let target = request.path_and_query();
        let tokens = self.checker.agents().agent(agent).map(|agent| agent.robots_tokens.as_slice());
        let rules = self.rules.filter(|_| claim == Claim::Verified);
        let broken_rule = rules.and_then(|rules| {
            let path = String::from_utf8_lossy(&target);
            let line = rules.broken_line(tokens.unwrap_or_default(), &path)?;
            let pattern = self.patterns.entry(line).or_insert_with(|| rules.pattern(line));
            pattern.as_deref()
        });
        let sighting = Sighting {
            claim,
            at,
            is_robots_txt: target.split(|byte| *byte == b'?').next() == Some(b"/robots.txt"),
            is_conditional: request.is_conditional == Some(true),
            broken_rule,
        };
        self.counted.see(at);
        self.tally.add(agent, &sighting);
    }

    /// Which agent a request names, and whether it is one. `None` if it names none.
    fn claim_of(&mut self, request: &LogRequest<'_>) -> Option<(AgentIndex, Claim)> {
        let written = request.user_agent.as_written();
        let Some(known) = self.user_agents.get(written) else {
            let user_agent = request.user_agent.decode();
            let names_agent = !self.checker.named_agents(&user_agent).is_empty();
            if self.user_agents.len() < MAX_REMEMBERED && written.len() <= MAX_KNOWN_BYTES {
                let number = u32::try_from(self.user_agents.len()).ok();
                self.user_agents.insert(written.to_vec(), number.filter(|_| names_agent));
            }
            return if names_agent { self.check(request) } else { None };
        };
        let visitor = ((*known)?, request.address);
        if let Some(claim) = self.visitors.get(&visitor) {
            return *claim;
        }
        let claim = self.check(request);
        if self.visitors.len() < MAX_REMEMBERED {
            self.visitors.insert(visitor, claim);
        }
        claim
    }

    fn check(&self, request: &LogRequest<'_>) -> Option<(AgentIndex, Claim)> {
        let verdict = self.checker.check(&VisitorEvidence {
            user_agent: &request.user_agent.decode(),
            address: Some(request.address),
            reverse_dns: &ReverseDns::NotLookedUp,
            signature: &SignatureEvidence::NotGiven,
            now: self.now,
        });
        let claim = match verdict.verdict {
            VisitorVerdict::Verified => Claim::Verified,
            VisitorVerdict::Spoofed => Claim::Forged,
            VisitorVerdict::Unverifiable => Claim::Unverifiable,
            _ => return None,
        };
        Some((verdict.claimed?, claim))
    }
}

impl Counted {
    fn see(&mut self, at: Option<Timestamp>) {
        let Some(at) = at else {
            self.without_time += 1;
            return;
        };
        self.first_seen = Some(self.first_seen.map_or(at, |seen| seen.min(at)));
        self.last_seen = Some(self.last_seen.map_or(at, |seen| seen.max(at)));
    }
}
