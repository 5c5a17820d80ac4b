//! Tests of the name server.

use hickory_proto::{
    op::{Message, OpCode, ResponseCode},
    rr::{RData, RecordType},
};
use lab::{Lab, LabOptions};

use crate::resolve::{addresses, aliases, ask, query, tcp, udp, with_edns};

async fn lab() -> Lab {
    Lab::start(LabOptions::default()).await.unwrap()
}

#[tokio::test]
async fn gives_addresses_over_udp_and_tcp_in_any_letter_case() {
    let lab = lab().await;
    let expected = vec![std::net::IpAddr::V4(lab.address("open.lab").unwrap())];
    for name in ["open.lab", "www.open.lab", "OPEN.Lab"] {
        let over_udp = udp(&lab, &query(name, RecordType::A)).await.unwrap();
        let over_tcp = tcp(&lab, &query(name, RecordType::A)).await.unwrap();
        assert_eq!(addresses(&over_udp), expected, "{name}");
        assert_eq!(addresses(&over_tcp), expected, "{name}");
        assert_eq!(over_udp.metadata.id, 4711);
        assert!(over_udp.metadata.recursion_available);
    }
    let six = ask(&lab, "open.lab", RecordType::AAAA).await.unwrap();
    assert_eq!(six.metadata.response_code, ResponseCode::NoError);
    assert!(six.answers.is_empty(), "no IPv6 address");
    assert_eq!(six.authorities.len(), 1, "with an SOA");
}

#[tokio::test]
async fn missing_names_missing_records_and_foreign_names_have_different_codes() {
    let lab = lab().await;
    for (name, code) in [
        ("nowhere.lab", ResponseCode::NXDomain),
        ("never-heard-of.lab", ResponseCode::NXDomain),
        ("deep.below.open.lab", ResponseCode::NXDomain),
        ("no-address.lab", ResponseCode::NoError),
        ("lab", ResponseCode::NoError),
        ("servfail.lab", ResponseCode::ServFail),
        ("dns-refused.lab", ResponseCode::Refused),
        ("rust-lang.org", ResponseCode::Refused),
        ("localhost", ResponseCode::Refused),
        ("1.0.0.127.in-addr.arpa", ResponseCode::Refused),
    ] {
        let reply = ask(&lab, name, RecordType::A).await.unwrap();
        assert_eq!(reply.metadata.response_code, code, "{name}");
        assert!(reply.answers.is_empty(), "{name}");
    }
}

#[tokio::test]
async fn gives_texts_and_names_of_addresses() {
    let lab = lab().await;
    let text = ask(&lab, "signed.lab", RecordType::TXT).await.unwrap();
    let RData::TXT(data) = &text.answers[0].data else { panic!("{text:?}") };
    assert_eq!(data.to_string(), "a text record of signed.lab");
    let below = ask(&lab, "_dmarc.open.lab", RecordType::TXT).await.unwrap();
    assert_eq!(below.answers.len(), 1);
    let [a, b, c, d] = lab.address("open.lab").unwrap().octets();
    let pointer = ask(&lab, &format!("{d}.{c}.{b}.{a}.in-addr.arpa"), RecordType::PTR).await;
    let RData::PTR(name) = &pointer.as_ref().unwrap().answers[0].data else { panic!() };
    assert_eq!(name.to_ascii(), "open.lab.");
    let nobody = ask(&lab, "9.9.77.127.in-addr.arpa", RecordType::PTR).await.unwrap();
    assert_eq!(nobody.metadata.response_code, ResponseCode::NXDomain);
}

#[tokio::test]
async fn marks_signed_names_as_authenticated_for_those_who_ask() {
    let lab = lab().await;
    let plain = query("signed.lab", RecordType::A);
    let mut asks_by_flag = plain.clone();
    asks_by_flag.metadata.authentic_data = true;
    let asks_by_edns = with_edns(plain.clone(), true);
    for (message, expected) in [
        (&plain, false),
        (&asks_by_flag, true),
        (&asks_by_edns, true),
        (&with_edns(plain.clone(), false), false),
    ] {
        let reply = udp(&lab, message).await.unwrap();
        assert_eq!(reply.metadata.authentic_data, expected);
    }
    let mut unsigned = query("minimal.lab", RecordType::A);
    unsigned.metadata.authentic_data = true;
    assert!(!udp(&lab, &unsigned).await.unwrap().metadata.authentic_data);
    let edns = udp(&lab, &asks_by_edns).await.unwrap().edns.unwrap();
    assert!(edns.flags().dnssec_ok);
}

