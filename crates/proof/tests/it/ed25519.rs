//! The strict Ed25519 rule, tested with the vectors on which verifiers disagree.

use data_encoding::HEXLOWER;
use proof::PublicKey;
use serde_json::Value;

use crate::vectors;

fn bytes(value: &Value) -> Vec<u8> {
    HEXLOWER.decode(value.as_str().unwrap().as_bytes()).unwrap()
}

fn accepted(key: &Value, message: &[u8], signature: &Value) -> bool {
    let Ok(key) = <[u8; 32]>::try_from(bytes(key)) else { return false };
    PublicKey::from_bytes(key).is_ok_and(|key| key.verifies(message, &bytes(signature)))
}

#[test]
fn wycheproof() {
    let Some(file) = vectors::json("ed25519/wycheproof.json") else { return };
    let mut tests = 0;
    for group in file["testGroups"].as_array().unwrap() {
        for test in group["tests"].as_array().unwrap() {
            let got = accepted(&group["publicKey"]["pk"], &bytes(&test["msg"]), &test["sig"]);
            assert_eq!(got, test["result"] == "valid", "{test}");
            tests += 1;
        }
    }
    assert_eq!(tests, 151);
}

#[test]
fn crafted_keys_and_signatures() {
    let Some(file) = vectors::json("ed25519/cctv.json") else { return };
    let mut count = 0;
    let cases = file.as_array().unwrap();
    for case in cases {
        if !accepted(&case["key"], case["msg"].as_str().unwrap().as_bytes(), &case["sig"]) {
            continue;
        }
        count += 1;
        let flags = case["flags"].as_array().map(Vec::as_slice).unwrap_or_default();
        for refused in [
            "low_order_A",
            "low_order_R",
            "non_canonical_A",
            "non_canonical_R",
            "low_order_residue",
        ] {
            assert!(!flags.iter().any(|flag| flag == refused), "{case}");
        }
    }
    assert_eq!(cases.len(), 914);
    assert_eq!(count, 43, "as many as the strict verifiers in use accept");
}
