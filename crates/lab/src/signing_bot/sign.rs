//! Signs requests as the bot does. Everything can be made wrong on purpose: what is signed is
//! exactly what the fields say, whether a verifier should accept it or not.

use data_encoding::BASE64;

use super::{hosts::SIGNING_BOT_HOST, key::BotKey};

/// The request to sign.
#[derive(Debug, Clone, Copy)]
pub struct BotRequest<'a> {
    pub method: &'a str,
    /// Host and, if it is not 443, port.
    pub authority: &'a str,
    /// With the query, if there is one.
    pub path: &'a str,
}

/// How to sign. [`BotSignature::new`] gives what a well-behaved bot does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotSignature {
    pub key: BotKey,
    pub label: String,
    /// Unix seconds.
    pub created: Option<i64>,
    /// Unix seconds.
    pub expires: Option<i64>,
    pub keyid: Option<String>,
    pub tag: Option<String>,
    pub nonce: Option<String>,
    pub alg: Option<String>,
    pub agent: SignatureAgent,
    /// Component identifiers as they are written in Signature-Input, such as `"@authority"` with its
    /// quotation marks. `None`: the authority and, if there is one, the Signature-Agent.
    pub components: Option<Vec<String>>,
}

/// The Signature-Agent field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignatureAgent {
    /// `label="https://…"`, as the current draft has it.
    Dictionary(String),
    /// `"https://…"`, as earlier drafts had it and some agents still send it.
    BareString(String),
    None,
}

/// The fields to send with the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedFields {
    pub signature: String,
    pub signature_input: String,
    pub signature_agent: Option<String>,
}

impl BotSignature {
    /// A good signature, valid for five minutes from this time (Unix seconds).
    #[must_use]
    pub fn new(created: i64) -> Self {
        Self {
            key: BotKey::Published,
            label: "sig1".to_owned(),
            created: Some(created),
            expires: Some(created.saturating_add(300)),
            keyid: Some(BotKey::Published.key_id()),
            tag: Some("web-bot-auth".to_owned()),
            nonce: None,
            alg: None,
            agent: SignatureAgent::Dictionary(format!("https://{SIGNING_BOT_HOST}")),
            components: None,
        }
    }

    fn agent_field(&self) -> Option<String> {
        match &self.agent {
            SignatureAgent::Dictionary(url) => Some(format!("{}={}", self.label, quoted(url))),
            SignatureAgent::BareString(url) => Some(quoted(url)),
            SignatureAgent::None => None,
        }
    }

    fn covered(&self) -> Vec<String> {
        self.components.clone().unwrap_or_else(|| {
            let agent = match self.agent {
                SignatureAgent::Dictionary(_) => {
                    Some(format!("\"signature-agent\";key={}", quoted(&self.label)))
                }
                SignatureAgent::BareString(_) => Some("\"signature-agent\"".to_owned()),
                SignatureAgent::None => None,
            };
            std::iter::once("\"@authority\"".to_owned()).chain(agent).collect()
        })
    }

    fn parameters(&self) -> String {
        let times = [("created", self.created), ("expires", self.expires)];
        let texts = [
            ("keyid", &self.keyid),
            ("alg", &self.alg),
            ("nonce", &self.nonce),
            ("tag", &self.tag),
        ];
        let times = times.iter().filter_map(|(name, time)| Some(format!(";{name}={}", (*time)?)));
        let texts = texts
            .iter()
            .filter_map(|(name, text)| Some(format!(";{name}={}", quoted(text.as_ref()?))));
        times.chain(texts).collect()
    }
}

impl SignedFields {
    /// Names in lower case, and values.
    #[must_use]
    pub fn to_headers(&self) -> Vec<(&'static str, &str)> {
        let signature =
            [("signature", self.signature.as_str()), ("signature-input", &self.signature_input)];
        let agent = self.signature_agent.as_deref().map(|value| ("signature-agent", value));
        signature.into_iter().chain(agent).collect()
    }
}

/// Signs a request as the bot does.
#[must_use]
pub fn sign_as_bot(request: &BotRequest<'_>, signature: &BotSignature) -> SignedFields {
    let agent = signature.agent_field();
    let covered = signature.covered();
    let mut base = String::new();
    for component in &covered {
        let value = component_value(request, signature, agent.as_deref(), component);
        base.push_str(&format!("{component}: {value}\n"));
    }
    let input = format!("({}){}", covered.join(" "), signature.parameters());
    base.push_str(&format!("\"@signature-params\": {input}"));
    let bytes = signature.key.sign(base.as_bytes());
    SignedFields {
        signature: format!("{}=:{}:", signature.label, BASE64.encode(&bytes)),
        signature_input: format!("{}={input}", signature.label),
        signature_agent: agent,
    }
}

/// The value of a component in the signature base; empty for components that the bot does not know.
fn component_value(
    request: &BotRequest<'_>,
    signature: &BotSignature,
    agent: Option<&str>,
    component: &str,
) -> String {
    let (path, query) = match request.path.split_once('?') {
        Some((path, query)) => (path, query),
        None => (request.path, ""),
    };
    let authority = request.authority.to_ascii_lowercase();
    let authority = authority.strip_suffix(":443").unwrap_or(&authority);
    let (name, parameters) = component.split_once(';').unwrap_or((component, ""));
    match (name.trim_matches('"'), &signature.agent) {
        ("@method", _) => request.method.to_owned(),
        ("@authority", _) => authority.to_owned(),
        ("@scheme", _) => "https".to_owned(),
        ("@path", _) => path.to_owned(),
        ("@query", _) => format!("?{query}"),
        ("@target-uri", _) => format!("https://{}{}", request.authority, request.path),
        // One member of the dictionary, or the whole field.
        ("signature-agent", SignatureAgent::Dictionary(url)) if !parameters.is_empty() => {
            quoted(url)
        }
        ("signature-agent", _) => agent.unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}

/// Quotes text as a string of structured fields (RFC 9651).
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
