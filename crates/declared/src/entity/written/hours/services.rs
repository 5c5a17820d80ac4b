//! Words for a part of a house or a service in it, which has hours of its own.

/// What may be the house itself or a part of one: `the gym is open all day`, `gym: 6–22`.
const PLACES: &str = "gym|bar|spa|pharmacy";

/// What stands behind the name of a place if the sentence is about the place.
const VERBS: &str = "is|are|opens|open|never|stays|has|trades|operates|runs|welcomes|hat|ist|öffnet|bleibt|est|ouvre|reste|vous|está|abre|cierra|permanece|atiende|è|apre|chiude|resta|rimane|fica|funciona|opent|heeft|jest|har|er|on";

/// What stands before the name of a place if the sentence is about the place.
const INVERTED: &str = "ist die|ist das|ist der|hat die|hat das|hat der|öffnet die|öffnet das|is the|is de|is het|heeft de|opent de|está el|está la|abre el|abre la|è il|è la|apre il|apre la|est le|est la|har|är|er";

/// A place that certainly is a part of another: `the hotel bar is open`.
const PARTS: &str = "hotel bar|hotel gym|hotel spa|rooftop bar|pool bar|lobby bar|in store pharmacy|instore pharmacy|pharmacy counter|pharmacy hours|bar hours|gym hours|spa hours";

/// Counters, desks and services beside the house.
pub(super) const SERVICES: &str = "museum shop|museumsshop|museum café|answers the phone|answer the phone|phones are answered|am telefon erreichbar|répond au téléphone|répondent au téléphone|atiende el teléfono|atienden el teléfono|atiende por teléfono|risponde al telefono|rispondono al telefono|aan de telefoon|atende o telefone|postnl punt|postnl point|dhl punt|dhl servicepoint|pakketpunt|postpunt|postagentschap|ups access point|parcel point|parcel locker|parcel shop|paketannahme|paketstation|packstation|postagentur|postpartner|hermes shop|point relais|relais colis|point poste|relais poste|punto correos|punto pack|punto poste|ponto ctt|keittiöstä|keittiön|keittiömme|ruokaa tarjoillaan|lounas tarjoillaan|lounasta tarjoillaan|lunch is served|lunch served|lunch is available|dinner is served|dinner served|brunch is served|breakfast served|breakfast available|frühstück wird serviert|frühstück gibt es|mittagstisch|mittagessen gibt es|petit déjeuner servi|petit déjeuner est servi|déjeuner est servi|dîner est servi|service en salle|le service du midi|se sirve el desayuno|se sirven desayunos|se sirve la cena|colazione è servita|colazione servita|pranzo è servito|cena è servita|ontbijt wordt geserveerd|lunch wordt geserveerd|diner wordt geserveerd|lunch serveras|frukost serveras|frokost serveres|mad serveres|mat serveras|food is served|food served|food is available|serving food|serves food|serve food|food service|hot food|food from|food daily|food until|meals are served|breakfast is served|warme speisen|warmes essen|essen gibt es|repas servis|on sert à manger|se sirven comidas|maaltijden geserveerd|counter|counters|service desk|help desk|helpdesk|front desk|information desk|info desk|enquiry desk|reception|piscine de l'hôtel|piscina del hotel|piscina dell'hotel|hotelpool|hotel pool|hotelrestaurant|hotel restaurant|restaurant de l'hôtel|restaurante del hotel|ristorante dell'hotel|hotelbar|bar del hotel|bar de l'hôtel|bar dell'hotel|le drive|service drive|cafe inside|pharmacy inside|bakery inside|in store cafe|in store bakery|ticket office|box office|ticket desk|cash desk|collection point|collection desk|collections|customer service|customer services|support line|after sales|after sales service|kundenservice|service après vente|service client|sav|servicio técnico|servicio de atención|atención al cliente|servizio clienti|assistenza clienti|assistenza tecnica|serviço de apoio|phone support|live chat|switchboard|schalter|schalterstunden|schalterzeiten|schalteröffnungszeiten|bankschalter|zulassungsstelle|bürgerbüro|meldestelle|kasse|kassen|kassenzeiten|frischetheke|fleischtheke|käsetheke|wursttheke|abholstation|abholschalter|rezeption|empfang|telefonservice|telefonzentrale|telefonsprechstunde|guichet|guichets|comptoir|la caisse|les caisses|billetterie|accueil téléphonique|réception|standard téléphonique|point de retrait|mostrador|ventanilla|ventanillas|taquilla|taquillas|recepción|punto de recogida|zona de recogida|atención telefónica|sportello|sportelli|biglietteria|la cassa|le casse|punto di ritiro|balie|loket|loketten|de kassa|receptie|afhaalbalie|afhaalpunt|klantenservice|bilheteira|bilheteria|balcão|receção|guichê|kasa biletowa|kasy|okienko|okienka|recepcja|biljettkassa|biljettkassan|receptionen|disken|billetkontor|billetkontoret|billettluke|resepsjonen|lippukassa|lipunmyynti|vastaanotto|pokladna|recepce|přepážka|přepážky|gişe|resepsiyon|касса|ресепшн";

/// The phrases of a house with parts that alone name its hours, and whether they stand for the house.
pub(super) fn places() -> impl Iterator<Item = (String, bool)> {
    let parts = PARTS.split('|').map(|part| (part.to_owned(), false));
    let alone = PLACES.split('|').map(|place| (place.to_owned(), false));
    let subjects = PLACES
        .split('|')
        .flat_map(|place| VERBS.split('|').map(move |verb| (format!("{place} {verb}"), true)));
    // `ist die Bar täglich … geöffnet`
    let inverted = PLACES
        .split('|')
        .flat_map(|place| INVERTED.split('|').map(move |verb| (format!("{verb} {place}"), true)));
    parts.chain(alone).chain(subjects).chain(inverted)
}

/// Whether a word may be the last of the name of a business: `Harbour Bar`.
pub(super) fn may_end_name(word: &str) -> bool {
    PLACES.split('|').any(|place| place == word)
}
