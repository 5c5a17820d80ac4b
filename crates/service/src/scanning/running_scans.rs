//! Scans that somebody watches while they run: each has an unguessable id, its progress and, in the end, its
//! result. Only in memory, and bounded: in number, in what is kept of each, in time and in listeners.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agents::Catalogue;
use bytes::Bytes;
use contract::evidence::ReadTarget;
use contract::records::Role;
use contract::{Domain, Timestamp};
use observe::{ProgressRead, ScanProgress};
use store::Visibility;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_util::task::TaskTracker;

use super::report::ReportReader;
use super::scan::{ScanCommand, ScanError, ScanReply, scan_holder};
use crate::scanning::Scanning;

/// The most scans that are known at a time, running or ended.
const MAX_SCANS: usize = 256;
/// How long a scan is known after its start. Its report is found by its own id.
const KNOWN_FOR_MS: i64 = 10 * 60 * 1_000;
/// The most files that the progress lists; further ones are only counted.
const MAX_FILES: usize = 64;
/// Paths may come from the site.
const MAX_PATH_CHARS: usize = 80;
/// The most listeners of all scans, and of one.
const MAX_LISTENERS: usize = 256;
const MAX_LISTENERS_OF_ONE: usize = 16;

/// The watched scans by id. The mutex is held for one map operation only, never across an await.
#[derive(Debug)]
pub(crate) struct RunningScans {
    scans: Mutex<HashMap<String, Arc<RunningScan>>>,
    listeners: Arc<Semaphore>,
    /// A server that stops waits for these.
    tasks: TaskTracker,
}

/// One watched scan. `progress` guards the board; `changed` counts its changes and wakes the listeners.
#[derive(Debug)]
pub struct RunningScan {
    pub id: String,
    pub domain: Domain,
    pub visibility: Visibility,
    /// The id of the licence that it is made for, if it is private.
    owner: Option<String>,
    pub started_at: Timestamp,
    progress: Mutex<ScanBoard>,
    changed: watch::Sender<u64>,
    all_listeners: Arc<Semaphore>,
    listeners: Arc<Semaphore>,
}

/// How far a watched scan has come.
#[derive(Debug, Clone, Default)]
pub struct ScanBoard {
    /// Whether all limits were passed and reading has begun.
    pub accepted: bool,
    pub done: usize,
    /// How many reads are planned so far.
    pub total: usize,
    /// Every identity that the home page is requested as, in the order of the catalogue.
    pub identities: Vec<IdentityProgress>,
    /// Other reads that ended, in the order they did.
    pub files: Vec<FileProgress>,
    /// How many further files were read and are not listed.
    pub more_files: usize,
    /// Set when the scan has ended.
    pub result: Option<Arc<Result<ScanReply, ScanError>>>,
}

/// An identity and the result of its request, if there is one yet.
#[derive(Debug, Clone)]
pub struct IdentityProgress {
    pub id: String,
    pub label: String,
    pub role: Role,
    pub result: Option<ReadResult>,
}

#[derive(Debug, Clone)]
pub struct FileProgress {
    pub path: String,
    pub result: ReadResult,
}

/// The HTTP status, or the reason code why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadResult {
    pub status: Option<u16>,
    pub failure: Option<String>,
}

/// Wakes when the progress of a scan changes. Counts as a listener until it is dropped.
#[derive(Debug)]
pub struct ScanListener {
    changes: watch::Receiver<u64>,
    _permits: (OwnedSemaphorePermit, OwnedSemaphorePermit),
}

impl ScanListener {
    /// Waits for the next change. False if there will be none.
    pub async fn changed(&mut self) -> bool {
        self.changes.changed().await.is_ok()
    }
}

impl Default for RunningScans {
    fn default() -> Self {
        Self {
            scans: Mutex::default(),
            listeners: Arc::new(Semaphore::new(MAX_LISTENERS)),
            tasks: TaskTracker::new(),
        }
    }
}

impl RunningScans {
    /// Adds a scan, and forgets those that are too old. False if there is no place.
    fn add(&self, scan: Arc<RunningScan>) -> bool {
        let mut scans = self.lock();
        let now = scan.started_at;
        scans.retain(|_, known| now.millis_since(known.started_at) < KNOWN_FOR_MS);
        if scans.len() >= MAX_SCANS {
            // One that has ended makes room; a running one is never forgotten.
            let ended = scans.values().filter(|known| known.board().result.is_some());
            let oldest = ended.min_by_key(|known| known.started_at).map(|known| known.id.clone());
            match oldest {
                Some(id) => scans.remove(&id),
                None => return false,
            };
        }
        scans.insert(scan.id.clone(), scan);
        true
    }

    fn find(&self, id: &str, now: Timestamp) -> Option<Arc<RunningScan>> {
        let scan = self.lock().get(id).cloned()?;
        (now.millis_since(scan.started_at) < KNOWN_FOR_MS).then_some(scan)
    }

