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

#[test]
fn writings_of_many_languages() {
    for (region, published, stated, expected) in [
        ("SE", "Mo-Fr 09:00-17:00", "vardagar 9-17", Equal),
        (
            "SE",
            "Mo-Fr 10:00-18:00, Sa 10:00-15:00",
            "Vardagar kl 10–18, lördagar kl 10–15, söndagar stängt",
            Equal,
        ),
        ("SE", "Mo-Fr 10:00-18:00, Th 10:00-20:00", "Mån-fre 10-18, tors till 20", Equal),
        ("DK", "Mo-Fr 09:00-17:30", "Hverdage kl. 9.00-17.30, weekend lukket", Equal),
        (
            "DK",
            "Tu-Su 11:00-21:00",
            "Tirsdag til søndag fra kl. 11 til kl. 21. Mandag lukket",
            Equal,
        ),
        ("NO", "Mo-Fr 10:00-20:00, Sa 10:00-18:00", "Man–fre 10–20, lør 10–18, søn stengt", Equal),
        ("NO", "Mo-Fr 10:00-20:00", "mandag til fredag fra halv elleve til åtte", Different),
        (
            "FI",
            "Mo-Fr 09:00-17:00, Sa 10:00-15:00",
            "Ma–pe klo 9–17, la klo 10–15, su suljettu",
            Equal,
        ),
        ("FI", "Mo-Fr 09:00-17:00", "Arkisin 9–17, viikonloppuisin suljettu", Equal),
        ("FI", "Mo-Fr 09:00-17:00", "maanantaista perjantaihin kello 9.00–18.00", Different),
        ("CZ", "Mo-Fr 08:00-17:00", "Po–Pá 8:00–17:00, So a Ne zavřeno", Equal),
        ("CZ", "Mo-Su 10:00-22:00", "Otevřeno denně od 10 do 22 hod.", Equal),
        ("CZ", "Tu-Su 10:00-18:00", "denně kromě pondělí 10–18 h", Equal),
        (
            "TR",
            "Mo-Fr 09:00-18:00, Sa 10:00-14:00",
            "Hafta içi 09:00 - 18:00, Cumartesi 10:00 - 14:00, Pazar günü kapalı",
            Equal,
        ),
        ("TR", "Mo-Sa 09:00-19:00", "Pazar hariç her gün 09:00-19:00", Equal),
        ("TR", "Mo-Su 00:00-24:00", "7/24 açık", Equal),
        (
            "TR",
            "Mo-Fr 08:30-12:30,13:30-17:30",
            "Pazartesi-Cuma 08.30-17.30 (öğle arası 12.30-13.30)",
            Equal,
        ),
        ("PL", "Mo-Sa 09:00-18:00", "Poniedziałek - sobota w godzinach 9:00 - 18:00", Equal),
        ("PL", "Mo-Su 00:00-24:00", "czynne 24h/7", Equal),
        ("PL", "Tu-Su 10:00-18:00", "wt.-nd. 10-18, w poniedziałki zamknięte", Equal),
        ("JP", "Mo-Fr 09:00-12:00,13:00-17:00", "平日9:00〜12:00、13:00〜17:00（土日祝休）", Equal),
        ("JP", "Tu-Su 11:00-21:00", "営業時間 11:00～21:00（L.O. 20:30） 定休日 月曜日", Equal),
        ("JP", "Mo-Su 10:00-20:00", "年中無休 10:00-20:00", Equal),
        ("JP", "Mo-Sa 17:00-02:00", "月～土 17:00～翌2:00、日曜定休", Equal),
        ("JP", "Mo-Fr 10:00-18:00", "午前10時〜午後6時（土日祝日を除く）", Equal),
        ("CN", "Mo-Su 09:00-21:00", "每天上午9点到晚上9点", Equal),
        ("CN", "Tu-Su 09:00-17:00", "周二至周日 9:00-17:00，周一闭馆", Equal),
        ("CN", "Mo-Su 10:00-22:00", "周一至周日 10:00-22:00", Equal),
        ("TW", "Mo-Fr 09:00-12:00,13:30-18:00", "週一至週五 上午9:00-12:00 下午1:30-6:00", Equal),
        ("CN", "Mo-Su 00:00-24:00", "24小时营业", Equal),
        ("KR", "Mo-Fr 09:00-18:00", "평일 오전 9시~오후 6시, 주말 휴무", Equal),
        ("KR", "Tu-Su 11:00-22:00", "매일 11:00~22:00, 매주 월요일 휴무", Equal),
        ("KR", "Mo-Sa 10:00-20:00", "월~토 10:00~20:00 (일요일 휴무)", Equal),
        (
            "KR",
            "Mo-Fr 09:00-12:30,13:30-18:00",
            "월요일부터 금요일까지 09:00~18:00 (점심시간 12:30~13:30)",
            Equal,
        ),
        ("KR", "Mo-Su 11:00-21:00", "연중무휴 11:00 - 22:00", Different),
        (
            "ES",
            "Mo-Fr 09:00-14:00,17:00-20:00; Sa 10:00-14:00",
            "L a V: 9-14 y 17-20h. S: 10-14h. Domingos y festivos cerrado",
            Equal,
        ),
        ("ES", "Tu-Su 12:00-24:00", "Martes a domingo de 12 del mediodía a 12 de la noche", Equal),
        ("MX", "Mo-Sa 09:00-21:00", "Lunes a sábado de 9 de la mañana a 9 de la noche", Equal),
        (
            "FR",
            "Mo-Fr 09:00-12:30,14:00-18:00",
            "Lun. au ven. : 9h–12h30 / 14h–18h. Fermé samedi et dimanche.",
            Equal,
        ),
        ("FR", "Tu-Sa 10:00-19:00", "Ouvert de 10h à 19h, fermé le dimanche et le lundi", Equal),
        ("DE", "Mo-Tu,Th-Fr 09:00-17:00", "Mo–Fr ausgenommen Mittwoch 9–17 Uhr", Equal),
        ("IT", "Mo-Sa 09:00-19:00", "Tutti i giorni 9-19, domenica esclusa", Equal),
        (
            "IT",
            "Mo-Fr 09:00-13:00,15:00-19:00",
            "dal lunedì al venerdì, 9-13 / 15-19; sabato e domenica chiuso",
            Equal,
        ),
        ("IT", "Tu-Su 12:00-15:00", "Aperto a pranzo dalle 12 alle 15, chiuso il lunedì", Equal),
        ("IT", "Mo-Su 00:00-24:00", "Aperto 24 ore su 24, 7 giorni su 7", Equal),
        (
            "BR",
            "Mo-Fr 08:00-18:00, Sa 08:00-12:00",
            "Seg a sex: 8h às 18h | Sáb: 8h às 12h | Dom: fechado",
            Equal,
        ),
        ("BR", "Mo-Su 00:00-24:00", "24 horas por dia, 7 dias por semana", Equal),
        ("PT", "Mo-Sa 10:00-20:00", "Todos os dias exceto domingo, das 10h às 20h", Equal),
        ("NL", "Mo-Fr 09:00-17:00", "Werkdagen 9 tot 5", Undecidable),
        ("NL", "Mo-Sa 09:30-18:00, Su 12:00-17:00", "ma-za 09.30-18.00u, zo 12.00-17.00u", Equal),
        ("NL", "Mo-Su 00:00-24:00", "24 uur per dag, 7 dagen per week geopend", Equal),
        (
            "DE",
            "Mo-Fr 08:00-12:00,13:00-17:00",
            "Mo–Fr 8–17 Uhr, Mittagspause von 12 bis 13 Uhr",
            Equal,
        ),
        (
            "DE",
            "Tu-Su 11:30-14:00,17:30-22:00",
            "11:30–14 Uhr und 17:30–22 Uhr, montags Ruhetag",
            Equal,
        ),
        ("DE", "Mo-Fr 09:00-18:00", "Montags bis freitags von neun bis achtzehn Uhr", Equal),
        ("DE", "Mo-Fr 07:45-16:15", "Mo–Fr viertel vor acht bis viertel nach vier", Equal),
        ("GB", "Mo-Fr 09:00-17:00", "9-5 Mon-Fri (excl. bank holidays)", Equal),
        ("GB", "Mo-Fr 09:00-13:00,14:00-17:00", "Mon-Fri 9am-5pm (closed for lunch 1-2pm)", Equal),
        (
            "US",
            "Mo-Fr 09:00-17:00",
            "Monday 9-5, Tuesday 9-5, Wednesday 9-5, Thursday 9-5, Friday 9-5, Saturday CLOSED, Sunday CLOSED",
            Equal,
        ),
        (
            "US",
            "Mo-Th 11:00-21:00; Fr-Sa 11:00-22:00; Su 12:00-20:00",
            "Mon-Thurs 11a-9p; Fri & Sat 11a-10p; Sun noon-8p",
            Equal,
        ),
        (
            "US",
            "Mo-Fr 08:00-17:00",
            "Opens at 8 AM and closes at 5 PM, Monday through Friday",
            Equal,
        ),
        ("US", "Mo-Su 07:00-22:00", "Open daily 7:00AM-10:00PM", Equal),
        ("US", "Mo-Fr 09:00-17:00", "Mon-Fri 9am to 5pm; weekends by appointment", Undecidable),
        ("US", "Mo-Fr 09:00-17:00", "Hours: M-Th 9-5, F 9-5", Equal),
        ("US", "We-Su 16:00-22:00", "Wednesday – Sunday 4pm – 10pm, Closed Monday/Tuesday", Equal),
        ("US", "Tu-Sa 10:00-18:00", "Closed Sunday and Monday. Open 10-6 all other days.", Equal),
        (
            "AU",
            "Mo-Fr 08:30-17:00",
            "8.30am - 5pm weekdays, closed weekends and public holidays",
            Equal,
        ),
    ] {
        check(published, stated, Some(region), expected);
    }
}

