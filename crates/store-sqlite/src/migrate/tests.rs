//! Tests of the migrations.

use super::*;

const ONE: Migration = Migration { number: 1, name: "one", sql: "CREATE TABLE a (x) ;" };
const TWO: Migration = Migration { number: 2, name: "two", sql: "CREATE TABLE b (x) ;" };
const BROKEN: Migration =
    Migration { number: 2, name: "broken", sql: "CREATE TABLE c (x); CREATE TABLE a (x);" };

fn tables(connection: &Connection) -> Vec<String> {
    let mut statement =
        connection.prepare("SELECT name FROM sqlite_schema WHERE type='table' ORDER BY 1").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn the_numbers_are_one_two_three() {
    for (at, migration) in (1..).zip(MIGRATIONS) {
        assert_eq!(migration.number, at, "{}", migration.name);
    }
}

/// The digest of every migration that has landed. A database stores these digests and is refused
/// by a program with others, so a line here never changes: another schema is another migration.
const LANDED: &[(&str, &str)] = &[
    ("0001_scans.sql", "2654a79b7ba08eae7da66d992b479f40c71a808f95b6f9958acdc9c9fb903800"),
    (
        "0002_licences_and_limits.sql",
        "b3a38d66261ae1601e3538e51904b68baeea5ca7193c4d36f2bf13898564039f",
    ),
    ("0003_log.sql", "b385a34652a572f3f86b036dbfe0d54ed8c23d542a33beea9f1fd960ea025e3c"),
    ("0004_seals.sql", "2603b7378ba0e82bab7e4a59a96ff3cfb1856934933c66ae7b8a205ff97c5928"),
    ("0005_answers_beside.sql", "23ccbb835620ea50a7590ed86701a4765763a31b5e7504bd11bc48d44b82551c"),
    (
        "0006_outcomes_and_jobs.sql",
        "6443058bb6005a0f744f68ecf89f27719a643d20f6ccc113a441f8290f8c0f58",
    ),
    ("0007_pruning.sql", "5358d293b5824196d19263797a2b735a6b9c8632973e8aaba23e48c38811c0d2"),
    ("0008_answer_order.sql", "1cb82f7e955d39cffcddcf4741568da71f1750213c29c24a918f589e4624a80f"),
    ("0009_deleted_scans.sql", "4254750fcac00bdd188a8cd2b5b224428e9b2bbb404d515239675ec2d5adefca"),
    ("0010_feeds.sql", "0e73e7ae36b85fa8b64bc1a14a51dd3c388c2eb31450f50aba6e686b7d4309ed"),
    ("0011_mcp_scans.sql", "f6b33aa5b39d35f37326d70c60e7eb6bc72eec18c1d3523d61073151299e8152"),
    ("0012_mcp_pruning.sql", "6811ad494a84b1ea93946f5ce21804571df4edeb648606c8fa1af133f73bc05a"),
    ("0013_conduct.sql", "74496039ffe164bda3df3db70177097a01b2c548ae3c314af4d55c08f812cdfe"),
    ("0014_licence_keys.sql", "d5a2adffeae01f770dd28915ecea1925d6e5381ae3f637a4830f6566827b8092"),
    ("0015_period_counts.sql", "f699880fa454cdf206475f2e7df53963b29efa5b3e631016168db7dbfe9aa149"),
    ("0016_usage.sql", "1dbfe3ce3dfd61051661330beca961ffd8bfa43539fa3dda5c860f513beace7f"),
    ("0017_licence_scans.sql", "c4fd1e0334d45687b00ce34844967a20f2d78763dcb7345f20664c41f55a58be"),
    ("0018_sessions.sql", "147749d26fe66c33b6e94ed9ab2dd5c1f47a840034b1fb4fc460f6e4d972242d"),
    ("0019_audit.sql", "9f8e7dab396b2c3fb2f1ce54456fca05efc32a3ee298ba4cd01bc62ce36ba12a"),
    ("0020_webhooks.sql", "04f348f08f4a7ff31b903175826933c03a82d9a4cef200c71b3258ad40451122"),
    ("0021_key_requests.sql", "caa41de5402c7e37ad86ec465d550830d7e689ab2e80327fe135b3f1f164bd89"),
    ("0022_registrations.sql", "3f74343ed09ccc5d88655e564e154b9c7d8a65b137534ae2f6e4ddca95750ddb"),
    ("0023_control.sql", "8fbade6c3e1dc8cc7de296a07ddac57727d0114584d379ebb3b6a7757d3e8e93"),
    ("0024_accuracy.sql", "3eae47c3acdee599ac40dd77a6f29bc341b593d9b7b4ac5eb93cfdbb4bc5b9bf"),
    (
        "0025_compared_readings.sql",
        "53a10e64cc46392c4f8954e5678f0f52c39b01a86398c47c107b858e71ceba79",
    ),
    ("0026_decision_rows.sql", "4cd0077867d57db9bd3c736439b37be437bbf418b051bf10f65ae48a63e35dab"),
    (
        "0027_compressed_receipts.sql",
        "9eefe2f520fb54b4a179f11e8687b19eea58455d0437671568ff50e53075e9d7",
    ),
];

#[test]
fn landed_migrations_never_change() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let mut files: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let landed: Vec<&str> = LANDED.iter().map(|(name, _)| *name).collect();
    assert_eq!(files, landed, "add a new migration to LANDED; never take one out");
    assert_eq!(MIGRATIONS.len(), LANDED.len(), "every file is a migration");
    for (migration, (name, digest)) in MIGRATIONS.iter().zip(LANDED) {
        let in_file = std::fs::read(folder.join(name)).unwrap();
        assert_eq!(in_file, migration.sql.as_bytes(), "{name} is migration {}", migration.number);
        assert_eq!(
            Digest::of(&in_file).to_string(),
            *digest,
            "{name} has landed and must not change: write another migration instead"
        );
    }
}

