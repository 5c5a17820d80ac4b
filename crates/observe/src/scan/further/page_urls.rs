//! Which addresses may be read as further pages: plain GETs of pages, never of anything that looks
//! like an action or a file.

use url::Url;

use crate::scan::same_site::is_on_site;

/// Words in a path that suggest an action, an account or a search. Such pages are not read: a GET
/// should change nothing, but some sites log out, delete or buy on one.
#[rustfmt::skip]
const ACTION_WORDS: &[&str] = &[
    // English
    "login", "logon", "logout", "logoff", "signin", "signout", "signup", "register", "auth", "oauth", "sso", "saml",
    "account", "myaccount", "password", "session", "token", "cart", "basket", "bag", "checkout", "wishlist", "add",
    "addtocart", "remove", "delete", "destroy", "edit", "update", "create", "save", "submit", "send", "upload",
    "cancel", "confirm", "verify", "activate", "approve", "accept", "decline", "revoke", "vote", "subscribe",
    "unsubscribe", "optout", "purchase", "buy", "pay", "payment", "donate", "search", "download", "export", "print",
    "purge", "flush", "reset", "redirect", "goto", "track", "click", "callback", "webhook", "admin", "wpadmin",
    "wplogin", "xmlrpc", "cgibin", "cdncgi",
    // German, French, Spanish, Italian, Portuguese, Dutch, Polish, Swedish, Danish
    "anmelden", "abmelden", "registrieren", "konto", "warenkorb", "kasse", "suche", "loeschen", "connexion",
    "deconnexion", "panier", "recherche", "inscription", "compte", "supprimer", "desabonner", "acceder", "salir",
    "carrito", "buscar", "registro", "cuenta", "borrar", "carrello", "cerca", "accedi", "esci", "carrinho",
    "entrar", "sair", "busca", "inloggen", "uitloggen", "afmelden", "winkelwagen", "zoeken", "koszyk", "zaloguj",
    "wyloguj", "szukaj", "varukorg", "loggain", "loggaut", "kurv", "logind", "logud",
];

/// Words that two segments or hyphenated parts form together: `log-out`, `opt-out`, `wp-admin`.
const MAX_JOINED_WORDS: usize = 2;

/// The first segment of paths that are not pages for people.
const PREFIXES_WITHOUT_PAGES: [&str; 6] =
    [".well-known", "api", "wp-json", "graphql", "_next", "static"];

/// Endings of files that are not pages.
#[rustfmt::skip]
const FILE_ENDINGS: &[&str] = &[
    "7z", "aac", "apk", "atom", "avi", "avif", "bin", "bmp", "bz2", "css", "csv", "deb", "dmg", "doc", "docx", "do",
    "eot", "epub", "exe", "flac", "gif", "gz", "ico", "ics", "iso", "jar", "jpeg", "jpg", "js", "json", "kml", "kmz",
    "m4a", "m4v", "map", "mjs", "mov", "mp3", "mp4", "mpeg", "msi", "odp", "ods", "odt", "ogg", "otf", "pdf", "pkg",
    "png", "ppt", "pptx", "ps", "rar", "rdf", "rpm", "rss", "rtf", "svg", "swf", "tar", "tgz", "tif", "tiff", "ttf",
    "vcf", "wasm", "wav", "webm", "webmanifest", "webp", "wmv", "woff", "woff2", "xls", "xlsx", "xml", "xz", "yaml",
    "yml", "zip", "zst",
];
/// Files of text, which llms.txt may name in place of pages.
const TEXT_ENDINGS: [&str; 4] = ["md", "mdx", "txt", "markdown"];

const MAX_PATH_BYTES: usize = 512;

/// The site as page addresses are compared with it.
#[derive(Debug, Clone)]
pub(in crate::scan) struct PageSite {
    /// The host of the scan.
    pub(in crate::scan) host: String,
    /// The scheme that answers: addresses with the other one are read with this one.
    pub(in crate::scan) scheme: String,
    /// The hosts on which pages may be read.
    pub(in crate::scan) hosts: Vec<String>,
    /// Where the home page was served.
    pub(in crate::scan) home: Url,
}

impl PageSite {
    /// The address to read for a page that the site names, if it may be one. `text_files` also
    /// accepts Markdown and plain text.
    pub(super) fn page_url(&self, named: &Url, text_files: bool) -> Option<Url> {
        let mut url = named.clone();
        url.set_fragment(None);
        if !is_on_site(&url, &self.host) || url.query().is_some() {
            return None;
        }
        let host = url.host_str()?;
        if !self.hosts.iter().any(|known| known == host) {
            return None;
        }
        if url.scheme() != self.scheme {
            url.set_scheme(&self.scheme).ok()?;
        }
        let path = url.path();
        let is_home = is_same_path(path, "/") || is_same_path(path, self.home.path());
        (!is_home && is_page_path(path, text_files)).then_some(url)
    }
}

