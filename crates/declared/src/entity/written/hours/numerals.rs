//! Hours of a clock in letters.

/// The hours from one on in letters, by language, separated by bars; several writings of one hour are
/// separated by slashes.
pub(super) const HOURS: &[(&str, &str)] = &[
    (
        "en",
        "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|twenty one|twenty two|twenty three|twenty four",
    ),
    (
        "de",
        "eins/ein|zwei/zwo|drei|vier|fünf/fuenf|sechs|sieben|acht|neun|zehn|elf|zwölf/zwoelf|dreizehn|vierzehn|fünfzehn/fuenfzehn|sechzehn|siebzehn|achtzehn|neunzehn|zwanzig|einundzwanzig|zweiundzwanzig|dreiundzwanzig|vierundzwanzig",
    ),
    (
        "fr",
        "une|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize|dix sept|dix huit|dix neuf|vingt|vingt et une/vingt et un|vingt deux|vingt trois|vingt quatre",
    ),
    (
        "es",
        "una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|dieciséis|diecisiete|dieciocho|diecinueve|veinte|veintiuna/veintiún|veintidós|veintitrés|veinticuatro",
    ),
    (
        "it",
        "una|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|tredici|quattordici|quindici|sedici|diciassette|diciotto|diciannove|venti|ventuno|ventidue|ventitré|ventiquattro",
    ),
    (
        "nl",
        "een|twee|drie|vier|vijf|zes|zeven|acht|negen|tien|elf|twaalf|dertien|veertien|vijftien|zestien|zeventien|achttien|negentien|twintig|eenentwintig|tweeëntwintig|drieëntwintig|vierentwintig",
    ),
    (
        "pt",
        "uma|duas|três|quatro|cinco|seis|sete|oito|nove|dez|onze|doze|treze|catorze/quatorze|quinze|dezasseis/dezesseis|dezassete/dezessete|dezoito|dezanove/dezenove|vinte|vinte e uma|vinte e duas|vinte e três|vinte e quatro",
    ),
    (
        "pl",
        "pierwsza/pierwszej/pierwszą|druga/drugiej/drugą|trzecia/trzeciej/trzecią|czwarta/czwartej/czwartą|piąta/piątej/piątą|szósta/szóstej/szóstą|siódma/siódmej/siódmą|ósma/ósmej/ósmą|dziewiąta/dziewiątej/dziewiątą|dziesiąta/dziesiątej/dziesiątą|jedenasta/jedenastej/jedenastą|dwunasta/dwunastej/dwunastą|trzynasta/trzynastej/trzynastą|czternasta/czternastej/czternastą|piętnasta/piętnastej/piętnastą|szesnasta/szesnastej/szesnastą|siedemnasta/siedemnastej/siedemnastą|osiemnasta/osiemnastej/osiemnastą|dziewiętnasta/dziewiętnastej/dziewiętnastą|dwudziesta/dwudziestej/dwudziestą|dwudziesta pierwsza/dwudziestej pierwszej|dwudziesta druga/dwudziestej drugiej|dwudziesta trzecia/dwudziestej trzeciej|dwudziesta czwarta/dwudziestej czwartej",
    ),
    (
        "sv",
        "ett|två|tre|fyra|fem|sex|sju|åtta|nio|tio|elva|tolv|tretton|fjorton|femton|sexton|sjutton|arton|nitton|tjugo|tjugoett|tjugotvå|tjugotre|tjugofyra",
    ),
    (
        "da",
        "et|to|tre|fire|fem|seks|syv|otte|ni|ti|elleve|tolv|tretten|fjorten|femten|seksten|sytten|atten|nitten|tyve|enogtyve|toogtyve|treogtyve|fireogtyve",
    ),
    (
        "no",
        "ett|to|tre|fire|fem|seks|sju/syv|åtte|ni|ti|elleve|tolv|tretten|fjorten|femten|seksten|sytten|atten|nitten|tjue|tjueen|tjueto|tjuetre|tjuefire",
    ),
    (
        "fi",
        "yksi/yhdestä/yhteen|kaksi/kahdesta/kahteen|kolme/kolmesta/kolmeen|neljä/neljästä/neljään|viisi/viidestä/viiteen|kuusi/kuudesta/kuuteen|seitsemän/seitsemästä/seitsemään|kahdeksan/kahdeksasta/kahdeksaan|yhdeksän/yhdeksästä/yhdeksään|kymmenen/kymmenestä/kymmeneen|yksitoista|kaksitoista",
    ),
    (
        "cs",
        "jedna/jedné/jednu|dvě/druhé/dvou|tři/třetí/tří|čtyři/čtvrté/čtyř|pět/páté/pěti|šest/šesté/šesti|sedm/sedmé/sedmi|osm/osmé/osmi|devět/deváté/devíti|deset/desáté/desíti|jedenáct/jedenácté|dvanáct/dvanácté|třináct/třinácté|čtrnáct/čtrnácté|patnáct/patnácté|šestnáct/šestnácté|sedmnáct/sedmnácté|osmnáct/osmnácté|devatenáct/devatenácté|dvacet/dvacáté|dvacet jedna|dvacet dva|dvacet tři|dvacet čtyři",
    ),
    (
        "tr",
        "bir/birden/bire|iki/ikiden/ikiye|üç/üçten/üçe|dört/dörtten/dörde|beş/beşten/beşe|altı/altıdan/altıya|yedi/yediden/yediye|sekiz/sekizden/sekize|dokuz/dokuzdan/dokuza|on/ondan/ona|on bir/on birden/on bire|on iki/on ikiden/on ikiye",
    ),
];