#[test]
fn each_step_is_applied_once_and_in_order() {
    let mut connection = Connection::open_in_memory().unwrap();
    assert_eq!(apply_migrations(&mut connection, &[ONE], &[]), Ok(1));
    assert_eq!(apply_migrations(&mut connection, &[ONE, TWO], &[]), Ok(2));
    assert_eq!(apply_migrations(&mut connection, &[ONE, TWO], &[]), Ok(2));
    assert_eq!(tables(&connection), ["a", "b", "migrations"]);
}

#[test]
fn a_step_that_fails_leaves_nothing_behind() {
    let mut connection = Connection::open_in_memory().unwrap();
    apply_migrations(&mut connection, &[ONE], &[]).unwrap();
    let refused = apply_migrations(&mut connection, &[ONE, BROKEN], &[]).unwrap_err();
    assert!(matches!(refused, StoreError::Failed { .. }), "{refused}");
    assert_eq!(tables(&connection), ["a", "migrations"]);
    assert_eq!(apply_migrations(&mut connection, &[ONE, TWO], &[]), Ok(2));
}

#[test]
fn newer_changed_and_missing_steps_are_refused() {
    let mut connection = Connection::open_in_memory().unwrap();
    apply_migrations(&mut connection, &[ONE, TWO], &[]).unwrap();
    assert_eq!(
        apply_migrations(&mut connection, &[ONE], &[]),
        Err(StoreError::NewerSchema { found: 2, known: 1 })
    );
    let changed = Migration { sql: "CREATE TABLE a (x);", ..ONE };
    assert_eq!(
        apply_migrations(&mut connection, &[changed, TWO], &[]),
        Err(StoreError::ChangedMigration { number: 1 })
    );
    connection.execute("DELETE FROM migrations WHERE number = 1", []).unwrap();
    assert_eq!(
        apply_migrations(&mut connection, &[ONE, TWO], &[]),
        Err(StoreError::ChangedMigration { number: 1 })
    );
}

#[test]
fn the_latest_answers_of_before_are_those_that_were_stored_last() {
    let mut connection = Connection::open_in_memory().unwrap();
    apply_migrations(&mut connection, &MIGRATIONS[..4], DATA_MIGRATIONS).unwrap();
    // The clock ran ahead for the second one.
    for (number, domain, at) in
        [(9_u8, "a.lab", 5), (2, "a.lab", 7), (3, "a.lab", 6), (4, "b.lab", 1)]
    {
        let sql =
            "INSERT INTO answers (sha256, domain, answered_at, log_index, fingerprint, answer)
                   VALUES (?1, ?2, ?3, 0, ?1, x'00')";
        connection.execute(sql, params![[number; 32], domain, at]).unwrap();
    }
    migrate(&mut connection, "some.db").unwrap();
    let newest = |name: &str| {
        let sql = "SELECT sha256, answered_at FROM newest_answers WHERE domain_sha256 = ?1";
        let of = Digest::of(name.as_bytes());
        let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, [u8; 32]>(0)?, row.get(1)?));
        connection.query_row(sql, [of.as_bytes()], read).optional().unwrap()
    };
    assert_eq!(newest("a.lab"), Some(([3; 32], 6_i64)));
    assert_eq!(newest("b.lab"), Some(([4; 32], 1)));
    assert_eq!(newest("c.lab"), None);
}

