//! Open enumerations: reading accepts values of later versions, writing cannot produce unknown
//! ones.

/// A value that this build does not know, kept as it was read. It cannot be constructed in code,
/// only by deserialising.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Unrecognised(String);

impl Unrecognised {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    #[doc(hidden)]
    pub(crate) fn read(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// Defines an enumeration of wire words with an `Unrecognised` variant.
///
/// ```text
/// open_enum! {
///     /// What an agent may do.
///     pub enum Decision { Allow = "allow", Warn = "warn" }
/// }
/// ```
#[macro_export]
macro_rules! open_enum {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$vmeta])* $variant,)+
            /// A value of a later version. Only deserialising produces it.
            Unrecognised($crate::open_enum::Unrecognised),
        }

        impl $name {
            /// Every word this build knows, in the order of the interface.
            pub const WORDS: &[&str] = &[$($word),+];

            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)+
                    Self::Unrecognised(other) => other.as_str(),
                }
            }

            /// The value for a known word; `None` for any other.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(self.as_str())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = <::std::borrow::Cow<'de, str> as ::serde::Deserialize>::deserialize(d)?;
                Ok(Self::from_word(&text).unwrap_or_else(|| {
                    Self::Unrecognised($crate::open_enum::Unrecognised::read(&text))
                }))
            }
        }

        impl ::utoipa::PartialSchema for $name {
            fn schema() -> ::utoipa::openapi::RefOr<::utoipa::openapi::schema::Schema> {
                // Open: the known words are listed as examples, but any string is valid.
                ::utoipa::openapi::ObjectBuilder::new()
                    .schema_type(::utoipa::openapi::schema::Type::String)
                    .description(Some(concat!("One of:", $(" `", $word, "`",)+ ". Readers treat any other value as not understood.")))
                    .max_length(Some($crate::schema_bounds::WORD_CHARS))
                    .examples([$($word),+])
                    .into()
            }
        }

        impl ::utoipa::ToSchema for $name {
            fn name() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(stringify!($name))
            }
        }
    };
}

#[cfg(test)]
#[allow(unreachable_pub, reason = "the macro writes `pub`")]
mod tests {
    open_enum! {
        /// Two colours.
        pub enum Colour { Red = "red", DeepBlue = "deep_blue" }
    }

    #[test]
    fn known_and_unknown_words_round_trip() {
        let known: Colour = serde_json::from_str("\"deep_blue\"").unwrap();
        assert_eq!(known, Colour::DeepBlue);
        let unknown: Colour = serde_json::from_str("\"green\"").unwrap();
        assert!(matches!(&unknown, Colour::Unrecognised(word) if word.as_str() == "green"));
        assert_eq!(serde_json::to_string(&unknown).unwrap(), "\"green\"");
        assert_eq!(Colour::from_word("green"), None);
        assert_eq!(Colour::WORDS, ["red", "deep_blue"]);
        assert!(serde_json::from_str::<Colour>("1").is_err());
    }
}
