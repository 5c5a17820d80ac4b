//! How `POST /api/scan` handles names and addresses that are not those of a public site.
//!
//! The server under test is a demo: of the names that are not public it lets `.lab` through and
//! nothing else, and it asks the lab's name server alone, so no row can reach the internet.

use std::collections::BTreeSet;

use serde_json::json;

use crate::server::{HttpReply, Server, ask};

const IP: &str = "An IP address is not a domain.";
const SYNTAX: &str = "The domain is not a valid host name.";
const CHARACTER: &str = "The domain contains a control character, a space or a backslash.";
const USER: &str = "Addresses with a user name or password are not accepted.";
const PORT: &str = "Only ports 80 (http) and 443 (https) are supported.";
const SCHEME: &str = "Only http and https addresses are supported.";
const RESERVED: &str = "The name is reserved, so it cannot be a public site.";
const SINGLE: &str = "The name has only one label, so it is not a public domain.";
const SUFFIX: &str = "The name is a public suffix, not a domain that a site can use.";
const TLD: &str = "The top-level domain does not exist.";
const EMPTY: &str = "The domain is missing.";
const LONG: &str = "The domain is too long.";
const LABELS: &str = "The domain has too many labels.";

/// Refused inputs (separated by spaces), each group with the error text.
const REFUSED: &[(&str, &str)] = &[
    // IPv4, plain: loopback, private, link-local, metadata, and public ones alike.
    (
        IP,
        "127.0.0.1 127.0.0.1. 127.255.255.254 0.0.0.0 10.0.0.1 172.16.0.1 192.168.1.1 \
         100.64.0.1 169.254.169.254 198.18.0.1 224.0.0.1 255.255.255.255 8.8.8.8 \
         93.184.216.34 127.0.0.1:80 127.0.0.1:443/admin 127.0.0.1/x?y#z \
         http://127.0.0.1:80/latest/meta-data/ https://169.254.169.254:443 HTTP://10.0.0.1 \
         www.127.0.0.1",
    ),
    // IPv4 as one number, in hex, in octal, with parts left out, and mixed.
    (
        IP,
        "0 1 2130706433 2852039166 3232235777 4294967295 4294967296 99999999999999999999 \
         0x7f000001 0X7F000001 0xa9fea9fe 0x 0x0 0xffffffffff 017700000001 \
         00000000000000000000000177.0.0.1 0177.0.0.1 0177.0.0.01 0251.0376.0251.0376 \
         0x7f.0.0.1 0x7f.1 0x7F.0x0.0x0.0x1 0x7f.0.0.0x1 0x7f.0177.1 127.1 127.0.1 127.65530 \
         169.254.43518 192.168.257 10.1 1.2.3 1.2.3.4.5 256.256.256.256 127.0.0.08 127.0.0.0x \
         http://2130706433/ https://0x7f.1:443/x http://017700000001:80",
    ),
    // A last label that is a number makes the whole an IPv4 address to a browser.
    (IP, "open.lab.1 open.lab.0x1 open.127 open.0x open.08"),
    // IPv6: bare, bracketed, mapped, with zones, and broken.
    (
        IP,
        ":: ::1 [::1] [::] [::1]:80 [::1]:443/x http://[::1]/ https://[::1]:443 \
         0:0:0:0:0:0:0:1 [0000:0000:0000:0000:0000:0000:0000:0001] [::ffff:127.0.0.1] \
         ::ffff:127.0.0.1 [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::7f00:1] \
         [64:ff9b:1::a9fe:a9fe] [2002:7f00:1::] [fe80::1%25eth0] [fe80::1%eth0] fe80::1%eth0 \
         fe80::1%25eth0 [fc00::1] [fd00:ec2::254] [2001:db8::1] [2606:4700:4700::1111] \
         [ff02::1] [::1 ::1] [] [open.lab] [v1.fe80] [127.0.0.1] [::1].lab",
    ),
    // Digits and dots of other scripts that stand for an IPv4 address.
    (
        IP,
        "１２７.０.０.１ １２７．０．０．１ 127。0。0。1 127｡0｡0｡1 127.0.0．1 ①②⑦.⓪.⓪.① ①②⑦.1 \
         ¹²⁷.⁰.⁰.¹ ₁₂₇.₀.₀.₁ 𝟏𝟐𝟕.𝟎.𝟎.𝟏 𝟶𝚡𝟽𝚏.𝟷 ２１３０７０６４３３ 0Ⅹ7f.1 \
         ０ｘ７ｆ０００００１ 12\u{ad}7.0.0.1 127.0.0.1\u{200b} 127\u{2060}.0.0.1 \
         \u{feff}127.0.0.1 http://①②⑦.⓪.⓪.①:80/",
    ),
    // Names that are reserved after Unicode mapping.
    (
        RESERVED,
        "ｌｏｃａｌｈｏｓｔ ⓛⓞⓒⓐⓛⓗⓞⓢⓣ ℓocalhost localhoſt local\u{ad}host LOCALHOST \
         LocalHost. open。ｅxample open。ｌｏｃａｌ",
    ),
    // Invalid international names.
    (
        SYNTAX,
        "op\u{200d}en.lab op\u{200c}en.lab \u{200d}open.lab 👩\u{200d}💻.lab \u{301}open.lab \
         open.\u{301}lab \u{202e}open.lab open\u{202e}.lab \u{2066}open.lab open\u{200f}.lab \
         \u{5d0}a.lab a\u{5d0}.lab \u{661}\u{662}.\u{660}.\u{661} \u{6f1}\u{661}.lab \
         \u{e000}.lab \u{ffff}.lab \u{fffd}.lab \u{e0041}open.lab \u{3164}.lab \
         open\u{2024}lab ⒈lab ⑴.lab open℀.lab open.lab／path open.lab：443 user＠open.lab \
         open.lab？x open.lab＃x open％2e.lab open.lab。 open.lab.。 。open.lab xn--.lab \
         xn---.lab xn--a.lab xn--0.lab xn--open-.lab xn--localhost-.lab xn--zzzz99999.lab \
         xn--99999999999.lab xn--bcher-kvb.lab xn--ls8h=.lab xn--ü.lab xn--xn--a.lab \
         open.xn-- XN--A.LAB",
    ),
    // Dots, hyphens and signs where none may be.
    (
        SYNTAX,
        ". .. .open.lab ..open.lab open..lab open.lab.. open.lab... www..lab 127.0.0.1.. \
         .127.0.0.1 -open.lab open-.lab open.-lab open.lab- op--en.lab -.lab +127.0.0.1 \
         -127.0.0.1 _dmarc.open.lab op_en.lab *.lab * open,lab open;lab open!.lab $(id).lab \
         `id`.lab {{7*7}}.lab <script>.lab 'open'.lab \"open.lab\" open.lab|id open.lab&x=y \
         open=lab ~open.lab (open).lab ^open.lab",
    ),
    // Percent signs before the path.
    (
        SYNTAX,
        "%6fpen.lab open%2elab 127%2e0%2e0%2e1 %31%32%37.0.0.1 %31%32%37%2E%30%2E%30%2E%31 \
         open%00.lab open.lab%00 open.lab%2f open.lab%0d%0a open.lab%20 open.lab%40127.0.0.1 \
         % open%.lab http://%6c%6f%63%61%6c%68%6f%73%74/",
    ),
    // Characters that cut or fold a line, a string or a path.
    (
        CHARACTER,
        "open.lab\0 \0open.lab open\0.lab open.lab\0.evil.org http://open.lab/\0 open.lab\n \
         \nopen.lab open.lab\r open\tlab \topen.lab open.lab\t ht\ntp://open.lab \
         open\u{a0}.lab open.lab\u{3000} \u{2003}open.lab open\u{2028}.lab open\u{85}lab \
         open\u{7f}.lab open\u{1b}[31m.lab open.lab\\ open.lab\\@127.0.0.1 \
         \\\\open.lab\\share http:\\\\open.lab http://open.lab\\.evil.org/ \
         https://127.0.0.1\\.open.lab open.lab/..\\..\\x",
    ),
    // Credentials, and hosts dressed as credentials.
    (
        USER,
        "user@open.lab user:pass@open.lab http://user@open.lab/ \
         https://user:pass@open.lab:443/x open.lab@127.0.0.1 127.0.0.1@open.lab \
         http://open.lab:80@127.0.0.1/ http://open.lab:443@127.0.0.1:80/ @open.lab open.lab@ \
         :@open.lab a@b@open.lab http://@open.lab http://open.lab@[::1]/ \
         http://%75ser@open.lab http://open.lab%2f@127.0.0.1/ https://open.lab%23@ \
         mailto:someone@open.lab",
    ),
    // Ports that are not the web's, and what is no port.
    (
        PORT,
        "open.lab:0 open.lab:1 open.lab:22 open.lab:25 open.lab:53 open.lab:81 open.lab:3306 \
         open.lab:6379 open.lab:8080 open.lab:8443 open.lab:11211 open.lab:65535 \
         open.lab:65536 open.lab:99999 localhost:22 127.0.0.1:6379 open.lab: \
         http://open.lab:/ open.lab:-1 open.lab:-80 open.lab:+80 open.lab:80x open.lab:0x50 \
         open.lab:8e1 open.lab:http open.lab:80. open.lab:８０ open.lab:%38%30 \
         http://open.lab:443/ https://open.lab:80/ https://open.lab:22/ open.lab://x",
    ),
    // Numbers that become 80 if truncated to 16, 32 or 64 bits.
    (PORT, "open.lab:65616 open.lab:4294967376 open.lab:18446744073709551696"),
    // Schemes without slashes read as a host and a port, which is refused as well.
    (
        PORT,
        "javascript:alert(1) data:text/html,open.lab about:blank http:open.lab \
         https:/open.lab file:/etc/passwd",
    ),
    // Schemes.
    (
        SCHEME,
        "file:///etc/passwd file://open.lab/etc/passwd ftp://open.lab/ ftps://open.lab/ \
         sftp://open.lab/ tftp://open.lab/x gopher://open.lab:6379/_INFO \
         dict://open.lab:11211/stat ldap://open.lab/ ldaps://open.lab/ ws://open.lab/ \
         wss://open.lab/ javascript://open.lab/%0aalert(1) data://text/plain,open.lab \
         view-source:http://open.lab/ view-source://open.lab blob:https://open.lab/x \
         jar:http://open.lab!/ php://filter/resource=open.lab netdoc://open.lab \
         chrome://settings ssh://open.lab git://open.lab/x smb://open.lab/x \
         unix:///run/x.sock http+unix://%2Frun%2Fx.sock/ httpx://open.lab https2://open.lab \
         ｈｔｔｐ://open.lab feed:http://open.lab ://open.lab user:pass://open.lab",
    ),
    // No host where the host should be.
    (
        EMPTY,
        "http:// https:// http:/// http:///open.lab https:////open.lab http://?open.lab \
         http://#open.lab ?open.lab #open.lab #@open.lab ? #",
    ),
    (SYNTAX, "/ /open.lab //open.lab ///open.lab //open.lab/x /etc/passwd"),
    // Reserved names, special-use names, and those of private networks.
    (
        RESERVED,
        "localhost localhost. localhost:80 www.localhost a.b.localhost http://localhost:80/x \
         test open.test example open.example \
         invalid open.invalid local printer.local \
         kubernetes.default.svc.cluster.local onion \
         duckduckgogg42xjoc72x3sjasowoarfbgcmvfimaftt6twagswzczad.onion alt open.alt internal \
         metadata.google.internal metadata.google.internal. \
         http://metadata.google.internal/computeMetadata/v1/ host.docker.internal \
         instance-data.ec2.internal home.arpa router.home.arpa arpa in-addr.arpa \
         1.0.0.127.in-addr.arpa ip6.arpa ipv4only.arpa resolver.arpa intranet wiki.intranet \
         corp mail.corp lan nas.lan home router.home mail private db.private localdomain \
         localhost.localdomain metadata.tencentyun.com metadata.packet.net",
    ),
    // Single labels.
    (
        SINGLE,
        "a open metadata wpad instance-data kubernetes com org. http://com/ notlab xn--fiqs8s \
         中国 😀 1e3 0xg",
    ),
    // Suffixes that registries run, and the lab's own.
    (
        SUFFIX,
        "lab LAB. http://lab/ co.uk co.uk. com.au ac.jp gov.uk k12.ca.us foo.ck 公司.cn \
         xn--55qx5d.cn",
    ),
    // Top-level domains that nobody has.
    (
        TLD,
        "open.labb open.la\u{338}b open.nosuchtld open.xn--e28h open.😀 consul.service.consul \
         kubernetes.default.svc wallet.eth site.i2p open.lab.nosuchtld 127.0.0.0x1g \
         127.0.0.1e0 open.0xg",
    ),
    // Too many labels.
    (
        LABELS,
        "a.b.c.d.e.f.g.h.i.j.lab a.b.c.d.e.f.g.h.i.j.k.l.m.n.lab \
         https://www.a.b.c.d.e.f.g.h.i.lab/ 1.0.0.0.0.0.0.0.0.0.0.0.open.lab",
    ),
];

