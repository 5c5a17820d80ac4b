//! The web servers of the sites: sockets, TLS, and then either honest pages ([`pages`]) or bytes of
//! our own choice ([`wire`]).

mod pages;
mod reply;
mod wire;

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, atomic::Ordering},
};

use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

pub(crate) use self::{
    reply::{Ask, Payload, Reply, Scheme},
    wire::Step,
};
use crate::{
    ports,
    site::{Protocol, Web},
    world::{Place, World, breathe},
};

/// Opens the sockets of the site at this address, if there is one and they are not open yet.
pub(crate) fn open(world: &Arc<World>, address: Ipv4Addr) -> Result<(), &str> {
    let Some(index) = world.index_at(address) else { return Ok(()) };
    let Some(place) = world.places.get(index) else { return Ok(()) };
    let opened = place.opened.get_or_init(|| {
        let _in_runtime = world.tasks.runtime().enter();
        open_port(world, index, place, Scheme::Http)?;
        open_port(world, index, place, Scheme::Https)
    });
    match opened {
        Ok(()) => Ok(()),
        Err(error) => Err(error),
    }
}

fn open_port(
    world: &Arc<World>,
    index: usize,
    place: &Place,
    scheme: Scheme,
) -> Result<(), String> {
    let (port, web) = match scheme {
        Scheme::Http => (world.ports.http, place.site.http),
        Scheme::Https => (world.ports.https, place.site.https),
    };
    let tls = match (scheme, web) {
        (_, Web::Closed) => return Ok(()),
        (Scheme::Http, _) | (_, Web::Socket(_)) => None,
        (Scheme::Https, _) => {
            // Bytes of our own are HTTP/1 bytes.
            let protocol = match web {
                Web::Wire(_) => Protocol::Http1,
                _ => place.site.protocol,
            };
            let config =
                world.authority.server(place.site.name, place.site.certificate, protocol)?;
            Some(TlsAcceptor::from(Arc::new(config)))
        }
    };
    let socket = SocketAddr::new(IpAddr::V4(place.address), port);
    let listener = ports::listen(socket).map_err(|error| error.to_string())?;
    let door = Door { world: Arc::clone(world), index, scheme, web, tls };
    world.tasks.spawn(door.stand_open(listener));
    Ok(())
}

/// One open port of one site.
#[derive(Clone)]
struct Door {
    world: Arc<World>,
    index: usize,
    scheme: Scheme,
    web: Web,
    tls: Option<TlsAcceptor>,
}

impl Door {
    async fn stand_open(self, listener: TcpListener) {
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                breathe().await;
                continue;
            };
            if let Some(place) = self.world.places.get(self.index) {
                place.connections.fetch_add(1, Ordering::SeqCst);
            }
            self.world.tasks.spawn(self.clone().serve(stream));
        }
    }

    async fn serve(self, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let Some(place) = self.world.places.get(self.index) else { return };
        let visit = pages::Visit { world: &self.world, place, scheme: self.scheme };
        match (self.web, &self.tls) {
            (Web::Closed, _) => {}
            (Web::Socket(script), _) => wire::play(stream, &script()).await,
            (Web::Pages(page), None) => pages::serve(stream, false, page, visit).await,
            (Web::Wire(script), None) => wire::serve(stream, script, visit).await,
            (web, Some(tls)) => {
                // A client that does not like the certificate goes away here.
                let Ok(stream) = tls.accept(stream).await else { return };
                let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                match web {
                    Web::Wire(script) => wire::serve(stream, script, visit).await,
                    Web::Pages(page) => pages::serve(stream, http2, page, visit).await,
                    Web::Closed | Web::Socket(_) => {}
                }
            }
        }
    }
}
