//! A name with several addresses, of which one does not answer (RFC 8305).

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use door::{Policy, ResolverChoice, TargetLimit};
use hickory_proto::op::{Message, MessageType};
use hickory_proto::rr::rdata::A;
use hickory_proto::rr::{RData, Record, RecordType};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream, UdpSocket};

use crate::setup::{door, lab, page, policy, response, why};

/// No lab site has them.
const SILENT: Ipv4Addr = Ipv4Addr::new(127, 77, 250, 1);
const SERVED: Ipv4Addr = Ipv4Addr::new(127, 77, 250, 2);

/// Two addresses with the same port, one of which accepts no connection and refuses none.
struct TwoAddresses {
    policy: Policy,
    url: String,
    port: u16,
    _silent: TcpListener,
    /// They fill the queue of the silent address.
    _queued: Vec<TcpStream>,
}

impl TwoAddresses {
    /// The resolver answers with these addresses in this order.
    async fn start(order: &'static [Ipv4Addr]) -> Self {
        let served = TcpListener::bind(SocketAddr::new(SERVED.into(), 0)).await.unwrap();
        let port = served.local_addr().unwrap().port();
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::new(SILENT.into(), port)).unwrap();
        let silent = socket.listen(1).unwrap();
        let mut queued = Vec::new();
        // The system drops what comes after the queue is full, as a black hole does.
        loop {
            let connecting = TcpStream::connect((SILENT, port));
            match tokio::time::timeout(Duration::from_millis(200), connecting).await {
                Ok(stream) => queued.push(stream.unwrap()),
                Err(_) => break,
            }
            assert!(queued.len() < 50, "the queue never fills");
        }
        tokio::spawn(serve(served));
        let mut policy = policy(&lab().await);
        policy.names.allow_ports.push(port);
        policy.resolver = resolver(order).await;
        let url = format!("http://several.lab:{port}/");
        Self { policy, url, port, _silent: silent, _queued: queued }
    }
}

async fn serve(listener: TcpListener) {
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        tokio::spawn(async move {
            let mut buffer = [0; 4096];
            while stream.read(&mut buffer).await.is_ok_and(|length| length > 0) {
                let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
                stream.write_all(answer).await.unwrap();
            }
        });
    }
}

async fn resolver(order: &'static [Ipv4Addr]) -> ResolverChoice {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut packet = [0; 2048];
        loop {
            let (length, from) = socket.recv_from(&mut packet).await.unwrap();
            let mut message = Message::from_vec(&packet[..length]).unwrap();
            message.metadata.message_type = MessageType::Response;
            let query = message.queries[0].clone();
            if query.query_type() == RecordType::A {
                for address in order {
                    let data = RData::A(A(*address));
                    message.add_answer(Record::from_rdata(query.name().clone(), 60, data));
                }
            }
            socket.send_to(&message.to_vec().unwrap(), from).await.unwrap();
        }
    });
    ResolverChoice::Server(address)
}

#[tokio::test]
async fn an_address_that_does_not_answer_costs_a_live_reading_less_than_its_connect_limit() {
    let two = TwoAddresses::start(&[SILENT, SERVED]).await;
    let limit = two.policy.limits.live_phases.connect;
    let visit = door(two.policy.clone()).visit(two.policy.limits.live_budget);
    let begun = Instant::now();
    let read = visit.fetch(page(&two.url)).await;
    let took = begun.elapsed();
    assert_eq!(response(&read.exchange).status, 200);
    let served = format!("{SERVED}:{}", two.port);
    assert_eq!(read.exchange.hops[0].address.as_deref(), Some(served.as_str()));
    assert!(took >= Duration::from_millis(100), "the first address had its chance: {took:?}");
    assert!(took < limit, "{took:?}");
    // The address that answered is the first one from then on.
    let mut again = page(&two.url);
    again.fresh_connection = true;
    let begun = Instant::now();
    assert_eq!(response(&visit.fetch(again).await.exchange).status, 200);
    assert!(begun.elapsed() < Duration::from_millis(100));
}

#[tokio::test]
async fn a_limit_of_one_connection_delays_the_second_address_and_fails_no_read() {
    let mut two = TwoAddresses::start(&[SILENT, SERVED]).await;
    two.policy.targets.total = TargetLimit { connections: 1, reads_per_minute: 0 };
    two.policy.limits.full_phases.connect = Duration::from_millis(500);
    let visit = door(two.policy.clone()).visit(Duration::from_secs(10));
    let begun = Instant::now();
    let read = visit.fetch(page(&two.url)).await;
    assert_eq!(response(&read.exchange).status, 200);
    assert!(begun.elapsed() >= Duration::from_millis(500), "one connection at a time");
}

#[tokio::test]
async fn the_address_that_failed_last_is_recorded() {
    let two = TwoAddresses::start(&[SILENT]).await;
    let visit = door(two.policy.clone()).visit(two.policy.limits.live_budget);
    let read = visit.fetch(page(&two.url)).await;
    assert_eq!(why(&read.exchange), ("timeout", "connect_timeout"));
    let silent = format!("{SILENT}:{}", two.port);
    assert_eq!(read.exchange.hops[0].address.as_deref(), Some(silent.as_str()));
}
