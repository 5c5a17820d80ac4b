//! Takes events from the append-only sources in order, and stores a delivery for every webhook that gets
//! them. The cursor of a source moves in the same transaction, so that no event is lost or stored twice.

use std::collections::{BTreeMap, BTreeSet};

use contract::records::ControlEventType;
use contract::{Domain, Timestamp};
use store::{
    ChangesQuery, Licence, LicenceScan, LicensedDomains, NewDelivery, RevocationsQuery, StoreError,
    StoredChange, StoredControlEvent, StoredRevocation, Webhook,
};

use super::Webhooks;
use super::events::{Audience, Event, EventName};
use crate::accuracy;
use crate::answers::changes::parse_entry;
use crate::answers::revocations::to_wire_entry;
use crate::domains::control::read_control_event;

/// Events that are read at once.
const PAGE: usize = 100;
/// Deliveries after which a transaction ends with the event that it is at.
const DELIVERIES_PER_WRITE: usize = 1_000;
/// Steps in one turn of one source, so that the others have theirs.
const STEPS: usize = 100;
/// Webhooks that are read at once.
const WEBHOOK_PAGE: usize = 500;
/// A licence for all domains follows those of its latest scans, at most this many scans.
pub const FOLLOWED_SCANS: usize = 1_000;

/// Where events come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Changes,
    Revocations,
    Scans,
    Control,
}

impl Source {
    const ALL: [Self; 4] = [Self::Changes, Self::Revocations, Self::Scans, Self::Control];

    /// The name of its cursor in the store.
    const fn name(self) -> &'static str {
        match self {
            Self::Changes => "changes",
            Self::Revocations => "revocations",
            Self::Scans => "scans",
            Self::Control => "control",
        }
    }
}

impl Webhooks {
    /// Stores the deliveries of everything that happened since the last call, and returns how many these
    /// are. A source that was never read starts at its end: webhooks get no past.
    pub(crate) async fn fan_out(&self) -> Result<usize, StoreError> {
        let cursors: BTreeMap<String, u64> =
            self.store.fan_out_cursors().await?.into_iter().collect();
        let mut recipients = Recipients::default();
        let mut stored = 0;
        for source in Source::ALL {
            let name = source.name();
            let end = self.end_of(source).await?;
            match cursors.get(name) {
                None => drop(self.store.fan_out(name, 0, end, Vec::new()).await?),
                Some(cursor) if *cursor < end => {
                    stored += self.fan_out_source(source, *cursor, &mut recipients).await?;
                }
                // The source has fewer events than were handled: it was replaced by an older one.
                Some(cursor) if *cursor > end => {
                    tracing::warn!(source = name, cursor, end, "events are numbered from anew");
                    self.store.fan_out(name, *cursor, end, Vec::new()).await?;
                }
                Some(_) => {}
            }
        }
        Ok(stored)
    }

    async fn fan_out_source(
        &self,
        source: Source,
        mut cursor: u64,
        recipients: &mut Recipients,
    ) -> Result<usize, StoreError> {
        let mut stored = 0;
        for _ in 0..STEPS {
            let page = match self.read_events(source, cursor, PAGE).await {
                Err(StoreError::Damaged { .. }) => self.read_past_damage(source, cursor).await?,
                read => read?,
            };
            let Some(last) = page.last().map(EventOrGap::seq) else { break };
            if !recipients.are_loaded {
                *recipients = self.load_recipients().await?;
            }
            let (mut new, mut moved_to) = (Vec::new(), last);
            for event in page {
                let EventOrGap::Event(event) = event else { continue };
                self.address_event(source, &event, recipients, &mut new).await?;
                if new.len() >= DELIVERIES_PER_WRITE {
                    moved_to = event.seq;
                    break;
                }
            }
            let count = new.len();
            if !self.store.fan_out(source.name(), cursor, moved_to, new).await? {
                // Another process has read these events.
                break;
            }
            stored += count;
            cursor = moved_to;
        }
        Ok(stored)
    }

    /// One event, or the number of one that cannot be read: it must not hold up those after it.
    async fn read_past_damage(
        &self,
        source: Source,
        cursor: u64,
    ) -> Result<Vec<EventOrGap>, StoreError> {
        match self.read_events(source, cursor, 1).await {
            Err(StoreError::Damaged { what, why }) => {
                tracing::error!(source = source.name(), what, why, "an event cannot be read");
                Ok(vec![EventOrGap::Gap(cursor.saturating_add(1))])
            }
            read => read,
        }
    }

