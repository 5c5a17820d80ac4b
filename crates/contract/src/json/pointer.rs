//! JSON pointers (RFC 6901).

use std::fmt;

use super::builder::PathStep;

/// The most characters of one name in a pointer. A pointer is for people, and a hostile name may be as
/// long as the whole text.
const MAX_NAME_CHARS: usize = 256;

/// The path to a value, as `/members/0/name`. Names longer than 256 characters are cut there.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer(String);

impl Pointer {
    /// The pointer as RFC 6901 writes it: `~` in a name is `~0` and `/` is `~1`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The names and positions it goes through, unescaped.
    pub fn tokens(&self) -> impl Iterator<Item = String> + '_ {
        self.0.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"))
    }

    pub(super) fn push(&mut self, step: PathStep<'_>) {
        self.0.push('/');
        match step {
            PathStep::Item(index) => self.0.push_str(&index.to_string()),
            PathStep::Member(name) => {
                for letter in name.chars().take(MAX_NAME_CHARS) {
                    match letter {
                        '~' => self.0.push_str("~0"),
                        '/' => self.0.push_str("~1"),
                        letter => self.0.push(letter),
                    }
                }
            }
        }
    }

    pub(super) fn truncate(&mut self, bytes: usize) {
        self.0.truncate(bytes);
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
