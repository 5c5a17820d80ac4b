//! Responses modelled on real ones, with our own text around the documented marks, and ordinary
//! pages that carry marks of the same vendors.

use contract::evidence::{BodyFacts, HeaderLine, Response};

use super::*;

const STORY: &str = "The ferry leaves the north quay at seven, at nine and at noon, and comes back \
    an hour later each time. A single fare is eight pounds forty for grown-ups and half of that \
    for anyone under sixteen; islanders with a yellow card travel for two pounds. Bicycles go free \
    when there is room on the after deck, but cars cannot be carried at all. ";

fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Response {
    let headers = headers
        .iter()
        .chain(&[("content-type", "text/html; charset=utf-8")])
        .map(|(name, value)| HeaderLine { name: (*name).into(), value: (*value).into() })
        .collect();
    Response {
        url: "https://ferry.lab/".into(),
        status,
        http: "2".into(),
        headers,
        body: BodyFacts {
            sha256: String::new(),
            bytes: body.len() as u64,
            wire_bytes: body.len() as u64,
            encoding: None,
            cut: None,
        },
        tls: None,
    }
}

fn wall(status: u16, headers: &[(&str, &str)], body: &str) -> Option<Wall> {
    WallDetector::built_in().recognise(&answer(status, headers, body), body.as_bytes())
}

/// An ordinary page of some length with this in its head.
fn story(extra: &str) -> String {
    format!(
        "<!doctype html><html><head><title>Sound Ferries</title>{extra}</head><body><main>\
         <h1>Sound Ferries</h1><p>{}</p></main></body></html>",
        STORY.repeat(6)
    )
}

fn short(title: &str, inside: &str) -> String {
    format!("<!doctype html><html><head><title>{title}</title></head><body>{inside}</body></html>")
}

#[test]
fn the_file_reads_and_every_expression_compiles() {
    let walls = WallDetector::parse(WALLS_JSON).unwrap();
    assert_eq!(walls.table.vendors.len(), WallDetector::built_in().table.vendors.len());
    assert!(walls.table.vendors.len() >= 38, "{}", walls.table.vendors.len());
    let mut ids: Vec<&str> = walls.table.vendors.iter().map(|vendor| vendor.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), walls.table.vendors.len(), "an id is used twice");
    let words = walls.table.challenge_words.iter().chain(&walls.table.vague_challenge_words);
    let holds = walls.table.captchas.iter().map(|captcha| &captcha.holds);
    for text in words.chain(holds) {
        assert_eq!(*text, text::fold_case(text));
    }
    assert_eq!(walls.digest().len(), 64);
    assert_ne!(
        WallDetector::parse(&WALLS_JSON.replace("\"datadome\"", "\"x\"")).unwrap().digest(),
        walls.digest()
    );
    assert_eq!(WallDetector::parse(&format!("\n{WALLS_JSON}")).unwrap().digest(), walls.digest());
}

/// Name, status, header fields, body; the vendor's id, the kind, whether it is certain.
type Case<'a> = (u16, &'a [(&'a str, &'a str)], String, &'a str, WallKind, bool);

