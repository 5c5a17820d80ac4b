//! Requests: strict. A member or a word that is not known is refused, and so is one given twice.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, SchemaType, Type};

use super::OutcomeAction;
use crate::open_enum;

/// The body of `POST /api/scan`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ScanRequest {
    /// A bare domain or a full http(s) address.
    #[schema(example = "shop.example")]
    pub domain: String,
    #[serde(default, deserialize_with = "known_or_none", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = closed_or_null::<Visibility>)]
    pub visibility: Option<Visibility>,
}

/// The body of `POST /api/v1/scan`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ScanRequestV1 {
    /// A bare domain or a full http(s) address.
    #[schema(example = "shop.example")]
    pub domain: String,
}

open_enum! {
    /// Who may see a scan (3.4).
    pub enum Visibility {
        /// Listed normally.
        Public = "public",
        /// Reachable by its link alone; in no registry, dataset, history or resolve answer.
        Unlisted = "unlisted",
        /// For the licence holder or the owner alone; not archived, not listed.
        Private = "private",
    }
}

/// The body of `POST /api/v1/visitor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct VisitorBatch {
    #[schema(min_items = 1, max_items = 100)]
    pub visitors: Vec<VisitorQuery>,
}

/// A visitor to check. Nothing of it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct VisitorQuery {
    /// Without an address nothing can be verified, but the name can still be looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip: Option<String>,
    pub ua: String,
}

objects_only!(ScanRequest, ScanRequestV1, VisitorBatch, VisitorQuery);

/// A word of an open enumeration that a request may hold.
pub(super) trait RequestWord: Sized {
    const WORDS: &[&str];
    fn known(word: &str) -> Option<Self>;
}

macro_rules! request_words {
    ($($name:ty),+ $(,)?) => {$(
        impl RequestWord for $name {
            const WORDS: &[&str] = <$name>::WORDS;
            fn known(word: &str) -> Option<Self> {
                <$name>::known(word)
            }
        }
    )+};
}

request_words!(
    Visibility,
    OutcomeAction,
    super::ResolveSaid,
    super::Action,
    super::Decision,
    super::Rung,
    super::PreflightTemplate,
);

/// Reads a word and refuses those that are not known: a caller must not believe that a misspelt
/// wish was heard. The text that was sent is not repeated.
pub(super) fn known<'de, D: Deserializer<'de>, T: RequestWord>(reader: D) -> Result<T, D::Error> {
    let word = std::borrow::Cow::<'de, str>::deserialize(reader)?;
    T::known(&word).ok_or_else(|| {
        serde::de::Error::custom(format_args!("expected one of: {}", T::WORDS.join(", ")))
    })
}

/// The same for a member that may be left out or null.
pub(super) fn known_or_none<'de, D: Deserializer<'de>, T: RequestWord>(
    reader: D,
) -> Result<Option<T>, D::Error> {
    struct Word<T>(T);
    impl<'de, T: RequestWord> Deserialize<'de> for Word<T> {
        fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
            known(reader).map(Word)
        }
    }
    Ok(Option::<Word<T>>::deserialize(reader)?.map(|word| word.0))
}

/// In a request the known words are the only ones.
pub(super) fn closed<T: RequestWord>() -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(T::WORDS.iter().copied()))
        .build()
}

pub(super) fn closed_or_null<T: RequestWord>() -> Object {
    let words = T::WORDS.iter().map(|word| Value::from(*word)).chain([Value::Null]);
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .enum_values(Some(words))
        .build()
}
