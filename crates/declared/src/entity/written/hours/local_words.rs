//! More words of opening hours. Those with a language help to recognise it.

use super::meaning::Meaning;

/// Words and phrases, separated by bars, with their languages; `*` for all.
pub(super) const LOCAL_WORDS: &[(&str, &str, Meaning)] = &[
    (
        "*",
        "all days|all days of the week|all seven days|every day of the week|each day of the week|every single day|days a week|seven days a week|every night|nightly|each night|all nights|every evening|each evening|every morning|jeden abend|allabendlich|an allen tagen|alle wochentage|an allen wochentagen|sieben tage die woche|sieben tage|tlj|tous les soirs|chaque soir|toute la semaine|tous les jours de la semaine|sept jours sur sept|todas las noches|cada noche|toda la semana|los siete días|los siete días de la semana|todos los dias de la semana|siete días a la semana|tutte le sere|ogni sera|tutta la settimana|tutti i giorni della settimana|sette giorni su sette|todas as noites|toda a semana|a semana toda|todos os dias da semana|sete dias por semana|iedere dag|iedere avond|elke avond|alle dagen van de week|zeven dagen per week|hele week|każdego dnia|wszystkie dni tygodnia|siedem dni w tygodniu|przez cały tydzień|cały tydzień|varje dag|varje kväll|veckans alla dagar|hela veckan|alla veckans dagar|sju dagar i veckan|alle ugens dage|hele ugen|hver aften|dagligt|alle ukens dager|hele uken|hver kveld|viikon jokaisena päivänä|kaikkina päivinä|joka ilta|koko viikon|každý večer|celý týden|sedm dní v týdnu|haftanın her günü|hergün|her akşam|her gece|haftanın yedi günü|tüm hafta",
        Meaning::EveryDay,
    ),
    ("en", "weekdays|weekday|midweek", Meaning::Weekdays),
    (
        "*",
        "monday to friday only|von montag bis freitag|em dias de semana|doordeweekse dagen|w tygodniu|od poniedziałku do piątku|dni powszednie|w dni powszednie|w dni robocze|på vardagar|vardag|till vardags|i hverdagene|på hverdager|hverdag|ukedager|på ukedager|arkipäivisin|arkipäivät|arki|všední dny|ve všední dny|všední den|hafta içleri|haftaiçi",
        Meaning::Weekdays,
    ),
    (
        "*",
        "werktäglich|an werktagen|días hábiles|dias hábiles|lunes a viernes laborables|giorni lavorativi|dias de trabalho|in de werkweek|robocze|arbetsdagar|iş günleri|iş günü|pracovních dnech|v pracovní dny",
        Meaning::WorkingDays,
    ),
    (
        "*",
        "at weekends|on weekends|at the weekend|wochenenden|an wochenenden|le weekend|les weekends|week ends|week end|finde|fin de semaine|fins de semaine|fines de semana|findes|i weekend|nei weekend|nel fine settimana|aos fins de semana|finais de semana|final de semana|weekenden|in het weekend|weekeinde|w weekendy|weekendowo|w weekend|helg|på helger|i weekenden|weekender|helgene|i helgen|viikonloput|viikonloppuna|o víkendu|o víkendech|víkendu|hafta sonları|haftasonu|haftasonları",
        Meaning::Weekend,
    ),
    (
        "*",
        "public hols|bank hols|statutory holidays|stat holidays|national holidays|gesetzliche feiertage|gesetzlichen feiertagen|jf|jours feries|veilles de fêtes|días feriados|dias festivos|festivos nacionales|festività|giorni di festa|feriados nacionais|officiële feestdagen|nationale feestdagen|święto|świąt|w święta|dni wolne|dni ustawowo wolne od pracy|helgdag|röd dag|storhelger|helligdag|helligdagene|højtider|høytidsdager|offentlige fridager|pyhinä|pyhät|juhlapyhinä|arkipyhinä|svátek|svátcích|o svátcích|státní svátky|resmi tatil|resmi tatiller|resmi tatillerde|bayram|bayramlarda|tatil günleri",
        Meaning::Holiday,
    ),
    ("en", "till|til|untill|closes at|close at|closing at|shuts at|until closing at", Meaning::To),
    ("pl cs sk", "do godz|do godziny", Meaning::To),
    ("nl", "tot aan|tot en met|t m", Meaning::To),
    ("da no", "til og med|til kl", Meaning::To),
    ("sv", "till och med|tom|t o m|till kl|fram till", Meaning::To),
    ("fi", "asti|saakka", Meaning::Ignored),
    (
        "*",
        "sauf erreur|sauf erreur ou omission|sauf changement|sauf changements|sauf modification|sauf modifications|sauf indication contraire|sauf imprévu|sauf exception|salvo error|salvo error u omisión|salvo cambios|salvo cambio|salvo modificaciones|salvo indicación contraria|salvo imprevistos|salvo excepciones|de última hora|salvo variazioni|salvo errori|salvo modifiche|salvo diversa indicazione|salvo imprevisti|salvo eccezioni|salvo erro|salvo alterações|salvo indicação em contrário|unless otherwise stated|last minute|außer bei abweichungen|with few exceptions|behoudens wijzigingen|tenzij anders vermeld|alle angaben|angaben ohne gewähr|ohne gewähr",
        Meaning::Ignored,
    ),
    ("es", "hasta las|hasta la|a las|a la|al", Meaning::To),
    ("it", "fino alla|fino all|fino al|sino alle", Meaning::To),
    ("pt", "até à|até as|até ao", Meaning::To),
    ("fr", "jusqu|jusqu'au|jusquau|jusqu'à|jusqua", Meaning::To),
    (
        "*",
        "late opening|late night opening|late night|late night shopping|late shopping|open late|opens late|langer donnerstag|nocturne|en nocturne|koopavond|apertura serale|kvällsöppet",
        Meaning::Ignored,
    ),
    ("pl", "między", Meaning::Between),
    ("*", "mellan|mellem|mellom|entre|tra|fra le", Meaning::Between),
    ("tr", "kadar|arası|arasında|arasinda|saat|saatleri|saatler|saatlerinde", Meaning::Ignored),
    ("pl", "godz|godzina|godziny|godzinach|godzinami|w godz|w godzinach", Meaning::Ignored),
    ("sv da no", "kl|klockan|klokken", Meaning::From),
    ("fi", "klo|kello", Meaning::From),
    (
        "es pt it fr",
        "abre a las|abren a las|abrimos a las|abre a la|abre às|abrem às|abrimos às|apre alle|aprono alle|apriamo alle|ouvre à|ouvrent à|ouvrons à",
        Meaning::From,
    ),
    ("cs", "hod|hodin|hodiny", Meaning::Ignored),
    (
        "*",
        "does not open|doesn't open|don't open|do not open|not opening|no service|shut|no hay servicio|no hay atención|no se atiende|no atendemos|no atiende|no atienden|pas de service|kein betrieb|kein verkauf|keine sprechstunde|nessun servizio|não há atendimento|não atende|não atendemos|closed all day|öffnet nicht|nicht offen|schließtag|schliesstag|geschlossener tag|wir haben zu|ruhetage|n'ouvre pas|nouvre pas|pas ouvert|relâche|jour de fermeture|jour de repos|no abre|no abrimos|cerrados|día de descanso|descansa|libra|libramos|non apre|chiusi|giorno di riposo|riposo settimanale|turno di riposo|não abre|não abrimos|não funciona|encerramos|fechamos|fechados|encerrados|encerramento|dia de descanso|niet open|niet geopend|dicht|sluitingsdag|rustdag|nie czynne|zamknięty|zamknięta|dzień wolny|wolne|ej öppet|inte öppet|stängd|stängda|lukkedag|ikke åbent|har lukket|holder lukket|ikke åpent|steng|ei auki|suljettuna|kiinnioloaika|zavíráme|má zavřeno|zavřena|otevřeno není|tatil|kapalıyız|kapalıdır|açık değil|kapali",
        Meaning::Closed,
    ),
    (
        "*",
        "permanently shut|shut down for good|has closed down|closed down|no longer open|existiert nicht mehr|dauerhaft geschl|fermeture définitive|fermé pour toujours|cierre definitivo|ha cerrado definitivamente|chiusura definitiva|fechou definitivamente|encerrou definitivamente|voorgoed gesloten|zamknięte na stałe|stängt permanent|stängt för gott|permanent lukket|lukket permanent|permanent stengt|suljettu pysyvästi|lopettanut toimintansa|trvale uzavřeno|trvale zavřeno|kalıcı olarak kapalı|kalıcı olarak kapandı",
        Meaning::NeverOpen,
    ),
    (
        "*",
        "24hrs|24h|open 24 hours|twenty four hours|day and night|tag und nacht|24 stunden|durchgehend geöffnet 24 stunden|jour et nuit|día y noche|las 24 horas|24 horas|giorno e notte|24 ore|dia e noite|dag en nacht|całą dobę|całodobowy|dzień i noc|dobę|dygnet|hela dygnet|døgnet rundt|hele døgnet|åbent hele døgnet|åpent hele døgnet|ympäri vuorokauden|vuorokauden ympäri|läpi vuorokauden|nepřetržitě|dnem i nocí|24 saat|gece gündüz",
        Meaning::AllDay,
    ),
    (
        "*",
        "never closes|never closed|open at all times|durchgehend 24 stunden|nie geschlossen|ouvert en permanence|nunca cierra|non chiude mai|nunca fecha|sluit nooit|zawsze otwarte|alltid öppet|altid åbent|alltid åpent|aina auki|vždy otevřeno|her zaman açık",
        Meaning::Always,
    ),
    (
        "*",
        "12 mittags|12 uhr mittags|zwölf uhr mittags|du midi|de mediodía|del mediodía|di mezzogiorno|do meio dia|południa|południem|middagstid|keskipäivä|keskipäivällä|poledne|poledni|v poledne|öğlen|öğle|öğleyin|twaalf uur smiddags",
        Meaning::Noon,
    ),
    (
        "*",
        "mitternachts|media noche|mezza notte|północy|midnattstid|keskiyö|keskiyöhön|keskiyöllä|půlnoci|o půlnoci|gece yarısı|gece yarısına|geceyarısı",
        Meaning::Midnight,
    ),
    (
        "*",
        "of the morning|du lendemain|du lendemain matin|de la madrugada|del día siguiente|del giorno dopo|del giorno successivo|da madrugada|do dia seguinte|ertesi gün|am nächsten tag|des nächsten tages|am folgetag|next day|the next day|the following day|the following morning|next morning|de volgende dag|volgende ochtend|am morgen|am vormittag|in der früh|früh|frühmorgens|morgens früh|le matin|por la mañana|de mañana|al mattino|la mattina|della mattina|mattutine|de manhã|pela manhã|smorgens|sochtends|s ochtends|s morgens|przed południem|z rana|nad ranem|på morgonen|på förmiddagen|om morgenen|formiddag|om formiddagen|på morgenen|aamulla|aamusta|aamupäivällä|ráno|dopoledne|sabah|sabahtan|sabahları|öğleden önce",
        Meaning::Morning,
    ),
    (
        "*",
        "pm in the evening|am nachmittag|am abend|l'après midi|le soir|por la tarde|de tarde|alla sera|della sera|la sera|del pomeriggio|à tarde|smiddags|savonds|s middags|s avonds|po południu|wieczór|på eftermiddagen|på kvällen|kväll|om eftermiddagen|om aftenen|aften|på ettermiddagen|på kvelden|iltapäivällä|illalla|iltaan|iltaisin|odpoledne|večer|akşam|akşamları|öğleden sonra|akşama",
        Meaning::Afternoon,
    ),
    (
        "*",
        "at night|in der nacht|nachts|nachtzeit|de la nuit|la nuit|de la noche|di notte|della notte|da noite|snachts|s nachts|w nocy|nocą|na natten|på natten|om natten|yöllä|v noci|noci|gece|geceleri",
        Meaning::Night,
    ),
    (
        "*",
        "otherwise|other days|every other day|all the other days|the rest of the time|on every other day|all other days|the other days|every other weekday|rest of the week|the rest of the week|for the rest of the week|rest of the time|den rest der woche|rest der woche|restlichen tagen|an den restlichen tagen|restliche woche|die restliche woche|le reste du temps|reste du temps|les jours restants|el resto del tiempo|resto del tiempo|los días restantes|il resto del tempo|resto del tempo|giorni restanti|o resto da semana|resto do tempo|de rest van de week|rest van de week|de rest van de tijd|resterende dagen|de resterende dagen|resten av veckan|resten af ugen|resten av uken|zbytek týdne|reszta tygodnia|przez resztę tygodnia|loppuviikon|haftanın geri kalanı|haftanın diğer günleri|remaining days|on all other days|sonst|ansonsten|übrige tage|übrigen tagen|an den übrigen tagen|andere tage|an anderen tagen|restliche tage|alle anderen tage|an allen anderen tagen|autres jours|les autres jours|tous les autres jours|le reste de la semaine|sinon|demás días|los demás días|resto de días|resto de la semana|resto de los días|el resto|el resto de la semana|el resto de los días|el resto de días|otros días|los otros días|todos los demás días|altri giorni|gli altri giorni|tutti gli altri giorni|il resto della settimana|negli altri giorni|restanti giorni|resto della settimana|outros dias|todos os outros dias|restantes dias|nos restantes dias|demais dias|nos demais dias|resto da semana|andere dagen|overige dagen|de andere dagen|de overige dagen|alle andere dagen|verder|inne dni|pozostałe dni|w pozostałe dni|w inne dni|övriga dagar|andra dagar|øvrige dage|andre dage|øvrige dager|andre dager|muina päivinä|muut päivät|muuten|ostatní dny|v ostatní dny|jinak|diğer günler|diğer günlerde|kalan günler",
        Meaning::OtherDays,
    ),
    (
        "*",
        "including|includes|incl|also on|also|even on|inclusive of|auch|auch an|auch am|einschließlich|einschl|inklusive|inkl|y compris|compris|inclus|ainsi que le|même le|incluido|incluidos|incluso|inclusive|incluyendo|también|compreso|compresi|comprese|compresa|incluso il|inclusi|anche|anche la|incluindo|incluído|incluídos|também|inclusief|ook|ook op|łącznie z|również|także|włącznie z|även|inklusive|inklusiv|også|myös|mukaan lukien|včetně|také i|dahil|dâhil",
        Meaning::Including,
    ),
    (
        "*",
        "closed for lunch|lunch closure|shut for lunch|lunchtime closure|midday break|über mittag|mittags geschlossen|mittagsruhe|fermeture midi|fermé le midi|coupure|cierra al mediodía|cerrado al mediodía|pausa mediodía|pausa comida|pausa de mediodía|pausa almuerzo|chiuso per pranzo|chiusura pranzo|chiusura pomeridiana|intervallo|pausa para almoço|pausa almoço|intervalo|intervalo para almoço|middagpauze|middagsluiting|przerwa|przerwa obiadowa|lunchstängt|lunchrast|paus|frokostpause|frokostlukket|lunsjpause|lounastauko|tauko|polední pauza|polední přestávka|přestávka|obědová pauza|öğle arası|öğle molası|öğle tatili|mola",
        Meaning::Pause,
    ),
    (
        "*",
        "excluded|excepted|exclusive|ausgenommen|ausgeschlossen|exclu|exclus|excluido|excluidos|escluso|esclusa|esclusi|excluído|excluídos|uitgesloten|wyłączone|undantaget|poissulkien|hariç|dışında|haricinde",
        Meaning::ExceptBefore,
    ),
    ("fr", "sf|sf le|excepte|hormis|à l'exception du", Meaning::Except),
    (
        "*",
        "apart from|other than|with the exception of|mit ausnahme von|bis auf|à l'exception de|à l'exception des|à l'exception du|a excepción de|con excepción de|quitando|ad eccezione di|ad eccezione del|fuorché|tranne il|eccetto il|à exceção de|com exceção de|exceptuando|menos à|met uitzondering van|za wyjątkiem|poza|prócz|förutom|med undantag för|bortsett fra|undtaget|med undtagelse af|med unntak av|lukuun ottamatta|s výjimkou|vyjma|krom",
        Meaning::Except,
    ),
    (
        "*",
        "last tickets|last ticket sales|final entry|final admission|last bookings|last reservation|last service|last check in|letzte einlass|letzter eintritt|letzte bestellung|letzte reservierung|kassenschluss|annahmeschluss|einlassschluss|dernier accès|dernière admission|dernière commande|dernières commandes|fermeture de la caisse|fermeture des caisses|dernier service|último acceso|última admisión|última reserva|últimos pedidos|cierre de taquilla|ultima entrata|ultimo accesso|ultimo ordine|ultimi ingressi|chiusura biglietteria|última admissão|último acesso|último pedido|últimas entradas|laatste inlaat|laatste entree|laatste bestelling|kassa sluit|ostatnie wejście|ostatni wstęp|ostatnie zamówienie|ostatnie zamówienia|kasa czynna do|sista insläpp|sista entré|sista beställning|sidste indgang|sidste adgang|sidste bestilling|siste innslipp|siste bestilling|viimeinen sisäänpääsy|viimeiset tilaukset|poslední vstup|poslední objednávky|poslední prohlídka|son giriş|son sipariş",
        Meaning::LastEntry,
    ),
    (
        "*",
        "only by appointment|appointments only|by prior arrangement|by arrangement|nach telefonischer vereinbarung|nach voranmeldung|nur mit termin|termine nach vereinbarung|uniquement sur rendez vous|sobre cita|previa cita|solo con cita|solo su appuntamento|previo appuntamento|só por marcação|mediante marcação|sob marcação|com agendamento|alleen op afspraak|enkel op afspraak|tylko po umówieniu|po wcześniejszym umówieniu|endast efter överenskommelse|efter överenskommelse|tidsbokning|kun efter aftale|kun etter avtale|ajanvarauksella|sopimuksesta|vain sopimuksesta|po dohodě|na objednávku|po telefonické domluvě|randevu ile|sadece randevu ile|randevuyla|wechselnde öffnungszeiten|unregelmäßig|horaires variables|horario variable|orari variabili|horário variável|wisselende openingstijden",
        Meaning::Appointment,
    ),
    (
        "*",
        "some|certain|select|selected|alternate|alternating|fortnightly|biweekly|irregular|manche|manchen|einige|einigen|gelegentlich|ungerade wochen|gerade wochen|jede zweite|jeden dritten|jeden letzten|certains|certaines|quelques|un samedi sur deux|semaines paires|semaines impaires|algunos|algunas|ciertos|alterno|alternos|alcuni|alcune|certi|alterni|alguns|algumas|alternados|sommige|bepaalde|even weken|oneven weken|om de week|niektóre|wybrane|co drugi|co druga|co drugą|vissa|några|udda veckor|jämna veckor|varannan|nogle|visse|lige uger|ulige uger|hver anden|noen|enkelte|annenhver|jotkut|joinakin|joka toinen|některé|vybrané|lichý|sudý|bazı|iki haftada bir|primeiro|primera|première|dernier|dernière|ersten|letzten|último|ultimo|eerste|laatste|pierwsza sobota|pierwszą sobotę|ostatnia sobota|första|sista|første|sidste|siste|ensimmäinen|první|poslední|ilk",
        Meaning::OtherHours,
    ),
    (
        "*",
        "summertime|wintertime|summer hours|winter hours|in season|off season|out of season|half term|ramadan|sommerzeit|winterzeit|sommermonate|wintermonate|ferienzeiten|osterferien|hors saison|haute saison|basse saison|vacances d'été|ramadán|semana santa|agosto cerrado|alta stagione|bassa stagione|estivo|invernale|estivi|invernali|época alta|época baixa|férias|zomerperiode|winterperiode|zomertijd|hoogseizoen|laagseizoen|sezon|w sezonie|poza sezonem|wakacje|w wakacje|ferie|lipiec|sierpień|czerwiec|wrzesień|maj|styczeń|luty|marzec|kwiecień|październik|listopad|grudzień|sommaren|sommartid|vintertid|högsæsong|lågsæsong|lågsäsong|högsäsong|skollov|sommeren|vinteren|sæson|højsæson|lavsæson|skoleferie|sommerferie|sesong|kesällä|kesäaika|talvella|talviaika|kesäkausi|talvikausi|kesäkuu|heinäkuu|elokuu|toukokuu|syyskuu|léto|v létě|letní|v zimě|zimní|sezóna|sezóně|prázdniny|červen|červenec|srpen|září|květen|duben|říjen|yaz|kış|yazın|kışın|yaz dönemi|kış dönemi|sezon|sezonda|ramazan|haziran|temmuz|ağustos|eylül|ekim|mayıs|nisan",
        Meaning::OtherHours,
    ),
    (
        "*",
        "lobby|postfiliale|postschalter|poststelle|paketshop|post office counter|guichet postal|keittiö|kuchyně|mutfak|terrace|terrasse|takeout|take away|pickup|pick up|curbside|abholung|lieferservice|click and collect|dostawa|dowóz|leverans|levering|toimitus|rozvoz|paket servis|telefontid|telefonos|telefoniczna|infolinia|kundendienst|kundservice|kundeservice|asiakaspalvelu puhelin|outlet|outlets|depending on|conflicting|widersprüchlich|widersprüchliche|je nach|selon les sources|selon la source|según la fuente|según las fuentes|selon la saison|selon saison|selon les saisons|selon la période|selon le jour|selon l'époque|según temporada|según la temporada|según la época|según época|según el día|según la estación|a seconda|dependendo|afhankelijk van|w zależności|beroende på|afhængig af|avhengig av|riippuen|podle sezóny|podle počasí|mevsime göre|nur bei gutem wetter|bei gutem wetter|weather permitting|wetterabhängig|par beau temps",
        Meaning::OtherHours,
    ),
];
