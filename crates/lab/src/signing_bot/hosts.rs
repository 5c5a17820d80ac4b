//! The hosts with key directories.

use super::behaviour::DirectoryBehaviour;

/// The host with the good directory.
pub const SIGNING_BOT_HOST: &str = "signing-bot.lab";

/// Every host with a key directory, and how its directory behaves until a test changes it.
#[must_use]
pub fn signing_hosts() -> &'static [(&'static str, DirectoryBehaviour)] {
    HOSTS
}

const HOSTS: &[(&str, DirectoryBehaviour)] = &[
    (SIGNING_BOT_HOST, DirectoryBehaviour::Good),
    ("signing-redirect.lab", DirectoryBehaviour::Redirect),
    ("signing-wrong-type.lab", DirectoryBehaviour::WrongType),
    ("signing-many-keys.lab", DirectoryBehaviour::ManyKeys),
    ("signing-huge.lab", DirectoryBehaviour::Huge),
    ("signing-slow.lab", DirectoryBehaviour::Slow),
    ("signing-missing.lab", DirectoryBehaviour::Missing),
    ("signing-down.lab", DirectoryBehaviour::Down),
    ("signing-other-key.lab", DirectoryBehaviour::OtherKey),
    ("signing-wrong-kid.lab", DirectoryBehaviour::WrongKid),
    ("signing-not-json.lab", DirectoryBehaviour::NotJson),
];
