//! Parsing what a caller typed: a bare domain or a full address.

use super::host_name::{Domain, HostName};
use super::policy::{NamePolicy, NameRefusal};

/// The longest text that is accepted as a domain or address.
pub const MAX_INPUT_BYTES: usize = 2_048;

/// What a caller typed, after parsing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainInput {
    pub domain: Domain,
    /// The host as the caller wrote it, including a leading `www.`.
    pub host: HostName,
}

impl DomainInput {
    /// Parses strictly, because a lenient parser could contact a different host than the caller (or
    /// a reader of the log) expects: no credentials, no percent signs or backslashes in the host,
    /// and only the scheme's own port.
    pub fn parse(input: &str, policy: &NamePolicy) -> Result<Self, NameRefusal> {
        let text = input.trim_matches(' ');
        if text.is_empty() {
            return Err(NameRefusal::Empty);
        }
        if text.len() > MAX_INPUT_BYTES {
            return Err(NameRefusal::TooLong);
        }
        if text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
            return Err(NameRefusal::BadCharacter);
        }
        let (rest, default_port) = strip_scheme(text)?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(NameRefusal::UserInfo);
        }
        let host = strip_port(authority, default_port, policy)?;
        let host = HostName::parse(host, policy)?;
        Ok(Self { domain: host.to_domain(policy), host })
    }
}

impl Domain {
    /// Parses a bare domain or a full http(s) address.
    pub fn parse(input: &str, policy: &NamePolicy) -> Result<Self, NameRefusal> {
        DomainInput::parse(input, policy).map(|input| input.domain)
    }
}

/// The text after the scheme, and the scheme's default port.
fn strip_scheme(text: &str) -> Result<(&str, Option<u16>), NameRefusal> {
    let Some((scheme, rest)) = text.split_once("://") else {
        return if text.starts_with('/') { Err(NameRefusal::Syntax) } else { Ok((text, None)) };
    };
    // In `example.org/?next=https://…` the "://" comes after the host, so there is no scheme.
    if scheme.contains(['/', '?', '#', '.']) {
        return Ok((text, None));
    }
    match scheme.to_ascii_lowercase().as_str() {
        "http" => Ok((rest, Some(80))),
        "https" => Ok((rest, Some(443))),
        _ => Err(NameRefusal::Scheme),
    }
}

fn strip_port<'a>(
    authority: &'a str,
    default_port: Option<u16>,
    policy: &NamePolicy,
) -> Result<&'a str, NameRefusal> {
    if authority.starts_with('[') || authority.matches(':').count() > 1 {
        return Err(NameRefusal::IpAddress);
    }
    let Some((host, port)) = authority.split_once(':') else { return Ok(authority) };
    let plain = !port.is_empty() && port.len() <= 5 && port.bytes().all(|b| b.is_ascii_digit());
    let port: u16 = if plain { port.parse().unwrap_or(0) } else { 0 };
    let good = match default_port {
        Some(default) => port == default,
        None => port == 80 || port == 443,
    };
    if good || (port != 0 && policy.allow_ports.contains(&port)) {
        Ok(host)
    } else {
        Err(NameRefusal::Port)
    }
}
