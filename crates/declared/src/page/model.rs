//! The types for what is read from a page.

use super::microdata::MicrodataItem;

/// What was read from a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The text between tags without scripts and styles, words separated by single spaces. Includes
    /// text that CSS hides, because programs that read a page see it too.
    pub text: String,
    /// The text without menus, headers and footers, banners, forms, lists of links and hidden parts;
    /// the whole text if nothing would be left.
    pub main: String,
    /// The text of the page's header and footer, where a site often names its owner.
    pub header_footer: String,
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
    /// Whether the page is an app shell: an empty root element for a script to fill, and few words.
    pub is_app_shell: bool,
    /// The contents of JSON-LD scripts, as written.
    pub json_ld: Vec<String>,
    /// The contents of RSL scripts, as written.
    pub rsl: Vec<String>,
    pub microdata: Vec<MicrodataItem>,
    /// Numbers of `tel:` links.
    pub telephones: Vec<String>,
    /// Addresses of `mailto:` links.
    pub emails: Vec<String>,
    /// Texts of `<address>` elements.
    pub address_blocks: Vec<String>,
    /// Text that people do not see.
    pub hidden: Vec<HiddenText>,
    /// Whether there was more hidden text than the limit.
    pub hidden_truncated: bool,
    /// Whether the page was too long or too deep to be read completely.
    pub truncated: bool,
}

/// A `<link>` element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLink {
    pub rel: String,
    pub href: String,
    pub media_type: Option<String>,
}

/// Text that people do not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenText {
    pub surface: TextSurface,
    pub text: String,
}

/// Where on a page a text was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextSurface {
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

impl TextSurface {
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
    /// Words: runs of text between white space that contain a letter or a digit.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split(' ').filter(|word| is_word(word))
    }
}

pub(super) fn is_word(word: &str) -> bool {
    word.chars().any(char::is_alphanumeric)
}
