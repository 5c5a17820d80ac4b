//! The real routes with a real service that has no network: the service, and the tests of its routes.

mod documents;
mod forms;
mod limits;
mod reports;
mod scans;

use std::{sync::Arc, time::Duration};

use agents::Catalogue;
use bytes::Bytes;
use contract::{Brand, Domain, NamePolicy, Timestamp, clock::FixedClock};
use door::mail::{MailSecurity, MailSettings, Mailer};
use door::{Door, Policy, ResolverChoice};
use service::{FreeKeySettings, Service, ServiceDependencies, Settings, SystemIds};
use store::{Digest, Licence, Licences, LicensedDomains, Scan, Scans, StoredKey, Visibility};
use store_sqlite::{SqliteOptions, SqliteStore};
use web::{RateLimits, ServerOptions, WebOptions};

use crate::harness::{Reply, Server};

const RECORD: &str = r#"{"visibility":"public","made":"by a later version"}"#;

pub(crate) struct TestServer {
    pub(crate) server: Server,
    pub(crate) service: Arc<Service>,
    _dir: tempfile::TempDir,
}

/// A key whose licence is for `kept.com` and `old.com`, and one whose licence is for another domain.
const KEY: &str = "wl_KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK";
const OTHER_KEY: &str = "wl_OOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOO";

/// The media type of a form.
const FORM: &str = "application/x-www-form-urlencoded";

/// Without rate limits, and with three stored scans: `public1`, `unlisted1`, `private1`.
pub(crate) async fn start() -> TestServer {
    start_with(RateLimits { scans: vec![], ..RateLimits::default() }).await
}

/// A mail server that does not exist.
fn free_key_settings() -> FreeKeySettings {
    let settings = MailSettings {
        host: "127.0.0.1".to_owned(),
        port: 1,
        security: MailSecurity::None,
        login: None,
        from: "keys@svc.example".to_owned(),
        extra_ca: Vec::new(),
    };
    FreeKeySettings::new(Mailer::new(settings).unwrap())
}

pub(crate) async fn start_with(limits: RateLimits) -> TestServer {
    let dir = tempfile::tempdir().unwrap();
    let now = Timestamp::from_millis(1_794_736_800_000);
    let clock = Arc::new(FixedClock(now));
    let store = SqliteStore::open(dir.path(), SqliteOptions::default()).unwrap();
    let domain = Domain::parse("kept.com", &NamePolicy::default()).unwrap();
    for (id, visibility) in [
        ("public1", Visibility::Public),
        ("unlisted1", Visibility::Unlisted),
        ("private1", Visibility::Private),
    ] {
        let record = RECORD.replace("public", visibility.as_str());
        let scan = Scan {
            id: id.to_owned(),
            domain: domain.clone(),
            scanned_at: now,
            visibility,
            score_version: 1,
            grade: None,
            overall: None,
            record: Bytes::from(record),
            evidence: Bytes::from("{\"v\":1}"),
            artifacts: Vec::new(),
        };
        store.put_scan(scan).await.unwrap();
    }
    for number in 0..16 {
        let scan = Scan {
            id: format!("old{number:02}"),
            domain: Domain::parse("old.com", &NamePolicy::default()).unwrap(),
            scanned_at: now.plus_millis(-600_000 + number),
            visibility: match number {
                14 => Visibility::Unlisted,
                15 => Visibility::Private,
                _ => Visibility::Public,
            },
            score_version: 1,
            grade: Some("B".to_owned()),
            overall: Some(70),
            record: Bytes::from("{}"),
            evidence: Bytes::from("{}"),
            artifacts: Vec::new(),
        };
        store.put_scan(scan).await.unwrap();
    }
    for (key, names) in [(KEY, ["kept.com", "old.com"]), (OTHER_KEY, ["other.com", "third.com"])] {
        let domain = |name| Domain::parse(name, &NamePolicy::default()).unwrap();
        let licence = Licence {
            id: format!("licence for {names:?}"),
            plan: "unlimited".to_owned(),
            domains: LicensedDomains::Only(names.into_iter().map(domain).collect()),
            label: None,
            mailbox: None,
            created_at: now,
            expires_at: None,
            revoked_at: None,
            last_used: None,
        };
        let first_key = StoredKey {
            key_sha256: Digest::of(key.as_bytes()),
            licence_id: licence.id.clone(),
            prefix: key.chars().take(8).collect(),
            created_at: now,
            expires_at: None,
            revoked_at: None,
        };
        store.put_licence(licence, first_key).await.unwrap();
    }
    // A resolver that does not exist: every name fails, and no connection is made.
    let nowhere = ResolverChoice::Server("127.0.0.1:1".parse().unwrap());
    let policy = Policy { resolver: nowhere, ..Policy::public() };
    let settings = Settings {
        brand: Brand::default(),
        scan_deadline: Duration::from_secs(2),
        free_keys: Some(free_key_settings()),
        ..Settings::new("https://svc.example".to_owned())
    };
    let service = Service::new(ServiceDependencies {
        settings,
        door: Door::new(policy, clock.clone()).unwrap(),
        catalogue: Catalogue::built_in().unwrap(),
        store: Arc::new(store),
        keys: proof::KeyStore::open(&dir.path().join("keys"), now).unwrap(),
        secret: proof::keys::DeploymentSecret::open(&dir.path().join("keys")).unwrap(),
        clock,
        ids: Arc::new(SystemIds),
    });
    let (mark, marked) = proof::keys::LogMark::open(&dir.path().join("keys")).unwrap();
    service.log.open(mark, marked).await.unwrap();
    service.log.seal_entry("test", Bytes::from_static(b"{}")).await.unwrap();
    let service = Arc::new(service);
    let app = web::build_app(Arc::clone(&service), WebOptions { limits, ..WebOptions::default() });
    TestServer { server: Server::of(app, ServerOptions::default()).await, service, _dir: dir }
}

impl TestServer {
    /// Loads the page of a running scan until the scan has ended.
    async fn wait_for_scan(&self, path: &str) -> Reply {
        for _ in 0..200 {
            let page = self.get(path).await;
            if !page.text().contains("Scanning ") {
                return page;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the scan of {path} did not end");
    }

    async fn get(&self, path: &str) -> Reply {
        self.server.get(path, "").await
    }

    async fn post(&self, path: &str, media_type: &str, body: &str) -> Reply {
        self.post_with(path, "", media_type, body).await
    }

    async fn post_with(&self, path: &str, headers: &str, media_type: &str, body: &str) -> Reply {
        let length = body.len();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\n{headers}Content-Type: {media_type}\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        );
        self.server.ask(&request).await
    }

    /// The token of a new form on this page.
    async fn form_token(&self, page: &str) -> String {
        let page = self.get(page).await;
        let token = page.text().split("name=\"token\" value=\"").nth(1).unwrap();
        token.split('"').next().unwrap().to_owned()
    }
}
