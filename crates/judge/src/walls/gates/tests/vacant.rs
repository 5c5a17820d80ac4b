//! Parked domains, maintenance notices, placeholders and empty answers.

use super::{STORY, WallKind, assert_gate, assert_none, at, page};

#[test]
fn parked_domains_are_recognised_in_many_languages() {
    for words in [
        "This domain is for sale",
        "Diese Domain steht zum Verkauf",
        "Ce nom de domaine est à vendre",
        "Este dominio está en venta",
        "Questo dominio è in vendita",
        "Este domínio está à venda",
        "Deze domeinnaam is te koop",
        "Ta domena jest na sprzedaż",
        "Denna domän är till salu",
        "Dette domæne er til salg",
        "Bu alan adı satılıktır",
        "Этот домен продаётся",
        "このドメインは販売中です",
        "此域名正在出售",
        "이 도메인은 판매 중입니다",
        "هذا النطاق معروض للبيع",
    ] {
        assert_gate(
            WallKind::Parked,
            &page("ferry.lab", &format!("<h1>{words}</h1><p>ferry.lab</p>")),
        );
    }
    assert_gate(
        WallKind::Parked,
        &page(
            "ferry.lab is for sale",
            "<p>Contact the owner with an offer.</p><form><input type=email><button>Make an offer</button></form>",
        ),
    );
    assert_gate(
        WallKind::Parked,
        &page(
            "ferry.lab",
            "<script src='https://img.sedoparking.com/a.js'></script><ul><li><a href=/1>Ferry tickets</a><li><a href=/2>Boats</a></ul>",
        ),
    );
    assert_gate(WallKind::Parked, &page("ferry.lab has expired", "<p>It is pending renewal.</p>"));
    assert_gate(
        WallKind::Parked,
        &page("Parked", "<p>This domain is parked free, courtesy of its registrar.</p>"),
    );
}

#[test]
fn pages_that_sell_things_are_not_parked() {
    for body in [
        page("Houses for sale", &format!("<h1>Houses for sale on the quay</h1><p>{STORY}</p>")),
        page(
            "ferry.lab – boats for sale",
            "<h1>Boats for sale</h1><p>Three dinghies and a launch, seen on the north quay. Ask for Ann. Prices from 900 pounds.</p>",
        ),
        page(
            "Domains",
            &format!(
                "<h1>Domain names</h1><p>{STORY}{STORY}</p><p>Domain for sale? Write to us.</p>"
            ),
        ),
        page(
            "Car park",
            "<h1>Park at the quay</h1><p>Your car is parked under a roof. Four pounds a day.</p>",
        ),
    ] {
        assert_none(&body);
    }
}

#[test]
fn maintenance_notices_are_recognised_in_many_languages() {
    for words in [
        "We are undergoing scheduled maintenance",
        "Coming soon",
        "Our website is under construction",
        "Wartungsarbeiten",
        "Unsere Website befindet sich im Aufbau",
        "Site en maintenance",
        "Bientôt en ligne",
        "Sitio en mantenimiento",
        "Próximamente",
        "Sito in costruzione",
        "Site em manutenção",
        "Website in aanbouw",
        "Strona w budowie",
        "Sidan är under uppbyggnad",
        "Siden er under opbygning",
        "Sitemiz yapım aşamasında",
        "Ведутся технические работы",
        "ただいまメンテナンス中です",
        "网站维护中",
        "홈페이지 준비 중입니다",
        "الموقع تحت الصيانة",
    ] {
        assert_gate(
            WallKind::Maintenance,
            &page("Quay Ferries", &format!("<h1>{words}</h1><p>Tel. 0123</p>")),
        );
    }
    // With status 503 the kind is named, too.
    let down = page("Down", "<h1>We'll be back soon</h1>");
    let found = at("https://ferry.lab/", 503, &down).unwrap();
    assert_eq!((found.kind, found.certain), (WallKind::Maintenance, true));
    // An owner's login on the notice.
    assert_gate(
        WallKind::Maintenance,
        &page(
            "Opening soon",
            "<h1>Opening soon</h1><div class=modal><form><input type=password><button>Enter</button></form></div>",
        ),
    );
}

#[test]
fn pages_that_mention_maintenance_are_not_notices() {
    for body in [
        page(
            "Quay Garage",
            "<h1>Repair and maintenance of outboard motors</h1><p>Oil, plugs, impellers and winter storage. Bring it on a trailer or by water; we have a crane. Open on weekdays from eight to five, and on Saturdays until noon. Ask for a price before you come.</p>",
        ),
        page(
            "Cinema",
            &format!("<h1>Now showing</h1><p>{STORY}</p><h2>Coming soon</h2><p>Two films.</p>"),
        ),
        page(
            "Ferry",
            &format!(
                "<h1>Ferry</h1><p>{STORY}</p><p>The booking site is down for maintenance on Sunday.</p>"
            ),
        ),
        page(
            "Quay Band",
            "<h1>Quay Band</h1><p>New record coming soon. Until then: Friday at the Anchor, Saturday at the Mill, Sunday at the Old School with the children's choir, doors at seven, tickets at the bar or from Ann. Hear us at the links below.</p><a href=/a>Songs</a><a href=/b>Dates</a>",
        ),
        page(
            "Wartung und Service",
            "<h1>Wartung und Service für Heizungen</h1><p>Wir warten Gas- und Ölheizungen in Kiel und Umgebung, beraten zum Austausch, kümmern uns um Fördermittel und sind im Notfall auch am Wochenende erreichbar. Rufen Sie uns an oder schreiben Sie uns, wir melden uns am selben Tag und nennen einen festen Preis.</p>",
        ),
    ] {
        assert_none(&body);
    }
}

