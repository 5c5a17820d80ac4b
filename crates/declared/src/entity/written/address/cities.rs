//! Cities with all names that addresses give them: in other languages and scripts, old and short ones. There
//! is no list of all places here: these are the cities whose names differ, and large ones, of which two
//! cannot be the same place.

use super::small_towns;

/// The names of a city are separated by `|`, the cities by `;`.
const CITIES: &str = "\
    quimper|kemper; ajaccio|aiacciu; leeuwarden|ljouwert; vannes|gwened; \
    london|londres|londra|londen|londyn|londýn|lontoo|лондон|倫敦|伦敦|ロンドン; edinburgh|dùn èideann; \
    cardiff|caerdydd; swansea|abertawe; newport|casnewydd; wrexham|wrecsam; belfast|béal feirste; \
    dublin|baile átha cliath; cork|corcaigh; galway|gaillimh; limerick|luimneach; \
    münchen|munich|monaco di baviera|muenchen|monachium|múnich|mnichov|мюнхен; \
    köln|cologne|koeln|keulen|colonia|colônia|kolín nad rýnem|kolonia; \
    nürnberg|nuremberg|nuernberg; hannover|hanover; braunschweig|brunswick; \
    aachen|aix la chapelle|aken; \
    frankfurt|frankfurt am main|francfort|frankfurt a m|frankfurt main|ffm|fráncfort|francoforte; \
    berlin|berlino|berlín|berlim|berliini|берлин|柏林; hamburg|hambourg|hamburgo|amburgo|hampuri; \
    dresden|dresde|drezno; düsseldorf|duesseldorf|d'dorf; \
    wien|vienna|vienne|wenen|wiedeň|viena|vídeň|bécs|viyana|вена|维也纳|ウィーン; graz; \
    salzburg|salisburgo; zürich|zurich|zurigo|zuerich|zurych|curych|цюрих|苏黎世; \
    genève|geneva|genf|ginevra|geneve|ginebra|genewa|женева|日内瓦; bern|berne|berna; \
    basel|bâle|basle|basilea|bazylea|basileia; luzern|lucerne|lucerna; lausanne|losanna; lugano; \
    neuchâtel|neuenburg; fribourg|freiburg im üechtland; biel|bienne; \
    paris|parigi|parijs|paříž|paryż|pariisi|париж|巴黎|パリ|parís; lyon|lyons|lione|lión|lyón; \
    marseille|marseilles|marsiglia|marsella|marselha; nice|nizza|niza; \
    strasbourg|straßburg|strasburgo|estrasburgo|štrasburk; lille|rijsel; toulouse|tolosa; \
    bordeaux|burdeos; dunkerque|dunkirk; \
    bruxelles|brussels|brussel|brüssel|bruselas|bruxelas|bruksela|brusel|bryssel|брюссель; \
    antwerpen|antwerp|anvers|amberes|antuérpia|antwerpia|antverpy; gent|ghent|gand; \
    brugge|bruges|brujas|brügge; leuven|louvain; liège|luik|lüttich|lieja|liegi; namur|namen; \
    mons|bergen; mechelen|malines; kortrijk|courtrai; ieper|ypres; tournai|doornik; \
    oostende|ostend|ostende; \
    den haag|the hague|'s gravenhage|s gravenhage|la haye|la haya|haag|haga; \
    den bosch|'s hertogenbosch|s hertogenbosch; amsterdam|a'dam; luxembourg ville|luxembourg city|luxemburg stadt; rotterdam|r'dam; vlissingen|flushing; \
    roma|rome|rom|řím|rzym|rooma|рим|罗马; \
    milano|milan|mailand|milán|milão|mediolan|milaan|милан|米兰|ミラノ; torino|turin|turín|turim|turyn; \
    firenze|florence|florenz|florencia|florença|florencja|florencie|флоренция; \
    venezia|venice|venedig|venise|venecia|veneza|wenecja|benátky|венеция; \
    napoli|naples|neapel|nápoles|neapol|неаполь; genova|genoa|genua|gênes|génova; \
    padova|padua|padoue; mantova|mantua; siracusa|syracuse; bolzano|bozen; merano|meran; \
    trento|trient; trieste|triest; livorno|leghorn; bologna|bolonia|bolonha|bologne; palermo; \
    verona; bari; sevilla|seville|sevilha|séville|siviglia|sewilla; \
    zaragoza|saragossa|saragosse|saragozza; córdoba|cordova; valencia|valència|valence espagne; \
    alicante|alacant; bilbao|bilbo; san sebastián|donostia; vitoria|gasteiz|vitoria gasteiz; \
    pamplona|iruña; la coruña|a coruña|coruna|corunna; girona|gerona; lleida|lérida; \
    palma|palma de mallorca|palma de majorque; madrid|madryt|мадрид|马德里; \
    barcelona|barcelone|barcellona|барселона|巴塞罗那; \
    lisboa|lisbon|lissabon|lisbonne|lisbona|lizbona|лиссабон|里斯本; porto|oporto; coimbra; \
    göteborg|gothenburg|goeteborg; malmö|malmoe; stockholm|estocolmo|sztokholm|tukholma|стокгольм; \
    københavn|copenhagen|kbh|kopenhagen|kobenhavn|köpenhamn|copenhague|copenaghen|copenhaga|kopenhaga|kööpenhamina|kodaň|копенгаген; \
    århus|aarhus; aalborg|ålborg; helsingør|elsinore; oslo|осло; trondheim|trondhjem; \
    helsinki|helsingfors|hki|helsinky|хельсинки; turku|åbo; tampere|tammerfors; espoo|esbo; \
    vantaa|vanda; oulu|uleåborg; vaasa|vasa; porvoo|borgå; \
    warszawa|warszawie|warsaw|warschau|varsovie|varsovia|varšava|varsó|варшава|varsavia; \
    kraków|krakowie|cracow|krakau|cracovia|krakov|cracovie; wrocław|wrocławiu|breslau|vratislav; gdańsk|gdańsku|danzig|gdaňsk; \
    poznań|poznaniu|posen; łódź|łodzi|lodz; szczecin|stettin; katowice|kattowitz; \
    praha|praze|prague|prag|praga|praag|прага|布拉格|プラハ; brno|brně|brünn|brin; plzeň|pilsen; \
    karlovy vary|karlsbad; ostrava|ostrau; olomouc|olmütz; bratislava|pressburg|pozsony|presporok; \
    budapest|budapeszt|budapešť|budapeste|будапешт; \
    bucurești|bucharest|bukarest|bucarest|bucareste|bukareszt; \
    beograd|belgrade|belgrad|београд|bělehrad|белград; zagreb|agram|záhřeb; ljubljana|laibach; \
    αθήνα|athens|athina|athen|atenas|athènes|atene|ateny|афины; \
    θεσσαλονίκη|thessaloniki|salonica|thessalonique|salonika|saloniki|tessalonica; \
    πειραιάς|piraeus|pireas; i̇stanbul|istanbul|estambul|стамбул|constantinople; \
    i̇zmir|izmir|smyrna|smyrne; ankara; москва|moscow|moskau|moskva|moscou|moscú|mosca|莫斯科|モスクワ; \
    санкт петербург|saint petersburg|st petersburg|sankt petersburg|st. petersburg|petersburg|st petersbourg; \
    київ|kyiv|kiev|киев|kijów|kyjev; львів|lviv|lwów|lemberg; одеса|odesa|odessa|одесса; \
    харків|kharkiv|kharkov|харьков; montréal|montreal|монреаль; \
    québec city|quebec city|ville de québec|québec; são paulo|sao paulo|san pablo; \
    brasília|brasilia; rio de janeiro|rio; \
    ciudad de méxico|mexico city|cdmx|méxico df|mexico df|méxico d f|mexico d f; \
    東京|tokyo|tōkyō|东京|tokio|токио; 大阪|osaka|ōsaka|大坂; 京都|kyoto|kyōto; 名古屋|nagoya; 横浜|yokohama; \
    札幌|sapporo; 福岡|fukuoka; 神戸|kobe|kōbe; 北京|beijing|peking|pekin|pékin|pekín|pechino|пекин; \
    上海|shanghai|shanghái|шанхай; 广州|廣州|guangzhou|canton; 深圳|shenzhen; \
    서울|seoul|서울특별시|首尔|ソウル|séoul|seúl; 부산|busan|pusan|부산광역시; bengaluru|bangalore|ಬೆಂಗಳೂರು; \
    mumbai|bombay|मुंबई; chennai|madras|சென்னை; kolkata|calcutta|কলকাতা; pune|poona; kochi|cochin; \
    thiruvananthapuram|trivandrum; mysuru|mysore; mangaluru|mangalore; puducherry|pondicherry; \
    vadodara|baroda; gurugram|gurgaon; prayagraj|allahabad; varanasi|benares|banaras; \
    visakhapatnam|vizag; kozhikode|calicut; thrissur|trichur; hubballi|hubli; \
    new york|new york city|nyc|nueva york|nova york|nova iorque|нью йорк|纽约; los angeles|la|洛杉矶; \
    san francisco|sf; saint louis|st louis; saint paul|st paul; fort worth|ft worth; \
    fort lauderdale|ft lauderdale; philadelphia|philly; تهران|tehran|teheran|téhéran; \
    القاهرة|cairo|kairo|il cairo|el cairo|le caire; دبي|dubai; أبو ظبي|abu dhabi; \
    תל אביב|tel aviv|tel aviv yafo|tel aviv jaffa|תל אביב יפו; \
    ירושלים|jerusalem|jérusalem|jerusalén|al quds|القدس; haifa|חיפה; \
    ho chi minh city|saigon|hcmc|hồ chí minh|thành phố hồ chí minh|tp hồ chí minh|tp hcm|tphcm|sài gòn; \
    yangon|rangoon; auckland|tāmaki makaurau; wellington|te whanganui a tara; manchester; \
    birmingham|b'ham; leeds; glasgow; sydney; melbourne; brisbane; perth; adelaide; toronto; vancouver; \
    ottawa; chicago; boston; seattle; dallas; houston; denver; miami; atlanta; \
    frankfurt oder|frankfurt an der oder|frankfurt a d oder; stuttgart|stoccarda|estugarda; \
    leipzig|lipsia|lipsko|lipsk; dortmund; essen; bremen|brême|brema; duisburg|duisbourg; bochum; \
    wuppertal; bielefeld; bonn; münster; mannheim; karlsruhe; augsburg|augusta; wiesbaden; \
    mönchengladbach; gelsenkirchen; kiel; magdeburg; freiburg|freiburg im breisgau|freiburg i br; \
    lübeck; mainz|mayence|magonza; erfurt; rostock; kassel; saarbrücken|sarrebruck; potsdam; \
    heidelberg; darmstadt; regensburg|ratisbon|ratisbonne|ratisbona; würzburg; ulm; ingolstadt; \
    heilbronn; trier|trèves|treviri; koblenz|coblence; konstanz|constance; bautzen|budyšin; \
    görlitz|zgorzelec; linz; innsbruck; klagenfurt; winterthur; \
    sankt gallen|st gallen|saint gall|san gallo; chur|coire|coira; sion|sitten; solothurn|soleure; \
    nantes|naoned; montpellier; rennes|roazhon; reims|rheims; grenoble; dijon; angers; nîmes; \
    le havre; toulon; brest; metz; nancy; rouen; mulhouse|mülhausen; perpignan|perpinyà; \
    bayonne|baiona; colmar|kolmar; hasselt; charleroi; aalst|alost; roeselare|roulers; utrecht; \
    eindhoven; groningen; tilburg; almere; breda; nijmegen|nimwegen|nimègue; arnhem|arnheim; \
    enschede; haarlem; leiden|leyden; maastricht; amersfoort; zwolle; delft; brixen|bressanone; \
    bruneck|brunico; perugia; parma|parme; modena; brescia; bergamo; catania; messina; cagliari; \
    pisa|pise; lucca; siena|sienne; rimini; ravenna|ravenne; ferrara; vicenza; udine; como; \
    aosta|aoste; málaga|malaga; murcia; granada; las palmas|las palmas de gran canaria; valladolid; \
    vigo; gijón|xixón; oviedo|uviéu; santander; salamanca; burgos; almería; cádiz|cadiz; tarragona; \
    castellón|castelló|castellón de la plana; elche|elx; orense|ourense; braga; faro; funchal; \
    uppsala|upsala; linköping; örebro; västerås; helsingborg|hälsingborg; norrköping; umeå; lund; \
    odense; esbjerg; bergen norge|bjørgvin; stavanger; tromsø; drammen; jyväskylä; lahti|lahtis; \
    kuopio; reykjavík|reykjavik; tallinn|reval; tartu|dorpat; rīga|riga; vilnius|wilno|wilna; \
    kaunas|kowno; gdynia|gdingen; lublin; białystok; bydgoszcz|bromberg; toruń|thorn; rzeszów; \
    opole|oppeln; gliwice|gleiwitz; olsztyn|allenstein; české budějovice|budweis; \
    liberec|reichenberg; košice|kaschau|kassa; debrecen|debreczin; szeged|szegedin; \
    pécs|fünfkirchen; győr|raab; cluj napoca|cluj|klausenburg|kolozsvár; \
    timișoara|temeswar|temesvár; brașov|kronstadt; sibiu|hermannstadt; iași|jassy; \
    constanța|konstanza; sofia|софия|sofija; plovdiv|пловдив; varna|варна; novi sad|нови сад; \
    split|spalato; rijeka|fiume; dubrovnik|ragusa; sarajevo|сарајево; skopje|скопје; tirana|tiranë; \
    πάτρα|patras|patra; ηράκλειο|heraklion|iraklio; λευκωσία|nicosia|nikosia; valletta|la valletta; \
    antalya; bursa; adana; новосибирск|novosibirsk; екатеринбург|yekaterinburg|ekaterinburg; \
    казань|kazan; нижний новгород|nizhny novgorod; дніпро|dnipro|dnepr; мінск|минск|minsk; \
    tbilisi|თბილისი|tiflis; yerevan|երևան|erevan; baku|bakı; calgary; edmonton; winnipeg; halifax; \
    salvador; fortaleza; belo horizonte; curitiba; recife; porto alegre; manaus; belém; goiânia; \
    florianópolis; guadalajara; monterrey; puebla; tijuana; \
    buenos aires|caba|ciudad autónoma de buenos aires; rosario; mendoza; bogotá|bogota; medellín; \
    cali; lima; santiago|santiago de chile; montevideo; caracas; quito; guayaquil; \
    la habana|havana|la havane; 仙台|sendai; 広島|hiroshima; 北九州|kitakyushu; 川崎|kawasaki; 埼玉|saitama; \
    那覇|naha; 金沢|kanazawa; 熊本|kumamoto; 天津|tianjin; 重庆|重慶|chongqing|chungking; 成都|chengdu; \
    杭州|hangzhou; 南京|nanjing|nanking; 武汉|武漢|wuhan; 西安|xi'an|xian; 苏州|蘇州|suzhou; \
    青岛|青島|qingdao|tsingtao; 大连|大連|dalian; 厦门|廈門|xiamen|amoy; 宁波|寧波|ningbo; 长沙|長沙|changsha; \
    沈阳|瀋陽|shenyang; 臺北|台北|taipei|taibei; 高雄|kaohsiung; 臺中|台中|taichung; 臺南|台南|tainan; \
    澳門|澳门|macau|macao; 인천|incheon|인천광역시; 대구|daegu|taegu|대구광역시; 대전|daejeon|taejon|대전광역시; \
    광주|gwangju|kwangju|광주광역시; 울산|ulsan|울산광역시; 제주|jeju|cheju|제주시; delhi|new delhi|नई दिल्ली|दिल्ली; \
    hyderabad; ahmedabad|amdavad; jaipur; lucknow; kanpur|cawnpore; nagpur; surat; indore; \
    coimbatore|kovai; madurai; tiruchirappalli|trichy; vijayawada|bezawada; belagavi|belgaum; \
    kalaburagi|gulbarga; shivamogga|shimoga; tumakuru|tumkur; alappuzha|alleppey; kollam|quilon; \
    kannur|cannanore; shimla|simla; panaji|panjim; guwahati|gauhati; \
    aurangabad|chhatrapati sambhajinagar; dhaka|dacca|ঢাকা; karachi|کراچی; lahore|لاہور; \
    kathmandu|काठमाडौँ; colombo; bangkok|krung thep|กรุงเทพ|กรุงเทพมหานคร; \
    chiang mai|chiangmai|เชียงใหม่; hà nội|hanoi; đà nẵng|da nang; phnom penh|พนมเปญ; \
    kuala lumpur|kl; george town|penang; jakarta|djakarta; surabaya; bandung; manila|maynila; \
    quezon city; cebu city|cebu; washington dc|washington d c; phoenix; san antonio; san diego; \
    san jose; austin; jacksonville; columbus; charlotte; indianapolis; nashville; detroit; \
    oklahoma city|okc; las vegas; memphis; louisville; baltimore; milwaukee; albuquerque; tucson; \
    fresno; sacramento; kansas city; omaha; raleigh; minneapolis|mpls; new orleans|nola; tampa; \
    cleveland; honolulu; pittsburgh; cincinnati; orlando; buffalo; boise; salt lake city|slc; \
    spokane; tulsa; wichita; anchorage; des moines; bristol; sheffield; liverpool; nottingham; \
    leicester; coventry; newcastle upon tyne|newcastle; southampton; portsmouth; \
    brighton|brighton and hove; plymouth; aberdeen|obar dheathain; dundee|dùn dè; \
    inverness|inbhir nis; derry|londonderry|doire; cambridge; oxford; norwich; exeter; york; \
    hull|kingston upon hull; bangor gwynedd; aberystwyth; llandudno; waterford|port láirge; \
    kilkenny|cill chainnigh; sligo|sligeach; dundalk|dún dealgan; tralee|trá lí; \
    christchurch|ōtautahi; dunedin|ōtepoti; hamilton|kirikiriroa; tauranga; canberra; \
    hobart|nipaluna; darwin; gold coast; newcastle nsw; cape town|kaapstad|ikapa|le cap; \
    johannesburg|joburg|egoli; pretoria|tshwane; durban|ethekwini; gqeberha|port elizabeth; \
    bloemfontein|mangaung; الإسكندرية|alexandria|alexandrie; الرياض|riyadh|riad; \
    جدة|jeddah|jiddah|djeddah; مكة|mecca|makkah; بيروت|beirut|beyrouth; دمشق|damascus|damas; \
    عمان|amman; بغداد|baghdad|bagdad; الدوحة|doha; الكويت|kuwait city; الدار البيضاء|casablanca; \
    الرباط|rabat; مراكش|marrakech|marrakesh|marrakesch; طنجة|tangier|tanger|tangeri; تونس|tunis; \
    الجزائر|algiers|alger|algier; الشارقة|sharjah; באר שבע|beersheba|be'er sheva|beer sheva; \
    nairobi; lagos; accra; addis ababa|addis abeba; kampala; dakar; abidjan; luanda; \
    maputo|lourenço marques; harare; victoria; kelowna; saskatoon; regina; windsor; \
    boulder; colorado springs; fort collins; eugene; tacoma; ann arbor; grand rapids; dayton; akron; \
    little rock; baton rouge; chattanooga; knoxville; savannah; charleston; lexington; madison; \
    rochester; providence; reno; bakersfield; el paso; virginia beach; santa fe; asheville; \
    burlington; duluth; missoula; \
    bath; chester; cheltenham; bournemouth; swindon; milton keynes; northampton; peterborough; \
    ipswich; colchester; canterbury; sunderland; middlesbrough; bradford; wolverhampton; \
    stoke on trent; derby; blackpool; winchester; luton; harrogate; truro; carlisle; \
    geelong; ballarat; bendigo; townsville; cairns; wollongong; launceston; toowoomba; \
    ludwigshafen; osnabrück; oldenburg; hagen; göttingen; paderborn; bamberg; bayreuth; passau; \
    limoges; amiens; tours; le mans; caen; avignon; poitiers; la rochelle; \
    pescara; lecce; ancona; novara; cremona; pavia; badajoz; huelva; logroño; jaén; toledo; \
    kielce; radom; częstochowa; dordrecht; apeldoorn; den helder; alkmaar";

/// The names of each city.
pub(super) fn cities() -> impl Iterator<Item = &'static str> {
    CITIES.split(';').chain(small_towns::TOWNS.split(';')).map(str::trim)
}
