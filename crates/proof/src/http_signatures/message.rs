//! HTTP messages and the values of their components.

use sfv::{Dictionary, FieldType, ListEntry, Parser};

use super::component::Component;
use super::error::HttpSignatureError;
use super::limits::MAX_FIELD_BYTES;

/// Field lines in message order, with names in lower case.
pub type Fields<'a> = &'a [(&'a str, &'a str)];

/// The parts of a request that a signature can cover.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub method: &'a str,
    /// Absolute, without a fragment: `https://host[:port]/path?query`.
    pub target_uri: &'a str,
    pub fields: Fields<'a>,
}

/// The parts of a response that a signature can cover.
#[derive(Debug, Clone, Copy)]
pub struct Response<'a> {
    pub status: u16,
    pub fields: Fields<'a>,
}

/// A request, or a response and the request it answers.
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    request: Request<'a>,
    response: Option<Response<'a>>,
}

impl<'a> Message<'a> {
    #[must_use]
    pub fn request(request: Request<'a>) -> Self {
        Self { request, response: None }
    }

    #[must_use]
    pub fn response(response: Response<'a>, request: Request<'a>) -> Self {
        Self { request, response: Some(response) }
    }

    /// The fields of the message itself.
    fn fields(&self) -> Fields<'a> {
        self.response.map_or(self.request.fields, |response| response.fields)
    }

    /// The value of a component in the signature base.
    pub(super) fn component_value(
        &self,
        component: &Component,
    ) -> Result<String, HttpSignatureError> {
        let unknown = || HttpSignatureError::UnknownComponent(component.to_string());
        // `;req` is only valid in the signature of a response.
        if component.is_of_request() && self.response.is_none() {
            return Err(unknown());
        }
        let of_request = component.is_of_request() || self.response.is_none();
        let value = match (component.name(), self.response) {
            ("@status", Some(response)) if !of_request => response.status.to_string(),
            ("@method", _) if of_request => self.request.method.to_owned(),
            ("@target-uri", _) if of_request => self.target()?.whole.to_owned(),
            ("@authority", _) if of_request => self.target()?.normalized_authority(),
            ("@scheme", _) if of_request => self.target()?.scheme.to_ascii_lowercase(),
            ("@path", _) if of_request => self.target()?.path.to_owned(),
            ("@query", _) if of_request => self.target()?.query.to_owned(),
            (name, _) if name.starts_with('@') => return Err(unknown()),
            _ => {
                let fields = if of_request { self.request.fields } else { self.fields() };
                self.field(component, fields)?
            }
        };
        if is_one_line(&value) {
            Ok(value)
        } else {
            Err(HttpSignatureError::Malformed("a covered value"))
        }
    }

    /// The combined value of one of the message's own fields; `None` if the field is absent.
    pub(super) fn own_field(
        &self,
        name: &'static str,
    ) -> Result<Option<String>, HttpSignatureError> {
        combine_lines(self.fields(), name).map_err(|_| HttpSignatureError::TooLarge(name))
    }

    fn field(
        &self,
        component: &Component,
        fields: Fields<'_>,
    ) -> Result<String, HttpSignatureError> {
        let missing = || HttpSignatureError::MissingComponent(component.to_string());
        let whole = combine_lines(fields, component.name())
            .map_err(|_| HttpSignatureError::TooLarge("a covered field"))?
            .ok_or_else(missing)?;
        let Some(member) = component.member() else { return Ok(whole) };
        let members: Dictionary = Parser::new(&whole)
            .parse()
            .map_err(|_| HttpSignatureError::Malformed("a field of which one member is covered"))?;
        match members.get(member) {
            Some(ListEntry::Item(item)) => Ok(item.serialize()),
            Some(list @ ListEntry::InnerList(_)) => {
                vec![list.clone()].serialize().ok_or_else(missing)
            }
            None => Err(missing()),
        }
    }

    fn target(&self) -> Result<TargetUri<'a>, HttpSignatureError> {
        TargetUri::parse(self.request.target_uri)
            .ok_or(HttpSignatureError::Malformed("the target address"))
    }
}

struct TooLong;

/// RFC 9421, 2.1: trims each line and joins them with a comma and a space.
fn combine_lines(fields: Fields<'_>, name: &str) -> Result<Option<String>, TooLong> {
    let mut whole: Option<String> = None;
    for (_, line) in fields.iter().filter(|(known, _)| *known == name) {
        let line = line.trim_matches([' ', '\t']);
        match &mut whole {
            None => whole = Some(line.to_owned()),
            Some(whole) => {
                whole.push_str(", ");
                whole.push_str(line);
            }
        }
        if whole.as_ref().is_some_and(|whole| whole.len() > MAX_FIELD_BYTES) {
            return Err(TooLong);
        }
    }
    Ok(whole)
}

/// A line break in a value could forge the next line of the signature base, and non-ASCII is not
/// allowed there.
fn is_one_line(value: &str) -> bool {
    value.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte))
}

struct TargetUri<'a> {
    whole: &'a str,
    scheme: &'a str,
    authority: &'a str,
    /// At least `/`.
    path: &'a str,
    /// At least `?`.
    query: &'a str,
}

impl<'a> TargetUri<'a> {
    fn parse(whole: &'a str) -> Option<Self> {
        if whole.contains('#') {
            return None;
        }
        let (scheme, rest) = whole.split_once("://")?;
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at_checked(end)?;
        let (path, query) = rest.split_at_checked(rest.find('?').unwrap_or(rest.len()))?;
        let plain = !authority.is_empty() && !authority.contains('@');
        plain.then_some(Self {
            whole,
            scheme,
            authority,
            path: if path.is_empty() { "/" } else { path },
            query: if query.is_empty() { "?" } else { query },
        })
    }

    /// RFC 9421, 2.2.3: in lower case, without the scheme's default port.
    fn normalized_authority(&self) -> String {
        let authority = self.authority.to_ascii_lowercase();
        let port = match self.scheme.to_ascii_lowercase().as_str() {
            "https" => ":443",
            "http" => ":80",
            _ => return authority,
        };
        match authority.strip_suffix(port) {
            // The `:80` in an IPv6 address without brackets (`::80`) is not a port.
            Some(host) if !host.ends_with(':') => host.to_owned(),
            _ => authority,
        }
    }
}
