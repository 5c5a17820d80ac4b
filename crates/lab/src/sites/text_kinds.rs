//! Where the text of a home page is, in which script it is written, and pages that are none.

use super::base::{SERVED, expect_cut_body, plain_site, site_with_pages};
use crate::{
    content::{self, BAKERY, CLINIC, CYCLES, FERRY, HOTEL, MUSEUM, ORCHESTRA, PageExtras, SCHOOL},
    http::reply::{Reply, ReplyBody, SiteRequest},
    site::{ExpectedRecord, LabSite, MAY_READ, NOT_ALLOW},
};

/// There is text for agents that run no scripts.
const HAS_TEXT: ExpectedRecord = ExpectedRecord {
    no_finding: &["script_shell", "no_text", "few_words", "other_text"],
    read: MAY_READ,
    grade_at_least: Some("B"),
    ..SERVED
};

const SHELL: &str = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
    <title>Sound Ferries</title><meta name=\"description\" content=\"Crossings.\"></head>\n<body>\
    <div id=\"root\"></div><script src=\"/assets/app.77b1.js\" defer></script></body></html>\n";

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "noscript-text.lab",
        behaviour: "noscript_text",
        does: "Fills its page by a script and has the whole text in a noscript element.",
        says: "The page has its text without scripts.",
        expect: HAS_TEXT,
        text: &MUSEUM,
        ..site_with_pages(|request| {
            if request.path != "/" {
                return plain_site(request);
            }
            let page = content::page(request.text, PageExtras::default());
            Reply::html(
                200,
                page.replace("<body>", "<body>\n<div id=\"app\"></div>\n<noscript>").replace(
                    "</body>",
                    "</noscript>\n<script src=\"/assets/app.0c41.js\"></script></body>",
                ),
            )
        })
    },
    LabSite {
        name: "prerendered.lab",
        behaviour: "prerendered",
        does: "Serves people an empty page that a script fills, and crawlers the finished page.",
        says: "AI identities get the text without scripts. The browser gets it by a script.",
        expect: HAS_TEXT,
        text: &FERRY,
        ..site_with_pages(|request| {
            if request.path == "/" && !request.is_from_ai() {
                Reply::html(200, SHELL)
            } else {
                plain_site(request)
            }
        })
    },
    LabSite {
        name: "chinese.lab",
        behaviour: "chinese",
        does: "Has a home page in Chinese, which puts no spaces between words.",
        says: "The page has its text without scripts, in Chinese.",
        expect: HAS_TEXT,
        text: &BAKERY,
        ..site_with_pages(|request| written(request, "zh", "巷口面包店", CHINESE))
    },
    LabSite {
        name: "japanese.lab",
        behaviour: "japanese",
        does: "Has a home page in Japanese, which puts no spaces between words.",
        says: "The page has its text without scripts, in Japanese.",
        expect: HAS_TEXT,
        text: &BAKERY,
        ..site_with_pages(|request| written(request, "ja", "港町パン工房", JAPANESE))
    },
    LabSite {
        name: "thai.lab",
        behaviour: "thai",
        does: "Has a home page in Thai, which puts no spaces between words.",
        says: "The page has its text without scripts, in Thai.",
        expect: HAS_TEXT,
        text: &BAKERY,
        ..site_with_pages(|request| written(request, "th", "ร้านขนมปังริมท่าเรือ", THAI))
    },
    LabSite {
        name: "meta-refresh.lab",
        behaviour: "meta_refresh",
        does: "Sends every visitor to another page by a meta element.",
        says: "The home page only leads to another page, by a meta refresh.",
        expect: ExpectedRecord { finding: &["meta_refresh"], ..SERVED },
        text: &CLINIC,
        ..site_with_pages(|request| match request.path {
            "/" => Reply::html(
                200,
                "<!doctype html>\n<html lang=\"en\"><head><title>Elm Row Clinic</title>\
                 <meta http-equiv=\"refresh\" content=\"0; url=/welcome\"></head>\n<body>\
                 <p><a href=\"/welcome\">Continue</a></p></body></html>\n",
            ),
            "/welcome" => content::home(request),
            _ => plain_site(request),
        })
    },
    LabSite {
        name: "json-home.lab",
        behaviour: "json_home",
        does: "Serves bare JSON as its home page.",
        says: "The home page is JSON and not a page.",
        expect: ExpectedRecord {
            finding: &["not_a_page"],
            read: NOT_ALLOW,
            grade_at_most: Some("C"),
            ..SERVED
        },
        text: &ORCHESTRA,
        ..site_with_pages(|request| {
            if request.path != "/" {
                return plain_site(request);
            }
            let value = serde_json::json!({
                "service": "tickets", "version": "2.4", "status": "ok", "docs": "/docs",
                "endpoints": ["/v1/concerts", "/v1/seats", "/v1/orders"]
            });
            content::json_reply("application/json", &value)
        })
    },
    LabSite {
        name: "ten-megabytes.lab",
        behaviour: "ten_megabytes",
        does: "Has a home page of ten megabytes.",
        says: "The home page was read up to the size limit, and the record says so.",
        expect: ExpectedRecord {
            finding: &["page_cut"],
            no_finding: &["no_text", "script_shell"],
            ..expect_cut_body("too_large", &["wire_limit", "decoded_limit"])
        },
        text: &SCHOOL,
        ..site_with_pages(ten_megabytes)
    },
    LabSite {
        name: "script-data.lab",
        behaviour: "script_data",
        does: "Has its text only inside a script, as data of a framework.",
        says: "The page has no text without scripts.",
        expect: ExpectedRecord { finding: &["script_shell"], grade_at_most: Some("D"), ..SERVED },
        text: &CYCLES,
        ..site_with_pages(|request| {
            if request.path != "/" {
                return plain_site(request);
            }
            let data = serde_json::json!({ "page": request.text.paragraphs });
            Reply::html(
                200,
                format!(
                    "<!doctype html>\n<html lang=\"en\"><head><title>Cobble Cycles</title></head>\n\
                     <body><div id=\"__next\"></div><script id=\"__DATA__\" \
                     type=\"application/json\">{data}</script>\
                     <script src=\"/_app.js\"></script></body></html>\n"
                ),
            )
        })
    },
    LabSite {
        name: "text-home.lab",
        behaviour: "text_home",
        does: "Serves plain text as its home page.",
        says: "The home page is plain text, which every agent can read.",
        expect: ExpectedRecord { no_finding: &["script_shell", "no_text"], ..SERVED },
        text: &HOTEL,
        ..site_with_pages(|request| {
            if request.path != "/" {
                return plain_site(request);
            }
            let text = request.text;
            Reply::text(200, format!("{}\n\n{}\n", text.title, text.paragraphs.join("\n\n")))
        })
    },
];