/// What is added to an hour in letters or digits, in minutes, when it stands before the hour.
pub(super) const BEFORE_HOUR: &[(&str, &str, i16)] = &[
    ("en", "half past|half", 30),
    ("en", "quarter past|a quarter past|quarter after", 15),
    ("en", "quarter to|a quarter to|quarter till|quarter of|quarter before", -15),
    ("de", "halb", -30),
    ("de", "viertel nach", 15),
    ("de", "viertel vor|dreiviertel|drei viertel", -15),
    ("de", "viertel", -45),
    ("nl", "half", -30),
    ("nl", "kwart over", 15),
    ("nl", "kwart voor", -15),
    ("sv", "halv", -30),
    ("sv", "kvart över", 15),
    ("sv", "kvart i", -15),
    ("da no", "halv", -30),
    ("da", "kvart over|kvarter over", 15),
    ("da", "kvart i|kvarter i", -15),
    ("no", "kvart over", 15),
    ("no", "kvart på", -15),
    ("fi", "puoli", -30),
    ("fi", "varttia yli|vartin yli", 15),
    ("fi", "varttia vaille|varttia vailla", -15),
    ("cs", "půl", -30),
    ("cs", "čtvrt na", -45),
    ("cs", "tři čtvrtě na|třičtvrtě na", -15),
    ("pl", "wpół do|pół do", -30),
    ("pl", "kwadrans po", 15),
    ("pl", "kwadrans przed|za kwadrans|za piętnaście", -15),
];

/// The same behind the hour.
pub(super) const BEHIND_HOUR: &[(&str, i16)] = &[
    (
        "y media|e mezza|e mezzo|et demie|et demi|e meia|i pół|i mitja|buçuk|buçuktan|buçuğa|trzydzieści",
        30,
    ),
    ("thirty|e trenta|y treinta|trente|e trinta", 30),
    ("et quart|y cuarto|e un quarto|e quarto|e quinze|fifteen|y quince|e quindici", 15),
    ("moins le quart|moins quart|menos cuarto|meno un quarto|menos um quarto|menos quinze", -15),
    ("forty five|e tre quarti|y tres cuartos|e quarenta e cinco|quarante cinq", 45),
];