    /// The number of the last event of a source; 0 if there was none.
    async fn end_of(&self, source: Source) -> Result<u64, StoreError> {
        match source {
            Source::Changes => {
                let newest = ChangesQuery { limit: 1, ..ChangesQuery::default() };
                Ok(self.store.changes(newest).await?.first().map_or(0, |newest| newest.seq))
            }
            Source::Revocations => {
                Ok(self.store.last_revocation().await?.map_or(0, |newest| newest.seq))
            }
            Source::Scans => self.store.last_licence_scan().await,
            Source::Control => self.store.last_control_event().await,
        }
    }

    async fn read_events(
        &self,
        source: Source,
        after: u64,
        limit: usize,
    ) -> Result<Vec<EventOrGap>, StoreError> {
        Ok(match source {
            Source::Changes => {
                let query = ChangesQuery { after: Some(after), limit, ..ChangesQuery::default() };
                let found = self.store.changes(query).await?;
                found.into_iter().map(|change| self.change_event(change)).collect()
            }
            Source::Revocations => {
                let after = Some(after);
                let query = RevocationsQuery { after, limit, ..RevocationsQuery::default() };
                let found = self.store.revocations(query).await?;
                found.iter().map(|entry| self.revocation_event(entry)).collect()
            }
            Source::Scans => {
                let found = self.store.licence_scans_after(after, limit).await?;
                found.into_iter().map(|scan| EventOrGap::Event(self.scan_event(scan))).collect()
            }
            Source::Control => {
                let found = self.store.control_events_after(after, limit).await?;
                found.iter().map(|event| self.control_event(event)).collect()
            }
        })
    }

    fn change_event(&self, change: StoredChange) -> EventOrGap {
        let (seq, domain, occurred_at) = (change.seq, change.domain.clone(), change.at);
        let (name, path) = match change.section.as_str() {
            accuracy::SECTION => (EventName::AccuracyChanged, "/api/v1/accuracy"),
            _ => (EventName::AnswerChanged, "/api/v1/changes"),
        };
        let data = parse_entry(change).map_err(|e| e.to_string());
        let data = data.and_then(|entry| serde_json::to_value(entry).map_err(|e| e.to_string()));
        EventOrGap::of(seq, data, |data| Event {
            seq,
            name,
            occurred_at,
            link: self.issuer.domain_url(path, &domain),
            audience: Audience::Domain(domain),
            data,
        })
    }

    fn revocation_event(&self, stored: &StoredRevocation) -> EventOrGap {
        let data = to_wire_entry(stored).map_err(|e| e.to_string());
        let data = data.and_then(|entry| serde_json::to_value(entry).map_err(|e| e.to_string()));
        const PATH: &str = "/api/v1/revocations";
        let (link, audience) = match &stored.entry.domain {
            Some(domain) => {
                (self.issuer.domain_url(PATH, domain), Audience::Domain(domain.clone()))
            }
            // Of a key, for example: it concerns all domains.
            None => (self.issuer.url(PATH), Audience::Everybody),
        };
        EventOrGap::of(stored.seq, data, |data| Event {
            seq: stored.seq,
            name: EventName::Revocation,
            occurred_at: stored.entry.at,
            audience,
            data,
            link,
        })
    }

    /// Checks that changed nothing are no news.
    fn control_event(&self, stored: &StoredControlEvent) -> EventOrGap {
        let seq = stored.seq;
        let event = match read_control_event(stored) {
            Ok(event) => event,
            Err(error) => {
                tracing::error!(%error, "an event cannot be read, and is not sent");
                return EventOrGap::Gap(seq);
            }
        };
        if event.from_state == event.to_state && event.event == ControlEventType::Rechecked {
            return EventOrGap::Gap(seq);
        }
        let data = serde_json::to_value(event).map_err(|e| e.to_string());
        EventOrGap::of(seq, data, |data| Event {
            seq,
            name: EventName::ControlChanged,
            occurred_at: stored.at,
            link: self.issuer.domain_url("/api/v1/domain/control", &stored.domain),
            audience: Audience::Domain(stored.domain.clone()),
            data,
        })
    }

