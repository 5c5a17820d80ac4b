//! Sends one mail at a time, each over a connection of its own.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use contract::Timestamp;
use lettre::Message;
use lettre::message::Mailbox;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, AsyncTokioStream};
use lettre::transport::smtp::extension::ClientId;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::error::MailError;
use super::settings::{MailSecurity, MailSettings, MailSettingsError};
use super::starttls::begin_tls;
use super::stream::MailStream;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// For one mail, from the connection to the last answer.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);
/// Headers have four digits for the year.
const LAST_DATE_MS: u64 = 253_402_300_799_000;
const MECHANISMS: [Mechanism; 2] = [Mechanism::Plain, Mechanism::Login];

/// A mail in plain text to one recipient.
#[derive(Clone, Copy)]
pub struct OutgoingMail<'a> {
    /// A plain address, such as `ada@shop.example`.
    pub to: &'a str,
    pub subject: &'a str,
    pub text: &'a str,
    pub date: Timestamp,
    /// Unique; letters, digits and hyphens.
    pub id: &'a str,
}

/// Sends mails through the operator's mail server. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Mailer(Arc<MailerParts>);

struct MailerParts {
    settings: MailSettings,
    from: Mailbox,
    /// The name under which we greet the server: the domain of the sender.
    hello: String,
    server_name: ServerName<'static>,
    tls: Arc<ClientConfig>,
    credentials: Option<Credentials>,
}

impl fmt::Debug for MailerParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mailer").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl fmt::Debug for OutgoingMail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutgoingMail").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Mailer {
    /// Connects to nothing yet.
    pub fn new(settings: MailSettings) -> Result<Self, MailSettingsError> {
        let host = settings.host.trim_matches(['[', ']']).to_owned();
        let server_name = ServerName::try_from(host).map_err(|_| MailSettingsError::Host)?;
        if settings.security == MailSecurity::None && !settings.is_loopback() {
            return Err(MailSettingsError::NotLoopback);
        }
        let from: Mailbox = settings.from.parse().map_err(|_| MailSettingsError::From)?;
        let hello = from.email.domain().to_owned();
        let tls = Arc::new(tls_config(&settings)?);
        let credentials = settings
            .login
            .as_ref()
            .map(|login| Credentials::new(login.user.clone(), login.password.clone()));
        let parts = MailerParts { settings, from, hello, server_name, tls, credentials };
        Ok(Self(Arc::new(parts)))
    }

    /// Returns when the server has accepted the mail.
    pub async fn send(&self, mail: &OutgoingMail<'_>) -> Result<(), MailError> {
        let message = self.0.write(mail)?;
        tokio::time::timeout(SEND_TIMEOUT, self.0.deliver(&message))
            .await
            .map_err(|_| MailError::Timeout(SEND_TIMEOUT.as_secs()))?
    }
}

impl MailerParts {
    fn write(&self, mail: &OutgoingMail<'_>) -> Result<Message, MailError> {
        let to: Mailbox = mail.to.parse().map_err(|_| MailError::Message)?;
        // With a name or a comma it would be another recipient than the one that was checked.
        if to.name.is_some() || to.email.to_string() != mail.to {
            return Err(MailError::Message);
        }
        // No answers of robots, such as those about holidays (RFC 3834).
        let name = HeaderName::new_from_ascii_str("Auto-Submitted");
        let automatic = HeaderValue::new(name, "auto-generated".to_owned());
        let millis = u64::try_from(mail.date.as_millis()).unwrap_or_default().min(LAST_DATE_MS);
        Message::builder()
            .from(self.from.clone())
            .to(to)
            .subject(mail.subject)
            .date(SystemTime::UNIX_EPOCH + Duration::from_millis(millis))
            .message_id(Some(format!("<{}@{}>", mail.id, self.hello)))
            .raw_header(automatic)
            .header(ContentType::TEXT_PLAIN)
            .body(mail.text.to_owned())
            .map_err(|_| MailError::Message)
    }

    async fn deliver(&self, message: &Message) -> Result<(), MailError> {
        let (stream, peer) = self.connect().await?;
        let stream: Box<dyn AsyncTokioStream> = match self.settings.security {
            MailSecurity::None => Box::new(MailStream::new(Bytes::new(), stream, peer)),
            MailSecurity::Tls => {
                Box::new(MailStream::new(Bytes::new(), self.encrypt(stream).await?, peer))
            }
            MailSecurity::StartTls => {
                let mut stream = stream;
                let greeting = begin_tls(&mut stream, &self.hello).await?;
                Box::new(MailStream::new(greeting, self.encrypt(stream).await?, peer))
            }
        };
        let hello = ClientId::Domain(self.hello.clone());
        let mut connection = AsyncSmtpConnection::connect_with_transport(stream, &hello).await?;
        if let Some(credentials) = &self.credentials {
            connection.auth(&MECHANISMS, credentials).await?;
        }
        connection.send(message.envelope(), &message.formatted()).await?;
        // The mail is accepted, whatever the server says to the farewell.
        let _ = connection.quit().await;
        Ok(())
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the operator chose this address; no third party did"
    )]
    async fn connect(&self) -> Result<(TcpStream, SocketAddr), MailError> {
        let host = self.settings.host.trim_matches(['[', ']']);
        let stream = TcpStream::connect((host, self.settings.port));
        let stream = tokio::time::timeout(CONNECT_TIMEOUT, stream)
            .await
            .map_err(|_| MailError::Timeout(CONNECT_TIMEOUT.as_secs()))?
            .map_err(MailError::Connect)?;
        let peer = stream.peer_addr().map_err(MailError::Connect)?;
        // A name that is called localhost may lead elsewhere.
        if self.settings.security == MailSecurity::None && !peer.ip().to_canonical().is_loopback() {
            return Err(MailError::NotLoopback);
        }
        Ok((stream, peer))
    }

    async fn encrypt(
        &self,
        stream: TcpStream,
    ) -> Result<tokio_rustls::client::TlsStream<TcpStream>, MailError> {
        TlsConnector::from(Arc::clone(&self.tls))
            .connect(self.server_name.clone(), stream)
            .await
            .map_err(|error| MailError::Tls(error.to_string()))
    }
}

fn tls_config(settings: &MailSettings) -> Result<ClientConfig, MailSettingsError> {
    let failed = |error: rustls::Error| MailSettingsError::Tls(error.to_string());
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for certificate in &settings.extra_ca {
        roots.add(certificate.clone()).map_err(failed)?;
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(failed)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}

#[cfg(test)]
mod tests;
