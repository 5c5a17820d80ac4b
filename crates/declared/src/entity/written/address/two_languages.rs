//! Words of names in regions with two languages: `Carrer de la Pau` and `Calle de la Paz`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::tokens::{Token, comparable, plain_word};

/// Words that mean the same, by the regions in which both are written.
const GROUPS: [(&str, &str); 6] = [
    (
        "ES AD",
        "pau paz; sant san; santa santa; miquel miguel; provença provenza; catalunya cataluña; consell consejo; \
         cent ciento; joan juan; jordi jorge; josep jose; pere pedro; jaume jaime; lluis luis; carles carlos; \
         enric enrique; francesc francisco; antoni antonio; anna ana; nou nuevo; nova nueva; vell viejo; \
         vella vieja; major mayor; esglesia iglesia; ajuntament ayuntamiento; arago aragon; girona gerona; \
         lleida lerida; diputacio diputacion; universitat universidad; rei rey; reis reyes; creu cruz; \
         font fuente; pont puente; castell castillo; verge virgen; cavallers caballeros; moli molino; \
         colom colon; constitucio constitucion; llibertat libertad; comte conde; duc duque; bisbe obispo; \
         rossello rosellon; corsega corcega; napols napoles; sardenya cerdeña; casp caspe; bruc bruch; \
         porta puerta; mercat mercado; estacio estacion; platja playa; valles valles; tarragona tarragona; \
         marques marques; angel angel; angels angeles; vicent vicente; ferran fernando; felip felipe; \
         andreu andres; marti martin; nicolau nicolas; pau pablo; agusti agustin; bartomeu bartolome; \
         llorenç lorenzo; esteve esteban; gabriel gabriel; rafel rafael; jeroni jeronimo; domenec domingo; \
         barques barcas; germanies germanias; russafa ruzafa; xativa jativa; alacant alicante; \
         corts cortes; drets derechos; mestre maestro; escola escuela; hospital hospital; carme carmen; \
         roser rosario; trinitat trinidad; concepcio concepcion; assumpcio asuncion; mare madre; deu dios; \
         jardi jardin; forn horno; pintor pintor; olivera olivo; rosa rosa; llevant levante; ponent poniente; \
         frantzia francia; espainia españa; ingalaterra inglaterra; nagusia mayor; berria nueva; zaharra vieja; geltokia estacion; eliza iglesia; done san; \
         askatasuna libertad; gernika guernica; bizkaia vizcaya; gipuzkoa guipuzcoa; araba alava; \
         nafarroa navarra; bilbo bilbao; urkijo urquijo; hurtado hurtado; foru fueros; foruen fueros; \
         kontxa concha; itsas mar; zubia puente; gaztelu castillo; vilanova villanueva; benicassim benicasim; \
         elx elche; sagunt sagunto; xabia javea; maó mahon; eivissa ibiza; vila villa; puig puig; alcoi alcoy; \
         hondarribia fuenterrabia; port puerto; porto puerto; ponte puente; igrexa iglesia; praia playa; vall valle; \
         riu rio; camp campo; ample ancha; muntanya montaña; cami camino; sol sol; lluna luna; hort huerto; \
         xeneral general; xullo julio; maig mayo; setembre septiembre; octubre octubre; bon buen; alt alto; baix bajo; ourense orense; san sanxenxo; progreso progreso; principe principe",
    ),
    (
        "GB IE",
        "frenhines brenhines queen; frenin brenin king; eglwys church; fawr mawr high great main; bont pont bridge; \
         castell castle; farchnad marchnad market; orsaf gorsaf station; newydd new; fair mair mary; parc park; \
         ysgol school; coleg college; felin melin mill; mor sea; mynydd mountain; dewi david; santes sant saint; \
         uchaf upper; isaf lower; gogledd north; deheu south; gorllewin west; dwyrain east; capel chapel; \
         llyn lake; porth gate; bach fach little; hen old; ty house; dwr water; tywysog prince; mhor main; \
         conaill oconnell; chonaill oconnell; phadraig patrick; eaglais church; caislean castle",
    ),
    (
        "FR",
        "corsu cours; napulione napoleon; straed rue; carrughju rue; plasenn place; bali avenue; kaer ville; \
         iliz eglise; porzh port; nevez neuve; bras grande; bihan petite; kemper quimper; aiacciu ajaccio; \
         gwened vannes; roazhon rennes; naoned nantes; karrika rue; baiona bayonne; gass rue",
    ),
    (
        "IT",
        "portici lauben; ospedale hopital spital; museo museum; stazione bahnhof gare; duomo dom; mercato markt \
         marche; parrocchia pfarr; municipio rathaus; chiesa kirch eglise; castello schloss chateau; ponte brucken \
         brucke pont; mulino muhl moulin; argentieri silber; bottai binder; francescani franziskaner; \
         cappuccini kapuziner; isarco eisack; talvera talfer; grano korn; erbe obst; vittoria sieges; \
         liberta freiheits; principe fursten; stretta enge; lunga lange longue; nuova neu neue neuve; \
         vecchia alt alte vieille; scuola schul ecole; posta post poste; fiume fluss; cesare casar; \
         croce kreuz croix; santo sankt saint; san sankt saint",
    ),
    (
        "NL",
        "nieuwestad nijsted nijstêd; nieuwe nij nije; strjitte straat; kerk tsjerke; grote grutte; markt merk; \
         leeuwarden ljouwert; sneek snits; noorder noarder; zuider suder; ooster easter; wester wester; \
         voorstreek foarstreek; kelders kelders",
    ),
    (
        "BE",
        "ixelles elsene elsense; uccle ukkel ukkelse; schaerbeek schaarbeek; forest vorst; auderghem oudergem; \
         laeken laken; saint sint; gilles gillis; wavre waver waverse; louvain leuven leuvense; gand gent gentse; \
         mons bergen bergense; anvers antwerpen antwerpse; louise louiza; liege luik luikse; namur namen naamse; \
         tournai doornik doornikse; bruges brugge brugse; bruxelles brussel brusselse; ninove ninoofse; \
         haecht haacht haachtse; vilvorde vilvoorde vilvoordse; midi zuid; couronne kroon; toison vlies; or gulden",
    ),
];