#[test]
fn refusals_are_recognised_by_vendor_and_kind() {
    use WallKind::{Block, Captcha, Challenge, Payment, RateLimit};
    let cases: &[Case<'_>] = &[
        (403, &[("cf-mitigated", "challenge"), ("server", "cloudflare")], short("Just a moment...", ""), "cloudflare", Challenge, true),
        (200, &[("cf-mitigated", "challenge")], String::new(), "cloudflare", Challenge, true),
        (200, &[], short("Wait", "<script>window._cf_chl_opt={a:1}</script>"), "cloudflare", Challenge, true),
        (503, &[("server", "cloudflare"), ("cf-ray", "8a")], short("Just a moment...", ""), "cloudflare", Challenge, false),
        (403, &[("cf-ray", "8a-FRA")], short("Attention Required! | Cloudflare", "<h1>Sorry, you have been blocked</h1>"), "cloudflare", Block, true),
        (403, &[], short("Access denied", "<h1>Error <span>1020</span></h1>"), "cloudflare", Block, true),
        (403, &[], "error code: 1010".into(), "cloudflare", Block, true),
        (429, &[], short("Limited", "<p>Error code&#58; 1015</p>"), "cloudflare", RateLimit, true),
        (402, &[("crawler-price", "USD 0.01")], String::new(), "cloudflare", Payment, true),
        (402, &[("crawler-error", "MissingCrawlerPrice")], String::new(), "cloudflare", Payment, true),
        (403, &[("crawler-error", "CrawlerForbidden")], String::new(), "cloudflare", Block, true),
        (402, &[("cf-ray", "8a")], "{\"say\":\"ask us for a licence\"}".into(), "cloudflare", Payment, false),
        (429, &[("x-vercel-mitigated", "challenge")], short("Vercel Security Checkpoint", ""), "vercel", Challenge, true),
        (403, &[("X-Vercel-Mitigated", "deny")], "Forbidden".into(), "vercel", Block, true),
        (202, &[("x-amzn-waf-action", "challenge")], String::new(), "aws_waf", Challenge, true),
        (405, &[("x-amzn-waf-action", "captcha")], short("Human check", "<script src='https://1.edge.captcha.awswaf.com/x.js'></script>"), "aws_waf", Captcha, true),
        (202, &[], short("", "<script src='https://1.token.awswaf.com/x/challenge.js'></script>"), "aws_waf", Challenge, true),
        (403, &[("x-dd-b", "1")], "<html><script>var dd={'rt':'c','cid':'A'}</script></html>".into(), "datadome", Challenge, true),
        (403, &[("x-dd-b", "1")], "<script>var dd={'rt':'c'}</script><iframe src='https://geo.captcha-delivery.com/captcha/?cid=1'></iframe>".into(), "datadome", Captcha, true),
        (401, &[("x-datadome", "blocked"), ("x-datadome-cid", "A1")], String::new(), "datadome", Challenge, true),
        (403, &[], short("Access to this page has been denied", "<div id='px-captcha'></div>"), "human", Captcha, true),
        (403, &[("set-cookie", "_pxhd=1; Path=/")], short("Access to this page has been denied.", "No."), "human", Block, false),
        (429, &[("x-kpsdk-ct", "AbC"), ("set-cookie", "KP_UIDz=1")], "<html><script>window.KPSDK={};</script><script src='/149e/ips.js?x=1'></script></html>".into(), "kasada", Challenge, true),
        (200, &[("x-iinfo", "1-2-3")], "<html><head><script src=\"/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e,5074a744e2e3d891\"></script></head><body></body></html>".into(), "imperva", Challenge, true),
        (200, &[], "<html style=\"height:100%\"><body><iframe id=\"main-iframe\" src=\"/_Incapsula_Resource?CWUDNSAI=9&xinfo=1-2&incident_id=77-1&edet=12\" width=100%>Request unsuccessful. Incapsula incident ID: 77-1</iframe></body></html>".into(), "imperva", Block, true),
        (200, &[], "<html><body><iframe src='/_Incapsula_Resource?SWUDNSAI=1'></iframe></body></html>".into(), "imperva", Challenge, true),
        (403, &[], short("Request unsuccessful", "Incapsula incident ID: 77-1"), "imperva", Block, true),
        (403, &[("server", "AkamaiGHost")], short("Access Denied", "Reference&#32;&#35;18&#46;7d3e1402&#46;1763190000&#46;1a2b3c4d"), "akamai", Block, true),
        (403, &[("server", "AkamaiGHost")], short("Access Denied", "No."), "akamai", Block, true),
        (403, &[("server", "AkamaiGHost")], "no".into(), "akamai", Block, false),
        (200, &[], short("Making sure you&#39;re not a bot!", &format!("<p>{STORY}{STORY}</p><script id=\"anubis_challenge\" type=\"application/json\">{{}}</script>")), "anubis", Challenge, true),
        (200, &[("set-cookie", "techaro.lol-anubis-auth=; Max-Age=0")], short("Oh noes!", "<p>Access denied.</p>"), "anubis", Block, true),
        (200, &[], short("Request Rejected", "The requested URL was rejected. Please consult with your administrator. Your support ID is: 1"), "f5_bigip", Block, true),
        (403, &[("x-sucuri-id", "14005"), ("x-sucuri-block", "EVA")], String::new(), "sucuri", Block, true),
        (403, &[], short("Denied", "<h1>Access denied - Sucuri Website Firewall</h1>"), "sucuri", Block, true),
        (503, &[], short("503", "<p>Generated by Wordfence at Sun</p>"), "wordfence", Block, true),
        (406, &[], short("Not Acceptable!", "<p>This error was generated by Mod_Security.</p>"), "modsecurity", Block, true),
        (406, &[("server", "Apache mod_security/2.9")], "no".into(), "modsecurity", Block, true),
        (200, &[], short("Wait", "Protected by Imunify360"), "imunify360", Challenge, true),
        (200, &[], short("Hm", "Our system thinks you might be a robot!"), "siteground", Challenge, true),
        (202, &[("sg-captcha", "challenge")], "<html><head><meta http-equiv=\"refresh\" content=\"0;/.well-known/sgcaptcha/?r=%2F\"></head></html>".into(), "siteground", Captcha, true),
        (202, &[], "<html><head><meta http-equiv=\"refresh\" content=\"0;/.well-known/sgcaptcha/?r=%2F\"></head></html>".into(), "siteground", Captcha, true),
        (200, &[("server", "hcdn")], short("Just a moment", "<script src='/hcdn-cgi/jschallenge?v=1'></script>"), "hostinger", Challenge, true),
        (200, &[("set-cookie", "_fs_ch_st_FSx=1")], short("Client Challenge", "<script src='/_fs-ch-1T1/script.js'></script>"), "fastly", Challenge, true),
        (406, &[("x-served-by", "cache-fra-eddf8230123-FRA")], "Not Acceptable".into(), "fastly", Block, false),
        (403, &[("x-azure-ref", "1")], short("403", "<center>Microsoft-Azure-Application-Gateway/v2</center>"), "azure", Block, true),
        (403, &[("set-cookie", "rbzid=1")], short("Stop", "The current session has been terminated."), "reblaze", Block, false),
        (403, &[("server", "ddos-guard")], short("DDoS", "<link id='link-ddg'>"), "ddos_guard", Challenge, false),
        (403, &[], short("StackPath", "No."), "stackpath", Block, true),
        (200, &[], short("Unauthorized Request Blocked", "No."), "radware", Block, true),
        (200, &[], short("Radware Captcha Page", "<p>Your activity on this site made us think that you are a bot.</p>"), "radware", Captcha, true),
        (200, &[], short("Wait", "<iframe src='https://validate.perfdrive.com/?ssa=1'></iframe>"), "radware", Captcha, true),
        (403, &[], short("Web filter", "<img class='fgd_icon'>"), "fortiweb", Block, true),
        (403, &[], short("No", "<p>NS Transaction id: 4</p>"), "netscaler", Block, true),
        (403, &[], "<html><!-- event id: 1 --><title>SafeLine</title></html>".into(), "safeline", Block, true),
        (402, &[], "{\"x402Version\":1,\"accepts\":[]}".into(), "x402", Payment, true),
        (401, &[("www-authenticate", "License error=\"missing\"")], String::new(), "rsl", Payment, true),
        (403, &[("x-cache", "Error from cloudfront")], short("ERROR", "The request could not be satisfied. Generated by cloudfront (CloudFront)"), "cloudfront", Block, true),
        (430, &[("x-shopid", "7")], String::new(), "shopify", Block, false),
        (403, &[], short("403", "Proudly powered by LiteSpeed Web Server"), "litespeed", Block, true),
        (403, &[], "<html><head><title>403 Forbidden</title></head><body><center><h1>403 Forbidden</h1></center><hr><center>nginx/1.27.1</center></body></html>".into(), "nginx", Block, true),
        (429, &[], "<center><h1>429 Too Many Requests</h1></center><hr><center>nginx</center>".into(), "nginx", RateLimit, true),
        (403, &[], "<center><h1>403 Forbidden</h1></center><hr><center>openresty</center>".into(), "openresty", Block, true),
        (403, &[("server", "Apache")], short("403 Forbidden", "<h1>Forbidden</h1><p>You don&#39;t have permission to access this resource.</p>"), "apache", Block, true),
        (403, &[], short("403 Forbidden", "<address>Apache/2.4.62 (Debian) Server at ferry.lab Port 443</address>"), "apache", Block, true),
        (403, &[], short("403", "<h2>403 - Forbidden: Access is denied.</h2>"), "iis", Block, true),
        (403, &[], short("No", "<h1>HTTP Status 403 – Forbidden</h1>"), "tomcat", Block, false),
    ];
    for (status, headers, body, vendor, kind, certain) in cases {
        let found =
            wall(*status, headers, body).unwrap_or_else(|| panic!("{vendor}: {status} {body}"));
        assert_eq!(
            (found.vendor_id.as_deref(), found.kind, found.certain),
            (Some(*vendor), *kind, *certain),
            "{status} {headers:?} {body}: {found:?}"
        );
        assert!(
            found.vendor.is_some() && found.marks.contains(&format!("status {status}")),
            "{found:?}"
        );
    }
    // Every vendor that can be recognised by a refusal has a case.
    for vendor in &WallDetector::built_in().table.vendors {
        let refuses = vendor.marks.iter().any(|mark| mark.strength != Strength::Presence);
        let tried = cases.iter().any(|case| case.3 == vendor.id)
            || ["linkedin", "reddit"].contains(&vendor.id.as_str());
        assert!(tried || !refuses, "{}", vendor.id);
    }
}

