//! Parts of an address that tell the way: what a place is near to, and how far.

use super::tokens::{Token, comparable};

/// Drops parts that say what a place is near to.
pub(super) fn drop_landmarks(tokens: &mut Vec<Token>) {
    let first_segment = tokens.first().map(|token| token.segment);
    let has_number = tokens
        .iter()
        .take_while(|token| Some(token.segment) == first_segment)
        .any(|token| token.is_number);
    let mut landmark: Option<usize> = None;
    let mut last = None;
    tokens.retain(|token| {
        let is_first = last != Some(token.segment);
        last = Some(token.segment);
        let begins = is_first
            && matches!(
                token.text.as_str(),
                "near"
                    | "opp"
                    | "opposite"
                    | "behind"
                    | "beside"
                    | "nr"
                    | "nahe"
                    | "gegenuber"
                    | "hinter"
                    | "neben"
                    | "next"
                    | "adjacent"
                    | "tegenover"
                    | "nabij"
                    | "junto"
                    | "frente"
                    | "cerca"
                    | "vicino"
                    | "pres"
                    | "face"
                    | "corner"
                    | "cnr"
                    | "ecke"
                    | "esquina"
                    | "hoek"
                    | "angolo"
                    | "naast"
                    | "achter"
                    | "bei"
                    | "beim"
                    | "obok"
                    | "naproti"
                    | "vedle"
                    | "ved"
                    | "mittemot"
                    | "karsisi"
                    | "yani"
                    | "enfrente"
                    | "atras"
                    | "proximo"
                    | "proche"
                    | "derriere"
                    | "entre"
                    | "between"
                    | "above"
                    | "below"
                    | "inside"
                    | "within"
            );
        // `Hinter dem Rathaus 2` and `Pres. Kennedylaan 19` are streets.
        let is_street = token.is_dotted && token.text == "pres"
            || Some(token.segment) == first_segment
                && has_number
                && matches!(
                    token.text.as_str(),
                    "hinter" | "bei" | "beim" | "achter" | "neben" | "ved"
                );
        if begins && !is_street {
            landmark = Some(token.segment);
        }
        landmark != Some(token.segment)
    });
}

/// The words of towns that another is near to, in the form in which words are compared.
pub(super) fn towns_near(tokens: &[Token], region: Option<&str>) -> Vec<String> {
    let is_mark = |token: &Token| match token.text.as_str() {
        "bei" => matches!(region, Some("DE" | "AT" | "CH")),
        "b" => matches!(region, Some("DE" | "AT" | "CH")) && token.is_dotted,
        "near" | "nr" => matches!(region, Some("GB" | "IE" | "AU" | "NZ" | "ZA")),
        "pres" => matches!(region, Some("FR" | "BE" | "CH")),
        "bij" => matches!(region, Some("NL" | "BE")),
        "cerca" => region == Some("ES"),
        "vicino" => region == Some("IT"),
        "kolo" | "k" => matches!(region, Some("PL")),
        _ => false,
    };
    let mut near = Vec::new();
    for (at, mark) in tokens.iter().enumerate().filter(|(_, token)| is_mark(token)) {
        // `Bei den Mühren 5` is a street.
        let follows_town =
            at.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(|before| {
                before.segment == mark.segment && !before.is_number && before.text.len() > 2
            });
        let behind =
            || tokens.iter().skip(at + 1).take_while(|token| token.segment == mark.segment);
        if follows_town && !behind().any(|token| token.is_number) {
            near.extend(behind().map(|token| comparable(&token.text)));
        }
    }
    near
}

/// Drops distances, whose numbers are none of a house: `200 metros norte de la iglesia`, `5 min walk from`.
pub(super) fn drop_distances(tokens: &mut Vec<Token>) {
    const LENGTHS: &str = "metros metro metres meters mts mtrs minutes minute mins min minuten minuti minutos cuadras \
     cuadra pasos gehminuten minutter minuter";
    /// These are also names of streets.
    const OTHERS: &str = "miles mile blocks block steps km kms kilometres m";
    const WAYS: &str = "from north south east west away walk norte sur este oeste nord sud est ouest al vom von du de della \
     dal of off";
    let is_in = |list: &str, token: Option<&Token>| {
        token.is_some_and(|token| list.split_whitespace().any(|word| word == token.text))
    };
    let mut at = 0;
    while at < tokens.len() {
        let is_number = tokens.get(at).is_some_and(|token| token.is_number);
        let (next, after) = (tokens.get(at + 1), tokens.get(at + 2));
        let is_length = is_in(LENGTHS, next) || is_in(OTHERS, next) && is_in(WAYS, after);
        if is_number && is_length {
            tokens.drain(at..at + 2);
        } else {
            at += 1;
        }
    }
}

/// Drops phone numbers and opening hours behind an address.
pub(super) fn drop_contact(tokens: &mut Vec<Token>) {
    const PHONES: &str = "tel tlf telefon telefono telefone telephone phone fon fax mobile mobil cell handy whatsapp ph call \
     puh gsm movil celular tfno tfn";
    const HOURS: &str = "open opening hours geoffnet offnungszeiten horaires horario horarios orari orario ouvert abierto \
     aberto aperto openingstijden otwarte otevreno oppetider abningstider apningstider aukioloajat";
    const DAYS: &str = "mo mon monday montag lun lundi lunes lunedi seg pn po ma mandag maandag di tue tuesday dienstag";
    const LAST_DAYS: &str = "fr fri friday freitag sa sat saturday samstag so sun sunday sonntag ven vendredi vie viernes \
     venerdi sab sabado dom domingo sex pt pa vr vrijdag do don thu thursday fredag zo";
    let is_in = |list: &str, token: &Token| list.split_whitespace().any(|word| word == token.text);
    let has_number = |at: usize, within: usize| {
        tokens.iter().skip(at + 1).take(within).any(|token| token.is_number)
    };
    let begins = |(at, token): (usize, &Token)| {
        let is_week = is_in(DAYS, token)
            && tokens.get(at + 1).is_some_and(|next| is_in(LAST_DAYS, next))
            && has_number(at, 3);
        // Something must be left of the address, unless there is none.
        (at >= 3 || at == 0 && (is_in(PHONES, token) || is_in(HOURS, token)))
            && (is_week
                || is_in(PHONES, token) && has_number(at, 2)
                || is_in(HOURS, token) && has_number(at, 5))
    };
    if let Some(at) = tokens.iter().enumerate().position(begins) {
        tokens.truncate(at);
    }
}