type Meanings = HashMap<String, Vec<usize>>;

/// The groups that a word is in, by the regions of the list.
static MEANINGS: LazyLock<Vec<(&'static str, Meanings)>> = LazyLock::new(|| {
    let read = |(regions, words): &(&'static str, &'static str)| {
        let mut meanings = Meanings::new();
        for (number, group) in words.split(';').enumerate() {
            for word in group.split_whitespace() {
                meanings.entry(comparable(&plain_word(word))).or_default().push(number);
            }
        }
        (*regions, meanings)
    };
    GROUPS.iter().map(read).collect()
});

/// Whether two words mean the same in the languages of a region.
pub(super) fn mean_same(one: &str, other: &str, region: Option<&str>) -> bool {
    let is_here = |regions: &str| {
        region.is_none_or(|region| regions.split_whitespace().any(|known| known == region))
    };
    MEANINGS.iter().filter(|(regions, _)| is_here(regions)).any(|(_, meanings)| {
        let groups = |word: &str| meanings.get(word).map_or(&[][..], Vec::as_slice);
        groups(one).iter().any(|group| groups(other).contains(group))
    })
}

/// Whether two words of addresses mean the same.
pub(super) fn are_translations(one: &str, other: &str, region: Option<&str>) -> bool {
    one != other && mean_same(one, other, region)
}

/// Whether two streets are named in two languages. The name in that of a region may have no word in common with the
/// other: `Kale Nagusia` and `Gran Vía`.
pub(super) fn are_two_tongues(one: Option<&str>, other: Option<&str>) -> bool {
    const OF_REGIONS: [&str; 8] = ["ca", "eu", "gl", "cy", "ga", "br", "co", "hsb"];
    match (one, other) {
        (Some(one), Some(other)) => one != other,
        (Some(one), None) | (None, Some(one)) => OF_REGIONS.contains(&one),
        (None, None) => false,
    }
}

/// The language of the word for a street, where one country has several.
pub(super) fn tongue(tokens: &[Token]) -> Option<&'static str> {
    tokens.iter().find_map(|token| {
        Some(match token.text.as_str() {
            "carrer" | "placa" | "passeig" | "avinguda" | "travessera" => "ca",
            "calle" | "plaza" | "paseo" | "avenida" => "es",
            "kalea" | "kale" | "enparantza" | "etorbidea" | "hiribidea" | "pasealekua"
            | "pasealeku" | "ibilbidea" | "bidea" | "zeharkalea" | "kaia" | "errepidea" => "eu",
            "hasa" | "droha" | "namesto" => "hsb",
            "rua" | "praza" => "gl",
            "heol" | "stryd" | "ffordd" | "lon" => "cy",
            "sraid" | "bothar" => "ga",
            "street" | "road" | "lane" => "en",
            "straed" | "plasenn" => "br",
            "corsu" | "carrughju" => "co",
            "rue" | "cours" | "avenue" | "boulevard" | "chaussee" => "fr",
            "laan" | "straat" | "steenweg" | "plein" => "nl",
            _ => return None,
        })
    })
}
