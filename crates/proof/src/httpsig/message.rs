//! Where the values of components come from.

use sfv::{Dictionary, FieldType, ListEntry, Parser};

use super::{Component, HttpSigError, LONGEST_FIELD};

/// Names in lower case, each line by itself, in the order of the message.
pub type Fields<'a> = &'a [(&'a str, &'a str)];

/// As much of a request as a signature can cover.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub method: &'a str,
    /// Absolute, without a fragment: `https://host[:port]/path?query`.
    pub target_uri: &'a str,
    pub fields: Fields<'a>,
}

/// As much of a response.
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

    /// What stands behind the component in the signature base.
    pub(super) fn value(&self, component: &Component) -> Result<String, HttpSigError> {
        let unknown = || HttpSigError::UnknownComponent(component.to_string());
        // In a request, nothing is of another request.
        if component.is_of_request() && self.response.is_none() {
            return Err(unknown());
        }
        let of_request = component.is_of_request() || self.response.is_none();
        let value = match (component.name(), self.response) {
            ("@status", Some(response)) if !of_request => response.status.to_string(),
            ("@method", _) if of_request => self.request.method.to_owned(),
            ("@target-uri", _) if of_request => self.target()?.whole.to_owned(),
            ("@authority", _) if of_request => self.target()?.normal_authority(),
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
            Err(HttpSigError::Malformed("a covered value"))
        }
    }

    /// All lines of one of the message's own fields, as one; nothing if there are none.
    pub(super) fn own_field(&self, name: &'static str) -> Result<Option<String>, HttpSigError> {
        combined(self.fields(), name).map_err(|_| HttpSigError::TooLarge(name))
    }

    fn field(&self, component: &Component, fields: Fields<'_>) -> Result<String, HttpSigError> {
        let missing = || HttpSigError::Missing(component.to_string());
        let whole = combined(fields, component.name())
            .map_err(|_| HttpSigError::TooLarge("a covered field"))?
            .ok_or_else(missing)?;
        let Some(member) = component.member() else { return Ok(whole) };
        let members: Dictionary = Parser::new(&whole)
            .parse()
            .map_err(|_| HttpSigError::Malformed("a field of which one member is covered"))?;
        match members.get(member) {
            Some(ListEntry::Item(item)) => Ok(item.serialize()),
            Some(list @ ListEntry::InnerList(_)) => {
                vec![list.clone()].serialize().ok_or_else(missing)
            }
            None => Err(missing()),
        }
    }

    fn target(&self) -> Result<Target<'a>, HttpSigError> {
        Target::read(self.request.target_uri).ok_or(HttpSigError::Malformed("the target address"))
    }
}

struct TooLong;

/// RFC 9421, 2.1: each line without white space around it, joined by a comma and a space.
fn combined(fields: Fields<'_>, name: &str) -> Result<Option<String>, TooLong> {
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
        if whole.as_ref().is_some_and(|whole| whole.len() > LONGEST_FIELD) {
            return Err(TooLong);
        }
    }
    Ok(whole)
}

/// A value that could end its line could forge the next one; what is not ASCII has no place in a
/// signature base.
fn is_one_line(value: &str) -> bool {
    value.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte))
}

struct Target<'a> {
    whole: &'a str,
    scheme: &'a str,
    authority: &'a str,
    /// At least `/`.
    path: &'a str,
    /// At least `?`.
    query: &'a str,
}

impl<'a> Target<'a> {
    fn read(whole: &'a str) -> Option<Self> {
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

    /// RFC 9421, 2.2.3: in lower case, without the scheme's own port.
    fn normal_authority(&self) -> String {
        let authority = self.authority.to_ascii_lowercase();
        let port = match self.scheme.to_ascii_lowercase().as_str() {
            "https" => ":443",
            "http" => ":80",
            _ => return authority,
        };
        match authority.strip_suffix(port) {
            // `::80` of an address without brackets is no port.
            Some(host) if !host.ends_with(':') => host.to_owned(),
            _ => authority,
        }
    }
}
