//! Refusals and challenges in the shape of the widespread ones: our own words around the marks by
//! which each vendor is known. AI identities get them on the home page; browsers get the page.

use super::{SERVED, pages, plain};
use crate::{
    content::{
        BAKERY, BOOKSHOP, CLINIC, CYCLES, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA, SCHOOL, Text,
    },
    http::{Ask, Reply},
    site::{Expect, Site},
};

/// One row of the table below: who it is, as a site and as a judge should tell it.
const fn walled(
    (name, behaviour): (&'static str, &'static str),
    (vendor, kind): (&'static str, &'static str),
    does: &'static str,
    says: &'static str,
    text: &'static Text,
    page: fn(&Ask<'_>) -> Reply,
) -> Site {
    Site {
        name,
        behaviour,
        does,
        says,
        expect: Expect { ai_refused: Some(true), vendor: Some(vendor), wall: Some(kind), ..SERVED },
        text,
        ..pages(page)
    }
}

/// The page for people, this for AI identities.
fn walls(ask: &Ask<'_>, wall: fn() -> Reply) -> Reply {
    if ask.is_from_ai() && ask.path == "/" { wall() } else { plain(ask) }
}

fn html(title: &str, head: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><title>{title}</title>{head}</head>\n\
         <body>{body}</body></html>\n"
    )
}

