//! Addresses that lead to another address, or hold a copy of it.

use url::Url;

/// Hosts whose links only lead on. Nobody can tell from the link where to.
const SHORTENERS: &[&str] = &[
    "bit.ly",
    "bitly.com",
    "j.mp",
    "t.co",
    "goo.gl",
    "tinyurl.com",
    "ow.ly",
    "is.gd",
    "buff.ly",
    "rb.gy",
    "cutt.ly",
    "lnkd.in",
    "t.ly",
    "shorturl.at",
    "rebrand.ly",
    "tiny.cc",
    "bl.ink",
    "qr.page",
    "qrco.de",
    "fb.me",
    "amzn.to",
    "g.page",
    "maps.app.goo.gl",
    "g.co",
    "v.gd",
    "s.id",
    "1url.com",
    "short.gy",
    "dub.sh",
    "kutt.it",
    "shorturl.com",
    "clck.ru",
    "vk.cc",
    "u.to",
    "urlz.fr",
    "lc.cx",
    "me-qr.com",
    "l.ead.me",
    "share.google",
    "forms.gle",
    "wp.me",
    "trib.al",
    "dlvr.it",
    "hubs.ly",
    "hubs.la",
    "spoti.fi",
    "youtu.be",
    "adobe.ly",
    "yhoo.it",
];
/// Pages that list the links of a business, its own site among them.
const LINK_LISTS: &[&str] = &[
    "linktr.ee",
    "beacons.ai",
    "bio.link",
    "bio.site",
    "campsite.bio",
    "lnk.bio",
    "taplink.cc",
    "linkin.bio",
    "solo.to",
    "msha.ke",
    "allmylinks.com",
    "hoo.be",
    "linkpop.com",
    "heylink.me",
    "many.link",
    "linkbio.co",
    "biolinky.co",
    "flow.page",
    "milkshake.app",
    "instabio.cc",
    "linkr.bio",
    "pop.bio",
    "linkfly.to",
    "znap.link",
    "about.me",
    "contactin.bio",
    "shor.by",
    "stan.store",
    "snipfeed.co",
    "withkoji.com",
    "wlo.link",
    "liinks.co",
    "direct.me",
];
/// Archives, caches and translations: copies, which may be old.
const COPIES: &[&str] = &[
    "web.archive.org",
    "archive.org",
    "archive.ph",
    "archive.is",
    "archive.today",
    "archive.vn",
    "archive.fo",
    "archive.li",
    "archive.md",
    "cachedview.com",
    "webarchive.org.uk",
    "arquivo.pt",
    "perma.cc",
    "wayback.archive-it.org",
    "ghostarchive.org",
    "webcache.googleusercontent.com",
    "cc.bingj.com",
];

/// What a link names as the address it leads to, or holds a copy of.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) address: String,
    /// The copy may be old, so it is not the page itself.
    pub(super) is_copy: bool,
}

/// Whether an address of this host leads to another site, so that it tells nothing of it.
pub(super) fn is_redirecting(host: &str, path: &str) -> bool {
    SHORTENERS.contains(&host)
        || LINK_LISTS.contains(&host)
        || COPIES.contains(&host)
        || host.ends_with(".translate.goog")
        || is_redirector(host, path)
}

/// Pages of large sites that lead on to the address in one of their parameters.
fn is_redirector(host: &str, path: &str) -> bool {
    let is_google = host.starts_with("google.") && matches!(path, "/url" | "/aclk" | "/imgres");
    let is_other = matches!(
        (host, path),
        ("youtube.com" | "m.youtube.com", "/redirect")
            | ("linkedin.com", "/redir/redirect" | "/safety/go" | "/redir/suspicious-page")
            | ("duckduckgo.com", "/l")
            | ("yelp.com", "/biz_redir" | "/redirect")
            | ("vk.com" | "m.vk.com", "/away.php" | "/away")
            | ("ok.ru", "/dk")
            | ("bing.com", "/ck/a")
            | ("facebook.com" | "m.facebook.com", "/l.php" | "/flx/warn" | "/sharer/sharer.php")
            | ("slack-redir.net", "/link")
            | ("steamcommunity.com", "/linkfilter")
            | ("t.umblr.com", "/redirect")
            | ("pinterest.com", "/offsite")
            | ("translate.google.com", _)
            | ("googleadservices.com", "/pagead/aclk")
            | ("tripadvisor.com", "/Commerce")
            | ("t.me", "/iv")
            | ("telegram.me", "/iv")
    );
    let is_host = matches!(
        host,
        "l.facebook.com"
            | "lm.facebook.com"
            | "l.instagram.com"
            | "l.messenger.com"
            | "l.threads.net"
            | "l.threads.com"
            | "l.workplace.com"
            | "l.wl.co"
            | "out.reddit.com"
            | "urldefense.com"
            | "urldefense.proofpoint.com"
            | "linkprotect.cudasvc.com"
            | "secure-web.cisco.com"
            | "r.search.yahoo.com"
            | "link.zhihu.com"
            | "link.csdn.net"
            | "link.springer.com"
            | "clck.yandex.ru"
            | "translate.yandex.com"
            | "translate.yandex.ru"
            | "translatetheweb.com"
            | "googleweblight.com"
            | "href.li"
            | "anonym.to"
            | "nullrefer.com"
            | "dereferer.me"
    ) || host.ends_with("safelinks.protection.outlook.com")
        || host.ends_with(".protection.sophos.com")
        || host.ends_with(".mimecast.com") && host.starts_with("protect")
        || host.ends_with(".sendgrid.net")
        || host.ends_with(".list-manage.com");
    is_google || is_other || is_host
}

