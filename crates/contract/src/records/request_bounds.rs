//! Bounds of what a request may contain: the number of items in a list, the length of a text, the size
//! of a number. They are enforced while a body is read, and each stands in the schema.

use std::ops::Deref;
use std::{fmt, marker::PhantomData};

use serde::de::{DeserializeOwned, Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};

/// A list of `MIN` to `MAX` items, none of them twice unless `UNIQUE` is false. Reading stops at the first
/// item too many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestList<T, const MIN: usize, const MAX: usize, const UNIQUE: bool = true>(Vec<T>);

impl<T, const MIN: usize, const MAX: usize, const UNIQUE: bool> RequestList<T, MIN, MAX, UNIQUE> {
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

/// The items that fit: repeated ones and those beyond `MAX` are left out.
impl<T: PartialEq, const MIN: usize, const MAX: usize, const UNIQUE: bool> FromIterator<T>
    for RequestList<T, MIN, MAX, UNIQUE>
{
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut list = Vec::new();
        for item in items {
            if list.len() < MAX && !(UNIQUE && list.contains(&item)) {
                list.push(item);
            }
        }
        Self(list)
    }
}

impl<T, const MIN: usize, const MAX: usize, const UNIQUE: bool> Deref
    for RequestList<T, MIN, MAX, UNIQUE>
{
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<'a, T, const MIN: usize, const MAX: usize, const UNIQUE: bool> IntoIterator
    for &'a RequestList<T, MIN, MAX, UNIQUE>
{
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<T: Serialize, const MIN: usize, const MAX: usize, const UNIQUE: bool> Serialize
    for RequestList<T, MIN, MAX, UNIQUE>
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T, const MIN: usize, const MAX: usize, const UNIQUE: bool> Deserialize<'de>
    for RequestList<T, MIN, MAX, UNIQUE>
where
    T: DeserializeOwned + PartialEq,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ListVisitor(PhantomData))
    }
}

struct ListVisitor<T, const MIN: usize, const MAX: usize, const UNIQUE: bool>(PhantomData<T>);

impl<'de, T, const MIN: usize, const MAX: usize, const UNIQUE: bool> Visitor<'de>
    for ListVisitor<T, MIN, MAX, UNIQUE>
where
    T: DeserializeOwned + PartialEq,
{
    type Value = RequestList<T, MIN, MAX, UNIQUE>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of {MIN} to {MAX} items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list: Vec<T> = Vec::new();
        while let Some(item) = items.next_element()? {
            if list.len() == MAX {
                return Err(Error::invalid_length(MAX + 1, &self));
            }
            list.push(item);
        }
        if list.len() < MIN {
            return Err(Error::invalid_length(list.len(), &self));
        }
        let repeats =
            |(index, item): &(usize, &T)| list.iter().take(*index).any(|one| one == *item);
        if UNIQUE && let Some((index, _)) = list.iter().enumerate().find(repeats) {
            return Err(Error::custom(format_args!("item {index} is given twice")));
        }
        Ok(RequestList(list))
    }
}

/// Refuses a text that is not of `MIN` to `MAX` characters.
fn check_length<const MIN: usize, const MAX: usize, E: Error>(text: &str) -> Result<(), E> {
    // A character has at most four bytes, so a very long text is not counted.
    let fits = text.len() <= MAX * 4 && (MIN..=MAX).contains(&text.chars().count());
    if fits {
        Ok(())
    } else {
        Err(E::custom(format_args!("expected a text of {MIN} to {MAX} characters")))
    }
}

/// The schema of such a text.
pub(super) fn text_schema(min: usize, max: usize, description: &str) -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length((min > 0).then_some(min))
        .max_length(Some(max))
        .description(Some(description))
        .build()
}

/// Reads a text of `MIN` to `MAX` characters.
pub(super) fn text<'de, D: Deserializer<'de>, const MIN: usize, const MAX: usize>(
    deserializer: D,
) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    check_length::<MIN, MAX, D::Error>(&text)?;
    Ok(text)
}

