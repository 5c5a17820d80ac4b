//! The types for what is read from a page.

use super::h_card::HCard;
use super::microdata::MicrodataItem;
use super::word_segments;

/// What was read from a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The text between tags without scripts and styles, words separated by single spaces. Includes
    /// text that CSS hides, because programs that read a page see it too.
    pub text: String,
    /// The text without menus, headers and footers, banners, forms, lists of links and hidden parts;
    /// the whole text if nothing would be left.
    pub main: String,
    /// The text that people see, without menus, quotations and code. Each block is a line. Orders to
    /// machines that are plainly visible are in here.
    pub visible: String,
    /// Quotations and code.
    pub quoted: String,
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
    /// The addresses of linked style sheets for screens as written, in their order, at most five.
    pub style_sheets: Vec<String>,
    /// `<base href>`, as written.
    pub base: Option<String>,
    /// `<meta http-equiv="refresh">`
    pub refresh: Option<MetaRefresh>,
    /// How many `<a href>` there are.
    pub anchors: u32,
    /// How many scripts a browser would run.
    pub scripts: u32,
    /// Words in `<noscript>`.
    pub noscript_words: u32,
    /// Whether the text of `<noscript>` is part of `text` and `main`: it is if the page has little
    /// other text.
    pub noscript_counts: bool,
    /// Whether the page is an app shell: an empty root element for a script to fill, and few words.
    pub is_app_shell: bool,
    /// The contents of JSON-LD scripts, as written.
    pub json_ld: Vec<String>,
    /// The contents of RSL scripts, as written.
    pub rsl: Vec<String>,
    pub microdata: Vec<MicrodataItem>,
    /// RDFa Lite in the vocabulary of schema.org.
    pub rdfa: Vec<MicrodataItem>,
    /// Cards of people and organisations in class names.
    pub h_cards: Vec<HCard>,
    /// The addresses of links with `rel=me` as written: other pages of whoever runs this one.
    pub rel_me: Vec<String>,
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

/// A `<meta http-equiv="refresh">` element: the page is left or loaded again after a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetaRefresh {
    pub seconds: u32,
    /// Where it leads, as written; none if the page is only loaded again.
    pub target: Option<String>,
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
    /// Visible to people, but not to programs that use the accessibility tree.
    AriaHidden,
    /// Shown when somebody opens it.
    ClosedDetails,
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
            Self::AriaHidden => "aria_hidden",
            Self::ClosedDetails => "closed_details",
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
    /// Words: runs of text between white space that contain a letter or a digit. Scripts without
    /// spaces between words are segmented.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        word_segments::words(&self.text)
    }

    /// The number of [`words`](Self::words), counted no further than this.
    #[must_use]
    pub fn count_words(&self, most: usize) -> usize {
        word_segments::count_words(&self.text, most)
    }

    /// The addresses of the linked style sheets, resolved. `page_url` is where the page was served.
    #[must_use]
    pub fn style_sheet_urls(&self, page_url: &str) -> Vec<String> {
        let Some(base) = self.base_url(page_url) else { return Vec::new() };
        let joined = self.style_sheets.iter().filter_map(|href| base.join(href).ok());
        joined.filter(|url| matches!(url.scheme(), "http" | "https")).map(String::from).collect()
    }

    /// Resolves an address of the page. `page_url` is where the page was served.
    #[must_use]
    pub fn resolve(&self, page_url: &str, href: &str) -> Option<url::Url> {
        self.base_url(page_url)?.join(href).ok()
    }

    fn base_url(&self, page_url: &str) -> Option<url::Url> {
        let page = url::Url::parse(page_url).ok()?;
        let base = self.base.as_deref().and_then(|base| page.join(base).ok());
        Some(base.unwrap_or(page))
    }
}