/// The same, for inputs that contain a space or are empty.
const REFUSED_WITH_SPACES: &[(&str, &[&str])] = &[
    (
        CHARACTER,
        &[
            "open.lab\r\nHost: 127.0.0.1",
            "open.lab\r\n\r\nGET / HTTP/1.1",
            "http://open.lab/\r\nX: y",
            "open .lab",
            "open.lab 127.0.0.1",
            "http://open.lab /",
            "http:// open.lab",
            "open.lab/a b",
        ],
    ),
    (EMPTY, &["", " ", "     "]),
];

/// Refused inputs that are too long to write out.
fn refused_for_their_length() -> Vec<(String, &'static str)> {
    let label = |length: usize| "a".repeat(length);
    vec![
        (format!("{}.lab", label(64)), SYNTAX),
        (format!("open.{}", label(64)), SYNTAX),
        (format!("{}.open.lab", "ü".repeat(60)), SYNTAX),
        // 254 bytes, of labels that are each good.
        (format!("{0}.{0}.{0}.{1}.lab", label(63), label(58)), LONG),
        (format!("{0}.{0}.{0}.{0}.lab", label(63)), LONG),
        (format!("{}.lab", label(300)), LONG),
        (format!("{}open.lab", ".".repeat(300)), LONG),
        (label(3_000), LONG),
        (format!("{}lab", "a.".repeat(1_500)), LONG),
        (format!("http://open.lab/{}", label(3_000)), LONG),
        (format!("https://open.lab/{}", label(2_048 + 1 - 17)), LONG),
        (".".repeat(3_000), LONG),
        ("１".repeat(1_000), LONG),
        (format!("user:{}@open.lab", label(3_000)), LONG),
        (format!("open.lab:{}80", "0".repeat(3_000)), LONG),
        (label(500_000), LONG),
    ]
}

