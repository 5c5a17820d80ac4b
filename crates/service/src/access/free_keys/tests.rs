use std::sync::atomic::{AtomicI64, Ordering};

use contract::Timestamp;
use door::mail::{MailSecurity, MailSettings};

use super::*;
use crate::random_ids::SystemIds;
use crate::testing;
use crate::{LicenceError, LicenceKey, PresentedKey, Service};

/// A clock that a test moves.
#[derive(Debug)]
struct MovedClock(AtomicI64);

impl MovedClock {
    fn advance_hours(&self, hours: i64) {
        self.0.fetch_add(hours * 3_600_000, Ordering::Relaxed);
    }
}

impl Clock for MovedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::Relaxed))
    }
}

struct Offered {
    clock: Arc<MovedClock>,
    service: Service,
    free_keys: Arc<FreeKeys>,
    _dir: tempfile::TempDir,
}

/// Free keys, with a mail server that is not there.
fn offered() -> Offered {
    let dir = tempfile::tempdir().unwrap();
    let clock = Arc::new(MovedClock(AtomicI64::new(testing::now().as_millis())));
    let service = testing::build_service_with_clock(dir.path(), Vec::new(), clock.clone());
    let mailer = Mailer::new(MailSettings {
        host: "127.0.0.1".to_owned(),
        port: 1,
        security: MailSecurity::None,
        login: None,
        from: "keys@svc.example".to_owned(),
        extra_ca: Vec::new(),
    });
    let mut settings = FreeKeySettings::new(mailer.unwrap());
    assert!(settings.refused_domains.add("throwaway.example"));
    let parts = FreeKeyParts {
        issuer: service.issuer().clone(),
        store: Arc::clone(&service.store),
        clock: clock.clone(),
        ids: Arc::new(SystemIds),
        secret: service.access.secret.clone(),
        contact: Some("mailto:ops@svc.example".to_owned()),
    };
    let free_keys = Arc::new(FreeKeys::new(settings, parts));
    Offered { clock, service, free_keys, _dir: dir }
}

impl Offered {
    /// The text of the mail to this mailbox; `None` if it gets none.
    async fn mail(&self, mailbox: &str) -> Option<String> {
        let mailbox = Mailbox::parse(mailbox).unwrap();
        self.free_keys.write_mail(&mailbox).await.unwrap().map(|mail| mail.text)
    }

    /// The token of the link in the mail to this mailbox.
    async fn token(&self, mailbox: &str) -> LinkToken {
        let text = self.mail(mailbox).await.unwrap();
        let (_, rest) = text.split_once("https://svc.example/keys/free/").expect(&text);
        LinkToken::parse(rest.lines().next().unwrap()).unwrap()
    }

    async fn claim(&self, token: &LinkToken) -> ClaimOutcome {
        self.free_keys.claim_key(token).await.unwrap()
    }

    async fn state(&self, token: &LinkToken) -> LinkState {
        self.free_keys.link_state(token).await.unwrap()
    }

    async fn plan_of(&self, key: LicenceKey) -> Result<String, LicenceError> {
        let found = self.service.access.find_active_licence(&PresentedKey::Key(key)).await;
        found.map(|licence| licence.plan)
    }
}

fn block(text: &str) -> AddressBlock {
    AddressBlock::from_address(text.parse().unwrap())
}

#[tokio::test]
async fn a_link_shows_one_key_once() {
    let offered = offered();
    let token = offered.token("ada@shop.example").await;
    assert_eq!(format!("{token:?}"), "LinkToken");
    for _ in 0..3 {
        assert_eq!(offered.state(&token).await, LinkState::Valid, "looking does not use it");
    }
    let ClaimOutcome::Key(key) = offered.claim(&token).await else { panic!("no key") };
    assert_eq!(offered.plan_of(key).await.as_deref(), Ok("free"));
    assert_eq!(offered.state(&token).await, LinkState::Unknown);
    assert_eq!(offered.claim(&token).await, ClaimOutcome::Unknown);
    let other = LinkToken::parse(&"a".repeat(43)).unwrap();
    assert_eq!(offered.claim(&other).await, ClaimOutcome::Unknown);
}

#[tokio::test]
async fn a_link_expires_after_a_day() {
    let offered = offered();
    let token = offered.token("ada@shop.example").await;
    offered.clock.advance_hours(23);
    assert_eq!(offered.state(&token).await, LinkState::Valid);
    offered.clock.advance_hours(1);
    assert_eq!(offered.state(&token).await, LinkState::Expired);
    assert_eq!(offered.claim(&token).await, ClaimOutcome::Expired);
    offered.service.access.delete_expired_access().await;
    assert_eq!(offered.claim(&token).await, ClaimOutcome::Unknown);
}