/// The address that a link names as the one it leads to.
pub(super) fn target(url: &Url, host: &str, path: &str) -> Option<Target> {
    let page = |address: String| Target { address, is_copy: false };
    if let Some(name) = host.strip_suffix(".translate.goog") {
        return Some(page(translated_address(name, url)));
    }
    if is_redirector(host, path) {
        return named_target(url, host).map(page);
    }
    if COPIES.contains(&host) {
        return copied_address(url).map(|address| Target { address, is_copy: true });
    }
    // Pages that a search engine delivers faster than their site does.
    let is_search = host.starts_with("google.") || host == "bing.com";
    let rest = ["/amp/s/", "/amp/"].iter().find_map(|kind| path.strip_prefix(kind));
    let is_cache = host.ends_with(".cdn.ampproject.org");
    let rest = rest.filter(|_| is_search).or_else(|| {
        let kinds = ["/c/s/", "/v/s/", "/c/", "/v/"];
        kinds.iter().find_map(|kind| path.strip_prefix(kind)).filter(|_| is_cache)
    })?;
    Some(page(format!("https://{rest}")))
}

/// The address in a parameter or in the path of a redirecting page.
fn named_target(url: &Url, host: &str) -> Option<String> {
    if host == "urldefense.proofpoint.com" || url.path().starts_with("/v2/") {
        return proofpoint_target(url);
    }
    let named = url.query_pairs().take(20).find(|(name, value)| {
        let is_target = matches!(
            name.as_ref(),
            "q" | "url"
                | "u"
                | "uddg"
                | "z"
                | "to"
                | "target"
                | "dest"
                | "a"
                | "adurl"
                | "imgrefurl"
                | "link"
                | "st.link"
                | "lite_url"
                | "redirect"
                | "domain"
                | "d"
        );
        is_target && value.contains('.')
    });
    named.map(|(_, value)| value.into_owned()).or_else(|| address_within(url))
}

/// `…/v2/url?u=https-3A__tin.example_menu&d=…`
fn proofpoint_target(url: &Url) -> Option<String> {
    let (_, value) = url.query_pairs().take(20).find(|(name, _)| name == "u")?;
    let encoded = value.replace('-', "%").replace('_', "/");
    let (decoded, _) = url::form_urlencoded::parse(encoded.as_bytes()).next()?;
    Some(decoded.into_owned())
}

/// An address with its scheme behind the path or the question mark of another one.
fn address_within(url: &Url) -> Option<String> {
    let whole = url.as_str();
    let own = whole.find("://")? + 3;
    let rest = whole.get(own..)?;
    let rest = rest.replace("%3A", ":").replace("%3a", ":").replace("%2F", "/").replace("%2f", "/");
    let start = rest.find("https:/").or_else(|| rest.find("http:/"))?;
    let found = rest.get(start..)?;
    // What wrappers put behind the address.
    let end = ["__;", "/RK=", "/RS=", "&data="].iter().filter_map(|mark| found.find(mark)).min();
    found.get(..end.unwrap_or(found.len())).map(str::to_owned)
}

/// The address in the path of an archive, or behind `cache:` in a search.
fn copied_address(url: &Url) -> Option<String> {
    if let Some(address) = address_within(url) {
        return Some(address);
    }
    let (_, query) = url.query_pairs().take(20).find(|(name, _)| name == "q")?;
    let cached = query.strip_prefix("cache:")?;
    // A key may stand before the address.
    let address = cached.split_once(':').map_or(cached, |(_, address)| address);
    let address = if address.contains('.') { address } else { cached };
    address.split(['+', ' ']).next().map(str::to_owned)
}

/// `www-cafe--linde-de` is `www.cafe-linde.de`.
fn translated_address(name: &str, url: &Url) -> String {
    let host = name.replace("--", "\0").replace('-', ".").replace('\0', "-");
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    format!("https://{host}{}{query}", url.path())
}
