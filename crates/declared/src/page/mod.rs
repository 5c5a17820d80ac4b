//! A page as a reader without JavaScript gets it: its text, and what it says of itself.

mod between;
mod blocks;
mod microdata;
mod notes;
mod prices;
mod role;
mod scan;
mod shingles;
mod style;
mod tag;
mod text;

pub use microdata::{Item, ItemValue};
pub use prices::prices;
pub(crate) use scan::MAX_DATA_BYTES;
pub use shingles::{SHINGLE_WORDS, Shingles, shingles};
pub(crate) use text::cut;

/// What was read off a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The text between tags, scripts and styles left out, words separated by single spaces. What
    /// a style hides is in it: programs that read a page see it too.
    pub text: String,
    /// The text without menus, headers and footers, banners, forms, lists of links and hidden
    /// parts; all of the text when nothing is left then.
    pub main: String,
    /// The text of the page's header and footer, where a site says who it is.
    pub edges: String,
    pub title: Option<String>,
    /// `lang` of the document.
    pub language: Option<String>,
    /// `<link rel="canonical">`, as written.
    pub canonical: Option<String>,
    pub description: Option<String>,
    pub generator: Option<String>,
    /// Headings in their order: level and text.
    pub headings: Vec<(u8, String)>,
    /// Meta elements: lower-case name or property, content.
    pub meta: Vec<(String, String)>,
    /// Contents of `<meta name="robots">` and of robots meta elements for one agent: (name, content).
    pub meta_robots: Vec<(String, String)>,
    pub links: Vec<PageLink>,
    /// How many `<a href>` there are.
    pub anchors: u32,
    /// How many scripts a browser would run.
    pub scripts: u32,
    /// Words in `<noscript>`.
    pub noscript_words: u32,
    /// Whether the page is a shell: an empty element that a script is to fill, and few words beside.
    pub app_root: bool,
    /// The contents of JSON-LD scripts, as written.
    pub json_ld: Vec<String>,
    /// The contents of RSL scripts, as written.
    pub rsl: Vec<String>,
    pub microdata: Vec<Item>,
    /// Numbers of `tel:` links.
    pub telephones: Vec<String>,
    /// Addresses of `mailto:` links.
    pub mails: Vec<String>,
    /// Texts of `<address>` elements.
    pub address_blocks: Vec<String>,
    /// Text that a person does not see.
    pub hidden: Vec<Hidden>,
    /// Whether there was more hidden text than is kept.
    pub hidden_cut: bool,
    /// Whether the page was too long or too deep to be read to its end.
    pub cut: bool,
}

/// A `<link>` element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLink {
    pub rel: String,
    pub href: String,
    pub media_type: Option<String>,
}

/// Text that a person does not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    pub surface: Surface,
    pub text: String,
}

/// Where a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Surface {
    Visible,
    CssHidden,
    HiddenAttribute,
    Comment,
    Noscript,
    Template,
    Attribute,
    Meta,
    JsonLd,
    SvgText,
}

impl Surface {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Visible => "visible",
            Self::CssHidden => "css_hidden",
            Self::HiddenAttribute => "hidden_attribute",
            Self::Comment => "comment",
            Self::Noscript => "noscript",
            Self::Template => "template",
            Self::Attribute => "attribute",
            Self::Meta => "meta",
            Self::JsonLd => "json_ld",
            Self::SvgText => "svg_text",
        }
    }
}

impl Page {
    /// Reads a page. Any bytes are a page; what cannot be read is left out.
    #[must_use]
    pub fn read(body: &[u8], content_type: Option<&str>) -> Self {
        scan::read(&crate::charset::decode(body, content_type))
    }

    /// Words: runs of text between white space that hold a letter or a digit.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split(' ').filter(|word| is_word(word))
    }
}

fn is_word(word: &str) -> bool {
    word.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests;
