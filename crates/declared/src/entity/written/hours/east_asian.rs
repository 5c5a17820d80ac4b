//! Opening hours in Japanese, Chinese and Korean, whose words are not separated by spaces.

/// Words and what they are called in English or as signs, the longer ones first.
const WORDS: &[(&str, &str)] = &[
    ("小时", " hours "),
    ("小時", " hours "),
    ("営業時間", " "),
    ("营业时间", " "),
    ("營業時間", " "),
    ("영업시간", " "),
    ("営業日", " "),
    ("정기휴무", " closed "),
    ("브레이크타임", " pause "),
    ("브레이크 타임", " pause "),
    ("ブレイクタイム", " pause "),
    ("ブレークタイム", " pause "),
    ("점심시간", " pause "),
    ("昼休み", " pause "),
    ("午休", " pause "),
    ("休憩", " pause "),
    ("ラストオーダー", " last order "),
    ("라스트오더", " last order "),
    ("最終入場", " last entry "),
    ("最終入館", " last entry "),
    ("最后入场", " last entry "),
    ("最後入場", " last entry "),
    ("停止入场", " last entry "),
    ("입장마감", " last entry "),
    ("주문마감", " last order "),
    ("定休日なし", " everyday "),
    ("定休なし", " everyday "),
    ("不定休", " season "),
    ("隔週", " season "),
    ("隔周", " season "),
    ("격주", " season "),
    ("夏季", " season "),
    ("冬季", " season "),
    ("夏期", " season "),
    ("冬期", " season "),
    ("하절기", " season "),
    ("동절기", " season "),
    ("第", " season "),
    ("予約制", " by appointment "),
    ("예약제", " by appointment "),
    ("预约", " by appointment "),
    ("預約", " by appointment "),
    ("年末年始", " holiday "),
    ("法定节假日", " holiday "),
    ("法定假日", " holiday "),
    ("國定假日", " holiday "),
    ("국경일", " holiday "),
    ("명절", " holiday "),
    ("を除く", " excluded "),
    ("除く", " excluded "),
    ("以外", " excluded "),
    ("除外", " excluded "),
    ("제외", " excluded "),
    ("休業日", " closed "),
    ("休館日", " closed "),
    ("休診日", " closed "),
    ("お休み", " closed "),
    ("休店", " closed "),
    ("閉店", " closed "),
    ("闭馆", " closed "),
    ("閉館", " closed "),
    ("休馆", " closed "),
    ("店休", " closed "),
    ("不营业", " closed "),
    ("不營業", " closed "),
    ("휴관", " closed "),
    ("휴점", " closed "),
    ("휴진", " closed "),
    ("쉽니다", " closed "),
    ("쉬는 날", " closed "),
    ("無休", " everyday "),
    ("无休", " everyday "),
    ("무휴", " everyday "),
    ("全天候", " all day "),
    ("全天", " all day "),
    ("全日", " all day "),
    ("天天", " everyday "),
    ("礼拜一", " monday "),
    ("礼拜二", " tuesday "),
    ("礼拜三", " wednesday "),
    ("礼拜四", " thursday "),
    ("礼拜五", " friday "),
    ("礼拜六", " saturday "),
    ("礼拜天", " sunday "),
    ("礼拜日", " sunday "),
    ("禮拜一", " monday "),
    ("禮拜二", " tuesday "),
    ("禮拜三", " wednesday "),
    ("禮拜四", " thursday "),
    ("禮拜五", " friday "),
    ("禮拜六", " saturday "),
    ("禮拜日", " sunday "),
    ("翌日", " at night "),
    ("翌朝", " in the morning "),
    ("翌", " at night "),
    ("次日", " at night "),
    ("隔日", " at night "),
    ("凌晨", " at night "),
    ("익일", " at night "),
    ("다음날", " at night "),
    ("새벽", " at night "),
    ("자정", " midnight "),
    ("정오", " noon "),
    ("午夜", " midnight "),
    ("零时", " midnight "),
    ("傍晚", " in the afternoon "),
    ("夕方", " in the afternoon "),
    ("夜", " in the afternoon "),
    ("저녁", " in the afternoon "),
    ("밤", " in the afternoon "),
    ("아침", " in the morning "),
    ("早晨", " in the morning "),
    ("清晨", " in the morning "),
    ("朝", " in the morning "),
    ("时半", ":30"),
    ("시 반", ":30"),
    ("시반", ":30"),
    ("매주", " "),
    ("每周一", " monday "),
    ("每周二", " tuesday "),
    ("每周三", " wednesday "),
    ("每周四", " thursday "),
    ("每周五", " friday "),
    ("每周六", " saturday "),
    ("每周日", " sunday "),
    ("每周天", " sunday "),
    ("每週一", " monday "),
    ("每週二", " tuesday "),
    ("每週三", " wednesday "),
    ("每週四", " thursday "),
    ("每週五", " friday "),
    ("每週六", " saturday "),
    ("每週日", " sunday "),
    ("每週天", " sunday "),
    ("每周", " "),
    ("每週", " "),
    ("毎週", " "),
    ("営業", " "),
    ("营业", " "),
    ("營業", " "),
    ("영업", " "),
    ("其他时间", " otherwise "),
    ("其餘", " otherwise "),
    ("その他", " otherwise "),
    ("그 외", " otherwise "),
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
const HOURS: [char; 5] = ['時', '时', '点', '點', '시'];
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
        } else if let Some(day) = further_day(&out, c) {
            out.push_str(day);
        } else if let Some((word, meaning)) =
            WORDS.iter().find(|(word, _)| is_east_asian(c) && rest.starts_with(word))
        {
            out.push_str(meaning);
            length = word.len();
        } else {
            out.push(c);
            // A time behind an unknown word is no part of it.
            if is_east_asian(c) && next_is_digit {
                out.push(' ');
            }
        }
        last = Some(c);
        rest = rest.get(length..).unwrap_or_default();
    }
    out
}

/// The day of a number behind the names of other days: `星期一至五`.
fn further_day(before: &str, c: char) -> Option<&'static str> {
    const DAYS: [(char, &str); 8] = [
        ('一', " monday "),
        ('二', " tuesday "),
        ('三', " wednesday "),
        ('四', " thursday "),
        ('五', " friday "),
        ('六', " saturday "),
        ('日', " sunday "),
        ('天', " sunday "),
    ];
    let (_, day) = DAYS.iter().find(|(number, _)| *number == c)?;
    let is_joined = before.ends_with(['-', '、', '~', '～', '〜', '–']);
    let words = before.trim_end_matches(['-', '、', '~', '～', '〜', '–', ' ']);
    (is_joined && words.ends_with("day")).then_some(*day)
}
