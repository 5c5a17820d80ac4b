//! Mails in the background: what to send to a mailbox, and sending it.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use contract::limits::FREE_KEY_LINK_HOURS;
use door::mail::{MailError, OutgoingMail};
use store::{AllowanceDraw, AllowanceOutcome, Day, KeyRequest};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::link::LinkToken;
use super::mailbox::Mailbox;
use super::texts::{self, MailText};
use super::{FreeKeyError, FreeKeys};

/// Mails that may wait or be sent at a time.
const MAX_DELIVERIES: usize = 256;
/// Connections to the mail server at a time.
const CONNECTIONS: usize = 4;
/// The pauses before a mail is tried again.
const RETRY_PAUSES: [Duration; 3] =
    [Duration::from_secs(5), Duration::from_secs(60), Duration::from_secs(300)];
const LINK_LIFETIME_MS: i64 = FREE_KEY_LINK_HOURS as i64 * 3_600_000;
/// Mails to one mailbox in a UTC day, so that nobody can fill it.
const MAILS_PER_MAILBOX_A_DAY: u32 = 1;

const MAILS_TOTAL: &str = "wayleave_mails_total";

/// The mails that are being sent. Requests add to them, the end of the process waits for them.
pub(super) struct Deliveries {
    slots: Arc<Semaphore>,
    connections: Semaphore,
    tasks: TaskTracker,
    /// Set at the end: pauses end at once, and nothing is tried again.
    stopping: CancellationToken,
}

impl Default for Deliveries {
    fn default() -> Self {
        Self {
            slots: Arc::new(Semaphore::new(MAX_DELIVERIES)),
            connections: Semaphore::new(CONNECTIONS),
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
        }
    }
}

/// The place of one mail. Given back when it is dropped.
pub(super) struct DeliverySlot {
    permit: OwnedSemaphorePermit,
    tasks: TaskTracker,
}

impl Deliveries {
    /// `None` if there are as many mails as may be.
    pub(super) fn reserve(&self) -> Option<DeliverySlot> {
        let permit = Arc::clone(&self.slots).try_acquire_owned().ok()?;
        Some(DeliverySlot { permit, tasks: self.tasks.clone() })
    }

    pub(super) async fn finish(&self) {
        self.stopping.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl DeliverySlot {
    pub(super) fn start(self, work: impl Future<Output = ()> + Send + 'static) {
        let Self { permit, tasks } = self;
        tasks.spawn(async move {
            work.await;
            drop(permit);
        });
    }
}

impl FreeKeys {
    /// Sends the mailbox what it gets: a link, the word that it has a key, or nothing if it had its mail of
    /// today.
    pub(super) async fn deliver(&self, mailbox: &Mailbox) {
        match self.write_mail(mailbox).await {
            Ok(Some(mail)) => self.send(mailbox, &mail).await,
            Ok(None) => count("withheld"),
            Err(error) => {
                count("failed");
                tracing::error!(%error, "a mail with a link to a free key could not be written");
            }
        }
    }

    /// `None` if the mailbox had its mail of today.
    pub(super) async fn write_mail(
        &self,
        mailbox: &Mailbox,
    ) -> Result<Option<MailText>, FreeKeyError> {
        let now = self.clock.now();
        let digest = self.mailbox_digest(mailbox);
        let key = self.secret.mac("mails to a mailbox", &[digest.as_bytes()]);
        let draw = AllowanceDraw { key, limit: MAILS_PER_MAILBOX_A_DAY };
        let drawn = self.store.draw_allowances(Day::of(now).into(), vec![draw]).await?;
        if drawn != AllowanceOutcome::Granted {
            return Ok(None);
        }
        let host = self.issuer.base_url.split_once("://").map_or("", |(_, host)| host);
        let licence = self.store.licence_by_mailbox(digest).await?;
        if licence.is_some_and(|licence| licence.is_active(now)) {
            return Ok(Some(texts::has_key_mail(host, self.contact.as_deref())));
        }
        let token = LinkToken::generate(self.ids.as_ref())?;
        let request = KeyRequest {
            token_sha256: token.sha256(),
            mailbox: digest,
            created_at: now.whole_seconds(),
            expires_at: now.plus_millis(LINK_LIFETIME_MS),
        };
        self.store.put_key_request(request).await?;
        let link = self.issuer.url(&format!("/keys/free/{}", token.reveal()));
        Ok(Some(texts::link_mail(host, &link)))
    }

    /// Tries until the server accepts the mail, refuses it for good, or has failed often enough.
    async fn send(&self, mailbox: &Mailbox, mail: &MailText) {
        let Ok(id) = self.ids.random_id() else { return count("failed") };
        let to = mailbox.address();
        let mut pauses = RETRY_PAUSES.iter();
        loop {
            let outgoing = OutgoingMail {
                to: &to,
                subject: mail.subject,
                text: &mail.text,
                date: self.clock.now(),
                id: &id,
            };
            let Err(error) = self.send_once(&outgoing).await else { return count("sent") };
            count("failed");
            let pause = pauses.next().filter(|_| error.is_temporary());
            let Some(pause) = pause.filter(|_| !self.deliveries.stopping.is_cancelled()) else {
                tracing::error!(%error, id, "a mail about a free key was given up");
                return;
            };
            tracing::warn!(%error, id, retry_s = pause.as_secs(), "a mail about a free key was not sent");
            tokio::select! {
                () = tokio::time::sleep(*pause) => {}
                () = self.deliveries.stopping.cancelled() => {
                    tracing::error!(id, "a mail about a free key was given up because the server stops");
                    return;
                }
            }
        }
    }

    async fn send_once(&self, mail: &OutgoingMail<'_>) -> Result<(), MailError> {
        // The semaphore is never closed.
        let _connection = self.deliveries.connections.acquire().await;
        self.mailer.send(mail).await
    }
}

fn count(result: &'static str) {
    metrics::counter!(MAILS_TOTAL, "result" => result).increment(1);
}
