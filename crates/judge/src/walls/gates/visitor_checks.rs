//! Pages that ask something of the visitor, or turn visitors of a country away: age gates, cookie
//! walls, region notices.

use super::super::wall::WallKind;
use super::gate_page::{Gate, GatePage, phrase_mark};
use super::phrases::PhraseGroup;

/// "Not available in your country", as the message of the page and not of one of its parts.
pub(super) fn detect_region(page: &GatePage<'_>) -> Option<Gate> {
    let refuses = matches!(page.status, 403 | 451);
    let in_front = page.front.first(PhraseGroup::Region);
    let phrase = in_front.or_else(|| page.text_hits.first(PhraseGroup::Region))?;
    let about_a_part = page.text_hits.has(PhraseGroup::RegionOther);
    let stands_for_page = match in_front {
        Some(_) => page.is_scarce(150, 20),
        None if refuses => page.is_scarce(150, 20),
        None => page.is_scarce(80, 10) && !about_a_part && page.structure.embeds <= 2,
    };
    stands_for_page.then(|| Gate {
        kind: WallKind::Region,
        certain: true,
        marks: vec![
            phrase_mark(if in_front.is_some() { "title or heading" } else { "text" }, phrase),
            page.size_mark(),
        ],
    })
}

/// A question about the visitor's age with a way to answer it, and no content beside it. A gate laid
/// over a page with content hides nothing from a program.
pub(super) fn detect_age(page: &GatePage<'_>) -> Option<Gate> {
    let phrase = page.phrase(PhraseGroup::Age)?;
    let asks_otherwise =
        page.structure.forms.iter().any(|form| form.fields.passwords > 0 || form.fields.others > 0);
    if asks_otherwise {
        return None;
    }
    let birth: usize = page.structure.forms.iter().map(|form| form.fields.birth).sum();
    let identifiers: usize = page.structure.forms.iter().map(|form| form.fields.identifiers).sum();
    let enter = page.action(PhraseGroup::AgeEnter);
    let leave = page.action(PhraseGroup::AgeLeave);
    let class = page.structure.has_class(&page.table.classes.age);
    let answers_age = page.action(PhraseGroup::Age);
    let mark = if birth > 0 && identifiers <= 1 {
        "fields for a date of birth".to_owned()
    } else if let (Some(enter), Some(leave)) = (enter, leave) {
        format!("buttons “{enter}” and “{leave}”")
    } else if let Some(answer) = answers_age.or(enter).filter(|_| class.is_some()) {
        format!("button “{answer}”, element called {}", class.unwrap_or_default())
    } else if let Some(answer) = answers_age.or(enter).filter(|_| page.front.has(PhraseGroup::Age))
    {
        format!("button “{answer}”")
    } else {
        return None;
    };
    // If the question stands in an overlay, everything else is content.
    let in_overlay =
        page.structure.words > page.structure.content_words + 12 && birth == 0 && class.is_some();
    let (words, links) = if in_overlay { (40, 6) } else { (130, 12) };
    (page.is_scarce(words, links) && page.structure.words <= 300).then(|| Gate {
        kind: WallKind::Age,
        certain: true,
        marks: vec![phrase_mark("text", phrase), mark, page.size_mark()],
    })
}

/// A page that is about nothing but consent. A banner on a page with content, and a banner on the
/// shell of a script application, are not walls.
pub(super) fn detect_consent(page: &GatePage<'_>) -> Option<Gate> {
    let structure = &page.structure;
    let topics = page.text_hits.count(PhraseGroup::ConsentTopic);
    let accept = page.action(PhraseGroup::ConsentAccept)?;
    let topic = page.text_hits.first(PhraseGroup::ConsentTopic)?;
    if structure.forms.iter().any(|form| form.fields.passwords > 0) || structure.words > 500 {
        return None;
    }
    let wall = page.text_hits.first(PhraseGroup::ConsentWall);
    let class = structure.has_class(&page.table.classes.consent);
    let address = page.table.consent_urls.iter().find(|known| page.path.contains(known.as_str()));
    // A short page with a banner is a short page. Only a page that says so is a wall.
    let explicit = wall
        .map(|phrase| phrase_mark("text", phrase))
        .or_else(|| class.map(|class| format!("element called {class}")))
        .or_else(|| address.map(|known| format!("the address contains “{known}”")))?;
    // The words about consent must be most of what the page says.
    let dense = topics >= 2 || (topics == 1 && structure.words <= 60);
    // Beside a banner, everything else is content. Without one, most passages must be about consent.
    let about_consent = || {
        page.share_of_passages(|hits| {
            [PhraseGroup::ConsentTopic, PhraseGroup::ConsentWall, PhraseGroup::ConsentAccept]
                .into_iter()
                .any(|group| hits.has(group))
        }) >= 60
    };
    let lonely = if structure.overlay_words > 8 {
        structure.content_words <= 8
    } else {
        structure.content_words <= 400 && about_consent()
    } && structure.content_links <= 12
        && structure.images <= 3;
    if !dense || !lonely {
        return None;
    }
    Some(Gate {
        kind: WallKind::Consent,
        certain: true,
        marks: vec![
            phrase_mark("text", topic),
            format!("button “{accept}”"),
            explicit,
            page.size_mark(),
        ],
    })
}