#[test]
fn platform_walls_are_recognised_at_their_own_hosts_only() {
    let at = |url: &str, status: u16, body: &str| {
        let response = Response { url: url.into(), ..answer(status, &[], body) };
        WallDetector::built_in()
            .recognise(&response, body.as_bytes())
            .and_then(|wall| wall.vendor_id)
    };
    assert_eq!(at("https://www.linkedin.com/in/x", 999, "").as_deref(), Some("linkedin"));
    assert_eq!(at("https://ferry.lab/", 999, ""), None);
    let blocked = "You have been blocked by network security.";
    assert_eq!(at("https://www.reddit.com/", 403, blocked).as_deref(), Some("reddit"));
    assert_eq!(at("https://ferry.lab/", 403, blocked), None);
}

#[test]
fn served_pages_are_not_walls_whichever_vendor_is_in_front() {
    let cases: &[(&[(&str, &str)], &str)] = &[
        (
            &[("server", "cloudflare"), ("cf-ray", "8a"), ("set-cookie", "__cf_bm=1")],
            "<script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script>",
        ),
        (
            &[
                ("set-cookie", "_abck=1; Path=/"),
                ("set-cookie", "bm_sz=2"),
                ("server", "AkamaiGHost"),
            ],
            "<script>bmak.sensor_data=1</script>",
        ),
        (
            &[("x-datadome", "protected"), ("set-cookie", "datadome=1")],
            "<script src='https://ct.datadome.co/tags.js'></script>",
        ),
        (&[("x-datadome", "on"), ("x-datadome-cid", "1")], ""),
        (
            &[("set-cookie", "_px3=1"), ("set-cookie", "_pxhd=1"), ("x-px-authorization", "3")],
            "<script>window._pxAppId='P1';var _pxAction='c'</script><script src='https://client.perimeterx.net/x.js'></script>",
        ),
        (
            &[
                ("x-iinfo", "1"),
                ("x-cdn", "Imperva"),
                ("set-cookie", "visid_incap_1=a"),
                ("set-cookie", "reese84=b"),
            ],
            "<script src='/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e,5074a744e2e3d891'></script>",
        ),
        (
            &[("set-cookie", "aws-waf-token=1")],
            "<script src='https://x.edge.sdk.awswaf.com/challenge.js'></script>",
        ),
        (
            &[
                ("x-amz-cf-id", "1"),
                ("x-cache", "Miss from cloudfront"),
                ("via", "1.1 a.cloudfront.net (CloudFront)"),
            ],
            "",
        ),
        (&[("server", "Vercel"), ("x-vercel-id", "fra1::1")], ""),
        (&[("x-kpsdk-ct", "1"), ("set-cookie", "KP_UIDz=1")], "<script>window.KPSDK={}</script>"),
        (&[("server", "Sucuri/Cloudproxy"), ("x-sucuri-id", "1"), ("x-sucuri-cache", "HIT")], ""),
        (
            &[
                ("server", "BigIP"),
                ("set-cookie", "TS01a2b3c4=1"),
                ("set-cookie", "BIGipServerpool=1"),
            ],
            "",
        ),
        (&[("set-cookie", "techaro.lol-anubis-auth=ok")], ""),
        (&[("x-served-by", "cache-fra-eddf8230123-FRA"), ("x-fastly-request-id", "1")], ""),
        (&[("x-azure-ref", "1")], ""),
        (
            &[("server", "nginx")],
            "<link rel=stylesheet href='/wp-content/plugins/wordfence/x.css'>",
        ),
        (&[("server", "Apache/2.4 mod_security")], ""),
        (&[("server", "ddos-guard"), ("set-cookie", "__ddg1_=1")], ""),
        (
            &[("server", "Squarespace")],
            "<script src='https://js.hcaptcha.com/1/api.js'></script><div class='g-recaptcha'></div>",
        ),
        (&[("x-shopid", "1"), ("set-cookie", "_shopify_y=1")], ""),
        (&[("x-wix-request-id", "1")], ""),
        (&[("crawler-charged", "USD 0.01")], ""),
    ];
    for (headers, extra) in cases {
        let found = wall(200, headers, &story(extra));
        assert_eq!(found, None, "{headers:?} {extra}");
    }
}

