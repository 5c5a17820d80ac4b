//! Small pages that are gates, in many languages, and ordinary pages that resemble them. All texts
//! are our own.

use contract::evidence::{BodyFacts, Failure, FailureKind, FailurePhase, HeaderLine, Response};

use super::*;
use crate::walls::WallDetector;

const STORY: &str = "The ferry leaves the north quay at seven, at nine and at noon, and comes back \
    an hour later each time. A single fare is eight pounds forty for grown-ups and half of that \
    for anyone under sixteen; islanders with a yellow card travel for two pounds. Bicycles go free \
    when there is room on the after deck, but cars cannot be carried at all. ";

fn answer(url: &str, status: u16, body: &str) -> Response {
    Response {
        url: url.into(),
        status,
        http: "2".into(),
        headers: vec![HeaderLine {
            name: "content-type".into(),
            value: "text/html; charset=utf-8".into(),
        }],
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

fn at(url: &str, status: u16, body: &str) -> Option<Wall> {
    WallDetector::built_in().recognise_page(&answer(url, status, body), body.as_bytes(), None)
}

fn page(title: &str, inside: &str) -> String {
    format!("<!doctype html><html><head><title>{title}</title></head><body>{inside}</body></html>")
}

fn assert_gate(kind: WallKind, body: &str) {
    let found = at("https://ferry.lab/", 200, body).unwrap_or_else(|| panic!("not found: {body}"));
    assert_eq!((found.kind, found.certain), (kind, true), "{body}\n{found:?}");
    assert!(found.marks.len() >= 2, "{found:?}");
}

fn assert_none(body: &str) {
    let found = at("https://ferry.lab/", 200, body);
    assert!(!found.as_ref().is_some_and(|wall| wall.certain), "{body}\n{found:?}");
}

fn login_form(user: &str, password: &str, button: &str) -> String {
    format!(
        "<form action=/session method=post><label>{user}</label><input name=u><label>{password}</label>\
         <input type=password name=p><button>{button}</button></form>"
    )
}

#[test]
fn login_pages_are_recognised_in_many_languages() {
    for (title, user, password, button) in [
        ("Members portal – Log in", "User name", "Password", "Log in"),
        ("Anmeldung", "Benutzername", "Kennwort", "Anmelden"),
        ("Espace client", "Identifiant", "Mot de passe", "Se connecter"),
        ("Portal del socio", "Usuario", "Contraseña", "Iniciar sesión"),
        ("Area riservata", "Utente", "Password", "Accedi"),
        ("Portal do aluno", "Utilizador", "Palavra-passe", "Iniciar sessão"),
        ("Mijn omgeving", "Gebruikersnaam", "Wachtwoord", "Inloggen"),
        ("Panel klienta", "Użytkownik", "Hasło", "Zaloguj się"),
        ("Mina sidor", "Användarnamn", "Lösenord", "Logga in"),
        ("Biblioteket", "Lånernummer", "Pinkode", "Log ind"),
        ("Üye Girişi", "Kullanıcı adı", "Şifre", "Giriş yap"),
        ("Личный кабинет", "Логин", "Пароль", "Войти"),
        ("会員ページ", "会員番号", "パスワード", "ログイン"),
        ("学生系统", "学号", "密码", "登录"),
        ("회원 전용", "아이디", "비밀번호", "로그인"),
        ("بوابة الأعضاء", "اسم المستخدم", "كلمة المرور", "تسجيل الدخول"),
    ] {
        let form = login_form(user, password, button);
        assert_gate(WallKind::Login, &page(title, &format!("<h1>{title}</h1>{form}")));
    }
}

#[test]
fn login_pages_come_in_several_shapes() {
    // With a menu, a footer and a cookie banner around the form.
    let around = format!(
        "<header><nav><a href=/>Home</a><a href=/help>Help</a><a href=/sv>Svenska</a></nav></header><main><h1>Sign in</h1>\
         <p>Welcome to the harbour office. Use your berth number.</p>{}<a href=/forgot>Forgot your password?</a></main>\
         <div class=cookie-banner>We use cookies to keep you signed in and to count visits. <button>Accept</button></div>\
         <footer><a href=/imprint>Imprint</a> <a href=/privacy>Privacy</a> Harbour office, North quay 1</footer>",
        login_form("Berth", "Password", "Sign in")
    );
    assert_gate(WallKind::Login, &page("Harbour office", &around));
    // Fields without a form element, as script applications write them.
    assert_gate(
        WallKind::Login,
        &page(
            "Login",
            "<div><input placeholder=Mail><input type='password'><button>Login</button></div>",
        ),
    );
    // An identity provider in place of a password.
    assert_gate(
        WallKind::Login,
        &page(
            "Sign in",
            "<h1>Sign in</h1><a href='https://login.microsoftonline.com/x/oauth2/authorize?a=1'>Continue with your school account</a>",
        ),
    );
    assert_gate(
        WallKind::Login,
        &page(
            "Connexion",
            "<h1>Connexion</h1><p>Choisissez votre établissement.</p><form action=/saml/start><select name=idp><option>A<option>B</select><button>Continuer</button></form>",
        ),
    );
    // The name first, the password on the next page.
    assert_gate(
        WallKind::Login,
        &page(
            "Log in to Quay",
            "<form><label>E-mail</label><input type=email><button>Next</button></form>",
        ),
    );
    // The home page led to a login address that a script fills.
    let shell = page("Log in – Quay", "<div id=root></div><script src=/a.js></script>");
    let found = at("https://quay.lab/login?next=%2F", 200, &shell).unwrap();
    assert_eq!((found.kind, found.certain), (WallKind::Login, true));
    assert!(!at("https://quay.lab/", 200, &shell).is_some_and(|wall| wall.certain));
    // A name and a password in a language that we have no words of.
    assert_gate(
        WallKind::Login,
        &page(
            "Πύλη",
            "<form><label>Όνομα</label><input name=a><label>Κωδικός</label><input type=password><button>Είσοδος</button></form>",
        ),
    );
    // A password alone and no word for it: likely, not certain.
    let silent = page("Quay", "<form><input type=password><input type=image src=go.png></form>");
    let found = at("https://quay.lab/", 200, &silent).unwrap();
    assert_eq!((found.kind, found.certain), (WallKind::Login, false));
}

#[test]
fn pages_with_content_and_a_login_are_not_gates() {
    let form = login_form("User", "Password", "Log in");
    for body in [
        page("Ferry", &format!("<header>{form}</header><main><h1>Ferry</h1><p>{STORY}</p></main>")),
        page(
            "Ferry",
            &format!("<main><h1>Ferry</h1><p>{STORY}{STORY}</p></main><aside>{form}</aside>"),
        ),
        page("Ferry", &format!("<div class=login-modal>{form}</div><h1>Ferry</h1><p>{STORY}</p>")),
        page("Ferry", &format!("<h1>Ferry</h1><p>{STORY}</p><h2>Members: log in</h2>{form}")),
        page(
            "Forum – log in",
            &format!(
                "{form}<ul>{}</ul>",
                "<li><a href=/t/1>A thread about boats</a></li>".repeat(30)
            ),
        ),
        // A small shop with a login in a hidden layer.
        page(
            "Log in or shop",
            &format!(
                "<div style='display: none'>{form}</div><p>Rope, 4 pounds a metre. Cleats and shackles. Open from nine to five on the north quay, every day but Sunday, all year round. We splice while you wait.</p>"
            ),
        ),
        // A newsletter, a search, a contact form.
        page(
            "Ferry",
            "<h1>Ferry</h1><p>Times by post?</p><form><input type=email><button>Subscribe</button></form>",
        ),
        page("Ferry", "<h1>Ferry</h1><form><input type=search><button>Search</button></form>"),
        page(
            "Write to us",
            "<form><input name=name><input type=email><textarea></textarea><button>Send</button></form>",
        ),
        // Only a link to a login.
        page(
            "Quay, an app for berths",
            "<h1>All berths in one list</h1><p>Try it for a month.</p><a href=/login>Log in</a><a href=/join>Sign up</a>",
        ),
        // A router's or club's word in a title without any form.
        page(
            "Log in the river",
            "<p>A log in the river holds the ferry up. The harbour office asks for patience.</p>",
        ),
    ] {
        assert_none(&body);
    }
}

#[test]
fn region_notices_are_recognised_in_many_languages() {
    for words in [
        "Sorry, this website is not available in your country.",
        "Diese Website ist in Ihrem Land nicht verfügbar.",
        "Ce site n'est pas disponible dans votre pays.",
        "Este sitio no está disponible en su país.",
        "Questo sito non è disponibile nel tuo paese.",
        "Este site não está disponível no seu país.",
        "Deze website is niet beschikbaar in uw land.",
        "Ta strona jest niedostępna w Twoim kraju.",
        "Webbplatsen är inte tillgänglig i ditt land.",
        "Siden er ikke tilgængelig i dit land.",
        "Bu site ülkenizde kullanılamıyor.",
        "Этот сайт недоступен в вашей стране.",
        "申し訳ございませんが、お住まいの地域ではご利用いただけません。",
        "抱歉，本网站在您所在的国家或地区无法访问。",
        "죄송합니다. 귀하의 국가에서는 이 사이트를 이용할 수 없습니다.",
        "عذرا، هذا الموقع غير متاح في بلدك.",
    ] {
        assert_gate(
            WallKind::Region,
            &page("Radio Quay", &format!("<h1>Radio Quay</h1><p>{words}</p>")),
        );
    }
    let eu = page(
        "Unavailable",
        "<h1>Not available in the European Union</h1><p>We do not serve readers there for legal reasons.</p>",
    );
    for status in [200, 403, 451] {
        let found = at("https://paper.lab/", status, &eu).unwrap();
        assert_eq!((found.kind, found.certain), (WallKind::Region, true), "{status}");
    }
}

#[test]
fn a_part_that_is_not_available_in_a_country_is_no_gate() {
    for body in [
        page(
            "Rope",
            &format!(
                "<h1>Rope</h1><p>{STORY}</p><p>This product is not available in your country.</p>"
            ),
        ),
        page(
            "Film of the quay",
            "<h1>Film of the quay</h1><video src=a.mp4></video><p>This video is not available in your country.</p>",
        ),
        page(
            "Delivery",
            &format!(
                "<h1>Where we deliver</h1><p>{STORY}{STORY}</p><p>We do not operate in your country?</p>"
            ),
        ),
        page("Ferry", "<h1>Ferry</h1><p>Available in your country and in every other one.</p>"),
    ] {
        assert_none(&body);
    }
}

#[test]
fn age_gates_are_recognised_in_many_languages() {
    for (question, yes, no) in [
        ("Are you over 18?", "Yes", "No"),
        ("You must be of legal drinking age to enter this site.", "Enter", "Exit"),
        ("Sind Sie über 18 Jahre alt?", "Ja", "Nein"),
        ("Avez-vous plus de 18 ans ?", "Oui", "Non"),
        ("¿Eres mayor de edad?", "Sí", "No"),
        ("Sei maggiorenne?", "Sì", "No"),
        ("Tem mais de 18 anos?", "Sim", "Não"),
        ("Ben je 18 jaar of ouder?", "Ja", "Nee"),
        ("Czy masz ukończone 18 lat?", "Tak", "Nie"),
        ("Har du fyllt 20 år?", "Ja", "Nej"),
        ("Er du fyldt 18 år?", "Ja", "Nej"),
        ("18 yaşından büyük müsünüz?", "Evet", "Hayır"),
        ("Вам есть 18 лет?", "Да", "Нет"),
        ("あなたは20歳以上ですか？", "はい", "いいえ"),
        ("您是否已年满18周岁？", "是", "否"),
        ("만 19세 이상입니까?", "예", "아니오"),
        ("هل عمرك 18 سنة أو أكثر؟", "نعم", "لا"),
    ] {
        let body = format!(
            "<h1>Quay Distillery</h1><p>{question}</p><a href=/in>{yes}</a> <a href=/out>{no}</a>"
        );
        assert_gate(WallKind::Age, &page("Quay Distillery", &body));
    }
    assert_gate(
        WallKind::Age,
        &page(
            "Quay Gin",
            "<h1>Please enter your date of birth</h1><form><input name=day><input name=month><input name=year><button>Go</button></form>",
        ),
    );
    assert_gate(
        WallKind::Age,
        &page(
            "Quay Gin",
            "<div class='age-gate'><h2>Age verification</h2><p>You must be 18 or older.</p><button>Enter</button></div>",
        ),
    );
}

#[test]
fn pages_that_mention_an_age_are_not_gates() {
    for body in [
        // The question lies over a page that a program can read.
        page(
            "Quay Gin",
            &format!(
                "<div class='age-gate modal'><p>Are you over 18?</p><button>Yes</button><button>No</button></div><main><h1>Gin</h1><p>{STORY}</p></main>"
            ),
        ),
        page(
            "The Anchor",
            "<h1>The Anchor</h1><p>Adults only after eight. Live music on Fridays. Kitchen open from noon.</p><a href=/menu>Menu</a>",
        ),
        page(
            "Join",
            "<h1>Join the club</h1><p>You must be 18.</p><form><input name=name><input type=email><input type=date name=birth><input type=password><input type=password><button>Continue</button></form>",
        ),
        page(
            "Prize draw",
            &format!(
                "<h1>Prize draw</h1><p>{STORY}</p><p>You must be 18 or older to enter.</p><button>Enter</button>"
            ),
        ),
        page(
            "Book a berth",
            "<h1>Book a berth</h1><form><input type=date name=from><input type=date name=to><button>Continue</button></form>",
        ),
    ] {
        assert_none(&body);
    }
}

#[test]
fn cookie_walls_are_recognised_in_many_languages() {
    for (words, button) in [
        ("We and our partners use cookies and personal data. Accept to continue.", "Accept all"),
        (
            "Wir und unsere Partner verwenden Cookies und personenbezogene Daten. Mit Werbung lesen oder Pur-Abo.",
            "Alle akzeptieren",
        ),
        (
            "Nos partenaires et nous utilisons des cookies et des données personnelles. Pour continuer, faites un choix.",
            "Tout accepter",
        ),
        (
            "Utilizamos cookies y datos personales. Para continuar, elija una opción.",
            "Aceptar todo",
        ),
        ("Usiamo cookie e dati personali. Per continuare scegli.", "Accetta tutto"),
        ("Usamos cookies e dados pessoais. Para continuar, escolha.", "Aceitar tudo"),
        (
            "Wij gebruiken cookies en persoonsgegevens. Om door te gaan moet u kiezen.",
            "Alles accepteren",
        ),
        ("Używamy plików cookie i danych osobowych. Aby kontynuować, wybierz.", "Zgadzam się"),
        ("Vi använder cookies och personuppgifter. För att fortsätta måste du välja.", "Acceptera"),
        ("Vi bruger cookies og personoplysninger. For at fortsætte skal du vælge.", "Accepter"),
        ("Çerezler ve kişisel veriler kullanıyoruz. Devam etmek için seçin.", "Kabul et"),
        (
            "Мы используем файлы cookie и персональные данные. Чтобы продолжить, выберите.",
            "Принять",
        ),
        ("当サイトはクッキーと個人情報を使用します。続行するには選択してください。", "同意する"),
        ("我们使用 cookie 和个人信息。需要您的同意才能继续。", "接受"),
        ("쿠키와 개인정보를 사용합니다. 계속하려면 선택하세요.", "모두 동의"),
        ("نستخدم ملفات تعريف الارتباط والبيانات الشخصية. للمتابعة اختر.", "قبول"),
    ] {
        let body = format!("<h1>Quay Post</h1><p>{words}</p><button>{button}</button>");
        assert_gate(WallKind::Consent, &page("Quay Post", &body));
    }
}

#[test]
fn a_cookie_banner_is_no_wall() {
    let banner = "<div class=cookie-banner><p>We and our partners use cookies and personal data to continue to improve.</p><button>Accept all</button></div>";
    for body in [
        page("Ferry", &format!("{banner}<main><h1>Ferry</h1><p>{STORY}</p></main>")),
        page(
            "Ferry",
            &format!(
                "<main><h1>Ferry</h1><p>Leaves at seven, nine and noon from the north quay. Tickets on board, coins or card. Dogs travel free.</p></main>{banner}"
            ),
        ),
        page(
            "Ferry",
            "<main><h1>Ferry</h1><p>Leaves at seven, nine and noon from the north quay. Tickets on board, coins or card. Dogs travel free.</p></main><div><p>We use cookies and personal data to continue to improve.</p><button>Accept</button></div>",
        ),
        page("Photographs", &format!("{banner}{}", "<img src=a.jpg>".repeat(9))),
        page(
            "Quay Bakery",
            "<h1>Cookies and more cookies</h1><p>Oat, ginger and plain. We bake to order before noon.</p><a href=/order>Order</a>",
        ),
        page(
            "Cookie policy",
            &format!("<h1>Cookies</h1><p>{STORY}{STORY}</p><button>Accept</button>"),
        ),
    ] {
        assert_none(&body);
    }
    // A shortened page with a banner is another text, not a wall, also if the browser gets more.
    let shortened = page(
        "Recipes",
        "<main><h1>Recipes</h1><p>Twelve soups, two breads. <a href=/all>See all of them</a></p></main><div class=cookie-bar>We use cookies. <button>Accept</button></div>",
    );
    assert_eq!(at("https://ferry.lab/", 200, &shortened), None);
    // A script will fill a shell.
    let shell = page(
        "App",
        "<div id=root></div><div class=consent>We use cookies and personal data.<button>Accept</button></div><script src=/a.js></script>",
    );
    assert_none(&shell);
}

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

#[test]
fn other_content_types_and_cut_bodies_are_not_gates() {
    let body = r#"{"message":"coming soon","login":"password"}"#;
    let mut response = answer("https://ferry.lab/", 200, body);
    response.headers[0].value = "application/json".into();
    assert_eq!(recognise_gate(&response, body.as_bytes(), None), None);
    let mut response = answer("https://ferry.lab/", 200, "");
    response.body.cut = Some(Failure {
        kind: FailureKind::Timeout,
        phase: FailurePhase::Body,
        reason: "idle".into(),
        detail: String::new(),
    });
    assert_eq!(recognise_gate(&response, b"", None), None);
}

#[test]
fn content_in_noscript_is_content() {
    let body = page(
        "Coming soon",
        &format!("<h1>Coming soon</h1><noscript><p>{STORY}{STORY}</p></noscript>"),
    );
    assert_none(&body);
}

#[test]
fn a_vendors_mark_comes_first() {
    let body = page(
        "Sign in",
        &format!(
            "{}<iframe src='/_Incapsula_Resource?CWUDNSAI=9&incident_id=1-2'></iframe>",
            login_form("a", "b", "Sign in")
        ),
    );
    let found = at("https://ferry.lab/", 200, &body).unwrap();
    assert_eq!(found.vendor_id.as_deref(), Some("imperva"));
}

proptest::proptest! {
    #[test]
    fn any_soup_of_markup_can_be_looked_at(
        status in proptest::sample::select(vec![200u16, 202, 204, 403, 451, 503]),
        parts in proptest::collection::vec(proptest::sample::select(vec![
            "<form>", "</form>", "<input type=password>", "<title>", "</title>", "log in", "coming soon", "<a href=/x>", "</a>",
            "yes", "no", "are you over 18", "ferry.lab", " is for sale", "<div class=modal", ">", "<", "é", "ログイン", "<h1>", "</h1>",
            "<iframe src=captcha>", "<noscript>", "index of /", " ",
        ]), 0..80),
    ) {
        let body = parts.concat();
        let found = at("https://ferry.lab/", status, &body);
        proptest::prop_assert_eq!(&found, &at("https://ferry.lab/", status, &body));
        proptest::prop_assert!(found.is_none_or(|wall| !wall.marks.is_empty()));
    }
}
