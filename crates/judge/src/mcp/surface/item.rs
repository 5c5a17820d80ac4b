//! The items that a server lists, and all of them together.

use contract::records::{McpFieldDigests, McpItem};
use serde_json::{Map, Value};

/// One of the four lists of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ListKind {
    Tools,
    Prompts,
    Resources,
    ResourceTemplates,
}

impl ListKind {
    pub const ALL: [Self; 4] =
        [Self::Tools, Self::Prompts, Self::Resources, Self::ResourceTemplates];

    /// The member of the result that has the list.
    #[must_use]
    pub const fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::ResourceTemplates => "resourceTemplates",
        }
    }

    /// The capability by which a server declares the list.
    #[must_use]
    pub const fn capability(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources | Self::ResourceTemplates => "resources",
        }
    }

    /// The member that names an item.
    #[must_use]
    pub const fn name_member(self) -> &'static str {
        match self {
            Self::Tools | Self::Prompts => "name",
            Self::Resources => "uri",
            Self::ResourceTemplates => "uriTemplate",
        }
    }

    #[must_use]
    pub const fn item(self) -> McpItem {
        match self {
            Self::Tools => McpItem::Tool,
            Self::Prompts => McpItem::Prompt,
            Self::Resources => McpItem::Resource,
            Self::ResourceTemplates => McpItem::ResourceTemplate,
        }
    }
}

/// What is wrong with an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FaultKind {
    NotAnObject,
    NoName,
    ControlInName,
    DuplicateName,
    DuplicateKey,
    /// An integer beyond 2^53 − 1, which readers round.
    UnsafeInteger,
    TooDeep,
}

/// A fault of an item, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemFault {
    pub kind: FaultKind,
    /// JSON Pointer within the item.
    pub pointer: String,
}

/// One tool, prompt, resource or template as the server sent it.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub list: ListKind,
    /// The position in the list, over all pages.
    pub index: usize,
    /// As sent: may contain hidden characters.
    pub name: String,
    pub members: Map<String, Value>,
    pub faults: Vec<ItemFault>,
    /// None when the item has no canonical form.
    pub digests: Option<ItemDigests>,
}

impl Item {
    pub(crate) fn text_member(&self, name: &str) -> Option<&str> {
        self.members.get(name).and_then(Value::as_str)
    }
}

/// All lists of a server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Surface {
    pub items: Vec<Item>,
    pub instructions: Option<String>,
    /// Why the lists are not complete; None when they are.
    pub incomplete: Option<String>,
    pub pages: u32,
    pub digests: SurfaceDigests,
}

impl Surface {
    pub fn list(&self, list: ListKind) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(move |item| item.list == list)
    }

    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.incomplete.is_none()
    }
}

/// The digests of one item, in hex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemDigests {
    /// The public client's digest of a tool; None for other items.
    pub tool: Option<String>,
    /// Of all members that a model or a caller reads.
    pub definition: String,
    /// The same without prose: no title, no description, neither in the schemas.
    pub contract: String,
    /// The definition without the name, by which renamed items are recognised.
    pub nameless: String,
    pub fields: McpFieldDigests,
}

/// The digests of all lists, in hex.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SurfaceDigests {
    /// None when the lists are incomplete or an item has no digest.
    pub surface: Option<String>,
    /// The public client's; None also for more than [`super::MAX_CLIENT_TOOLS`] tools.
    pub tools: Option<String>,
    pub instructions: Option<String>,
}
