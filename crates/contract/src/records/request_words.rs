//! Enumerated words in requests. Records tolerate words of a later version; requests do not: a
//! misspelt word must be refused, or the caller would believe that it had an effect.

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use utoipa::openapi::schema::{Object, ObjectBuilder, SchemaType, Type};

/// An enumeration whose words a request may contain.
pub(super) trait RequestWord: Sized {
    const WORDS: &[&str];
    fn from_word(word: &str) -> Option<Self>;
}

/// Implements [`RequestWord`] for open enumerations. Invoked in the file of each enumeration.
macro_rules! request_words {
    ($($name:ident),+ $(,)?) => {$(
        impl $crate::records::request_words::RequestWord for $name {
            const WORDS: &[&str] = $name::WORDS;
            fn from_word(word: &str) -> Option<Self> {
                $name::from_word(word)
            }
        }
    )+};
}

/// Defines an enumeration of which a request may contain the listed words and no others.
macro_rules! closed_enum {
    ($(#[$meta:meta])* pub enum $name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $(#[serde(rename = $word)] $variant,)+
        }

        impl $name {
            pub const WORDS: &[&str] = &[$($word),+];

            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .enum_values(Some(Self::WORDS.iter().copied()))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}

/// Reads a word and refuses unknown ones. The error lists the known words and does not repeat the
/// text that was sent.
pub(super) fn known_word<'de, D: Deserializer<'de>, T: RequestWord>(
    deserializer: D,
) -> Result<T, D::Error> {
    let word = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
    T::from_word(&word).ok_or_else(|| {
        serde::de::Error::custom(format_args!("expected one of: {}", T::WORDS.join(", ")))
    })
}

/// The same for a member that may be absent or null.
pub(super) fn optional_word<'de, D: Deserializer<'de>, T: RequestWord>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    struct Word<T>(T);
    impl<'de, T: RequestWord> Deserialize<'de> for Word<T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            known_word(deserializer).map(Word)
        }
    }
    Ok(Option::<Word<T>>::deserialize(deserializer)?.map(|word| word.0))
}

/// A string schema that accepts the known words only.
pub(super) fn word_schema<T: RequestWord>() -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(T::WORDS.iter().copied()))
        .build()
}

/// A schema that accepts the known words and null.
pub(super) fn word_or_null_schema<T: RequestWord>() -> Object {
    let words = T::WORDS.iter().map(|word| Value::from(*word)).chain([Value::Null]);
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .enum_values(Some(words))
        .build()
}