/// Accepted inputs, each with the normalized domain.
fn taken() -> Vec<(String, &'static str)> {
    let mut rows: Vec<(String, &'static str)> = [
        ("open.lab", "open.lab"),
        ("open.lab.", "open.lab"),
        ("www.open.lab", "open.lab"),
        ("  open.lab  ", "open.lab"),
        ("OPEN.Lab", "open.lab"),
        ("open.lab:80", "open.lab"),
        ("open.lab:443", "open.lab"),
        ("http://open.lab:80", "open.lab"),
        ("HTTPS://WWW.OPEN.LAB:443/x?y#z", "open.lab"),
        ("https://www.open.lab./", "open.lab"),
        ("open.lab/a%00b/../@127.0.0.1:22", "open.lab"),
        ("open.lab?next=https://127.0.0.1/", "open.lab"),
        ("http://open.lab#@127.0.0.1/", "open.lab"),
        ("ＯＰＥＮ.ＬＡＢ", "open.lab"),
        ("ｏｐｅｎ．ｌａｂ", "open.lab"),
        ("open。lab", "open.lab"),
        ("open｡lab", "open.lab"),
        ("ⓞⓟⓔⓝ.lab", "open.lab"),
        // Nothing of these is left in a host name, in a browser as here.
        ("op\u{ad}en.lab", "open.lab"),
        ("op\u{200b}en.lab", "open.lab"),
        // A name that looks alike is another name, and shows it.
        ("\u{43e}pen.lab", "xn--pen-red.lab"),
        ("straße.lab", "xn--strae-oqa.lab"),
        ("😀.lab", "xn--e28h.lab"),
        ("XN--BCHER-KVA.LAB", "xn--bcher-kva.lab"),
        ("a.b.c.d.e.f.g.h.i.lab", "a.b.c.d.e.f.g.h.i.lab"),
        ("www.lab", "www.lab"),
        ("127.0.0.1.lab", "127.0.0.1.lab"),
        ("localhost.lab", "localhost.lab"),
        // A hosting provider's own name is a private suffix, and a site as well.
        ("github.io", "github.io"),
        // Not reserved, although it sounds so: a top-level domain of the public root.
        ("some-site.host", "some-site.host"),
    ]
    .map(|(input, domain)| (input.to_owned(), domain))
    .to_vec();
    // The longest text that is read at all.
    rows.push((format!("https://open.lab/{}", "a".repeat(2_048 - 17)), "open.lab"));
    rows
}

