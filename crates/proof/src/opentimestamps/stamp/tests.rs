use proptest::prelude::*;

use super::*;
use crate::opentimestamps::{MAX_MESSAGE, OtsFile};
use crate::sha256;

fn pending(uri: &str) -> Stamp {
    Stamp::from_attestation(Attestation::pending(uri).unwrap())
}

/// append, sha256, then a promise: what a calendar's answer looks like.
fn answer(nonce: u8, uri: &str) -> Stamp {
    pending(uri).preceded_by(Op::Sha256).preceded_by(Op::Append(vec![nonce; 16]))
}

#[test]
fn the_bytes_are_those_of_the_format() {
    let stamp = answer(7, "https://a.example");
    let mut expected = vec![0xf0, 16];
    expected.extend([7; 16]);
    expected.extend([0x08, 0x00, 0x83, 0xdf, 0xe3, 0x0d, 0x2e, 0xf9, 0x0c, 0x8e, 18, 17]);
    expected.extend(b"https://a.example");
    assert_eq!(stamp.to_bytes(), expected);
    assert_eq!(Stamp::parse(&expected, 32), Ok(stamp));
}

#[test]
fn branches_are_marked_but_for_the_last() {
    let mut stamp = answer(1, "https://a.example");
    stamp.merge(answer(2, "https://b.example"));
    stamp.merge(Stamp::from_attestation(Attestation::Bitcoin(5)));
    let bytes = stamp.to_bytes();
    assert_eq!(bytes[..2], [0xff, 0x00], "the attestation first, and more to come");
    assert_eq!(bytes.iter().filter(|byte| **byte == 0xff).count(), 2);
    assert_eq!(Stamp::parse(&bytes, 32), Ok(stamp));
}

#[test]
fn evaluating_replays_the_operations() {
    let message = [3; 32];
    let mut stamp = answer(1, "https://a.example");
    stamp.merge(Stamp::from_attestation(Attestation::Bitcoin(5)).preceded_by(Op::Ripemd160));
    let all = stamp.evaluate(&message);
    let commitment = sha256(&[&message[..], &[1; 16]].concat());
    assert_eq!(all.len(), 2);
    assert!(all.contains(&AttestedMessage {
        attestation: Attestation::pending("https://a.example").unwrap(),
        message: Some(commitment.0.to_vec()),
    }));
    assert!(all.contains(&AttestedMessage { attestation: Attestation::Bitcoin(5), message: None }));
}

#[test]
fn an_upgrade_joins_where_its_message_is() {
    let message = [3; 32];
    let mut stamp = answer(1, "https://a.example");
    let commitment = sha256(&[&message[..], &[1; 16]].concat());
    let upgrade =
        Stamp::from_attestation(Attestation::Bitcoin(9)).preceded_by(Op::Prepend(vec![4]));
    assert!(!stamp.merge_at(&message, &[0; 32], &upgrade), "of another message");
    assert!(stamp.merge_at(&message, &commitment.0, &upgrade));
    let root = [&[4][..], &commitment.0].concat();
    let confirmed = AttestedMessage { attestation: Attestation::Bitcoin(9), message: Some(root) };
    assert!(stamp.evaluate(&message).contains(&confirmed));
    let once = stamp.clone();
    assert!(stamp.merge_at(&message, &commitment.0, &upgrade));
    assert_eq!(stamp, once, "a second time changes nothing");
}

#[test]
fn removed_attestations_take_their_branch_along() {
    let message = [3; 32];
    let mut stamp = answer(1, "https://a.example");
    let before = stamp.clone();
    let commitment = sha256(&[&message[..], &[1; 16]].concat());
    let upgrade =
        Stamp::from_attestation(Attestation::Bitcoin(9)).preceded_by(Op::Prepend(vec![4]));
    assert!(stamp.merge_at(&message, &commitment.0, &upgrade));
    let block =
        |attested: &AttestedMessage| matches!(attested.attestation, Attestation::Bitcoin(_));
    assert_eq!(stamp.retain(&message, &|attested| !block(attested)), Some(before));
    assert_eq!(stamp.retain(&message, &|_| true), Some(stamp.clone()));
    assert_eq!(stamp.retain(&message, &|_| false), None);
    let root = [&[4][..], &commitment.0].concat();
    let right = |attested: &AttestedMessage| attested.message.as_deref() == Some(&root[..]);
    assert_eq!(stamp.retain(&message, &right).unwrap().evaluate(&message).len(), 1);
}

#[test]
fn files_carry_the_digest() {
    let file = OtsFile { digest: sha256(b"x"), stamp: answer(1, "https://a.example") };
    let bytes = file.to_bytes();
    assert_eq!(OtsFile::parse(&bytes), Ok(file));
    for cut in 0..bytes.len() {
        assert!(OtsFile::parse(&bytes[..cut]).is_err(), "{cut}");
    }
    for (at, value) in [(0, 1), (31, 2), (32, 2)] {
        let mut other = bytes.clone();
        other[at] = value;
        assert_eq!(OtsFile::parse(&other), Err(OtsError::NotAFile), "{at}");
    }
    assert_eq!(OtsFile::parse(&[&bytes[..], b"x"].concat()), Err(OtsError::TrailingBytes));
}