const CHINESE: &[&str] = &[
    "我们的面包店开在巷口，已经有三十多年了。每天凌晨四点，师傅们就开始和面、发酵、整形，六点半第一炉面包出炉。\
     面粉来自附近的水磨坊，黄油来自山上的牧场，盐来自海边的盐田。我们不用添加剂，也不卖隔夜的面包。",
    "大的乡村面包四元二角，小的两元六角。星期五有芝麻辫子面包，每月第一个星期六有黑麦面包，需要发酵三天。\
     如果您要订十个以上，请提前两天告诉我们，我们会替您留好。店里靠窗有两张桌子，门外有一条长椅，早晨可以晒太阳。",
    "我们也做简单的早餐：热咖啡、豆浆和一种当天的汤。卖不完的面包晚上送给附近的收容所。星期一休息，\
     春节期间关门一个星期，其余时间欢迎您来坐坐。",
];

const JAPANESE: &[&str] = &[
    "当店は港町の小さな路地にあるパン工房です。開店から三十年以上、毎朝四時に生地をこね、六時半に最初のパンが焼き上がります。\
     小麦粉は近くの水車小屋から、バターは山の牧場から、塩は海辺の塩田から届きます。保存料は使わず、前日のパンは売りません。",
    "大きな田舎パンは四百二十円、小さなものは二百六十円です。金曜日には胡麻の編みパン、毎月第一土曜日には三日間発酵させたライ麦パンを焼きます。\
     十個以上のご注文は二日前までにお知らせください。お名前をつけてお取り置きします。",
    "窓際に二つの席があり、外の長椅子では朝日を浴びながら珈琲を飲めます。日替わりのスープも一種類ご用意しています。\
     売れ残ったパンは夜に近くの施設へ届けています。月曜日は定休日です。どうぞお気軽にお立ち寄りください。",
];

