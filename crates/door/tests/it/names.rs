//! DNS look-ups: the resolver's answers are recorded, and forged answers are ignored.

use std::net::Ipv4Addr;
use std::time::Duration;

use contract::evidence::{DnsAnswer, FailureKind};
use door::{Policy, RecordType, ResolverChoice, Visit};
use hickory_proto::op::{Message, MessageType, ResponseCode};
use hickory_proto::rr::rdata::{A, PTR};
use hickory_proto::rr::{Name, RData, Record};
use tokio::net::UdpSocket;

use crate::setup::{door, lab, page, visit};

const PAIR: &[RecordType] = &[RecordType::A, RecordType::Aaaa];

#[tokio::test]
async fn rcode_ad_flag_aliases_and_records_are_recorded() {
    let lab = lab().await;
    let visit = visit(&lab);
    let reading = visit.look_up("signed.lab", PAIR).await;
    assert_eq!(reading.resolver, lab.network().resolver.to_string());
    let [a, aaaa] = reading.answers.as_slice() else { panic!() };
    assert_eq!((a.record_type.as_str(), aaaa.record_type.as_str()), ("A", "AAAA"));
    assert!(a.authenticated_data);
    assert_eq!(a.records, [lab.address("signed.lab").unwrap().to_string()]);
    let plain = visit.look_up("minimal.lab", &[RecordType::A]).await;
    assert!(!plain.answers[0].authenticated_data);
    let alias = visit.look_up("alias.lab", &[RecordType::A, RecordType::Cname]).await;
    assert!(!alias.answers[0].cnames.is_empty() && !alias.answers[0].records.is_empty());
    assert_eq!(alias.answers[1].records, alias.answers[0].cnames[..1]);
    let gone = visit.look_up("nowhere.lab", PAIR).await;
    assert!(gone.answers.iter().all(|answer| answer.rcode.as_deref() == Some("NXDOMAIN")));
    assert!(gone.answers.iter().all(|answer| answer.failure.is_none()));
    let many = visit.look_up("thousand.lab", PAIR).await;
    assert_eq!(many.answers[0].records.len(), 64);
    assert_eq!(visit.dns_readings().len(), 5);
}

#[tokio::test]
async fn non_public_names_are_not_looked_up() {
    let lab = lab().await;
    let visit = visit(&lab);
    for name in ["db.corp", "localhost", "10.0.0.1", "_x.internal", "", "a..lab", "server"] {
        let reading = visit.look_up(name, PAIR).await;
        for answer in &reading.answers {
            let failure = answer.failure.as_ref().unwrap();
            assert_eq!(failure.kind, FailureKind::RefusedByPolicy, "{name}");
        }
    }
    assert!(visit.dns_readings().is_empty());
}

/// A test resolver that answers each packet with the packets that `make` returns.
async fn resolver<F>(make: F) -> ResolverChoice
where
    F: Fn(Message) -> Vec<Vec<u8>> + Send + 'static,
{
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut packet = [0; 2048];
        loop {
            let (length, from) = socket.recv_from(&mut packet).await.unwrap();
            for answer in make(Message::from_vec(&packet[..length]).unwrap()) {
                socket.send_to(&answer, from).await.unwrap();
            }
        }
    });
    ResolverChoice::Server(address)
}

fn visit_with(resolver: ResolverChoice) -> Visit {
    let mut policy = Policy { resolver, ..Policy::public() };
    policy.limits.full_phases.dns = Duration::from_secs(2);
    door(policy).visit(Duration::from_secs(5))
}

fn answer_with(query: &Message, address: [u8; 4]) -> Message {
    let mut message = query.clone();
    message.metadata.message_type = MessageType::Response;
    let name = query.queries[0].name().clone();
    if query.queries[0].query_type() == hickory_proto::rr::RecordType::A {
        let [a, b, c, d] = address;
        let data = RData::A(A(Ipv4Addr::new(a, b, c, d)));
        message.add_answer(Record::from_rdata(name, 0, data));
    }
    message
}

