//! Classifies elements by their role: main text, menu, banner, form, hidden text.

use super::tag::name_key;

/// Properties of an element that its descendants inherit.
pub(super) mod bit {
    /// Menus, page headers and footers, cookie banners: never part of the main text.
    pub(in super::super) const CHROME: u32 = 1;
    /// Side columns, forms, dialogs: not part of the main text unless they contain a price.
    pub(in super::super) const ASIDE: u32 = 1 << 1;
    /// The header or footer of the page, where a site often names its owner.
    pub(in super::super) const EDGE: u32 = 1 << 2;
    /// The main part or an article; a header inside it belongs to it.
    pub(in super::super) const MAIN: u32 = 1 << 3;
    pub(in super::super) const LINK: u32 = 1 << 4;
    pub(in super::super) const HEADING: u32 = 1 << 5;
    pub(in super::super) const HIDDEN: u32 = 1 << 6;
    /// Not text of the page at all: templates, titles inside SVG.
    pub(in super::super) const UNSEEN: u32 = 1 << 7;
    pub(in super::super) const SVG: u32 = 1 << 8;
    /// Quotations and code, which show what somebody else wrote.
    pub(in super::super) const QUOTED: u32 = 1 << 9;
    /// Properties that put text into a separate block, even within a line.
    pub(in super::super) const SETS_APART: u32 = CHROME | ASIDE | EDGE | HIDDEN | UNSEEN;
}

macro_rules! keys {
    ($module:ident: $($constant:ident $name:literal)*) => {
        pub(super) mod $module {
            $(pub(in super::super) const $constant: u64 = super::name_key($name.as_bytes());)*
        }
    };
}

// Tag names with a meaning here.
keys! { name:
    A "a" ADDRESS "address" ARTICLE "article" ASIDE "aside" BODY "body" BUTTON "button"
    DATALIST "datalist" DESC "desc" DIALOG "dialog" FOOTER "footer" FORM "form"
    FOREIGN_OBJECT "foreignobject" H1 "h1" H2 "h2" H3 "h3" H4 "h4" H5 "h5" H6 "h6" HEADER "header"
    HTML "html" INPUT "input" LINK "link" MAIN "main" MENU "menu" META "meta" NAV "nav"
    NOSCRIPT "noscript" SCRIPT "script" SELECT "select" SVG "svg" TEMPLATE "template" TEXT "text"
    TITLE "title" APP_ROOT "app-root"
    AREA "area" BASE "base" BASEFONT "basefont" BGSOUND "bgsound" BR "br" COL "col" EMBED "embed"
    HR "hr" IMG "img" KEYGEN "keygen" PARAM "param" SOURCE "source" TRACK "track" WBR "wbr"
    ABBR "abbr" B "b" BDI "bdi" BDO "bdo" CITE "cite" CODE "code" EM "em" FONT "font" I "i"
    KBD "kbd" MARK "mark" Q "q" S "s" SAMP "samp" SMALL "small" SPAN "span" STRONG "strong"
    SUB "sub" SUP "sup" U "u" VAR "var"
    LI "li" P "p" DT "dt" DD "dd" TD "td" TH "th" TR "tr" OPTION "option"
    AUDIO "audio" VIDEO "video" IFRAME "iframe" OBJECT "object" DATA "data" METER "meter"
    TIME "time" STYLE "style" TEXTAREA "textarea" XMP "xmp" NOEMBED "noembed" NOFRAMES "noframes"
    PLAINTEXT "plaintext" BLOCKQUOTE "blockquote" PRE "pre" DETAILS "details" SUMMARY "summary"
    HEAD "head" DIV "div" DL "dl" FIELDSET "fieldset" FIGURE "figure" OL "ol" SECTION "section"
    TABLE "table" UL "ul" FRAMESET "frameset" CANVAS "canvas"
}

// Words of class names.
keys! { word:
    OPEN "open" OPENED "opened" CLOSED "closed" VISIBLE "visible" ACTIVE "active" ENABLED "enabled"
    SHOWN "shown" LOADED "loaded" ACCEPTED "accepted" HIDDEN "hidden" ON "on" OFF "off"
    NAV "nav" NAVBAR "navbar" NAVIGATION "navigation" NAVMENU "navmenu" BREADCRUMB "breadcrumb"
    BREADCRUMBS "breadcrumbs" PAGINATION "pagination"
    FOOTER "footer" SITE_FOOTER "site-footer" PAGE_FOOTER "page-footer" MAIN_FOOTER "main-footer"
    GLOBAL_FOOTER "global-footer" COLOPHON "colophon" SITE_HEADER "site-header"
    MAIN_HEADER "main-header" GLOBAL_HEADER "global-header" MASTHEAD "masthead"
    SKIP_LINK "skip-link" MAIN_MENU "main-menu" NAV_MENU "nav-menu" MOBILE_MENU "mobile-menu"
    MEGA_MENU "mega-menu" DROPDOWN_MENU "dropdown-menu" SUB_MENU "sub-menu"
    SIDEBAR "sidebar" NEWSLETTER "newsletter" POPUP "popup" MODAL "modal" SHARING "sharing"
    ADVERT "advert"
}

