//! A DNS client for the lab's name server.

use std::{net::IpAddr, time::Duration};

use hickory_proto::{
    op::{Edns, Message, MessageType, OpCode, Query},
    rr::{Name, RData, RecordType},
};
use lab::Lab;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpStream, UdpSocket},
    time::timeout,
};

/// How long to wait for an answer.
const PATIENCE: Duration = Duration::from_millis(2500);

pub(crate) fn query(name: &str, kind: RecordType) -> Message {
    let mut message = Message::new(4711, MessageType::Query, OpCode::Query);
    message.metadata.recursion_desired = true;
    message.add_query(Query::query(Name::from_ascii(format!("{name}.")).unwrap(), kind));
    message
}

pub(crate) fn with_edns(mut message: Message, dnssec_ok: bool) -> Message {
    let mut edns = Edns::new();
    edns.set_dnssec_ok(dnssec_ok).set_max_payload(1232);
    message.set_edns(edns);
    message
}

/// The reply over UDP; `None` if none came in time.
pub(crate) async fn udp(lab: &Lab, message: &Message) -> Option<Message> {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    socket.send_to(&message.to_vec().unwrap(), lab.network().resolver).await.unwrap();
    let mut buffer = vec![0; 65_535];
    let length = timeout(PATIENCE, socket.recv(&mut buffer)).await.ok()?.unwrap();
    Some(Message::from_vec(&buffer[..length]).unwrap())
}

pub(crate) async fn tcp(lab: &Lab, message: &Message) -> Option<Message> {
    let mut stream = TcpStream::connect(lab.network().resolver).await.unwrap();
    let bytes = message.to_vec().unwrap();
    stream.write_u16(u16::try_from(bytes.len()).unwrap()).await.unwrap();
    stream.write_all(&bytes).await.unwrap();
    let length = timeout(PATIENCE, stream.read_u16()).await.ok()?.unwrap();
    let mut reply = vec![0; usize::from(length)];
    stream.read_exact(&mut reply).await.unwrap();
    Some(Message::from_vec(&reply).unwrap())
}

/// Asks over UDP, and over TCP if the reply was truncated.
pub(crate) async fn ask(lab: &Lab, name: &str, kind: RecordType) -> Option<Message> {
    let message = with_edns(query(name, kind), false);
    let reply = udp(lab, &message).await?;
    if reply.metadata.truncation { tcp(lab, &message).await } else { Some(reply) }
}

pub(crate) fn addresses(reply: &Message) -> Vec<IpAddr> {
    reply.answers.iter().filter_map(|record| record.data.ip_addr()).collect()
}

pub(crate) fn aliases(reply: &Message) -> Vec<String> {
    reply
        .answers
        .iter()
        .filter_map(|record| match &record.data {
            RData::CNAME(target) => Some(target.to_ascii().trim_end_matches('.').to_owned()),
            _ => None,
        })
        .collect()
}