fn a_record(answers: &[DnsAnswer]) -> &DnsAnswer {
    answers.iter().find(|answer| answer.record_type == "A").unwrap()
}

#[tokio::test]
async fn forged_answers_are_ignored() {
    let resolver = resolver(|query| {
        let mut wrong_id = answer_with(&query, [10, 6, 6, 6]);
        wrong_id.metadata.id = wrong_id.metadata.id.wrapping_add(1);
        let mut wrong_name = answer_with(&query, [10, 6, 6, 6]);
        wrong_name.queries[0].name = Name::from_ascii("other.org.").unwrap();
        let mut question = answer_with(&query, [10, 6, 6, 6]);
        question.metadata.message_type = MessageType::Query;
        let good = answer_with(&query, [93, 184, 216, 34]);
        let mut packets: Vec<Vec<u8>> =
            [wrong_id, wrong_name, question, good].iter().map(|m| m.to_vec().unwrap()).collect();
        packets.insert(0, b"not a message".to_vec());
        packets
    })
    .await;
    let reading = visit_with(resolver).look_up("wikipedia.org", PAIR).await;
    assert_eq!(a_record(&reading.answers).records, ["93.184.216.34"]);
}

#[tokio::test]
async fn a_flood_of_forged_answers_ends_without_an_answer() {
    let resolver = resolver(|query| {
        let mut wrong = answer_with(&query, [10, 6, 6, 6]);
        wrong.metadata.id = wrong.metadata.id.wrapping_add(1);
        vec![wrong.to_vec().unwrap(); 200]
    })
    .await;
    let reading = visit_with(resolver).look_up("wikipedia.org", PAIR).await;
    let answer = a_record(&reading.answers);
    assert!(answer.records.is_empty());
    assert_eq!(answer.failure.as_ref().unwrap().kind, FailureKind::Timeout);
}

#[tokio::test]
async fn silence_and_failure_cause_a_second_try() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let queries = AtomicUsize::new(0);
    let resolver = resolver(move |query| {
        let mut answer = answer_with(&query, [93, 184, 216, 34]);
        match queries.fetch_add(1, Ordering::SeqCst) {
            0 => return vec![],
            1 => answer.metadata.response_code = ResponseCode::ServFail,
            _ => {}
        }
        vec![answer.to_vec().unwrap()]
    })
    .await;
    let reading = visit_with(resolver).look_up("wikipedia.org", PAIR).await;
    assert!(reading.answers.iter().all(|answer| answer.rcode.as_deref() == Some("NOERROR")));
}

#[tokio::test]
async fn reverse_look_ups_work_also_for_special_addresses() {
    let resolver = resolver(|query| {
        let mut message = query.clone();
        message.metadata.message_type = MessageType::Response;
        let name = query.queries[0].name().clone();
        assert_eq!(name.to_ascii(), "7.2.0.192.in-addr.arpa.");
        let crawler = RData::PTR(PTR(Name::from_ascii("Crawl-7.search.org.").unwrap()));
        message.add_answer(Record::from_rdata(name, 60, crawler));
        vec![message.to_vec().unwrap()]
    })
    .await;
    let reading = visit_with(resolver).look_up_reverse("192.0.2.7".parse().unwrap()).await;
    assert_eq!(reading.name, "7.2.0.192.in-addr.arpa");
    assert_eq!(reading.answers[0].record_type, "PTR");
    assert_eq!(reading.answers[0].records, ["crawl-7.search.org"]);
}

#[tokio::test]
async fn an_unreachable_resolver_is_a_look_up_failure() {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let nobody = ResolverChoice::Server(socket.local_addr().unwrap());
    drop(socket);
    let visit = visit_with(nobody);
    let read = visit.fetch(page("https://wikipedia.org/")).await;
    assert_eq!(crate::setup::why(&read.exchange), ("dns", "resolver_refused"));
}