/// Elements that have no content and no end tag.
pub(super) fn is_void(tag: u64) -> bool {
    use name::*;
    matches!(
        tag,
        AREA | BASE
            | BASEFONT
            | BGSOUND
            | BR
            | COL
            | EMBED
            | HR
            | IMG
            | INPUT
            | KEYGEN
            | LINK
            | META
            | PARAM
            | SOURCE
            | TRACK
            | WBR
    )
}

/// Elements that do not separate the words around them.
pub(super) fn is_inline(tag: u64) -> bool {
    use name::*;
    matches!(
        tag,
        A | ABBR
            | B
            | BDI
            | BDO
            | CITE
            | CODE
            | EM
            | FONT
            | I
            | KBD
            | MARK
            | Q
            | S
            | SAMP
            | SMALL
            | SPAN
            | STRONG
            | SUB
            | SUP
            | U
            | VAR
            | WBR
    )
}

/// Elements that are closed by the next one of the same name.
pub(super) fn closes_itself(tag: u64) -> bool {
    use name::*;
    matches!(tag, LI | P | DT | DD | TD | TH | TR | OPTION | A)
}

/// Elements whose start ends an open paragraph.
pub(super) fn ends_paragraph(tag: u64) -> bool {
    use name::*;
    matches!(
        tag,
        ADDRESS
            | ARTICLE
            | ASIDE
            | BLOCKQUOTE
            | DETAILS
            | DIV
            | DL
            | FIELDSET
            | FIGURE
            | FOOTER
            | FORM
            | H1
            | H2
            | H3
            | H4
            | H5
            | H6
            | HEADER
            | HR
            | MAIN
            | MENU
            | NAV
            | OL
            | P
            | PRE
            | SECTION
            | TABLE
            | UL
    )
}

/// Elements whose text has a colour of its own unless a style says otherwise.
pub(super) fn has_own_colour(tag: u64) -> bool {
    use name::*;
    matches!(tag, A | BUTTON | SELECT | MARK | OPTION)
}

/// Elements that people see although they contain no text.
pub(super) fn shows_without_text(tag: u64) -> bool {
    use name::*;
    matches!(tag, IMG | SVG | VIDEO | OBJECT | EMBED | CANVAS | IFRAME | INPUT)
}

/// Elements in which only their own end tag is a tag.
pub(super) fn holds_raw_text(tag: u64) -> bool {
    use name::*;
    matches!(
        tag,
        SCRIPT
            | STYLE
            | TITLE
            | TEXTAREA
            | NOSCRIPT
            | IFRAME
            | XMP
            | NOEMBED
            | NOFRAMES
            | PLAINTEXT
    )
}

pub(super) fn heading_level(tag: u64) -> Option<u8> {
    use name::*;
    match tag {
        H1 => Some(1),
        H2 => Some(2),
        H3 => Some(3),
        H4 => Some(4),
        H5 => Some(5),
        H6 => Some(6),
        _ => None,
    }
}

/// The properties from the element's name, given the properties `around` it.
pub(super) fn bits_by_name(tag: u64, around: u32, in_body: bool) -> u32 {
    use name::*;
    match tag {
        NAV => bit::CHROME,
        HEADER | FOOTER if around & bit::MAIN == 0 => bit::CHROME | bit::EDGE,
        // Some site builders wrap the whole page in one form.
        FORM if in_body => 0,
        ASIDE | FORM | MENU | DIALOG | BUTTON | SELECT | DATALIST => bit::ASIDE,
        MAIN | ARTICLE => bit::MAIN,
        A => bit::LINK,
        H1 | H2 | H3 | H4 | H5 | H6 => bit::HEADING,
        TEMPLATE => bit::UNSEEN | bit::HIDDEN,
        BLOCKQUOTE | PRE | CODE | SAMP | KBD | Q => bit::QUOTED,
        SVG => bit::SVG,
        TITLE | DESC if around & bit::SVG != 0 => bit::UNSEEN,
        _ => 0,
    }
}

/// The properties from a `role` attribute.
pub(super) fn bits_by_role_attribute(role: &str) -> u32 {
    match role.trim() {
        "navigation" | "search" => bit::CHROME,
        "banner" | "contentinfo" => bit::CHROME | bit::EDGE,
        "complementary" | "menu" | "menubar" | "dialog" | "alertdialog" | "toolbar" => bit::ASIDE,
        "main" => bit::MAIN,
        _ => 0,
    }
}

