//! Streets that many towns renamed: after people who are honoured today, or away from those who are not any more.
//! Such a street and another one with the same house number may be the old and the new name of one street.

use super::tokens::{comparable, plain_word};
use super::words::Word;

/// Beginnings of the words of such names. The words of a name are separated by spaces, names by `;`.
fn names(region: Option<&str>) -> &'static str {
    match region {
        Some("US") => {
            "martin luther king; mlk; cesar chavez; rosa parks; malcolm x; obama; harvey milk; john lewis; \
             jefferson davis; robert lee; stonewall jackson; bedford forrest; beauregard; confederate; dixie; \
             columbus day; trump"
        }
        Some("CA") => {
            "dundas; amherst; atateken; ryerson; langevin; trutch; musqueamview; cornwallis; macdonald cartier"
        }
        Some("GB" | "IE") => "colston; havelock; guru nanak; black boy; rhodes; sackville",
        Some("DE") => {
            "mohren; anton amo; lüderitz; petersallee; wissmann; nachtigal; gröben; may ayim; rudi dutschke; \
             lettow vorbeck; manga bell; mungunda; audre lorde; maji maji; cornelius fredericks; lameck; \
             hindenburg; adolf hitler; treitschke; langemarck; agnes miegel; carl diem; lenin; stalin; \
             thälmann; wilhelm pieck; grotewohl; dimitroff; clara zetkin; karl marx; friedrich engels"
        }
        Some("AT") => "lueger; universitätsring; hitler; kernstock; ottokar",
        Some("FR") => {
            "pétain; alexis carrel; samuel paty; arnaud beltrame; simone veil; mandela; chirac; hallyday; \
             bugeaud; hubert germain; thiers"
        }
        Some("BE") => "leopold ii; lumumba; annie cordy",
        Some("ES") => {
            "yagüe; generalísimo; general franco; francisco franco; caudillo; josé antonio; general mola; \
             millán astray; general varela; moscardó; sanjurjo; queipo; carrero blanco; división azul; caídos; \
             julio; calvo sotelo; primo rivera; ledesma; muñoz grandes; garcía morato; onésimo redondo; \
             ruiz alda; fanjul; general aranda; orgaz; general dávila; kirkpatrick; saliquet; \
             crucero baleares; noblejas; memoria histórica"
        }
        Some("PT") => "salazar; abril; marechal carmona",
        Some("BR") => {
            "castelo branco; costa silva; médici; geisel; figueiredo; marighella; marielle; goulart; \
             sérgio fleury"
        }
        Some("PL") => {
            "armii ludowej; armii czerwonej; gwardii ludowej; dąbrowszczak; bieruta; świerczewski; marchlewski; \
             dzierżyński; nowotki; sawickiej; fornalskiej; lipca; lenina; stalina; rewolucji; manifestu; \
             kasprzaka; kaczyński; wyklętych; siedzik; walentynowicz; prl; zwm"
        }
        Some("CZ" | "SK") => {
            "lenin; stalin; gottwald; rudé armády; koněv; hartig; ukrajinských hrdinů; borise němcova; \
             politkovské; fučík; červenej armády; zápotock"
        }
        Some("HU") => {
            "lenin; marx; népköztársaság; felszabadulás; moszkva; széll kálmán; roosevelt; köztársaság; \
             münnich; ságvári; vörös hadsereg; jános pál"
        }
        Some("RO" | "MD") => "lenin; stalin; gheorghiu dej; armata roșie; moscova",
        Some("BG") => "lenin; stalin; dimitrov; tolbukhin; червена армия",
        Some("UA") => {
            "пушкін; пушкин; толст; лермонтов; чехов; тургенєв; достоєв; горького; маяков; москов; ленінград; \
             петроград; кутузов; суворов; жуков; чкалов; гагарін; ленін; ленин; кіров; дзержин; фрунзе; чапаєв; \
             котовськ; щорс; артема; комсомол; піонер; жовтн; радян; червон; маркса; енгельс; куйбиш; \
             ватутін; терешков; мічурін; матросов; космодем; дружби; перемоги; повітрофлот; ломоносов; \
             чайков; баграт; нахімов; ушаков; воровськ; орджонік; калінін; ворошилов; будьон; свердлов; \
             крупськ; толбух; булгаков; некрасов; бєлінськ; добролюбов; герцен; островськ; єсенін; урал; \
             сибір; тульськ; рязан; бандер; шухевич; небесно; героїв; захисник; петлюр; лобановськ; чорновол; \
             pushkin; tolst; moskov; lenin; hohol; gogol; hlink; glink"
        }
        Some("RU" | "BY" | "KZ") => {
            "ленин; сталин; киров; дзержин; калинин; свердлов; горького; маркса; энгельс; комсомол; \
             октябр; советск; назарбаев; коммунист"
        }
        Some("IN") => {
            "aurangzeb; kalam; race course; lok kalyan; dalhousie; shikoh; rajpath; kartavya; curzon; \
             kasturba; mount road; anna salai; camac; abanindranath; lansdowne; sarat bose; mother teresa; \
             chowringhee; jawaharlal nehru; harrison; pedder; gopalrao deshmukh; nepean; jagmohandas; \
             marine drive; netaji; poonamallee; periyar; elliots; radhakrishnan"
        }
        Some("ZA") => {
            "helen joseph; bopape; mandela; pixley; lembede; francis baard; madiba; sehume; biko; beyers naude; \
             sisulu; tambo; luthuli; chris hani; nyembe; nzama; mahlangu; bruyn; ngoyi; nana sita; verwoerd; \
             voortrekker; william nicol; malan; mahatma gandhi"
        }
        Some("TR") => "temmuz; kenan evren",
        _ => "",
    }
}

/// Whether one of two streets has a name that many towns gave or took away.
pub(super) fn may_be_renamed(one: &[Word], other: &[Word], region: Option<&str>) -> bool {
    let is_such = |street: &[Word]| {
        names(region).split(';').any(|name| {
            let mut parts = name.split_whitespace().map(|part| comparable(&plain_word(part)));
            parts.all(|part| {
                // A short beginning would be that of other names too.
                street.iter().any(|word| match part.len() {
                    ..=4 => word.text == part,
                    _ => word.text.starts_with(part.as_str()),
                })
            }) && !name.trim().is_empty()
        })
    };
    is_such(one) || is_such(other)
}