#[test]
fn default_pages_and_placeholders_are_recognised() {
    for (title, inside) in [
        (
            "Welcome to nginx!",
            "<h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is successfully installed and working.</p>",
        ),
        (
            "Apache2 Ubuntu Default Page: It works",
            "<p>This is the default page of Apache, see /var/www/html.</p>",
        ),
        (
            "IIS Windows Server",
            "<a href='https://go.example/'><img src=iisstart.png alt=IIS></a><p>Welcome</p>",
        ),
        (
            "Default Web Site Page",
            "<h1>Sorry!</h1><p>If you are the owner of this website, please contact your hosting provider.</p>",
        ),
        (
            "Web Server's Default Page",
            "<h1>Web Server's Default Page</h1><p>This page is generated by Plesk.</p>",
        ),
        (
            "Account Suspended",
            "<p>This account has been suspended. Contact your hosting provider.</p>",
        ),
        ("Quay", "<h1>This site is not published</h1>"),
        ("Votre espace", "<p>Déposez votre fichier index.html dans le dossier www.</p>"),
        ("Quay", "<h1>Hier entsteht eine neue Internetpräsenz</h1>"),
        ("Quay", "<p>Ce site n'est pas publié.</p>"),
        ("Quay", "<p>Este sitio no está publicado.</p>"),
        ("Quay", "<h1>Pagina di cortesia</h1>"),
        ("Quay", "<p>Nog geen website op dit adres.</p>"),
        ("Quay", "<p>Strona nie została opublikowana.</p>"),
        ("Quay", "<p>このサイトは公開されていません。</p>"),
        ("Quay", "<p>此网站尚未发布</p>"),
        ("Quay", "<p>이 사이트는 게시되지 않았습니다</p>"),
        ("Quay", "<p>لم يتم نشر هذا الموقع</p>"),
        ("Quay", "<p>Сайт ещё не опубликован</p>"),
        ("Quay", "<p>Bu site henüz yayınlanmadı</p>"),
        (
            "Index of /",
            "<h1>Index of /</h1><pre><a href='?C=N;O=D'>Name</a><hr><a href='/'>Parent Directory</a> <a href='cgi-bin/'>cgi-bin/</a></pre>",
        ),
    ] {
        assert_gate(WallKind::Placeholder, &page(title, inside));
    }
    assert_gate(WallKind::Placeholder, "<html><body><h1>It works!</h1></body></html>");
    let test_page = page(
        "HTTP Server Test Page",
        "<h1>HTTP Server Test Page</h1><p>Add content to the webroot.</p>",
    );
    assert_eq!(at("https://ferry.lab/", 403, &test_page).unwrap().kind, WallKind::Placeholder);
}

#[test]
fn pages_about_servers_and_archives_are_not_placeholders() {
    let files: String =
        (0..40).map(|n| format!("<a href='ferry-{n}.tar.gz'>ferry-{n}.tar.gz</a>\n")).collect();
    for body in [
        page("Index of /", &format!("<h1>Index of /</h1><pre>{files}</pre>")),
        page(
            "Welcome to nginx! A guide for beginners in twelve chapters",
            &format!("<p>{STORY}</p>"),
        ),
        page(
            "How to replace the default page",
            &format!("<h1>Replace the default page</h1><p>{STORY}{STORY}</p>"),
        ),
        page(
            "It works! Physiotherapy on the quay",
            "<h1>It works! Physiotherapy</h1><p>Backs, knees and shoulders. By appointment.</p>",
        ),
    ] {
        assert_none(&body);
    }
}

#[test]
fn empty_responses_are_recognised_and_frames_are_not_empty() {
    for (status, body) in [
        (200, ""),
        (200, " \n"),
        (204, ""),
        (202, ""),
        (200, "<html><head><title>Ferry</title></head><body></body></html>"),
        (200, "<p>&nbsp;</p>"),
        (200, "<!doctype html><body><!-- nothing --><div></div></body>"),
    ] {
        let found = at("https://ferry.lab/", status, body).unwrap_or_else(|| panic!("{body}"));
        assert_eq!((found.kind, found.certain), (WallKind::Empty, true), "{status} {body}");
    }
    for body in [
        "<body><img src=poster.jpg></body>",
        "<frameset><frame src=/main.html></frameset>",
        "<body><iframe src=/main.html></iframe></body>",
        "<div id=app></div><script src=/a.js></script><link rel=stylesheet href=/a.css>",
        "<noscript>Ferry times: seven and nine.</noscript>",
        "<meta http-equiv=refresh content='0; url=/en/'>",
        "<svg><text>Ferry</text></svg>",
    ] {
        assert_none(body);
    }
    assert_eq!(at("https://ferry.lab/", 404, ""), None);
}