/// The properties from the words of a `class` or `id` attribute. Only unambiguous names count; names of
/// a state of the page (`nav-open`) do not.
pub(super) fn bits_by_class(value: &str) -> u32 {
    value.split_ascii_whitespace().take(40).map(bits_by_class_word).fold(0, |all, bits| all | bits)
}

fn bits_by_class_word(word: &str) -> u32 {
    use word::*;
    if word.len() > 64 {
        return 0;
    }
    let mut consent = false;
    let mut parts = 0_usize;
    let mut last: &[u8] = &[];
    for part in word.as_bytes().split(|byte| matches!(byte, b'-' | b'_' | b':')) {
        consent |= is_consent_word(part);
        parts += 1;
        last = part;
    }
    let last = name_key(last);
    // A state of the page, not an element's role.
    if matches!(
        last,
        OPEN | OPENED
            | CLOSED
            | VISIBLE
            | ACTIVE
            | ENABLED
            | SHOWN
            | LOADED
            | ACCEPTED
            | HIDDEN
            | ON
            | OFF
    ) {
        return 0;
    }
    if consent
        || matches!(
            last,
            NAV | NAVBAR | NAVIGATION | NAVMENU | BREADCRUMB | BREADCRUMBS | PAGINATION
        )
    {
        return bit::CHROME;
    }
    if parts > 2 {
        return 0;
    }
    match name_key(word.as_bytes()) {
        FOOTER | SITE_FOOTER | PAGE_FOOTER | MAIN_FOOTER | GLOBAL_FOOTER | COLOPHON
        | SITE_HEADER | MAIN_HEADER | GLOBAL_HEADER | MASTHEAD => bit::CHROME | bit::EDGE,
        SKIP_LINK | MAIN_MENU | NAV_MENU | MOBILE_MENU | MEGA_MENU | DROPDOWN_MENU | SUB_MENU => {
            bit::CHROME
        }
        _ if matches!(last, SIDEBAR | NEWSLETTER | POPUP | MODAL | SHARING | ADVERT) => bit::ASIDE,
        _ => 0,
    }
}

fn is_consent_word(part: &[u8]) -> bool {
    let starts =
        |with: &[u8]| part.get(..with.len()).is_some_and(|head| head.eq_ignore_ascii_case(with));
    match part.first().map(u8::to_ascii_lowercase) {
        Some(b'c') => starts(b"cookie") || starts(b"consent") || starts(b"cybotcookie"),
        Some(b'o') => starts(b"onetrust"),
        Some(b'u') => starts(b"usercentrics"),
        Some(b'd') => starts(b"didomi"),
        Some(b'g') => part.eq_ignore_ascii_case(b"gdpr"),
        _ => false,
    }
}

/// Ids of elements that scripts fill with the whole page.
pub(super) fn is_app_root(id: &str) -> bool {
    matches!(
        id,
        "root"
            | "app"
            | "__next"
            | "__nuxt"
            | "___gatsby"
            | "app-root"
            | "react-root"
            | "q-app"
            | "svelte"
            | "ember-app"
            | "application"
            | "main-app"
            | "vue-app"
    )
}

/// Whether the text of an app's root is nothing, or says only that the app is being loaded.
pub(super) fn is_loading_text(text: &str) -> bool {
    const MAX_BYTES: usize = 60;
    const WORDS: [&str; 18] = [
        "loading",
        "please wait",
        "wird geladen",
        "lädt",
        "laden",
        "chargement",
        "cargando",
        "caricamento",
        "carregando",
        "a carregar",
        "laddar",
        "indlæser",
        "ładowanie",
        "загрузка",
        "yükleniyor",
        "加载",
        "読み込み",
        "로딩",
    ];
    if text.is_empty() {
        return true;
    }
    let lower = if text.len() <= MAX_BYTES { text.to_lowercase() } else { String::new() };
    WORDS.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_names_of_page_furniture() {
        for (class, bits) in [
            ("cookie-banner", bit::CHROME),
            ("x CookieConsent", bit::CHROME),
            ("onetrust-banner-sdk", bit::CHROME),
            ("site-nav", bit::CHROME),
            ("navbar navbar-expand", bit::CHROME),
            ("breadcrumbs", bit::CHROME),
            ("site-footer", bit::CHROME | bit::EDGE),
            ("left-sidebar", bit::ASIDE),
            ("page nav-open", 0),
            ("cookie-consent-visible", 0),
            ("has-left-sidebar-layout", 0),
            ("menu-item price", 0),
            ("card-footer", 0),
            ("content", 0),
            ("", 0),
        ] {
            assert_eq!(bits_by_class(class), bits, "{class}");
        }
    }
}