    fn scan_event(&self, found: LicenceScan) -> Event {
        let LicenceScan { seq, licence_id, scan } = found;
        Event {
            seq,
            name: EventName::ScanFinished,
            occurred_at: scan.scanned_at,
            audience: Audience::Licence(licence_id),
            data: serde_json::json!({
                "scan_id": scan.id,
                "domain": scan.domain,
                "scanned_at": scan.scanned_at,
                "visibility": scan.visibility.to_string(),
                "grade": scan.grade,
                "overall": scan.overall,
            }),
            link: self.issuer.url(&format!("/r/{}.json", scan.id)),
        }
    }

    async fn address_event(
        &self,
        source: Source,
        event: &Event,
        recipients: &mut Recipients,
        new: &mut Vec<NewDelivery>,
    ) -> Result<(), StoreError> {
        let now = self.clock.now();
        for (licence, webhooks) in &mut recipients.licences {
            let mut webhooks = webhooks.iter().filter(|hook| hook.wants(event.name.as_str()));
            let Some(first) = webhooks.next() else { continue };
            if !self.is_for(event, licence).await? {
                continue;
            }
            for webhook in std::iter::once(first).chain(webhooks) {
                new.extend(new_delivery(source, event, webhook, now));
            }
        }
        Ok(())
    }

    /// Whether the holder of a licence gets the event.
    async fn is_for(&self, event: &Event, recipient: &mut Recipient) -> Result<bool, StoreError> {
        let licence = &recipient.licence;
        let domain = match &event.audience {
            Audience::Everybody => return Ok(true),
            Audience::Licence(id) => return Ok(*id == licence.id),
            Audience::Domain(domain) => domain,
        };
        if let LicensedDomains::Only(domains) = &licence.domains {
            return Ok(domains.contains(domain));
        }
        let scanned = match &mut recipient.scanned {
            Some(scanned) => scanned,
            unknown => {
                let scans = self.store.scans_of_licence(&licence.id, None, FOLLOWED_SCANS).await?;
                unknown.insert(scans.into_iter().map(|found| found.scan.domain).collect())
            }
        };
        Ok(scanned.contains(domain))
    }

    /// The webhooks that are on, of licences that have not ended.
    async fn load_recipients(&self) -> Result<Recipients, StoreError> {
        let now = self.clock.now();
        let mut by_licence: BTreeMap<String, Vec<Webhook>> = BTreeMap::new();
        let mut after = None;
        loop {
            let page = self.store.active_webhooks(after, WEBHOOK_PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.id.clone());
            for webhook in page {
                by_licence.entry(webhook.licence_id.clone()).or_default().push(webhook);
            }
        }
        let mut licences = Vec::new();
        for (id, webhooks) in by_licence {
            let licence = self.store.licence(&id).await?;
            if let Some(licence) = licence.filter(|licence| licence.is_active(now)) {
                licences.push((Recipient { licence, scanned: None }, webhooks));
            }
        }
        Ok(Recipients { licences, are_loaded: true })
    }
}

/// Who can get events, as of one turn.
#[derive(Debug, Default)]
struct Recipients {
    licences: Vec<(Recipient, Vec<Webhook>)>,
    are_loaded: bool,
}

#[derive(Debug)]
struct Recipient {
    licence: Licence,
    /// The domains of its latest scans, once they were needed.
    scanned: Option<BTreeSet<Domain>>,
}

/// An event, or the number of one that cannot be read.
#[derive(Debug)]
enum EventOrGap {
    Event(Event),
    Gap(u64),
}

impl EventOrGap {
    fn of(
        seq: u64,
        data: Result<serde_json::Value, String>,
        build: impl FnOnce(serde_json::Value) -> Event,
    ) -> Self {
        match data {
            Ok(data) => Self::Event(build(data)),
            Err(why) => {
                tracing::error!(seq, why, "an event cannot be read, and is not sent");
                Self::Gap(seq)
            }
        }
    }

    fn seq(&self) -> u64 {
        match self {
            Self::Event(event) => event.seq,
            Self::Gap(seq) => *seq,
        }
    }
}

fn new_delivery(
    source: Source,
    event: &Event,
    webhook: &Webhook,
    now: Timestamp,
) -> Option<NewDelivery> {
    let addressed = event.address_to(source.name(), &webhook.id);
    let addressed = addressed
        .inspect_err(|error| tracing::error!(%error, "an event cannot be written"))
        .ok()?;
    Some(NewDelivery {
        id: addressed.id,
        webhook_id: webhook.id.clone(),
        event: event.name.as_str().to_owned(),
        body: addressed.body,
        created_at: now,
        next_try_at: now,
    })
}