#[test]
fn a_page_about_walls_is_not_a_wall() {
    for words in [
        "The requested URL was rejected. Please consult with your administrator.",
        "Our system thinks you might be a robot!",
        "<code>&lt;script id=\"anubis_challenge\"&gt;</code> and Incapsula incident ID",
        "Checking your browser before you continue: verify you are human",
    ] {
        assert_eq!(
            wall(
                200,
                &[],
                &story("").replace("<main>", &format!("<main><p>{words}</p><script></script>"))
            ),
            None,
            "{words}"
        );
    }
}

#[test]
fn a_vendor_in_front_is_reported_but_not_blamed() {
    let found = wall(403, &[("server", "cloudflare"), ("cf-ray", "8a")], "Forbidden").unwrap();
    assert_eq!((found.vendor, found.kind, found.certain), (None, WallKind::Block, true));
    assert!(
        found.marks.iter().any(|mark| mark
            .starts_with("Cloudflare is in front of the site (header server: cloudflare)")),
        "{:?}",
        found.marks
    );
    let response = answer(
        200,
        &[("cf-ray", "8a"), ("x-served-by", "cache-fra-e1-FRA"), ("set-cookie", "_abck=secret")],
        "",
    );
    assert_eq!(
        WallDetector::built_in().vendors_present(&response),
        ["Cloudflare", "Akamai", "Fastly"]
    );
    assert!(WallDetector::built_in().vendors_present(&answer(403, &[], "")).is_empty());
}