    /// A public scan of the domain that has not ended.
    fn find_public(&self, domain: &Domain) -> Option<Arc<RunningScan>> {
        let scans = self.lock();
        let same = |scan: &&Arc<RunningScan>| {
            scan.domain == *domain
                && scan.visibility == Visibility::Public
                && scan.board().result.is_none()
        };
        scans.values().find(same).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<RunningScan>>> {
        self.scans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunningScan {
    fn new(
        id: String,
        domain: Domain,
        visibility: Visibility,
        started_at: Timestamp,
        catalogue: &Catalogue,
        all_listeners: Arc<Semaphore>,
    ) -> Self {
        let identities = catalogue.compared_identities().filter_map(|identity| {
            Some(IdentityProgress {
                id: identity.id.clone(),
                label: identity.label.clone(),
                role: Role::from_word(identity.role.as_str())?,
                result: None,
            })
        });
        let board = ScanBoard { identities: identities.collect(), ..ScanBoard::default() };
        Self {
            id,
            domain,
            visibility,
            owner: None,
            started_at,
            progress: Mutex::new(board),
            changed: watch::Sender::new(0),
            all_listeners,
            listeners: Arc::new(Semaphore::new(MAX_LISTENERS_OF_ONE)),
        }
    }

    /// Only the licence that it is made for, or the owner of the domain, may watch.
    fn with_owner(self, owner: Option<String>) -> Self {
        Self { owner, ..self }
    }

    /// Whether this reader may watch it. A private scan is for its licence, or for the owner of the domain.
    #[must_use]
    pub fn may_be_watched_by(&self, reader: ReportReader<'_>) -> bool {
        match &self.owner {
            Some(owner) => {
                reader.licence.is_some_and(|licence| licence.id == *owner)
                    || reader.owned == Some(&self.domain)
            }
            None => self.visibility != Visibility::Private,
        }
    }

    /// How far the scan has come now.
    #[must_use]
    pub fn board(&self) -> ScanBoard {
        self.lock().clone()
    }

    /// Listens for changes. `None` if too many listen already.
    #[must_use]
    pub fn listen(&self) -> Option<ScanListener> {
        let all = Arc::clone(&self.all_listeners).try_acquire_owned().ok()?;
        let own = Arc::clone(&self.listeners).try_acquire_owned().ok()?;
        Some(ScanListener { changes: self.changed.subscribe(), _permits: (all, own) })
    }

    /// Waits until reading has begun or the scan has ended, whichever is first.
    pub async fn accepted_or_ended(&self) {
        let mut changes = self.changed.subscribe();
        loop {
            let board = self.board();
            if board.accepted || board.result.is_some() || changes.changed().await.is_err() {
                return;
            }
        }
    }

    /// All limits were passed: reading begins.
    pub(super) fn accept(&self) {
        self.change(|board| board.accepted = true);
    }

    pub(super) fn record(&self, progress: ScanProgress) {
        self.change(|board| board.add(progress));
    }

    fn end(&self, mut result: Result<ScanReply, ScanError>) {
        if let Ok(ScanReply { id: Some(_), bytes, .. }) = &mut result {
            // The report is in the store.
            *bytes = Bytes::new();
        }
        self.change(|board| board.result = Some(Arc::new(result)));
    }

    fn change(&self, change: impl FnOnce(&mut ScanBoard)) {
        change(&mut self.lock());
        self.changed.send_modify(|count| *count = count.wrapping_add(1));
    }

    fn lock(&self) -> MutexGuard<'_, ScanBoard> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ScanBoard {
    fn add(&mut self, progress: ScanProgress) {
        // Parallel reads may report out of order.
        self.done = self.done.max(progress.done);
        self.total = self.total.max(progress.total);
        let Some(read) = progress.read else { return };
        let ProgressRead { target, path, identity, status, failure, .. } = read;
        let result = ReadResult { status, failure };
        if target == ReadTarget::Home {
            if let Some(row) = self.identities.iter_mut().find(|row| row.id == identity) {
                row.result = Some(result);
            }
            return;
        }
        let is_file = matches!(
            target,
            ReadTarget::Robots
                | ReadTarget::MachineFile
                | ReadTarget::Sitemap
                | ReadTarget::Feed
                | ReadTarget::ServiceDescription
                | ReadTarget::CapabilityCall
        );
        if !is_file || self.files.iter().any(|file| file.path == path) {
            return;
        }
        if self.files.len() >= MAX_FILES {
            self.more_files += 1;
            return;
        }
        let path = path.chars().take(MAX_PATH_CHARS).collect();
        self.files.push(FileProgress { path, result });
    }
}

/// Ends a scan whose task was dropped or panicked, so that nobody waits for it forever.
struct EndOnDrop(Arc<RunningScan>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        if self.0.board().result.is_none() {
            self.0.end(Err(ScanError::Internal("the scan was stopped".to_owned())));
        }
    }
}

impl Scanning {
    /// Starts a scan that can be watched by its id. A public scan of a domain that is being scanned
    /// publicly joins that scan. The scan goes on when nobody waits for it.
    pub fn start_scan(
        self: &Arc<Self>,
        request: ScanCommand,
    ) -> Result<Arc<RunningScan>, ScanError> {
        let domain = self.scanner.parse_domain(&request.input)?;
        let visibility = self.stored_visibility(&request, &domain)?;
        if visibility == Visibility::Public
            && let Some(running) = self.running.find_public(&domain)
        {
            return Ok(running);
        }
        let scan = RunningScan::new(
            self.scanner.new_unguessable_id()?,
            domain,
            visibility,
            self.clock.now(),
            self.scanner.catalogue(),
            Arc::clone(&self.running.listeners),
        );
        let owner = match visibility {
            Visibility::Private => scan_holder(&request.caller),
            _ => None,
        };
        let scan = Arc::new(scan.with_owner(owner));
        if !self.running.add(Arc::clone(&scan)) {
            return Err(ScanError::Busy { retry_after_s: self.retry_after_s() });
        }
        let (scanning, watched) = (Arc::clone(self), Arc::clone(&scan));
        self.running.tasks.spawn(async move {
            let watched = EndOnDrop(watched);
            let result = scanning.scan_watched(request, Some(&watched.0)).await;
            watched.0.end(result);
        });
        Ok(scan)
    }

    /// Waits until no watched scan is running. Call when no more are started.
    pub async fn finish_watched_scans(&self) {
        self.running.tasks.close();
        self.running.tasks.wait().await;
    }

    /// A scan that was started as watched, for ten minutes after its start.
    #[must_use]
    pub fn running_scan(&self, id: &str) -> Option<Arc<RunningScan>> {
        self.running.find(id, self.clock.now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(id: &str, started_ms: i64) -> Arc<RunningScan> {
        let domain = Domain::parse("a.org", &contract::NamePolicy::default()).unwrap();
        let catalogue = Catalogue::built_in().unwrap();
        Arc::new(RunningScan::new(
            id.to_owned(),
            domain,
            Visibility::Public,
            Timestamp::from_millis(started_ms),
            &catalogue,
            Arc::new(Semaphore::new(MAX_LISTENERS)),
        ))
    }

    fn read(target: ReadTarget, path: &str, identity: &str, status: u16) -> ScanProgress {
        let read = ProgressRead {
            target,
            path: path.to_owned(),
            identity: identity.to_owned(),
            status: Some(status),
            failure: None,
            took_ms: 1,
        };
        ScanProgress { done: 1, total: 50, read: Some(read) }
    }

    #[test]
    fn progress_is_bounded_whatever_the_site_names() {
        let scan = scan("a", 0);
        scan.record(read(ReadTarget::Home, "/", "gptbot", 403));
        for number in 0..1_000 {
            let path = format!("/{number}{}", "x".repeat(9_000));
            scan.record(read(ReadTarget::Sitemap, &path, "wayleave", 200));
        }
        let board = scan.board();
        assert_eq!((board.files.len(), board.more_files), (MAX_FILES, 1_000 - MAX_FILES));
        assert!(board.files.iter().all(|file| file.path.chars().count() == MAX_PATH_CHARS));
        let gptbot = board.identities.iter().find(|row| row.id == "gptbot").unwrap();
        assert_eq!(gptbot.result.as_ref().unwrap().status, Some(403));
        assert_eq!(board.identities.iter().filter(|row| row.result.is_some()).count(), 1);
    }

    #[test]
    fn running_scans_are_never_forgotten_and_ended_ones_make_room() {
        let all = RunningScans::default();
        for number in 0..MAX_SCANS {
            assert!(all.add(scan(&number.to_string(), 0)));
        }
        assert!(!all.add(scan("more", 1)), "all of them are running");
        all.find("7", Timestamp::from_millis(0)).unwrap().end(Err(ScanError::PrivateNeedsLicence));
        assert!(all.add(scan("more", 1)));
        assert!(all.find("7", Timestamp::from_millis(1)).is_none());
        assert!(all.find("8", Timestamp::from_millis(1)).is_some());
        assert!(all.find("8", Timestamp::from_millis(KNOWN_FOR_MS)).is_none(), "too old");
    }

    #[test]
    fn listeners_are_bounded() {
        let scan = scan("a", 0);
        let listening: Vec<_> = (0..MAX_LISTENERS_OF_ONE).map(|_| scan.listen().unwrap()).collect();
        assert!(scan.listen().is_none());
        drop(listening);
        assert!(scan.listen().is_some());
    }

    #[tokio::test]
    async fn listeners_are_woken_and_a_dropped_scan_ends() {
        let scan = scan("a", 0);
        let mut listener = scan.listen().unwrap();
        scan.accept();
        assert!(listener.changed().await);
        scan.accepted_or_ended().await;
        drop(EndOnDrop(Arc::clone(&scan)));
        assert!(matches!(*scan.board().result.unwrap(), Err(ScanError::Internal(_))));
    }
}