const THAI: &[&str] = &[
    "ร้านขนมปังของเราตั้งอยู่ในซอยเล็กริมท่าเรือมานานกว่าสามสิบปี ทุกเช้าเวลาตีสี่เราเริ่มนวดแป้ง และเวลาหกโมงครึ่งขนมปังเตาแรกก็พร้อมขาย \
     แป้งมาจากโรงโม่ใกล้หมู่บ้าน เนยมาจากฟาร์มบนภูเขา และเกลือมาจากนาเกลือริมทะเล เราไม่ใส่สารกันบูดและไม่ขายขนมปังค้างคืน",
    "ขนมปังก้อนใหญ่ราคาสี่สิบสองบาท ก้อนเล็กราคายี่สิบหกบาท วันศุกร์มีขนมปังถักโรยงา และวันเสาร์แรกของเดือนมีขนมปังข้าวไรย์ที่หมักนานสามวัน \
     ถ้าต้องการมากกว่าสิบก้อนกรุณาบอกล่วงหน้าสองวัน เราจะเก็บไว้ให้",
    "ในร้านมีโต๊ะสองตัวริมหน้าต่างและมีม้านั่งด้านนอกที่รับแดดยามเช้า เรามีกาแฟร้อนและซุปวันละหนึ่งอย่าง ขนมปังที่เหลือเราส่งให้บ้านพักใกล้เคียง \
     ร้านปิดทุกวันจันทร์ วันอื่นเชิญแวะมานั่งเล่นได้เสมอ",
];

fn written(request: &SiteRequest<'_>, language: &str, title: &str, text: &[&str]) -> Reply {
    if request.path != "/" {
        return plain_site(request);
    }
    let paragraphs: String = text.iter().map(|text| format!("<p>{text}</p>\n")).collect();
    let first: String = text.first().copied().unwrap_or_default().chars().take(40).collect();
    Reply::html(
        200,
        format!(
            "<!doctype html>\n<html lang=\"{language}\"><head><meta charset=\"utf-8\">\
             <title>{title}</title><meta name=\"description\" content=\"{first}\"></head>\n\
             <body><main><h1>{title}</h1>\n{paragraphs}</main></body></html>\n"
        ),
    )
}

/// The ordinary page, then one of its paragraphs again and again.
fn ten_megabytes(request: &SiteRequest<'_>) -> Reply {
    const UNIT: usize = 64 * 1024;
    if request.path != "/" {
        return plain_site(request);
    }
    let page = content::page(request.text, PageExtras::default());
    let (head, tail) = page.split_once("</main>").unwrap_or((&page, ""));
    let paragraph = format!("<p>{}</p>\n", request.text.paragraphs.last().unwrap_or(&""));
    let unit = paragraph.repeat(UNIT / paragraph.len().max(1));
    Reply::html(200, "").with_body(ReplyBody::Repeat {
        head: head.to_owned().into(),
        unit: unit.into(),
        times: 165,
        tail: format!("</main>{tail}").into(),
    })
}