#[test]
fn a_status_alone_names_no_vendor() {
    use WallKind::{Block, Legal, Login, Payment, RateLimit};
    for (status, headers, kind, certain, mark) in [
        (
            401,
            [("www-authenticate", "Basic realm=\"club\"")],
            Login,
            true,
            "header www-authenticate: Basic realm=\"club\"",
        ),
        (402, [("x", "y")], Payment, true, "status 402"),
        (403, [("x", "y")], Block, true, "status 403"),
        (406, [("x", "y")], Block, false, "status 406"),
        (429, [("retry-after", "120")], RateLimit, true, "header retry-after: 120"),
        (
            451,
            [("link", "<https://court.example/>; rel=\"blocked-by\"")],
            Legal,
            true,
            "header link: <https://court.example/>; rel=\"blocked-by\"",
        ),
    ] {
        let found = wall(status, &headers, &story("")).unwrap();
        assert_eq!(
            (found.vendor.as_deref(), found.kind, found.certain),
            (None, kind, certain),
            "{status}"
        );
        assert!(found.marks.iter().any(|seen| seen == mark), "{:?}", found.marks);
    }
    for status in [200, 204, 301, 304, 400, 404, 405, 410, 500, 502, 503, 504] {
        assert_eq!(wall(status, &[], &story("")), None, "{status}");
    }
}

