use super::*;

#[test]
fn a_witness_is_written_as_key_and_address() {
    let key = proof::SigningKey::from_seed(
        &[1; 32],
        proof::KeyPurpose::LogHeads,
        Timestamp::from_millis(0),
    );
    let key = key.unwrap().public().clone();
    let vkey = |kind| VerifierKey::new("w.example/a=b", kind, key.clone()).unwrap();
    let good = vkey(SignatureType::Cosignature);
    for url in ["https://w.example/prefix", "http://127.0.0.1:99"] {
        let read: WitnessPeer = format!("{good}={url}/").parse().unwrap();
        assert_eq!(read, WitnessPeer { key: good.clone(), url: url.to_owned() });
    }
    for bad in [
        good.to_string(),
        format!("{good}=ftp://w.example"),
        format!("{good}=https://w.example?x=1"),
        format!("{}=https://w.example", vkey(SignatureType::Ed25519)),
        "=https://w.example".to_owned(),
        "https://w.example".to_owned(),
        String::new(),
    ] {
        assert!(bad.parse::<WitnessPeer>().is_err(), "{bad}");
    }
}
