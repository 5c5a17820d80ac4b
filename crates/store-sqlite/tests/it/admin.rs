//! Administrative access, with and without a running server.

use std::sync::Arc;

use contract::Timestamp;
use rusqlite::Connection;
use store::{
    Digest, Licence, Licences, LicensedDomains, Scans, Store, StoreError, StoredKey, Switch,
    Switches,
};
use store_sqlite::{
    SqliteAdmin, SqliteOptions, SqliteStore, abandon_restore, begin_restore, copy_data_dir,
    finish_restore, has_log,
};

use crate::{integrity, open, scan};

fn licence(id: &str) -> (Licence, StoredKey) {
    let licence = Licence {
        id: id.to_owned(),
        plan: String::from("free"),
        domains: LicensedDomains::All,
        label: None,
        mailbox: None,
        created_at: Timestamp::from_millis(1),
        expires_at: None,
        revoked_at: None,
        last_used: None,
    };
    let key = StoredKey {
        key_sha256: Digest::of(id.as_bytes()),
        licence_id: id.to_owned(),
        prefix: String::from("wl_Ab3dE"),
        created_at: Timestamp::from_millis(1),
        expires_at: None,
        revoked_at: None,
    };
    (licence, key)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_writes_beside_a_server_and_both_see_it() {
    let dir = tempfile::tempdir().unwrap();
    let server = Arc::new(open(dir.path()));
    // The server is busy all the while.
    let busy = tokio::spawn({
        let server = Arc::clone(&server);
        async move {
            for number in 0..200 {
                server.put_scan(scan(&format!("s{number}"))).await.unwrap();
            }
        }
    });
    for number in 0..20 {
        let admin = SqliteAdmin::open(dir.path()).unwrap();
        let put = licence(&format!("l{number}"));
        admin.licences().put_licence(put.0.clone(), put.1.clone()).await.unwrap();
        // The server sees it at once.
        assert_eq!(server.licence_by_key(put.1.key_sha256).await, Ok(Some(put)));
    }
    busy.await.unwrap();
    let admin = SqliteAdmin::open(dir.path()).unwrap();
    let paused = Switch { name: "p".into(), on: true, changed_at: Timestamp::from_millis(5) };
    admin.switches().set_switch(paused.clone()).await.unwrap();
    assert_eq!(server.switch("p").await, Ok(Some(paused)));
    server.revoke_licence("l3", Timestamp::from_millis(9)).await.unwrap();
    let licences = admin.licences().licences(None, 99).await.unwrap();
    let now = Timestamp::from_millis(10);
    assert_eq!(licences.iter().filter(|licence| licence.is_active(now)).count(), 19);
    drop(admin);
    drop(server);
    let server = open(dir.path());
    assert_eq!(server.licences(None, 99).await.unwrap().len(), 20);
    assert_eq!(server.export_scans(None, 1000).await.unwrap().len(), 200);
    assert_eq!(integrity(dir.path()), "ok");
}

#[tokio::test]
async fn without_a_server_admin_creates_the_store() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let admin = SqliteAdmin::open(&data).unwrap();
    let (put, key) = licence("l");
    admin.licences().put_licence(put.clone(), key).await.unwrap();
    drop(admin);
    assert_eq!(open(&data).licences(None, 9).await, Ok(vec![put]));
}

#[test]
fn an_operator_is_refused_if_the_schema_version_differs() {
    let dir = tempfile::tempdir().unwrap();
    let server = open(dir.path());
    let known = server.schema_version();
    let connection = Connection::open(dir.path().join("wayleave.db")).unwrap();
    connection.execute("DELETE FROM migrations WHERE number = ?1", [known]).unwrap();
    let refused = SqliteAdmin::open(dir.path()).unwrap_err();
    assert!(matches!(&refused, StoreError::CannotOpen { .. }), "{refused}");
    connection.execute("INSERT INTO migrations VALUES (99, 'later', 'x')", []).unwrap();
    let refused = SqliteAdmin::open(dir.path()).unwrap_err();
    assert_eq!(refused, StoreError::NewerSchema { found: 99, known });
}

#[tokio::test]
async fn a_log_is_noticed_whether_or_not_a_server_runs() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(has_log(&dir.path().join("none")), Ok(false));
    std::fs::write(dir.path().join("wayleave.db"), b"").unwrap();
    assert_eq!(has_log(dir.path()), Ok(false), "an interrupted first start");
    let server = open(dir.path());
    assert_eq!(has_log(dir.path()), Ok(false));
    let insert = "INSERT INTO log_batches VALUES (0, 0, zeroblob(32), zeroblob(32), zeroblob(32), x'00', x'00')";
    Connection::open(dir.path().join("wayleave.db")).unwrap().execute(insert, []).unwrap();
    assert_eq!(has_log(dir.path()), Ok(true));
    drop(server);
    assert_eq!(has_log(dir.path()), Ok(true));
    std::fs::write(dir.path().join("wayleave.db"), b"not a database, but long enough to look")
        .unwrap();
    assert!(has_log(dir.path()).is_err());
}

#[test]
fn a_restore_that_did_not_finish_is_refused_by_all_and_begun_anew() {
    let home = tempfile::tempdir().unwrap();
    let [from, to, other] = ["from", "to", "other"].map(|name| home.path().join(name));
    drop(open(&from));
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("mine"), b"x").unwrap();
    let refused = begin_restore(&other).unwrap_err().to_string();
    assert!(refused.contains("it is not empty"), "{refused}");
    assert_eq!(std::fs::read(other.join("mine")).unwrap(), b"x");

    begin_restore(&to).unwrap();
    let options = || SqliteOptions { during_restore: true, ..SqliteOptions::default() };
    // Interrupted twice: before the copy, and after a part of it.
    for round in 0..3 {
        for refused in [
            SqliteStore::open(&to, SqliteOptions::default()).map(drop),
            SqliteAdmin::open(&to).map(drop),
            copy_data_dir(&to, &home.path().join("copy")).map(drop),
        ] {
            let refused = refused.unwrap_err().to_string();
            assert!(refused.contains("Run `wayleave restore` again"), "{round}: {refused}");
        }
        begin_restore(&to).unwrap();
        std::fs::create_dir_all(to.join("keys")).unwrap();
        std::fs::write(to.join("keys/a.json"), b"x").unwrap();
    }
    begin_restore(&to).unwrap();
    assert!(!to.join("keys").exists(), "what was left is removed");
    copy_data_dir(&from, &to).unwrap();
    drop(SqliteStore::open(&to, options()).unwrap());
    finish_restore(&to).unwrap();
    drop(SqliteStore::open(&to, SqliteOptions::default()).unwrap());
    assert!(begin_restore(&to).is_err(), "a finished one is not removed");
    abandon_restore(&to).unwrap();
    assert!(to.join("wayleave.db").exists(), "nor by giving up");

    let given_up = home.path().join("given-up");
    begin_restore(&given_up).unwrap();
    copy_data_dir(&from, &given_up).unwrap();
    abandon_restore(&given_up).unwrap();
    assert_eq!(std::fs::read_dir(&given_up).unwrap().count(), 0);
}
