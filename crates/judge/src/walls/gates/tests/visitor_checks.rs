//! Region, age and consent gates.

use super::{STORY, WallKind, assert_gate, assert_none, at, page};

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
