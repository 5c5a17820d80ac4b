//! The web servers of the sites: sockets and TLS, then either correct HTTP ([`pages`]) or raw bytes
//! ([`raw`]).

mod forward;
pub(crate) mod pages;
mod raw;
pub(crate) mod reply;
pub(crate) mod script;

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, atomic::Ordering},
};

use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use self::{pages::PageSource, reply::Scheme};
use crate::{
    lab_state::{LabState, RunningSite, pause_after_error},
    ports,
    site::{HttpsProtocol, PortBehaviour},
};

/// Opens the sockets of the running_site at this address, if there is one and they are not open yet.
pub(crate) fn open_site(world: &Arc<LabState>, address: Ipv4Addr) -> Result<(), &str> {
    let Some(index) = world.index_at(address) else { return Ok(()) };
    let Some(running_site) = world.sites.get(index) else { return Ok(()) };
    let opened = running_site.opened.get_or_init(|| {
        let _in_runtime = world.tasks.runtime().enter();
        open_port(world, index, running_site, Scheme::Http)?;
        open_port(world, index, running_site, Scheme::Https)
    });
    match opened {
        Ok(()) => Ok(()),
        Err(error) => Err(error),
    }
}

fn open_port(
    world: &Arc<LabState>,
    index: usize,
    running_site: &RunningSite,
    scheme: Scheme,
) -> Result<(), String> {
    let (port, web) = match scheme {
        Scheme::Http => (world.ports.http, running_site.site.http),
        Scheme::Https => (world.ports.https, running_site.site.https),
    };
    let tls = match (scheme, web) {
        (_, PortBehaviour::Closed) => return Ok(()),
        (Scheme::Http, _) | (_, PortBehaviour::RawSocket(_)) => None,
        (Scheme::Https, _) => {
            // Raw replies are HTTP/1 bytes, and so is what a proxy forwards.
            let protocol = match web {
                PortBehaviour::RawReplies(_) | PortBehaviour::Forward => HttpsProtocol::Http1,
                _ => running_site.site.protocol,
            };
            let config = world.authority.server_config(
                running_site.site.name,
                running_site.site.certificate,
                protocol,
            )?;
            Some(TlsAcceptor::from(Arc::new(config)))
        }
    };
    let socket = SocketAddr::new(IpAddr::V4(running_site.address), port);
    let listener = ports::listen(socket).map_err(|error| error.to_string())?;
    let listener_task = SiteListener { world: Arc::clone(world), index, scheme, web, tls };
    world.tasks.spawn(listener_task.accept_connections(listener));
    Ok(())
}

/// One open port of one running_site.
#[derive(Clone)]
struct SiteListener {
    world: Arc<LabState>,
    index: usize,
    scheme: Scheme,
    web: PortBehaviour,
    tls: Option<TlsAcceptor>,
}

impl SiteListener {
    async fn accept_connections(self, listener: TcpListener) {
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                pause_after_error().await;
                continue;
            };
            if let Some(running_site) = self.world.sites.get(self.index) {
                running_site.connections.fetch_add(1, Ordering::SeqCst);
            }
            self.world.tasks.spawn(self.clone().serve_connection(stream));
        }
    }

    async fn serve_connection(self, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let Some(running_site) = self.world.sites.get(self.index) else { return };
        let connection =
            pages::SiteConnection { world: &self.world, running_site, scheme: self.scheme };
        match (self.web, &self.tls) {
            (PortBehaviour::RawSocket(script), _) => raw::play_script(stream, &script()).await,
            (PortBehaviour::RawReplies(script), None) => {
                raw::serve(stream, script, connection).await
            }
            (web, None) => {
                if let Some(source) = PageSource::of_port(web) {
                    pages::serve(stream, false, source, connection).await;
                }
            }
            (web, Some(tls)) => {
                // A client that rejects the certificate disconnects here.
                let Ok(stream) = tls.accept(stream).await else { return };
                let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                if let PortBehaviour::RawReplies(script) = web {
                    raw::serve(stream, script, connection).await;
                } else if let PortBehaviour::Forward = web {
                    forward::serve(stream, self.world.forwards.target(running_site.site.name))
                        .await;
                } else if let Some(source) = PageSource::of_port(web) {
                    pages::serve(stream, http2, source, connection).await;
                }
            }
        }
    }
}
