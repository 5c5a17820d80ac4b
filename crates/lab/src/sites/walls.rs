//! Block pages and challenges of common vendors: our own texts around the marks by which each
//! vendor is recognised. AI identities get them on the home page; browsers get the page.

use super::base::{SERVED, plain_site, site_with_pages};
use crate::{
    content::{
        BAKERY, BOOKSHOP, BusinessText, CLINIC, CYCLES, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA,
        SCHOOL,
    },
    http::reply::{Reply, SiteRequest},
    site::{ExpectedRecord, LabSite},
};

/// One row of the table below: the site, and the vendor and kind that a correct record names.
const fn walled_site(
    (name, behaviour): (&'static str, &'static str),
    (vendor, kind): (&'static str, &'static str),
    does: &'static str,
    says: &'static str,
    text: &'static BusinessText,
    page: fn(&SiteRequest<'_>) -> Reply,
) -> LabSite {
    LabSite {
        name,
        behaviour,
        does,
        says,
        expect: ExpectedRecord {
            ai_refused: Some(true),
            vendor: Some(vendor),
            wall: Some(kind),
            ..SERVED
        },
        text,
        ..site_with_pages(page)
    }
}

/// AI identities get the wall on the home page; everyone else gets the page.
fn wall_for_ai(request: &SiteRequest<'_>, wall: fn() -> Reply) -> Reply {
    if request.is_from_ai() && request.path == "/" { wall() } else { plain_site(request) }
}

fn html(title: &str, head: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><title>{title}</title>{head}</head>\n\
         <body>{body}</body></html>\n"
    )
}

