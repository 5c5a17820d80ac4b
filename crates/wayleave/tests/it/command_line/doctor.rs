//! `wayleave doctor` on the store, the keys and the clock of a service.

use std::os::unix::fs::PermissionsExt;

use crate::server::{Server, wayleave};

#[test]
fn doctor_says_what_is_broken_and_how_to_mend_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let keys = folder.path().join("keys");
    let flags =
        ["--store-data-dir", data.to_str().unwrap(), "--store-keys-dir", keys.to_str().unwrap()];
    let doctor = |more: &[&str]| {
        let output = wayleave().arg("doctor").args(flags).args(more).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let server = Server::start_demo(&flags);
    // The keys are where they were asked for, and not in the data.
    assert!(keys.is_dir() && !data.join("keys").exists());
    server.get("/api/v1/resolve?domain=open.lab");
    let listen = server.address.to_string();
    let (code, ready) = doctor(&["--ready", "--server-listen", &listen]);
    assert_eq!(code, Some(0), "{ready}");
    let (_, beside) = doctor(&[]);
    assert!(beside.contains("warning log: in use by a running service"), "{beside}");
    drop(server);
    let (code, ready) = doctor(&["--ready", "--server-listen", &listen]);
    assert!(code == Some(1) && ready.contains("is the server running?"), "{ready}");
    let (_, whole) = doctor(&[]);
    for line in
        ["ok      log: ", "ok      permissions: ", "ok      keys: ", "GB free", "ok      clock: "]
    {
        assert!(whole.contains(line), "{line}: {whole}");
    }
    let allow = |mode: u32| {
        std::fs::set_permissions(&keys, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(0o755);
    let (code, open) = doctor(&[]);
    assert!(code == Some(1) && open.contains("FAILED  permissions: others can read"), "{open}");
    assert!(open.contains(&format!("chmod 700 {}", keys.display())), "{open}");
    allow(0o700);
    // Without its keys, a log gets no new ones, and doctor says so as the server does.
    let away = folder.path().join("away");
    std::fs::rename(&keys, &away).unwrap();
    let (code, lost) = doctor(&[]);
    assert!(code == Some(1) && lost.contains("No new keys were made"), "{lost}");
    assert!(!keys.exists(), "doctor makes nothing");
    std::fs::rename(&away, &keys).unwrap();
    // Nor does it put anything into folders that are empty.
    let [no_data, no_keys] = ["no-data", "no-keys"].map(|name| folder.path().join(name));
    for empty in [&no_data, &no_keys] {
        std::fs::create_dir(empty).unwrap();
    }
    let empty = ["--store-data-dir", no_data.to_str().unwrap(), "--store-keys-dir"];
    let output = wayleave().arg("doctor").args(empty).arg(&no_keys).output().unwrap();
    assert!(!output.stdout.is_empty());
    for empty in [&no_data, &no_keys] {
        assert_eq!(std::fs::read_dir(empty).unwrap().count(), 0, "{}", empty.display());
    }
    // A clock that was ahead when the store was written.
    let file = std::fs::File::options().write(true).open(data.join("wayleave.db")).unwrap();
    let written = file.metadata().unwrap().modified().unwrap();
    file.set_modified(written + std::time::Duration::from_secs(7200)).unwrap();
    let (code, ahead) = doctor(&[]);
    assert!(code == Some(1) && ahead.contains("FAILED  clock: "), "{ahead}");
}