pub(super) const SITES: &[Site] = &[
    walled(
        ("wall-cloudflare.lab", "wall_cloudflare"),
        ("cloudflare", "challenge"),
        "Gives AI identities Cloudflare's challenge with status 403.",
        "AI identities are challenged by Cloudflare; the browser is served.",
        &FERRY,
        |ask| {
            walls(ask, || {
                let script = "<script>window._cf_chl_opt={cType:'managed'};</script>";
                Reply::html(403, html("Just a moment...", "", script))
                    .with("cf-mitigated", "challenge")
                    .with("cf-ray", "8f00000000000000-LAB")
                    .with("server", "cloudflare")
            })
        },
    ),
    walled(
        ("wall-cloudflare-block.lab", "wall_cloudflare_block"),
        ("cloudflare", "block"),
        "Gives AI identities Cloudflare's page for a firewall rule, status 403.",
        "AI identities are blocked by a rule at Cloudflare; the browser is served.",
        &CYCLES,
        |ask| {
            walls(ask, || {
                let body = "<h1>Sorry, you have been blocked</h1><p>This site cannot be reached \
                            by you.</p><p>Error code: <b>1020</b></p>";
                Reply::html(403, html("Attention Required! | Cloudflare", "", body))
                    .with("cf-ray", "8f00000000000001-LAB")
                    .with("server", "cloudflare")
            })
        },
    ),
    walled(
        ("wall-akamai.lab", "wall_akamai"),
        ("akamai", "block"),
        "Gives AI identities Akamai's denial with its reference, written as character references.",
        "AI identities are blocked at Akamai; the browser is served.",
        &MUSEUM,
        |ask| {
            walls(ask, || {
                let body = "<h1>Access Denied</h1><p>You may not see this page.</p>\
                            <p>Reference&#32;&#35;18&#46;7d3e1402&#46;1763190000&#46;1a2b3c4d</p>";
                Reply::html(403, html("Access Denied", "", body)).with("server", "AkamaiGHost")
            })
        },
    ),
    walled(
        ("wall-datadome.lab", "wall_datadome"),
        ("datadome", "captcha"),
        "Gives AI identities DataDome's puzzle with status 403.",
        "AI identities are asked by DataDome to solve a puzzle; the browser is served.",
        &HOTEL,
        |ask| {
            walls(ask, || {
                let body = "<script>var dd={'rt':'c','cid':'LAB','t':'fe'}</script>\
                            <iframe src=\"https://geo.captcha-delivery.com/captcha/?cid=LAB\">\
                            </iframe>";
                Reply::html(403, html("hotel", "", body))
                    .with("x-dd-b", "1")
                    .with("x-datadome", "blocked")
                    .with("set-cookie", "datadome=lab; Path=/; Secure")
            })
        },
    ),
    walled(
        ("wall-human.lab", "wall_human"),
        ("human", "captcha"),
        "Gives AI identities the puzzle of HUMAN (PerimeterX) with status 403.",
        "AI identities are asked by HUMAN to solve a puzzle; the browser is served.",
        &GARDEN,
        |ask| {
            walls(ask, || {
                let body = "<h1>Hold the button</h1><div id=\"px-captcha\"></div>\
                            <script>window._pxAppId='PXlab';</script>";
                Reply::html(403, html("Access to this page has been denied", "", body))
                    .with("set-cookie", "_pxhd=lab; Path=/")
            })
        },
    ),
    walled(
        ("wall-imperva.lab", "wall_imperva"),
        ("imperva", "challenge"),
        "Gives AI identities Imperva's challenge with status 200: a page with a script and no word.",
        "AI identities are challenged by Imperva: the 200 is not the page.",
        &CLINIC,
        |ask| {
            walls(ask, || {
                let head = "<meta name=\"robots\" content=\"noindex,nofollow\">\
                            <script src=\"/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e,\
                            5074a744e2e3d891\"></script>";
                Reply::html(200, format!("<html>\n<head>{head}</head><body></body></html>\n"))
                    .with("x-iinfo", "1-23-45 NNNN")
                    .with("set-cookie", "visid_incap_77=lab; Path=/")
            })
        },
    ),
    walled(
        ("wall-aws.lab", "wall_aws"),
        ("aws_waf", "challenge"),
        "Gives AI identities the interstitial of AWS WAF with status 202.",
        "AI identities are challenged by AWS WAF: the 202 is not the page.",
        &SCHOOL,
        |ask| {
            walls(ask, || {
                let body = "<script>window.gokuProps={\"key\":\"lab\"};</script>\
                            <script src=\"https://lab.token.awswaf.com/lab/challenge.js\"></script>";
                Reply::html(202, html("", "", body)).with("x-amzn-waf-action", "challenge")
            })
        },
    ),
    walled(
        ("wall-fastly.lab", "wall_fastly"),
        ("fastly", "challenge"),
        "Gives AI identities Fastly's client challenge with status 200.",
        "AI identities are challenged by Fastly: the 200 is not the page.",
        &ORCHESTRA,
        |ask| {
            walls(ask, || {
                let body = "<p>One required part of this site could not be loaded.</p>\
                            <script src=\"/_fs-ch-lab/script.js\"></script>";
                Reply::html(200, html("Client Challenge", "", body))
                    .with("set-cookie", "_fs_ch_st_lab=1; Path=/")
                    .with("x-served-by", "cache-lab-eddf8230123-LAB")
            })
        },
    ),
    walled(
        ("wall-vercel.lab", "wall_vercel"),
        ("vercel", "challenge"),
        "Gives AI identities Vercel's checkpoint with status 429.",
        "AI identities are challenged by Vercel; the 429 is no rate limit.",
        &BOOKSHOP,
        |ask| {
            walls(ask, || {
                let body = "<p>We are looking at your browser.</p><script>0</script>";
                Reply::html(429, html("Vercel Security Checkpoint", "", body))
                    .with("x-vercel-mitigated", "challenge")
                    .with("server", "Vercel")
            })
        },
    ),
    walled(
        ("wall-kasada.lab", "wall_kasada"),
        ("kasada", "challenge"),
        "Gives AI identities Kasada's script with status 429.",
        "AI identities are challenged by Kasada; the 429 is no rate limit.",
        &BAKERY,
        |ask| {
            walls(ask, || {
                let body = "<script>window.KPSDK={};</script>\
                            <script src=\"/149e9513-lab/ips.js?x=1\"></script>";
                Reply::html(429, html("", "", body))
                    .with("x-kpsdk-ct", "lab")
                    .with("set-cookie", "KP_UIDz=lab; Path=/")
            })
        },
    ),
    walled(
        ("wall-sucuri.lab", "wall_sucuri"),
        ("sucuri", "block"),
        "Gives AI identities the denial of Sucuri's firewall with status 403.",
        "AI identities are blocked at Sucuri; the browser is served.",
        &FERRY,
        |ask| {
            walls(ask, || {
                let body = "<h1>Access Denied - Sucuri Website Firewall</h1><p>Block id: LAB1</p>";
                Reply::html(403, html("Denied", "", body))
                    .with("x-sucuri-id", "14005")
                    .with("x-sucuri-block", "LAB1")
            })
        },
    ),
    walled(
        ("wall-f5.lab", "wall_f5"),
        ("f5_bigip", "block"),
        "Gives AI identities the rejection of F5 BIG-IP with status 200.",
        "AI identities are blocked by F5 BIG-IP: the 200 is not the page.",
        &CYCLES,
        |ask| {
            walls(ask, || {
                let body = "The requested URL was rejected. Please consult with your \
                            administrator.<br>Number for support: 10245";
                Reply::html(200, html("Request Rejected", "", body))
                    .with("set-cookie", "TS01a2b3c4=lab; Path=/")
            })
        },
    ),
    walled(
        ("wall-anubis.lab", "wall_anubis"),
        ("anubis", "challenge"),
        "Gives AI identities Anubis' proof of work with status 200, on a page with some words.",
        "AI identities are challenged by Anubis: the 200 is not the page.",
        &MUSEUM,
        |ask| {
            walls(ask, || {
                let body = "<p>Your computer has a small sum to do before the page opens. It \
                            keeps those away who would read every page of this site each hour, \
                            and costs you a second.</p>\
                            <script id=\"anubis_challenge\" type=\"application/json\">{}</script>\
                            <script src=\"/.within.website/x/cmd/anubis/static/js/main.mjs\">\
                            </script>";
                Reply::html(200, html("Making sure you&#39;re not a bot!", "", body))
                    .with("set-cookie", "techaro.lol-anubis-cookie-verification=lab; Path=/")
            })
        },
    ),
    walled(
        ("wall-wordfence.lab", "wall_wordfence"),
        ("wordfence", "block"),
        "Gives AI identities the block page of the Wordfence plugin with status 503.",
        "AI identities are blocked by Wordfence; the site is not down.",
        &HOTEL,
        |ask| {
            walls(ask, || {
                let body = "<h1>You may not come in</h1><p>Generated by Wordfence at noon.</p>";
                Reply::html(503, html("503", "", body))
            })
        },
    ),
    walled(
        ("wall-nginx.lab", "wall_nginx"),
        ("nginx", "block"),
        "Gives AI identities the bare 403 page of nginx.",
        "AI identities are refused by the web server itself, nginx; the browser is served.",
        &GARDEN,
        |ask| {
            walls(ask, || {
                let body = "<center><h1>403 Forbidden</h1></center><hr><center>nginx</center>";
                Reply::html(403, html("403 Forbidden", "", body)).with("server", "nginx")
            })
        },
    ),
    walled(
        ("wall-apache.lab", "wall_apache"),
        ("apache", "block"),
        "Gives AI identities the bare 403 page of Apache.",
        "AI identities are refused by the web server itself, Apache; the browser is served.",
        &CLINIC,
        |ask| {
            walls(ask, || {
                let body = "<h1>Forbidden</h1><p>You don't have permission to access this \
                            resource.</p><hr><address>Apache/2.4.62 (Debian) Server at \
                            wall-apache.lab Port 443</address>";
                Reply::html(403, html("403 Forbidden", "", body)).with("server", "Apache")
            })
        },
    ),
    walled(
        ("wall-modsecurity.lab", "wall_modsecurity"),
        ("modsecurity", "block"),
        "Gives AI identities the 406 of ModSecurity.",
        "AI identities are refused by ModSecurity; the browser is served.",
        &SCHOOL,
        |ask| {
            walls(ask, || {
                let body =
                    "<h1>Not Acceptable!</h1><p>This error was generated by Mod_Security.</p>";
                Reply::html(406, html("Not Acceptable!", "", body)).with("server", "Apache")
            })
        },
    ),
];