pub(super) const SITES: &[LabSite] = &[
    walled_site(
        ("wall-cloudflare.lab", "wall_cloudflare"),
        ("cloudflare", "challenge"),
        "Answers AI identities with Cloudflare's challenge and status 403.",
        "AI identities get a Cloudflare challenge. The browser gets the page.",
        &FERRY,
        |request| {
            wall_for_ai(request, || {
                let script = "<script>window._cf_chl_opt={cType:'managed'};</script>";
                Reply::html(403, html("Just a moment...", "", script))
                    .with_header("cf-mitigated", "challenge")
                    .with_header("cf-ray", "8f00000000000000-LAB")
                    .with_header("server", "cloudflare")
            })
        },
    ),
    walled_site(
        ("wall-cloudflare-block.lab", "wall_cloudflare_block"),
        ("cloudflare", "block"),
        "Answers AI identities with Cloudflare's firewall block page and status 403.",
        "AI identities are blocked by a Cloudflare firewall rule. The browser gets the page.",
        &CYCLES,
        |request| {
            wall_for_ai(request, || {
                let body = "<h1>Sorry, you have been blocked</h1><p>This site cannot be reached \
                            by you.</p><p>Error code: <b>1020</b></p>";
                Reply::html(403, html("Attention Required! | Cloudflare", "", body))
                    .with_header("cf-ray", "8f00000000000001-LAB")
                    .with_header("server", "cloudflare")
            })
        },
    ),
    walled_site(
        ("wall-akamai.lab", "wall_akamai"),
        ("akamai", "block"),
        "Answers AI identities with Akamai's block page, whose reference number is written in HTML \
         character references.",
        "AI identities are blocked by Akamai. The browser gets the page.",
        &MUSEUM,
        |request| {
            wall_for_ai(request, || {
                let body = "<h1>Access Denied</h1><p>You may not see this page.</p>\
                            <p>Reference&#32;&#35;18&#46;7d3e1402&#46;1763190000&#46;1a2b3c4d</p>";
                Reply::html(403, html("Access Denied", "", body))
                    .with_header("server", "AkamaiGHost")
            })
        },
    ),
    walled_site(
        ("wall-datadome.lab", "wall_datadome"),
        ("datadome", "captcha"),
        "Answers AI identities with DataDome's CAPTCHA and status 403.",
        "AI identities get a DataDome CAPTCHA. The browser gets the page.",
        &HOTEL,
        |request| {
            wall_for_ai(request, || {
                let body = "<script>var dd={'rt':'c','cid':'LAB','t':'fe'}</script>\
                            <iframe src=\"https://geo.captcha-delivery.com/captcha/?cid=LAB\">\
                            </iframe>";
                Reply::html(403, html("hotel", "", body))
                    .with_header("x-dd-b", "1")
                    .with_header("x-datadome", "blocked")
                    .with_header("set-cookie", "datadome=lab; Path=/; Secure")
            })
        },
    ),
    walled_site(
        ("wall-human.lab", "wall_human"),
        ("human", "captcha"),
        "Answers AI identities with the CAPTCHA of HUMAN (PerimeterX) and status 403.",
        "AI identities get a HUMAN CAPTCHA. The browser gets the page.",
        &GARDEN,
        |request| {
            wall_for_ai(request, || {
                let body = "<h1>Hold the button</h1><div id=\"px-captcha\"></div>\
                            <script>window._pxAppId='PXlab';</script>";
                Reply::html(403, html("Access to this page has been denied", "", body))
                    .with_header("set-cookie", "_pxhd=lab; Path=/")
            })
        },
    ),
    walled_site(
        ("wall-imperva.lab", "wall_imperva"),
        ("imperva", "challenge"),
        "Answers AI identities with Imperva's challenge and status 200: a script and no text.",
        "AI identities get an Imperva challenge, not the page, although the status is 200.",
        &CLINIC,
        |request| {
            wall_for_ai(request, || {
                let head = "<meta name=\"robots\" content=\"noindex,nofollow\">\
                            <script src=\"/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e,\
                            5074a744e2e3d891\"></script>";
                Reply::html(200, format!("<html>\n<head>{head}</head><body></body></html>\n"))
                    .with_header("x-iinfo", "1-23-45 NNNN")
                    .with_header("set-cookie", "visid_incap_77=lab; Path=/")
            })
        },
    ),
    walled_site(
        ("wall-aws.lab", "wall_aws"),
        ("aws_waf", "challenge"),
        "Answers AI identities with the interstitial of AWS WAF and status 202.",
        "AI identities get an AWS WAF challenge, not the page (status 202).",
        &SCHOOL,
        |request| {
            wall_for_ai(request, || {
                let body = "<script>window.gokuProps={\"key\":\"lab\"};</script>\
                            <script src=\"https://lab.token.awswaf.com/lab/challenge.js\"></script>";
                Reply::html(202, html("", "", body)).with_header("x-amzn-waf-action", "challenge")
            })
        },
    ),
    walled_site(
        ("wall-fastly.lab", "wall_fastly"),
        ("fastly", "challenge"),
        "Answers AI identities with Fastly's client challenge and status 200.",
        "AI identities get a Fastly challenge, not the page, although the status is 200.",
        &ORCHESTRA,
        |request| {
            wall_for_ai(request, || {
                let body = "<p>One required part of this site could not be loaded.</p>\
                            <script src=\"/_fs-ch-lab/script.js\"></script>";
                Reply::html(200, html("Client Challenge", "", body))
                    .with_header("set-cookie", "_fs_ch_st_lab=1; Path=/")
                    .with_header("x-served-by", "cache-lab-eddf8230123-LAB")
            })
        },
    ),
    walled_site(
        ("wall-vercel.lab", "wall_vercel"),
        ("vercel", "challenge"),
        "Answers AI identities with Vercel's security checkpoint and status 429.",
        "AI identities get a Vercel challenge. The 429 is not a rate limit.",
        &BOOKSHOP,
        |request| {
            wall_for_ai(request, || {
                let body = "<p>We are looking at your browser.</p><script>0</script>";
                Reply::html(429, html("Vercel Security Checkpoint", "", body))
                    .with_header("x-vercel-mitigated", "challenge")
                    .with_header("server", "Vercel")
            })
        },
    ),
    walled_site(
        ("wall-kasada.lab", "wall_kasada"),
        ("kasada", "challenge"),
        "Answers AI identities with Kasada's script and status 429.",
        "AI identities get a Kasada challenge. The 429 is not a rate limit.",
        &BAKERY,
        |request| {
            wall_for_ai(request, || {
                let body = "<script>window.KPSDK={};</script>\
                            <script src=\"/149e9513-lab/ips.js?x=1\"></script>";
                Reply::html(429, html("", "", body))
                    .with_header("x-kpsdk-ct", "lab")
                    .with_header("set-cookie", "KP_UIDz=lab; Path=/")
            })
        },
    ),
    walled_site(
        ("wall-sucuri.lab", "wall_sucuri"),
        ("sucuri", "block"),
        "Answers AI identities with the block page of Sucuri's firewall and status 403.",
        "AI identities are blocked by Sucuri. The browser gets the page.",
        &FERRY,
        |request| {
            wall_for_ai(request, || {
                let body = "<h1>Access Denied - Sucuri Website Firewall</h1><p>Block id: LAB1</p>";
                Reply::html(403, html("Denied", "", body))
                    .with_header("x-sucuri-id", "14005")
                    .with_header("x-sucuri-block", "LAB1")
            })
        },
    ),
    walled_site(
        ("wall-f5.lab", "wall_f5"),
        ("f5_bigip", "block"),
        "Answers AI identities with the block page of F5 BIG-IP and status 200.",
        "AI identities are blocked by F5 BIG-IP and do not get the page, although the status is \
         200.",
        &CYCLES,
        |request| {
            wall_for_ai(request, || {
                let body = "The requested URL was rejected. Please consult with your \
                            administrator.<br>Number for support: 10245";
                Reply::html(200, html("Request Rejected", "", body))
                    .with_header("set-cookie", "TS01a2b3c4=lab; Path=/")
            })
        },
    ),
    walled_site(
        ("wall-anubis.lab", "wall_anubis"),
        ("anubis", "challenge"),
        "Answers AI identities with Anubis' proof-of-work challenge and status 200, on a page with \
         some text.",
        "AI identities get an Anubis challenge, not the page, although the status is 200.",
        &MUSEUM,
        |request| {
            wall_for_ai(request, || {
                let body = "<p>Your computer has a small sum to do before the page opens. It \
                            keeps those away who would read every page of this site each hour, \
                            and costs you a second.</p>\
                            <script id=\"anubis_challenge\" type=\"application/json\">{}</script>\
                            <script src=\"/.within.website/x/cmd/anubis/static/js/main.mjs\">\
                            </script>";
                Reply::html(200, html("Making sure you&#39;re not a bot!", "", body))
                    .with_header("set-cookie", "techaro.lol-anubis-cookie-verification=lab; Path=/")
            })
        },
    ),
    walled_site(
        ("wall-wordfence.lab", "wall_wordfence"),
        ("wordfence", "block"),
        "Answers AI identities with the block page of the Wordfence plugin and status 503.",
        "AI identities are blocked by Wordfence. The site is not down.",
        &HOTEL,
        |request| {
            wall_for_ai(request, || {
                let body = "<h1>You may not come in</h1><p>Generated by Wordfence at noon.</p>";
                Reply::html(503, html("503", "", body))
            })
        },
    ),
    walled_site(
        ("wall-nginx.lab", "wall_nginx"),
        ("nginx", "block"),
        "Answers AI identities with nginx's default 403 page.",
        "AI identities are refused by the web server itself (nginx). The browser gets the page.",
        &GARDEN,
        |request| {
            wall_for_ai(request, || {
                let body = "<center><h1>403 Forbidden</h1></center><hr><center>nginx</center>";
                Reply::html(403, html("403 Forbidden", "", body)).with_header("server", "nginx")
            })
        },
    ),
    walled_site(
        ("wall-apache.lab", "wall_apache"),
        ("apache", "block"),
        "Answers AI identities with Apache's default 403 page.",
        "AI identities are refused by the web server itself (Apache). The browser gets the page.",
        &CLINIC,
        |request| {
            wall_for_ai(request, || {
                let body = "<h1>Forbidden</h1><p>You don't have permission to access this \
                            resource.</p><hr><address>Apache/2.4.62 (Debian) Server at \
                            wall-apache.lab Port 443</address>";
                Reply::html(403, html("403 Forbidden", "", body)).with_header("server", "Apache")
            })
        },
    ),
    walled_site(
        ("wall-modsecurity.lab", "wall_modsecurity"),
        ("modsecurity", "block"),
        "Answers AI identities with ModSecurity's 406 page.",
        "AI identities are refused by ModSecurity. The browser gets the page.",
        &SCHOOL,
        |request| {
            wall_for_ai(request, || {
                let body =
                    "<h1>Not Acceptable!</h1><p>This error was generated by Mod_Security.</p>";
                Reply::html(406, html("Not Acceptable!", "", body)).with_header("server", "Apache")
            })
        },
    ),
];
