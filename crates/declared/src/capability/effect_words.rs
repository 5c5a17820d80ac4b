//! Words of a name that say what calling an operation or a tool does, wherever the name stands.
//!
//! Only words with the same meaning in an HTTP description and in the list of tools of an MCP server. Each of
//! the two judgements adds its own.

/// A payment.
pub const MONEY: &[&str] = &[
    "pay", "payment", "purchase", "buy", "checkout", "refund", "charge", "transfer", "withdraw",
    "donate",
];
/// Something is lost that cannot be had back.
pub const DESTRUCTIVE: &[&str] = &[
    "delete",
    "remove",
    "destroy",
    "erase",
    "purge",
    "drop",
    "wipe",
    "cancel",
    "terminate",
    "uninstall",
];
/// Something is changed.
pub const WRITE: &[&str] = &[
    "add", "approve", "create", "edit", "insert", "install", "invite", "modify", "move", "publish",
    "register", "rename", "replace", "run", "send", "submit", "update", "upload", "write",
];