#[tokio::test]
async fn long_answers_are_truncated_over_udp_and_complete_over_tcp() {
    let lab = lab().await;
    for (name, count) in [("dns-tcp.lab", 1), ("thousand.lab", 1000)] {
        let message = with_edns(query(name, RecordType::A), false);
        let cut = udp(&lab, &message).await.unwrap();
        assert!(cut.metadata.truncation && cut.answers.is_empty(), "{name}");
        let whole = tcp(&lab, &message).await.unwrap();
        assert!(!whole.metadata.truncation);
        assert_eq!(addresses(&whole).len(), count, "{name}");
    }
    let thousand = ask(&lab, "thousand.lab", RecordType::A).await.unwrap();
    assert_eq!(addresses(&thousand)[0], lab.address("thousand.lab").unwrap());
}

#[tokio::test]
async fn follows_aliases_and_shows_them() {
    let lab = lab().await;
    let short = ask(&lab, "www.alias.lab", RecordType::A).await.unwrap();
    assert_eq!(
        aliases(&short),
        ["alias.lab", "hop1.alias.lab", "hop2.alias.lab", "hop3.alias.lab"]
    );
    assert_eq!(addresses(&short), [lab.address("alias.lab").unwrap()]);
    let only = ask(&lab, "alias.lab", RecordType::CNAME).await.unwrap();
    assert_eq!(aliases(&only), ["hop1.alias.lab"]);
    let long = ask(&lab, "alias-long.lab", RecordType::A).await.unwrap();
    assert_eq!((aliases(&long).len(), addresses(&long).len()), (50, 1));
    let circle = ask(&lab, "alias-loop.lab", RecordType::A).await.unwrap();
    assert_eq!(aliases(&circle), ["other.alias-loop.lab", "alias-loop.lab"]);
    let out = ask(&lab, "alias-out.lab", RecordType::A).await.unwrap();
    assert_eq!((aliases(&out), addresses(&out)), (vec!["db.internal".to_owned()], vec![]));
}

#[tokio::test]
async fn rebinding_names_turn_to_the_trap() {
    let lab = lab().await;
    let trap: std::net::IpAddr = [127, 88, 0, 1].into();
    let mut rebinds = Vec::new();
    let mut alternates = Vec::new();
    for _ in 0..4 {
        // Questions for the IPv6 address are not counted.
        ask(&lab, "rebinds.lab", RecordType::AAAA).await.unwrap();
        let reply = ask(&lab, "rebinds.lab", RecordType::A).await.unwrap();
        assert_eq!(reply.answers[0].ttl, 0);
        rebinds.push(addresses(&reply)[0] == trap);
        let reply = ask(&lab, "alternates.lab", RecordType::A).await.unwrap();
        alternates.push(addresses(&reply)[0] == trap);
    }
    assert_eq!(rebinds, [false, true, true, true]);
    assert_eq!(alternates, [false, true, false, true]);
}

#[tokio::test]
async fn some_names_are_never_answered_and_nonsense_is_not_either() {
    let lab = lab().await;
    assert!(udp(&lab, &query("dns-silent.lab", RecordType::A)).await.is_none());
    let mut answer = query("open.lab", RecordType::A);
    answer.metadata.message_type = hickory_proto::op::MessageType::Response;
    assert!(udp(&lab, &answer).await.is_none(), "answers are not answered");
    let socket = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    socket.send_to(b"\xff\x00nonsense", lab.network().resolver).await.unwrap();
    assert!(ask(&lab, "open.lab", RecordType::A).await.is_some(), "the server lives on");
}

#[tokio::test]
async fn refuses_other_operations_and_questions_in_bulk() {
    let lab = lab().await;
    let mut update = query("open.lab", RecordType::A);
    update.metadata.op_code = OpCode::Status;
    let reply = udp(&lab, &update).await.unwrap();
    assert_eq!(reply.metadata.response_code, ResponseCode::NotImp);
    let mut two: Message = query("open.lab", RecordType::A);
    two.add_queries(query("minimal.lab", RecordType::A).queries);
    assert_eq!(udp(&lab, &two).await.unwrap().metadata.response_code, ResponseCode::FormErr);
}
