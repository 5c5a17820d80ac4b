//! Towns that stand alone, so that an address in one of them is in no suburb of it.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::tokens::{comparable, plain_word};

/// The names of a town are separated by `|`, the towns by `;`.
pub(super) const TOWNS: &str = "\
    reus; franklin; sondrio; murfreesboro; frome; taunton; yeovil; ludlow; shrewsbury; hereford; worcester; \
    lincoln; durham; lancaster; kendal; keswick; whitby; scarborough; salisbury; stafford; telford; mansfield; \
    stirling|sruighlea; falkirk; dumfries; hastings; eastbourne; maidstone; guildford; woking; \
    flensburg; husum; stade; lüneburg; celle; hameln; hildesheim; wolfsburg; salzgitter; goslar; siegen; \
    marburg; fulda; gießen; wetzlar; hanau; worms; speyer; landau; pirmasens; kaiserslautern; reutlingen; \
    tübingen; ravensburg; lindau; kempten; memmingen; landshut; deggendorf; straubing; weiden; amberg; ansbach; \
    schweinfurt; coburg; plauen; zwickau; chemnitz; jena; gera; weimar; eisenach; gotha; dessau; \
    wittenberg; stralsund; greifswald; schwerin; wismar; neubrandenburg; cottbus; \
    béziers; narbonne; carcassonne; albi; montauban; agen; tarbes; périgueux; angoulême; niort; \
    cholet; laval; saint malo|st malo; lorient; saint brieuc|st brieuc; cherbourg; annecy; \
    chambéry; bourg en bresse; mâcon; chalon sur saône; auxerre; troyes; épinal; belfort; besançon; vesoul; \
    calais; boulogne sur mer; arras; douai; valenciennes; cambrai; beauvais; évreux; chartres; \
    orléans; blois; bourges; nevers; vichy; clermont ferrand|clermont fd; aurillac; rodez; cahors; cannes; antibes; \
    albacete; cuenca; segovia; ávila; soria; palencia; zamora; lugo; pontevedra; \
    ferrol; avilés; torrelavega; huesca; teruel; lorca; linares; úbeda; algeciras; marbella; \
    ponferrada; plasencia; \
    varese; lecco; asti; alessandria; cuneo; biella; savona; imperia; la spezia; pistoia; \
    arezzo; grosseto; viterbo; rieti; terni; teramo; chieti; campobasso; benevento; avellino; \
    salerno; caserta; foggia; taranto; brindisi; matera; potenza; cosenza; catanzaro; crotone; trapani; \
    agrigento; caltanissetta; sassari; nuoro; oristano; rovigo; treviso; belluno; pordenone; gorizia; \
    piacenza; forlì; cesena; pesaro; macerata; \
    zaandam; hilversum; deventer; hengelo; emmen; assen; venlo; roermond; sittard; heerlen; helmond; \
    gouda; hoorn; lelystad; middelburg; zutphen; doetinchem; veenendaal; sneek|snits; drachten; \
    corvallis; bellingham; yakima; bozeman; billings; cheyenne; fargo; \
    bismarck; sioux falls; rapid city; cedar rapids; topeka; fayetteville; \
    tuscaloosa; huntsville; pensacola; tallahassee; gainesville; greensboro; \
    roanoke; harrisburg; scranton; utica; binghamton; oneonta; ithaca; new haven; \
    nashua; fort wayne; south bend; evansville; green bay; oshkosh; \
    waco; lubbock; amarillo; laredo; corpus christi; galveston";

static NAMES: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let first = |names: &str| names.split('|').next().unwrap_or_default().trim().to_owned();
    TOWNS.split(';').map(|names| comparable(&plain_word(&first(names)))).collect()
});

/// Whether a city is one of them, by the first of its names in the form in which words are compared.
pub(super) fn is_small_town(city: &str) -> bool {
    NAMES.contains(&comparable(&plain_word(city)))
}
