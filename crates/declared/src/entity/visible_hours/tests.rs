use super::*;

fn found(text: &str, language: &str) -> Vec<String> {
    visible_hours(text, Some(language)).into_iter().map(|hours| hours.normalized).collect()
}

const WEEK: &str = "Mo 09:00-17:00; Tu 09:00-17:00; We 09:00-17:00; Th 09:00-17:00; Fr 09:00-17:00";

#[test]
fn hours_have_many_forms() {
    for (text, language) in [
        ("Open Monday to Friday, 9am to 5pm.", "en"),
        ("Opening hours\nMon–Fri 9–5pm\n", "en"),
        ("Opening hours: Mon. - Fri. 9:00 am - 5:00 p.m.", "en"),
        ("We are open 9am–5pm Monday to Friday", "en-GB"),
        (
            "Opening times\nMonday\n09:00 – 17:00\nTuesday\n09:00 – 17:00\nWednesday\n09:00 – 17:00\n\
          Thursday\n09:00 – 17:00\nFriday\n09:00 – 17:00\n",
            "en",
        ),
        ("Öffnungszeiten: Mo–Fr 9–17 Uhr", "de"),
        ("Geöffnet Montag bis Freitag von 9.00 bis 17.00 Uhr", "de"),
        ("Horaires d'ouverture : du lundi au vendredi de 9h00 à 17h00", "fr"),
        ("Horario: lunes a viernes, de 9:00 a 17:00", "es"),
        ("Open weekdays 9am-5pm", "en"),
    ] {
        assert_eq!(found(text, language), [WEEK], "{text}");
    }
    assert_eq!(
        found("Open Mon–Tue 9–12 am, 2–5pm; Sat 10am–2pm, Sunday closed", "en"),
        ["Sa 10:00-14:00; Su closed"],
        "9 to 12 am is no time of a shop"
    );
    assert_eq!(
        found("Open Mon–Tue 9:00–12:00, 14:00–17:00; Sat 10am–2pm, Sunday closed", "en"),
        ["Mo 09:00-12:00,14:00-17:00; Tu 09:00-12:00,14:00-17:00; Sa 10:00-14:00; Su closed"]
    );
    let written = visible_hours("Open Monday  to Friday, 9am to 5pm. Call us.", Some("en"));
    assert_eq!(written[0].written, "Monday to Friday, 9am to 5pm");
}

/// The hours in the visible text of a page.
fn on_page(html: &str, language: &str) -> Vec<String> {
    let page = crate::page::Page::read(html.as_bytes(), Some("text/html; charset=utf-8"));
    found(&page.visible, language)
}

#[test]
fn hours_are_read_from_tables_and_lists() {
    let row = |day: &str, hours: &str| format!("<tr><th>{day}</th><td>{hours}</td></tr>");
    let rows = |days: [&str; 5], hours: &str| -> String {
        days.into_iter().map(|day| row(day, hours)).collect()
    };
    for (title, days, hours, language) in [
        (
            "Opening hours",
            ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"],
            "9:00 am – 5:00 pm",
            "en",
        ),
        (
            "Öffnungszeiten",
            ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag"],
            "9–17 Uhr",
            "de",
        ),
        ("Horaires d’ouverture", ["Lun.", "Mar.", "Mer.", "Jeu.", "Ven."], "9h00 – 17h00", "fr"),
        ("Horario", ["Lunes", "Martes", "Miércoles", "Jueves", "Viernes"], "9:00 a 17:00", "es"),
        ("Orari", ["Lunedì", "Martedì", "Mercoledì", "Giovedì", "Venerdì"], "9.00 - 17.00", "it"),
        (
            "Openingstijden",
            ["maandag", "dinsdag", "woensdag", "donderdag", "vrijdag"],
            "9.00 - 17.00 uur",
            "nl",
        ),
        ("Horário", ["Segunda", "Terça", "Quarta", "Quinta", "Sexta"], "9h00 às 17h00", "pt"),
        ("Godziny otwarcia", ["pon.", "wt.", "śr.", "czw.", "pt."], "9:00–17:00", "pl"),
        ("Öppettider", ["Måndag", "Tisdag", "Onsdag", "Torsdag", "Fredag"], "9.00–17.00", "sv"),
    ] {
        let table = format!("<h2>{title}</h2><table>{}</table>", rows(days, hours));
        assert_eq!(on_page(&table, language), [WEEK], "{table}");
        let list = days.map(|day| format!("<dt>{day}</dt><dd>{hours}</dd>")).concat();
        let list = format!("<h2>{title}</h2><dl>{list}</dl>");
        assert_eq!(on_page(&list, language), [WEEK], "{list}");
        let head = days.map(|day| format!("<th>{day}</th>")).concat();
        let cells = days.map(|_| format!("<td>{hours}</td>")).concat();
        let wide = format!("<h2>{title}</h2><table><tr>{head}</tr><tr>{cells}</tr></table>");
        assert_eq!(on_page(&wide, language), [WEEK], "{wide}");
    }
}

#[test]
fn both_halves_of_a_day_are_read_from_cells_of_their_own() {
    let table = "<h3>Öffnungszeiten</h3><table><tr><td>Montag</td><td>9:00–12:00</td><td>14:00–18:00</td></tr>\
                 <tr><td>Dienstag</td><td>9:00–12:00</td></tr><tr><td>Mittwoch</td><td>geschlossen</td></tr></table>";
    assert_eq!(on_page(table, "de"), ["Mo 09:00-12:00,14:00-18:00; Tu 09:00-12:00; We closed"]);
    assert_eq!(
        found("Open\nMonday 9:00–17:00\n10:00–14:00 Saturday", "en"),
        ["Mo 09:00-17:00; Sa 10:00-14:00"]
    );
}

#[test]
fn what_is_not_about_opening_is_left_out() {
    for text in [
        "The market is held Monday to Friday 9am to 5pm.",
        "Open all year. Kitchen: Monday to Friday 12:00–14:00",
        "Open in summer: Monday to Friday 9am to 5pm",
        "Opening hours\nTelephone Mon–Fri 9am–5pm",
        "Open Monday to Friday",
        "Open Monday 9–5",
        "Open Monday 2026-10-02",
        "Opening on Monday, 12 May 2026 at 19:00",
    ] {
        assert_eq!(found(text, "en"), [""; 0], "{text}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_has_few_hours(text in "(Open |Mon|Tuesday|–|-| to | |9|17:00|am|pm|\\.|,|\n|closed|Uhr|\\PC){0,60}") {
        for language in [None, Some("en"), Some("de")] {
            proptest::prop_assert!(visible_hours(&text, language).len() <= MAX_RUNS);
        }
    }
}