/// Whether two paths are the same apart from a slash at the end.
pub(super) fn is_same_path(one: &str, other: &str) -> bool {
    one.trim_end_matches('/') == other.trim_end_matches('/')
}

/// Whether a path looks like a page that is safe to read.
fn is_page_path(path: &str, text_files: bool) -> bool {
    if path.len() > MAX_PATH_BYTES || path.contains([';', '=', '&']) || hides_letters(path) {
        return false;
    }
    let path = path.to_ascii_lowercase();
    let mut segments = path.split('/').filter(|segment| !segment.is_empty());
    if segments.clone().next().is_some_and(|first| PREFIXES_WITHOUT_PAGES.contains(&first)) {
        return false;
    }
    if has_action_word(&path) {
        return false;
    }
    match segments.next_back().and_then(|last| last.rsplit_once('.')) {
        Some((_, ending)) if TEXT_ENDINGS.contains(&ending) => text_files,
        Some((_, ending)) => !FILE_ENDINGS.contains(&ending),
        None => true,
    }
}

/// Whether letters are written in percent-encoding, which would keep their words from being found.
fn hides_letters(path: &str) -> bool {
    path.split('%').skip(1).any(|rest| {
        let code = rest.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        code.is_none_or(|code| code.is_ascii_alphanumeric())
    })
}

fn has_action_word(path: &str) -> bool {
    let words: Vec<&str> =
        path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    (1..=MAX_JOINED_WORDS)
        .any(|count| words.windows(count).any(|pair| ACTION_WORDS.contains(&&*pair.concat())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> PageSite {
        PageSite {
            host: "shop.example".into(),
            scheme: "https".into(),
            hosts: vec!["shop.example".into(), "www.shop.example".into()],
            home: Url::parse("https://www.shop.example/en/").unwrap(),
        }
    }

    fn read(url: &str) -> Option<String> {
        site().page_url(&Url::parse(url).unwrap(), false).map(String::from)
    }

    #[test]
    fn pages_of_the_site_are_read_without_fragment_and_with_its_scheme() {
        for (url, expected) in [
            ("https://shop.example/about", "https://shop.example/about"),
            ("http://www.shop.example/about/#team", "https://www.shop.example/about/"),
            ("https://shop.example/blog/2026/v1.2", "https://shop.example/blog/2026/v1.2"),
            ("https://shop.example/a.php", "https://shop.example/a.php"),
            ("https://shop.example/caf%C3%A9/", "https://shop.example/caf%C3%A9/"),
            (
                "https://shop.example/addresses/cartography",
                "https://shop.example/addresses/cartography",
            ),
        ] {
            assert_eq!(read(url).as_deref(), Some(expected), "{url}");
        }
    }

    #[test]
    fn home_pages_actions_files_queries_and_other_hosts_are_not_read() {
        for url in [
            "https://shop.example/",
            "https://shop.example/#x",
            "https://www.shop.example/en",
            "https://shop.example/list?page=2",
            "https://shop.example/?",
            "https://blog.shop.example/a",
            "https://other.example/a",
            "https://shop.example:8443/a",
            "https://u:p@shop.example/a",
            "mailto:a@shop.example",
            "https://shop.example/logout",
            "https://shop.example/users/sign_out",
            "https://shop.example/Log-Out/now",
            "https://shop.example/cart/add/7",
            "https://shop.example/newsletter/unsubscribe/abc",
            "https://shop.example/items/7/delete",
            "https://shop.example/wp-admin/post.php",
            "https://shop.example/wp-login.php",
            "https://shop.example/de/warenkorb",
            "https://shop.example/%6cogout",
            "https://shop.example/a%zz",
            "https://shop.example/x;jsessionid=1",
            "https://shop.example/action=delete",
            "https://shop.example/search",
            "https://shop.example/brochure.PDF",
            "https://shop.example/feed.xml",
            "https://shop.example/docs/start.md",
            "https://shop.example/api/items",
            "https://shop.example/.well-known/x",
        ] {
            assert_eq!(read(url), None, "{url}");
        }
        let long = format!("https://shop.example/{}", "a".repeat(MAX_PATH_BYTES));
        assert_eq!(read(&long), None);
        let markdown = Url::parse("https://shop.example/docs/start.md").unwrap();
        assert!(site().page_url(&markdown, true).is_some());
    }

    #[test]
    fn every_word_is_findable() {
        for word in ACTION_WORDS.iter().chain(FILE_ENDINGS) {
            assert!(word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()), "{word}");
        }
    }
}