#[test]
fn a_foreign_database_is_left_alone() {
    let mut connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("CREATE TABLE theirs (x)").unwrap();
    let refused = migrate(&mut connection, "some.db").unwrap_err();
    assert_eq!(refused.to_string(), "some.db cannot be opened: it belongs to another program");
    assert_eq!(tables(&connection), ["theirs"]);
}

#[test]
fn licences_and_counts_of_before_are_carried_over() {
    let mut connection = Connection::open_in_memory().unwrap();
    connection.pragma_update(None, "foreign_keys", true).unwrap();
    apply_migrations(&mut connection, &MIGRATIONS[..13], DATA_MIGRATIONS).unwrap();
    let sql = "INSERT INTO licences VALUES
               ('a', x'11', NULL, 'label', 5, NULL), ('b', x'22', 'shop.lab', NULL, 6, 9);
               INSERT INTO day_counts VALUES (20000, x'33', 7);";
    let sql = ["11", "22", "33"].iter().fold(sql.to_owned(), |sql, byte| {
        sql.replace(&format!("x'{byte}'"), &format!("x'{}'", byte.repeat(32)))
    });
    connection.execute_batch(&sql).unwrap();
    migrate(&mut connection, "some.db").unwrap();
    let text = |sql: &str| -> Vec<String> {
        let mut statement = connection.prepare(sql).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let licences = text(
        "SELECT concat_ws('|', id, plan, ifnull(domains, 'all'), ifnull(label, '-'), created_at,
                          ifnull(revoked_at, '-'), expires_at, mailbox, last_used)
         FROM licences ORDER BY id",
    );
    assert_eq!(licences, ["a|unlimited|all|label|5|-", "b|unlimited|shop.lab|-|6|9"]);
    let keys = text(
        "SELECT concat_ws('|', substr(hex(key_sha256), 1, 4), length(key_sha256), licence_id,
                          length(prefix), created_at, expires_at, revoked_at)
         FROM licence_keys ORDER BY licence_id",
    );
    assert_eq!(keys, ["1111|32|a|0|5", "2222|32|b|0|6"]);
    // The end of the day, in milliseconds.
    let counts = text("SELECT concat_ws('|', ends_at, kind, taken) FROM period_counts");
    assert_eq!(counts, ["1728086400000|day|7"]);
    assert_eq!(text("SELECT \"table\" FROM pragma_foreign_key_check"), Vec::<String>::new());
}

#[test]
fn receipts_of_before_are_carried_over() {
    let mut connection = Connection::open_in_memory().unwrap();
    apply_migrations(&mut connection, &MIGRATIONS[..25], DATA_MIGRATIONS).unwrap();
    for number in [7_u8, 3, 5] {
        let sql = "INSERT INTO decisions VALUES (?1, ?2, 'read', 'allow', ?1, 4, ?3, ?1, ?4)";
        let (domain, sealed) = (format!("{number}.lab"), vec![number; 9_000]);
        connection.execute(sql, params![[number; 32], domain, number, sealed]).unwrap();
    }
    let rows = |connection: &Connection| -> Vec<String> {
        let sql = "SELECT concat_ws('|', hex(lookup), domain, action, decision, hex(answer_sha256), decided_at,
                          expires_at, hex(fingerprint), hex(sealed)) FROM decisions ORDER BY lookup";
        let mut statement = connection.prepare(sql).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let before = rows(&connection);
    migrate(&mut connection, "some.db").unwrap();
    assert_eq!((before.len(), rows(&connection)), (3, before));
    assert!(!tables(&connection).contains(&"decisions_in_index".to_owned()));
    let sql = "SELECT count(*) FROM sqlite_schema WHERE name = 'decisions_by_end'";
    assert_eq!(connection.query_row(sql, [], |row| row.get(0)), Ok(1));
}
