//! Component identifiers: the parts of a message that a signature covers.

use std::fmt;

use sfv::{BareItem, FieldType, Item, KeyRef, StringRef};

use super::error::HttpSignatureError;

const MALFORMED: HttpSignatureError = HttpSignatureError::Malformed("a component identifier");
/// The longest name that is accepted.
const MAX_NAME_BYTES: usize = 128;

/// One component identifier, as it was written.
#[derive(Debug, Clone)]
pub struct Component {
    name: String,
    req: bool,
    member: Option<String>,
    /// Keeps the parameters in the signer's order, because that order is signed.
    item: Item,
}

/// The order of the parameters does not matter for equality.
impl PartialEq for Component {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Component {}

impl Component {
    /// A field or a derived component (`@…`) of the message itself.
    pub fn new(name: &str) -> Result<Self, HttpSignatureError> {
        let name = StringRef::from_str(name).map_err(|_| MALFORMED)?;
        Self::from_item(&Item::new(name))
    }

    /// The same, of the request that a response answers (`;req`).
    pub fn of_request(name: &str) -> Result<Self, HttpSignatureError> {
        let name = StringRef::from_str(name).map_err(|_| MALFORMED)?;
        let mut item = Item::new(name);
        let req = KeyRef::from_str("req").map_err(|_| MALFORMED)?;
        item.params.insert(req.to_owned(), BareItem::Boolean(true));
        Self::from_item(&item)
    }

    /// One member of a dictionary field (`;key`).
    pub(super) fn of_member(name: &str, member: &str) -> Result<Self, HttpSignatureError> {
        let name = StringRef::from_str(name).map_err(|_| MALFORMED)?;
        let member = StringRef::from_str(member).map_err(|_| MALFORMED)?;
        let mut item = Item::new(name);
        let key = KeyRef::from_str("key").map_err(|_| MALFORMED)?;
        item.params.insert(key.to_owned(), BareItem::String(member.to_owned()));
        Self::from_item(&item)
    }

    pub(super) fn from_item(item: &Item) -> Result<Self, HttpSignatureError> {
        let name = item.bare_item.as_string().ok_or(MALFORMED)?.as_str();
        if name.len() > MAX_NAME_BYTES || !is_name(name) {
            return Err(MALFORMED);
        }
        let mut component =
            Self { name: name.to_owned(), req: false, member: None, item: item.clone() };
        for (parameter, value) in &item.params {
            match (parameter.as_str(), value) {
                ("req", BareItem::Boolean(true)) => component.req = true,
                ("key", BareItem::String(member)) if !name.starts_with('@') => {
                    component.member = Some(member.as_str().to_owned());
                }
                _ => return Err(HttpSignatureError::UnknownComponent(component.to_string())),
            }
        }
        Ok(component)
    }

    /// In lower case, with its `@` if it is derived.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it refers to the request that the message answers.
    #[must_use]
    pub fn is_of_request(&self) -> bool {
        self.req
    }

    /// The member of a dictionary field, if only that member is covered.
    pub(super) fn member(&self) -> Option<&str> {
        self.member.as_deref()
    }

    pub(super) fn item(&self) -> &Item {
        &self.item
    }

    fn identity(&self) -> (&str, bool, Option<&str>) {
        (&self.name, self.req, self.member.as_deref())
    }
}

/// As it is written in the component list and in the signature base.
impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.item.serialize())
    }
}

/// A lower-case field name, or the same after an `@`.
fn is_name(name: &str) -> bool {
    let rest = name.strip_prefix('@').unwrap_or(name);
    let fits = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"!#$%&'*+-.^_`|~".contains(&byte)
    };
    !rest.is_empty() && rest.bytes().all(fits)
}