#[test]
fn sentences_that_regroup_the_week() {
    for (region, published, stated, expected) in [
        (
            "GB",
            "Mo-Th 12:00-23:00; Fr,Sa 12:00-24:00; Su 12:00-22:30",
            "Opens at midday every day; it closes at 11 pm Monday to Thursday, at midnight on Fridays and Saturdays and at 10:30 pm on Sundays.",
            Equal,
        ),
        (
            "IE",
            "Tu-Sa 10:00-18:00; Su-Mo off",
            "Closed Sundays and Mondays. Every other day from 10 to 6.",
            Equal,
        ),
        (
            "BE",
            "Mo,Tu,Th-Su 11:30-14:30,18:00-22:00; We off",
            "Woensdag sluitingsdag, alle andere dagen open van 11u30 tot 14u30 en van 18u tot 22u",
            Equal,
        ),
        ("US", "Mo-Fr 09:00-17:00; Sa,Su off", "9am–5pm Mon–Fri, Sat and Sun closed", Equal),
        ("US", "Mo-Th 09:00-17:00; Fr 09:00-16:00", "Mon–Thu 9–5, Fri till 4", Equal),
        ("US", "Mo-Th 09:00-17:00; Fr 10:00-16:00", "Mon–Thu 9–5, Fri till 4", Undecidable),
        ("IT", "Tu-Sa 09:00-18:00", "Chiude alle 18:00 dal martedì al sabato.", Undecidable),
        ("BE", "Mo-Su 09:00-21:00", "Elke dag open van 9 tot 9.", Undecidable),
        (
            "NL",
            "Mo-Fr 08:30-17:00",
            "Alleen op dinsdag geopend, van 8.30 tot 17.00 uur.",
            Different,
        ),
        ("GB", "Mo-Su 12:00-23:00", "Food is served daily from 12pm until 9pm.", Undecidable),
        ("US", "24/7", "The gym never closes: it's open 24 hours a day, seven days a week.", Equal),
        (
            "DE",
            "Mo-Fr 09:00-12:00,13:30-18:00",
            "Mo–Fr 9–18 Uhr, zwischen 12 Uhr und 13:30 Uhr geschlossen",
            Equal,
        ),
    ] {
        check(published, stated, Some(region), expected);
    }
}
