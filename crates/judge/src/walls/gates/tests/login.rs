//! Login pages.

use super::{STORY, WallKind, assert_gate, assert_none, at, login_form, page};

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