#[tokio::test]
async fn a_mailbox_gets_one_mail_a_day_and_one_key() {
    let offered = offered();
    let first = offered.token("ada@shop.example").await;
    // The same mailbox in another spelling.
    assert_eq!(offered.mail("A.da+two@SHOP.example").await, None);
    assert!(offered.mail("eve@shop.example").await.is_some());
    offered.clock.advance_hours(20);
    let second = offered.token("ada+three@shop.example").await;
    assert!(matches!(offered.claim(&first).await, ClaimOutcome::Key(_)));
    assert_eq!(offered.claim(&second).await, ClaimOutcome::Unknown, "it went with the first");
    offered.clock.advance_hours(24);
    let text = offered.mail("ada@shop.example").await.unwrap();
    assert!(text.contains("has a key already") && text.contains("ops@svc.example"), "{text}");
    assert!(!text.contains("/keys/free/"), "{text}");
    assert_eq!(offered.mail("ada@shop.example").await, None, "once a day");
    // After the licence was revoked, another one can be had.
    let licences = offered.service.store.licences(None, 9).await.unwrap();
    assert_eq!(licences.len(), 1);
    let now = offered.clock.now();
    offered.service.store.revoke_licence(&licences[0].id, now).await.unwrap();
    offered.clock.advance_hours(24);
    let third = offered.token("ada@shop.example").await;
    assert!(matches!(offered.claim(&third).await, ClaimOutcome::Key(_)));
}

#[tokio::test]
async fn of_links_that_are_used_at_once_one_gives_a_key() {
    let offered = offered();
    let token = offered.token("ada@shop.example").await;
    let claims = (0..20).map(|_| offered.claim(&token));
    let claimed = futures_util::future::join_all(claims).await;
    let keys = claimed.iter().filter(|claim| matches!(claim, ClaimOutcome::Key(_))).count();
    assert_eq!(keys, 1, "{claimed:?}");
}

#[tokio::test]
async fn requests_are_counted_by_address_and_network() {
    let offered = offered();
    let request = |mailbox: &'static str, address: &'static str| {
        let free_keys = Arc::clone(&offered.free_keys);
        async move { free_keys.request_key(mailbox, block(address)).await }
    };
    request("ada@shop.example", "192.0.2.1").await.unwrap();
    let again = request("eve@shop.example", "192.0.2.1").await;
    let Err(FreeKeyError::AddressLimitReached { retry_after_s }) = again else {
        panic!("{again:?}");
    };
    assert!((1..=86_400).contains(&retry_after_s));
    request("eve@shop.example", "192.0.2.2").await.unwrap();
    // What is refused before is not counted.
    let bad = request("eve", "192.0.2.3").await;
    assert!(matches!(bad, Err(FreeKeyError::BadMailbox(MailboxError::Malformed))), "{bad:?}");
    let refused = request("eve@a.throwaway.example", "192.0.2.3").await;
    assert!(matches!(refused, Err(FreeKeyError::RefusedDomain)), "{refused:?}");
    request("eve@shop.example", "192.0.2.3").await.unwrap();
    // The networks of 64 bits in one of 48 bits have 16 requests together.
    for number in 0..16 {
        let address = format!("2001:db8:1:{number}::1").leak();
        request("x@shop.example", address).await.unwrap();
    }
    let more = request("x@shop.example", "2001:db8:1:99::1").await;
    assert!(matches!(more, Err(FreeKeyError::NetworkLimitReached { .. })), "{more:?}");
    offered.clock.advance_hours(24);
    request("ada@shop.example", "192.0.2.1").await.unwrap();
    // Without limits per address, those of all callers hold.
    offered.free_keys.per_address_and_day.set(None);
    let mut refusals = 0;
    for _ in 0..FREE_KEY_MAILS_PER_DAY + 5 {
        match request("ada@shop.example", "192.0.2.1").await {
            Ok(()) => {}
            Err(FreeKeyError::ServiceLimitReached { .. }) => refusals += 1,
            // The slots of earlier ones are free again in a moment.
            Err(FreeKeyError::Busy) => {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(refusals > 0);
    offered.free_keys.finish_mails().await;
}

#[tokio::test]
async fn only_digests_are_stored() {
    let offered = offered();
    let token = offered.token("someone@shop.example").await;
    let request = offered.service.store.key_request(token.sha256()).await.unwrap().unwrap();
    assert_ne!(
        request.mailbox,
        proof::sha256(b"someone@shop.example"),
        "a MAC and no plain digest"
    );
    let mut stored = Vec::new();
    for entry in std::fs::read_dir(offered._dir.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            stored.extend(std::fs::read(path).unwrap());
        }
    }
    assert!(!stored.is_empty());
    for secret in ["someone", token.reveal()] {
        let found = stored.windows(secret.len()).any(|bytes| bytes == secret.as_bytes());
        assert!(!found, "{secret}");
    }
}