#[test]
fn every_bound_holds() {
    let deep = |depth: usize| {
        let mut bytes = vec![0x08; depth];
        bytes.extend(Stamp::from_attestation(Attestation::Bitcoin(1)).to_bytes());
        bytes
    };
    assert!(Stamp::parse(&deep(MAX_DEPTH - 1), 32).is_ok());
    assert_eq!(Stamp::parse(&deep(MAX_DEPTH), 32), Err(OtsError::TooDeep));
    assert_eq!(Stamp::parse(&deep(60_000), 32), Err(OtsError::TooDeep));

    let one = Stamp::from_attestation(Attestation::Bitcoin(1)).to_bytes();
    let mut many = Vec::new();
    for _ in 0..MAX_NODES {
        many.push(0xff);
        many.extend(&one);
    }
    many.extend(&one);
    assert_eq!(Stamp::parse(&many, 32), Err(OtsError::TooLarge), "too many");
    assert_eq!(Stamp::parse(&vec![0x08; MAX_STAMP_BYTES + 1], 32), Err(OtsError::TooLarge));

    let grown = Stamp::from_attestation(Attestation::Bitcoin(1))
        .preceded_by(Op::Append(vec![0; MAX_MESSAGE - 32]));
    assert!(Stamp::parse(&grown.to_bytes(), 32).is_ok());
    assert_eq!(Stamp::parse(&grown.to_bytes(), 33), Err(OtsError::BadMessageLength));
    let mut doubled = Stamp::from_attestation(Attestation::Bitcoin(1));
    for _ in 0..8 {
        doubled = doubled.preceded_by(Op::Hexlify);
    }
    assert_eq!(Stamp::parse(&doubled.to_bytes(), 32), Err(OtsError::BadMessageLength));
    assert_eq!(Stamp::parse(&[0x99], 32), Err(OtsError::UnknownOp));
    assert_eq!(
        Stamp::parse(&[0xf0, 0, 0x00], 32),
        Err(OtsError::BadMessageLength),
        "nothing appended"
    );
    assert_eq!(Stamp::parse(&[], 32), Err(OtsError::UnexpectedEnd));
}

fn ops() -> impl Strategy<Value = Op> {
    let bytes = || proptest::collection::vec(any::<u8>(), 1..20);
    prop_oneof![
        Just(Op::Sha256),
        Just(Op::Sha1),
        Just(Op::Ripemd160),
        Just(Op::Keccak256),
        Just(Op::Reverse),
        bytes().prop_map(Op::Append),
        bytes().prop_map(Op::Prepend),
    ]
}

fn attestations() -> impl Strategy<Value = Attestation> {
    prop_oneof![
        any::<u64>().prop_map(Attestation::Bitcoin),
        any::<u64>().prop_map(Attestation::Litecoin),
        "[a-zA-Z0-9./:_-]{0,40}".prop_map(Attestation::Pending),
        (any::<[u8; 8]>(), proptest::collection::vec(any::<u8>(), 0..20)).prop_map(
            // A tag with a first byte of nine is none of those that are known.
            |(tag, payload)| Attestation::Unknown {
                tag: [&[9], &tag[1..]].concat().try_into().unwrap(),
                payload
            }
        ),
    ]
}

fn stamps() -> impl Strategy<Value = Stamp> {
    let paths =
        proptest::collection::vec((proptest::collection::vec(ops(), 0..6), attestations()), 1..8);
    paths.prop_map(|paths| {
        let whole = paths.into_iter().map(|(ops, attestation)| {
            ops.into_iter().fold(Stamp::from_attestation(attestation), Stamp::preceded_by)
        });
        whole
            .reduce(|mut all, one| {
                all.merge(one);
                all
            })
            .unwrap()
    })
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        if let Ok(stamp) = Stamp::parse(&bytes, 32) {
            let again = Stamp::parse(&stamp.to_bytes(), 32);
            prop_assert_eq!(again, Ok(stamp.clone()));
            prop_assert!(!stamp.evaluate(&[0; 32]).is_empty());
        }
        let _ = OtsFile::parse(&bytes);
    }

    #[test]
    fn almost_stamps_are_read_or_refused(
        stamp in stamps(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = stamp.to_bytes();
        let place = at.index(bytes.len());
        bytes[place] = byte;
        if let Ok(stamp) = Stamp::parse(&bytes, 32) {
            prop_assert!(!stamp.evaluate(&[0; 32]).is_empty());
        }
    }

    #[test]
    fn a_stamp_survives_writing_and_reading(stamp in stamps()) {
        prop_assert_eq!(Stamp::parse(&stamp.to_bytes(), 32), Ok(stamp));
    }

    #[test]
    fn merging_loses_nothing_and_knows_no_order(one in stamps(), two in stamps()) {
        let (mut a, mut b) = (one.clone(), two.clone());
        a.merge(two.clone());
        b.merge(one.clone());
        prop_assert_eq!(&a, &b);
        let all = a.evaluate(&[5; 32]);
        for part in [&one, &two] {
            for attested in part.evaluate(&[5; 32]) {
                prop_assert!(all.contains(&attested));
            }
        }
        a.merge(one);
        prop_assert_eq!(&a, &b);
    }
}
