//! Opening hours in Japanese, Chinese and Korean, whose words are not separated by spaces.

/// Words and what they are called in English or as signs, the longer ones first.
const WORDS: &[(&str, &str)] = &[
    ("年中無休", " everyday "),
    ("全年无休", " everyday "),
    ("연중무휴", " everyday "),
    ("24時間", " all day "),
    ("24小时", " all day "),
    ("24小時", " all day "),
    ("24시간", " all day "),
    ("月曜日", " monday "),
    ("火曜日", " tuesday "),
    ("水曜日", " wednesday "),
    ("木曜日", " thursday "),
    ("金曜日", " friday "),
    ("土曜日", " saturday "),
    ("日曜日", " sunday "),
    ("星期一", " monday "),
    ("星期二", " tuesday "),
    ("星期三", " wednesday "),
    ("星期四", " thursday "),
    ("星期五", " friday "),
    ("星期六", " saturday "),
    ("星期日", " sunday "),
    ("星期天", " sunday "),
    ("월요일", " monday "),
    ("화요일", " tuesday "),
    ("수요일", " wednesday "),
    ("목요일", " thursday "),
    ("금요일", " friday "),
    ("토요일", " saturday "),
    ("일요일", " sunday "),
    ("営業時間", " "),
    ("营业时间", " "),
    ("營業時間", " "),
    ("영업시간", " "),
    ("定休日", " closed "),
    ("节假日", " holiday "),
    ("工作日", " weekdays "),
    ("공휴일", " holiday "),
    ("月曜", " monday "),
    ("火曜", " tuesday "),
    ("水曜", " wednesday "),
    ("木曜", " thursday "),
    ("金曜", " friday "),
    ("土曜", " saturday "),
    ("日曜", " sunday "),
    ("周一", " monday "),
    ("周二", " tuesday "),
    ("周三", " wednesday "),
    ("周四", " thursday "),
    ("周五", " friday "),
    ("周六", " saturday "),
    ("周日", " sunday "),
    ("周天", " sunday "),
    ("週一", " monday "),
    ("週二", " tuesday "),
    ("週三", " wednesday "),
    ("週四", " thursday "),
    ("週五", " friday "),
    ("週六", " saturday "),
    ("週日", " sunday "),
    ("平日", " weekdays "),
    ("周末", " weekend "),
    ("週末", " weekend "),
    ("평일", " weekdays "),
    ("주말", " weekend "),
    ("毎日", " everyday "),
    ("每天", " everyday "),
    ("每日", " everyday "),
    ("매일", " everyday "),
    ("定休", " closed "),
    ("休業", " closed "),
    ("休館", " closed "),
    ("休診", " closed "),
    ("休み", " closed "),
    ("休息", " closed "),
    ("公休", " closed "),
    ("関店", " closed "),
    ("打烊", " closed "),
    ("휴무", " closed "),
    ("휴업", " closed "),
    ("祝日", " holiday "),
    ("午前", " in the morning "),
    ("上午", " in the morning "),
    ("早上", " in the morning "),
    ("오전", " in the morning "),
    ("午後", " in the afternoon "),
    ("下午", " in the afternoon "),
    ("晚上", " in the afternoon "),
    ("오후", " in the afternoon "),
    ("正午", " noon "),
    ("中午", " noon "),
    ("深夜", " "),
    ("時半", ":30"),
    ("点半", ":30"),
    ("點半", ":30"),
    ("から", "-"),
    ("まで", " "),
    ("부터", "-"),
    ("까지", " "),
    ("月", " monday "),
    ("火", " tuesday "),
    ("水", " wednesday "),
    ("木", " thursday "),
    ("金", " friday "),
    ("土", " saturday "),
    ("日", " sunday "),
    ("祝", " holiday "),
    ("至", "-"),
    ("到", "-"),
    ("休", " closed "),
];
/// Marks behind the number of an hour.
const HOURS: [char; 4] = ['時', '点', '點', '시'];
/// Days from Monday, where they stand alone.
const HANGUL_DAYS: [char; 7] = ['월', '화', '수', '목', '금', '토', '일'];
const MINUTES: [char; 2] = ['分', '분'];

/// Replaces words by English ones. Other texts stay as they are.
pub(super) fn spell_out(text: &str) -> String {
    let is_east_asian = |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
    if !text.contains(is_east_asian) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() * 2);
    let mut rest = text;
    let mut last = None;
    while let Some(c) = rest.chars().next() {
        let is_after_digit = out.ends_with(|c: char| c.is_numeric());
        let next_is_digit = rest.chars().nth(1).is_some_and(char::is_numeric);
        let mut length = c.len_utf8();
        if is_after_digit && HOURS.contains(&c) {
            out.push_str(if next_is_digit { ":" } else { ":00" });
        } else if is_after_digit && MINUTES.contains(&c) {
        } else if is_after_digit && matches!(c, '月' | '日' | '월' | '일') {
            // A date.
            out.push_str(" season ");
        } else if let Some(day) = HANGUL_DAYS.iter().position(|day| *day == c).filter(|_| {
            let is_hangul = |c: char| matches!(c, '\u{ac00}'..='\u{d7af}');
            !rest.chars().nth(1).is_some_and(is_hangul) && !last.is_some_and(is_hangul)
        }) {
            const NAMES: [&str; 7] =
                ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
            out.push(' ');
            out.push_str(NAMES.get(day).copied().unwrap_or_default());
            out.push(' ');
        } else if let Some((word, meaning)) =
            WORDS.iter().find(|(word, _)| is_east_asian(c) && rest.starts_with(word))
        {
            out.push_str(meaning);
            length = word.len();
        } else {
            out.push(c);
        }
        last = Some(c);
        rest = rest.get(length..).unwrap_or_default();
    }
    out
}