#[test]
fn an_unknown_challenge_is_distinguished_from_an_application_shell() {
    use WallKind::{Captcha, Challenge};
    let script = "<script src='/c.js'></script>";
    for (status, page, kind, certain) in [
        (
            200,
            short(
                "Please wait",
                &format!("<h1>Checking your browser</h1><p>One second.</p>{script}"),
            ),
            Challenge,
            false,
        ),
        (
            200,
            short(
                "",
                &format!(
                    "<div id='root'></div><noscript>Verify you are human to go on</noscript>{script}"
                ),
            ),
            Challenge,
            false,
        ),
        (200, short("Just a moment...", script), Challenge, false),
        (
            200,
            short(
                "Check",
                "<p>Please confirm you are human.</p><div class='h-captcha'></div><script src='https://js.hcaptcha.com/1/api.js'></script>",
            ),
            Captcha,
            false,
        ),
        (503, short("Hold on", &format!("<p>Checking your browser</p>{script}")), Challenge, false),
        (
            403,
            short(
                "Are you a person?",
                "<form><div class='h-captcha'></div></form><script src='https://js.hcaptcha.com/1/api.js'></script>",
            ),
            Captcha,
            true,
        ),
        (403, short("No", &format!("<p>Verify you are human</p>{script}")), Challenge, true),
        (
            200,
            "<html><body><script>document.cookie='k=7';location.reload()</script></body></html>"
                .into(),
            Challenge,
            false,
        ),
        (
            200,
            "<html><head><script src='/9f2e.js'></script></head><body></body></html>".into(),
            Challenge,
            false,
        ),
        (
            200,
            "<html><body><iframe src='/check/captcha?id=1'></iframe></body></html>".into(),
            Challenge,
            false,
        ),
    ] {
        let found = wall(status, &[], &page).unwrap_or_else(|| panic!("{page}"));
        assert_eq!((found.vendor, found.kind, found.certain), (None, kind, certain), "{page}");
    }
    for page in [
        short("Nursery", "<div id=\"root\"></div><script src=\"/assets/app.js\" defer></script>"),
        short("Portal", "<noscript>You need to enable JavaScript to run this app.</noscript><div id=app></div><script type=module src=/a.js></script>"),
        short("Portal", &format!("<div id='app'>Just a moment, loading your orders</div>{script}")),
        short("Shop", &format!("<app-root></app-root>{script}")),
        "<html><body><script>location.href='/en/'</script></body></html>".into(),
        "<html><head><link rel=stylesheet href=/a.css><script src=/a.js></script></head><body></body></html>".into(),
        "<html><body><script src=/a.js></script><script src=/b.js></script></body></html>".into(),
        short("Sign in", &format!("<form><input type=\"password\"><p>I'm not a robot</p></form>{script}")),
        short("Write to us", "<form><textarea></textarea><div class='g-recaptcha'></div></form>"),
        short("Soon", "<p>Just a moment, we open in May.</p>"),
        String::new(),
    ] {
        assert_eq!(wall(200, &[], &page), None, "{page}");
    }
}

#[test]
fn a_page_with_text_after_a_long_head_is_served() {
    let styles = format!("<style>{}</style><script>1</script>", "a{b:c}".repeat(20_000));
    let page = story(&styles).replace("<title>Sound Ferries</title>", "");
    assert!(page.len() > 100_000);
    assert_eq!(wall(200, &[("set-cookie", "_px3=1")], &page), None);
    // A page too long to be searched is not short.
    let endless = format!("<html><script>{}</script></html>", "x".repeat(1 << 20));
    assert_eq!(wall(200, &[], &endless), None);
}

