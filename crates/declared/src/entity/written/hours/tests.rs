use super::*;
use WrittenMatch::{Different, Equal, Undecidable};

fn check(published: &str, stated: &str, region: Option<&str>, expected: WrittenMatch) {
    assert_eq!(compare_hours(published, stated, region), expected, "{published} / {stated}");
    assert_eq!(compare_hours(stated, published, region), expected, "{stated} / {published}");
}

#[test]
fn one_week_in_many_writings() {
    let week = "Mo-Fr 09:00-17:00";
    for (stated, region) in [
        ("Monday to Friday 9am–5pm", "GB"),
        ("M-F 9-5", "US"),
        ("Mon thru Fri: 9a-5p", "US"),
        ("weekdays from 9 to 5, closed at the weekend", "GB"),
        ("Montag bis Freitag 9–17 Uhr", "DE"),
        ("du lundi au vendredi de 9h à 17h", "FR"),
        ("lunes a viernes de 9:00 a 17:00", "ES"),
        ("lunedì-venerdì 9.00-17.00, sabato e domenica chiuso", "IT"),
        ("ma t/m vr 9.00 - 17.00 uur", "NL"),
        ("de segunda-feira a sexta-feira, das 9h às 17h", "PT"),
        ("pn.-pt. od 9 do 17", "PL"),
        ("mån–fre 9–17", "SE"),
        ("ma-pe 9-17", "FI"),
        ("po-pá 9:00-17:00", "CZ"),
        ("пн-пт с 9:00 до 17:00", "RU"),
        ("周一至周五 上午9点至下午5点", "CN"),
        ("月〜金 9時〜17時", "JP"),
    ] {
        check(week, stated, Some(region), Equal);
    }
}

#[test]
fn what_is_left_out_decides_nothing() {
    check("Mo-Fr 09:00-17:00", "Mo-Sa 09:00-17:00", None, Undecidable);
    check("Mo-Fr 09:00-17:00", "Mon-Fri 9-5, Sat closed", None, Equal);
    check("Mo-Fr 09:00-17:00", "Mon-Fri from 9am", None, Undecidable);
    check("Mo-Fr 09:00-17:00", "9am to 5pm", None, Undecidable);
    check("Mo-Fr 09:00-17:00", "", None, Undecidable);
    check("Mo-Fr 09:00-17:00", "Kitchen: Mon-Fri 12pm-3pm", None, Undecidable);
    check("Mo-Fr 09:00-17:00", "In summer Mon-Fri 9am-8pm", None, Undecidable);
}

#[test]
fn days_that_both_state_decide() {
    check("Mo-Fr 09:00-17:00", "Mon-Fri 9-5, Sat 10-2", None, Undecidable);
    check("Mo-Fr 09:00-17:00; Sa 10:00-13:00", "Mon-Fri 9-5, Sat 10-2", None, Different);
    check("Sa 10:00-13:00", "closed Saturdays", None, Different);
    check("Fr 22:00-02:00", "Fr 22:00-24:00; Sa 00:00-02:00", None, Equal);
    check("Mo-Su 00:00-23:59", "open 24 hours", None, Equal);
    check("Mo-Fr 09:00-12:00,12:00-17:00", "Mo-Fr 09:00-17:00", None, Equal);
}