fn refused() -> Vec<(String, &'static str)> {
    let plain = REFUSED.iter().flat_map(|(why, inputs)| inputs.split(' ').map(|i| (i, *why)));
    let spaced = REFUSED_WITH_SPACES.iter().flat_map(|(why, list)| list.iter().map(|i| (*i, *why)));
    let written = plain.chain(spaced).map(|(input, why)| (input.to_owned(), why));
    written.chain(refused_for_their_length()).collect()
}

/// How a response differs from a refusal of the domain.
fn not_refused(answer: &HttpReply, why: Option<&str>) -> Option<String> {
    let describe = || {
        let body_start: String = answer.text().chars().take(300).collect();
        Some(format!("{} {body_start}", answer.status))
    };
    if answer.status != 400 {
        return describe();
    }
    let body = answer.json();
    let good = answer.error_code() == "bad_domain"
        && body["param"] == "domain"
        && body["retryable"] == false
        && why.is_none_or(|why| body["error"] == why);
    if good { None } else { describe() }
}

fn shown(input: &str) -> String {
    let start: String = input.chars().take(80).collect();
    format!("{start:?} ({} bytes)", input.len())
}

#[test]
fn the_table_is_large_and_has_no_duplicates() {
    let mut seen = BTreeSet::new();
    for (input, _) in refused().into_iter().chain(taken()) {
        assert!(seen.insert(input.clone()), "twice: {}", shown(&input));
    }
    assert!(refused().len() >= 160, "{} rows", refused().len());
}