#[test]
fn a_body_that_broke_off_is_not_called_empty() {
    let body = "<html><head><script src='/9f2e.js'></script>";
    let mut response = answer(200, &[], body);
    assert!(WallDetector::built_in().recognise(&response, body.as_bytes()).is_some());
    response.body.cut = Some(contract::evidence::Failure {
        kind: contract::evidence::FailureKind::Timeout,
        phase: contract::evidence::FailurePhase::Body,
        reason: "idle".into(),
        detail: String::new(),
    });
    assert_eq!(WallDetector::built_in().recognise(&response, body.as_bytes()), None);
}

#[test]
fn the_price_is_reported_as_stated() {
    let price = |headers: &[(&str, &str)], body: &str| wall(402, headers, body).unwrap().price;
    assert_eq!(price(&[("crawler-price", "USD 0.01")], "").as_deref(), Some("USD 0.01"));
    assert_eq!(price(&[], "Pay us."), None);
    let request =
        r#"{"x402Version":2,"accepts":[{"amount":"1000","asset":"0x01","network":"eip155:1"}]}"#;
    let encoded = data_encoding::BASE64.encode(request.as_bytes());
    let found = price(&[("payment-required", &encoded)], "");
    assert_eq!(found.as_deref(), Some("1000 units of 0x01 on eip155:1"));
    let older = r#"{"x402Version":1,"accepts":[{"maxAmountRequired":"7","network":"base"}]}"#;
    assert_eq!(price(&[], older).as_deref(), Some("7 units on base"));
    for broken in ["!!!", "e30=", "bnVsbA=="] {
        assert_eq!(price(&[("payment-required", broken)], ""), None, "{broken}");
    }
}

#[test]
fn marks_show_names_of_cookies_and_nothing_that_hides() {
    let found = wall(
        200,
        &[("set-cookie", "techaro.lol-anubis-auth=s3cret"), ("cf-mitigated", "challenge")],
        &short("Oh noes!\u{202e}", ""),
    )
    .unwrap();
    assert_eq!(found.marks, ["header cf-mitigated: challenge", "status 200"]);
    let found = wall(403, &[("x-sucuri-block", &"\u{202e}y".repeat(300))], "").unwrap();
    assert!(
        found.marks.iter().all(|mark| !mark.contains('\u{202e}') && mark.chars().count() < 130)
    );
    let found =
        wall(200, &[("set-cookie", "techaro.lol-anubis-auth=s3cret")], &short("Oh noes!", ""))
            .unwrap();
    assert!(
        found.marks.contains(&"cookie techaro.lol-anubis-auth".to_owned()),
        "{:?}",
        found.marks
    );
    assert!(!format!("{found:?}").contains("s3cret"));
}

proptest::proptest! {
    #[test]
    fn any_answer_can_be_looked_at(
        status in 0u16..1000,
        name in "[a-z-]{0,20}",
        value in ".{0,60}",
        body in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..600),
    ) {
        let response = answer(status, &[(&name, &value), ("set-cookie", &value), ("payment-required", &value)], "");
        let found = WallDetector::built_in().recognise(&response, &body);
        proptest::prop_assert_eq!(&found, &WallDetector::built_in().recognise(&response, &body));
        proptest::prop_assert!(found.is_none_or(|wall| wall.marks.len() <= MAX_MARKS));
        let _ = WallDetector::built_in().vendors_present(&response);
    }

    #[test]
    fn any_soup_of_marks_can_be_looked_at(
        status in proptest::sample::select(vec![200u16, 202, 403, 404, 429, 503]),
        parts in proptest::collection::vec(proptest::sample::select(vec![
            "<script", "</script>", "<noscript", "<title>", "</title>", "<center>", "nginx", "&#35;", "reference #18.",
            "_incapsula_resource?a=", "error code", " 1020", "<", ">", "verify you are human", "é", "document.cookie",
        ]), 0..80),
    ) {
        let body = parts.concat();
        let _ = wall(status, &[], &body);
    }
}