/// The same for a member that may be absent or null.
pub(super) fn optional_text<'de, D: Deserializer<'de>, const MIN: usize, const MAX: usize>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    text.iter().try_for_each(|text| check_length::<MIN, MAX, D::Error>(text))?;
    Ok(text)
}

fn check_digest<E: Error>(text: &str) -> Result<(), E> {
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    if text.len() == 64 && text.bytes().all(hex) {
        Ok(())
    } else {
        Err(E::custom("a digest must be 64 lower-case hex digits"))
    }
}

/// Reads a SHA-256 digest: 64 lower-case hex digits.
pub(super) fn digest<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    check_digest::<D::Error>(&text)?;
    Ok(text)
}

/// The same for a member that may be absent or null.
pub(super) fn optional_digest<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    text.iter().try_for_each(|text| check_digest::<D::Error>(text))?;
    Ok(text)
}

/// Reads a whole number from 0 to `MAX`, which may be absent or null.
pub(super) fn optional_number<'de, D: Deserializer<'de>, T, const MAX: u32>(
    deserializer: D,
) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de> + Copy + Into<u32>,
{
    let number = Option::<T>::deserialize(deserializer)?;
    if number.is_some_and(|number| number.into() > MAX) {
        return Err(D::Error::custom(format_args!("expected a whole number from 0 to {MAX}")));
    }
    Ok(number)
}

/// Defines a text of bounded length that is an item of a list.
macro_rules! request_text {
    ($(#[$meta:meta])* pub struct $name:ident($min:literal..=$max:literal)) => {
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
        $(#[$meta])*
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// The text as the caller wrote it; `None` if it is too long or too short.
            #[must_use]
            pub fn new(text: &str) -> Option<Self> {
                check_length::<$min, $max, serde::de::value::Error>(text).ok()?;
                Some(Self(text.to_owned()))
            }
        }

        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                text::<D, $min, $max>(deserializer).map(Self)
            }
        }
    };
}

request_text! {
    /// A bare domain or a full http(s) address. An invalid one is an error of its item, not of the request.
    // No format: the request is accepted with any text.
    #[schema(value_type = String, max_length = 2048)]
    pub struct DomainText(0..=2048)
}

request_text! {
    /// An action, or a domain in lower-case ASCII.
    #[schema(value_type = String, min_length = 1, max_length = 253, format = "action-or-domain")]
    pub struct PolicyEntry(1..=253)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Words = RequestList<String, 1, 3>;

    fn error(text: &str) -> String {
        serde_json::from_str::<Words>(text).unwrap_err().to_string()
    }

    #[test]
    fn a_list_has_bounds_and_no_item_twice() {
        let words: Words = serde_json::from_str(r#"["a","b","c"]"#).unwrap();
        assert_eq!(words.len(), 3);
        assert!(error("[]").contains("1 to 3 items"));
        assert!(error(r#"["a","b","c","d"]"#).contains("1 to 3 items"));
        assert!(error(r#"["a","b","a"]"#).contains("item 2 is given twice"));
        let words: RequestList<String, 0, 3, false> = serde_json::from_str(r#"["a","a"]"#).unwrap();
        assert_eq!(words.into_vec(), ["a", "a"]);
        let fitting: Words = ["a", "a", "b", "c", "d"].into_iter().map(str::to_owned).collect();
        assert_eq!(&*fitting, ["a", "b", "c"]);
    }

    /// A list is not read to its end when it is too long, so its items are not kept.
    #[test]
    fn reading_stops_at_the_first_item_too_many() {
        let endless = format!("[{}", "\"a\",".repeat(100_000));
        assert!(
            serde_json::from_str::<RequestList<String, 0, 3, false>>(&endless)
                .unwrap_err()
                .to_string()
                .contains("0 to 3 items")
        );
    }

    #[test]
    fn a_text_is_counted_in_characters() {
        assert!(PolicyEntry::new(&"é".repeat(253)).is_some());
        assert!(PolicyEntry::new(&"é".repeat(254)).is_none());
        assert!(PolicyEntry::new("").is_none());
        assert!(serde_json::from_str::<DomainText>(&format!("{:?}", "a".repeat(2049))).is_err());
    }
}