#[test]
fn hostile_domains_are_refused_however_they_are_dressed() {
    let server = Server::shared();
    let mut wrong = Vec::new();
    for (input, why) in refused() {
        let dressings = [
            (input.clone(), Some(why)),
            // The wrapping itself may be the first error, so only the refusal is checked.
            (format!("http://{input}/"), None),
            (format!("https://{input}"), None),
        ];
        for (dressed, why) in dressings {
            let answer = server.post_scan(json!({ "domain": dressed }).to_string().as_bytes());
            if let Some(response) = not_refused(&answer, why) {
                let expected = why.unwrap_or("a refusal");
                wrong.push(format!("{}: expected {expected:?}, got {response}", shown(&dressed)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn odd_ways_to_write_a_good_domain_lead_to_its_one_form() {
    let server = Server::shared();
    let mut wrong = Vec::new();
    for (input, domain) in taken() {
        let answer = ask(server, &json!(input));
        let found = answer.json()["domain"].clone();
        if answer.status != 200 || found != domain {
            let response: String = answer.text().chars().take(200).collect();
            wrong.push(format!(
                "{}: expected {domain}, got {} {response}",
                shown(&input),
                answer.status
            ));
        }
    }
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_domain_is_a_text_and_nothing_else() {
    let server = Server::shared();
    for domain in [
        json!(null),
        json!(true),
        json!(0),
        json!(2_130_706_433),
        json!(-1),
        json!(127.1),
        json!([]),
        json!(["open.lab"]),
        json!({}),
        json!({ "host": "open.lab" }),
        json!([[["open.lab"]]]),
    ] {
        let answer = ask(server, &domain);
        assert_eq!(answer.status, 400, "{domain}: {}", answer.text());
        assert_eq!(answer.error_code(), "bad_request", "{domain}");
        assert_eq!(answer.json()["param"], "domain", "{domain}");
    }
    assert_eq!(server.get("/healthz").status, 200);
}

/// The form on the home page uses the same rules, and shows the input as plain text.
#[test]
fn the_form_refuses_what_the_interface_refuses() {
    let server = Server::shared();
    let form = Some("application/x-www-form-urlencoded");
    let typed = [
        ("127.0.0.1", IP),
        ("%3Cscript%3Ealert(1)%3C/script%3E.lab", SYNTAX),
        ("%22%3E%3Cimg+src=x%3E", CHARACTER),
        ("open.lab%0d%0aSet-Cookie:+a=b", CHARACTER),
        ("open.lab%00", CHARACTER),
        ("%ff%fe", SYNTAX),
        ("", EMPTY),
        ("javascript://open.lab", SCHEME),
        ("localhost", RESERVED),
    ];
    for (domain, why) in typed {
        // A fresh form each time: one is good for five scans, and those of one second are the same.
        let (answer, _) = (0..20)
            .map(|_| {
                let home = server.get("/").text();
                let token = home.split("name=\"token\" value=\"").nth(1).unwrap();
                let token = token.split('"').next().unwrap();
                let body = format!("domain={domain}&token={token}");
                server.post("/scan", form, body.as_bytes())
            })
            .map(|answer| (answer.status, answer))
            .find_map(|(status, answer)| {
                if status == 403 {
                    std::thread::sleep(std::time::Duration::from_millis(300));
                    return None;
                }
                Some((answer, status))
            })
            .unwrap();
        let page = answer.text();
        assert_eq!(answer.status, 400, "{domain}: {page}");
        assert!(answer.header("content-type").unwrap().starts_with("text/html"), "{domain}");
        assert!(answer.header("set-cookie").is_none(), "{domain}");
        assert!(page.contains(why), "{domain}: {page}");
        assert!(!page.contains("<script>alert") && !page.contains("<img src"), "{domain}: {page}");
    }
}
