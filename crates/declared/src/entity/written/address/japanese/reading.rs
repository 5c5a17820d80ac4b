//! Reads a Japanese address in its own script into its parts.

use super::writing::plain;

/// The parts of an address, as far as they are stated.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct JapaneseAddress {
    pub(super) code: Option<String>,
    pub(super) prefecture: Option<&'static str>,
    /// From the city to the quarter, without the prefecture.
    pub(super) name: String,
    /// The numbers of quarter, block and house.
    pub(super) blocks: Vec<String>,
    /// The last of several houses: `2-5-1~3`.
    pub(super) last_house: Option<String>,
    pub(super) floor: Option<String>,
    pub(super) room: Option<String>,
}

impl JapaneseAddress {
    /// Whether a number is a part of the postal code, or may be one of a code that is not stated here.
    pub(super) fn has_code_part(&self, number: &str) -> bool {
        match &self.code {
            Some(code) => code.starts_with(number) || code.ends_with(number),
            None => matches!(number.len(), 3 | 4),
        }
    }
}

/// All prefectures with their names in Latin letters.
pub(super) const PREFECTURES: [(&str, &str); 47] = [
    ("北海道", "hokkaido"),
    ("青森県", "aomori"),
    ("岩手県", "iwate"),
    ("宮城県", "miyagi"),
    ("秋田県", "akita"),
    ("山形県", "yamagata"),
    ("福島県", "fukushima"),
    ("茨城県", "ibaraki"),
    ("栃木県", "tochigi"),
    ("群馬県", "gunma"),
    ("埼玉県", "saitama"),
    ("千葉県", "chiba"),
    ("東京都", "tokyo"),
    ("神奈川県", "kanagawa"),
    ("新潟県", "niigata"),
    ("富山県", "toyama"),
    ("石川県", "ishikawa"),
    ("福井県", "fukui"),
    ("山梨県", "yamanashi"),
    ("長野県", "nagano"),
    ("岐阜県", "gifu"),
    ("静岡県", "shizuoka"),
    ("愛知県", "aichi"),
    ("三重県", "mie"),
    ("滋賀県", "shiga"),
    ("京都府", "kyoto"),
    ("大阪府", "osaka"),
    ("兵庫県", "hyogo"),
    ("奈良県", "nara"),
    ("和歌山県", "wakayama"),
    ("鳥取県", "tottori"),
    ("島根県", "shimane"),
    ("岡山県", "okayama"),
    ("広島県", "hiroshima"),
    ("山口県", "yamaguchi"),
    ("徳島県", "tokushima"),
    ("香川県", "kagawa"),
    ("愛媛県", "ehime"),
    ("高知県", "kochi"),
    ("福岡県", "fukuoka"),
    ("佐賀県", "saga"),
    ("長崎県", "nagasaki"),
    ("熊本県", "kumamoto"),
    ("大分県", "oita"),
    ("宮崎県", "miyazaki"),
    ("鹿児島県", "kagoshima"),
    ("沖縄県", "okinawa"),
];

/// More houses in one text are not looked for.
const MAX_ADDRESSES: usize = 8;
/// Between the parts of a text. A space is none: some write it between all parts of an address.
const SEPARATORS: [char; 12] = ['、', ',', '\n', '(', ')', '「', '」', '。', ';', '|', '【', '】'];

/// All addresses of a text. Parts with a house number are addresses, unless no part names a town.
pub(super) fn read_all(text: &str) -> Vec<JapaneseAddress> {
    let text = plain(text);
    let (code, text) = take_code(&text);
    // `渋谷駅から徒歩5分`: the way from a station has numbers that are none of a house.
    let parts: Vec<&str> =
        text.split(SEPARATORS).filter(|part| !part.is_empty() && !tells_way(part)).collect();
    let mut found: Vec<JapaneseAddress> = Vec::new();
    for part in &parts {
        if found.len() >= MAX_ADDRESSES {
            break;
        }
        let (mut address, mut behind) = read(part);
        let is_house =
            |address: &JapaneseAddress| !address.blocks.is_empty() && names_town(&address.name);
        if is_house(&address) {
            // `銀座6-10-1または築地4-5-2`: a second house, and no building.
            while found.len() < MAX_ADDRESSES {
                let (next, rest) = read(behind);
                let is_second = next.name.contains(['市', '区']) && next.blocks.len() >= 2;
                if !is_second {
                    break;
                }
                found.push(std::mem::replace(&mut address, next));
                behind = rest;
            }
            found.push(address);
        } else if let Some(last) = found.last_mut() {
            // `(サンビル3F)`
            last.floor = last.floor.take().or(address.floor);
            last.room = last.room.take().or(address.room);
        }
    }
    if found.is_empty() {
        found.push(read(&parts.concat()).0);
    }
    // The building may come before everything else.
    if let [only] = found.as_mut_slice() {
        let (floor, room) = units(&parts.concat());
        only.floor = only.floor.take().or(floor);
        only.room = only.room.take().or(room);
        only.code = code;
    }
    found
}

fn tells_way(part: &str) -> bool {
    ["徒歩", "駅から", "車で", "営業時間", "定休日", "電話", "TEL"]
        .iter()
        .any(|word| part.contains(word))
}

/// Whether a name has a city, a ward, a town or a village in it.
pub(super) fn names_town(name: &str) -> bool {
    name.chars().skip(1).any(|c| matches!(c, '市' | '区' | '町' | '村' | '郡'))
}

/// The postal code of a text, and the text without it.
fn take_code(text: &str) -> (Option<String>, String) {
    let bytes = text.as_bytes();
    let is_digits = |from: usize, count: usize| {
        bytes.get(from..from + count).is_some_and(|run| run.iter().all(u8::is_ascii_digit))
    };
    let is_edge = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at)).is_none_or(|b| !b.is_ascii_digit() && *b != b'-')
    };
    let at = (0..bytes.len()).find(|at| {
        is_digits(*at, 3)
            && bytes.get(at + 3) == Some(&b'-')
            && is_digits(at + 4, 4)
            && is_edge(at.checked_sub(1))
            && is_edge(Some(at + 8))
    });
    let without_mark = |text: &str| text.replace('〒', " ").replace("郵便番号", " ");
    match at {
        Some(at) => {
            let (before, rest) = text.split_at_checked(at).unwrap_or((text, ""));
            let (code, behind) = rest.split_at_checked(8).unwrap_or((rest, ""));
            (Some(code.replace('-', "")), without_mark(&format!("{before} {behind}")))
        }
        None => (None, without_mark(text)),
    }
}

/// Reads one address, without its postal code, and what follows it.
fn read(text: &str) -> (JapaneseAddress, &str) {
    let start = block_start(text).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(start).unwrap_or((text, ""));
    let (prefecture, name) = take_prefecture(name);
    let (blocks, last_house, behind) = take_blocks(rest);
    let (floor, room) = units(behind);
    (JapaneseAddress { code: None, prefecture, name, blocks, last_house, floor, room }, behind)
}

/// Where the numbers of quarter, block and house begin. Those of floors and of numbered streets are others.
fn block_start(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let start = from + text.get(from..)?.find(|c: char| c.is_ascii_digit())?;
        let rest = text.get(start..)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let behind = rest.get(digits..)?;
        let is_other = behind
            .starts_with(['条', '階', 'F', 'f', '線', '分', ':', '時', '人', '年', '軒', 'つ'])
            || behind.starts_with("号線")
            || is_before_quarter(behind)
            || text.get(..start)?.ends_with(|c: char| c.is_ascii_alphabetic());
        if !is_other {
            return Some(start);
        }
        from = start + digits;
    }
}

/// `東入2丁目御旅町35`: the number belongs to the way, and a quarter with other numbers follows.
fn is_before_quarter(behind: &str) -> bool {
    let Some(quarter) = behind.strip_prefix("丁目") else { return false };
    let name: String = quarter.chars().take_while(|c| !c.is_ascii_digit()).collect();
    name.ends_with('町') && name.len() < quarter.len()
}

/// The prefecture and what follows it; without one, the whole name. Spaces and words for rural quarters say nothing.
fn take_prefecture(name: &str) -> (Option<&'static str>, String) {
    let found = PREFECTURES
        .iter()
        .filter_map(|(prefecture, latin)| Some((name.find(prefecture)?, *prefecture, *latin)))
        // `東京都府中市` has no `京都府` in it.
        .min_by_key(|(at, _, _)| *at);
    let rest = found
        .map_or(name, |(at, prefecture, _)| name.get(at + prefecture.len()..).unwrap_or_default());
    let rest: String = rest.replace("大字", "").chars().filter(|c| !c.is_whitespace()).collect();
    // `小字`, but a name may begin with this character.
    let rest = rest.strip_prefix("字").unwrap_or(&rest).replace("町字", "町").replace("村字", "村");
    (found.map(|(_, _, latin)| latin), without_county(&rest))
}

/// A name without its rural county, which many leave out: `軽井沢町` for `北佐久郡軽井沢町`.
fn without_county(name: &str) -> String {
    let Some((before, behind)) = name.split_once('郡') else { return name.to_owned() };
    let is_county = !before.contains(['市', '区', '町', '村'])
        && !behind.starts_with(['山', '市', '上', '家'])
        && behind.contains(['町', '村']);
    if is_county { behind.to_owned() } else { name.to_owned() }
}

/// The numbers at the beginning of a text, the last of several houses, and what follows.
fn take_blocks(text: &str) -> (Vec<String>, Option<String>, &str) {
    const MARKS: [&str; 8] = ["丁目", "番地の", "番地", "番", "号", "-", "の", " "];
    let mut blocks = Vec::new();
    let mut last_house = None;
    let mut rest = text;
    loop {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, behind) = rest.split_at_checked(digits).unwrap_or((rest, ""));
        if number.is_empty() {
            return (blocks, last_house, rest);
        }
        let bare = number.trim_start_matches('0');
        let is_range = last_house.is_none()
            && rest.len() < text.len()
            && text.strip_suffix(rest).is_some_and(|before| before.ends_with('~'));
        if is_range {
            last_house = Some(bare.to_owned());
            return (blocks, last_house, behind);
        }
        blocks.push(bare.to_owned());
        // The last mark may be followed by a building: `5号サンビル`.
        let mut after = behind;
        let mut has_mark = false;
        while let Some(next) = MARKS.iter().find_map(|mark| {
            // A space ends the numbers unless a mark was before it: `3丁目 27-14`.
            (*mark != " " || has_mark).then(|| after.strip_prefix(mark))?
        }) {
            has_mark = true;
            after = next;
        }
        if !has_mark && let Some(next) = behind.strip_prefix('~') {
            after = next;
        } else if !has_mark {
            return (blocks, last_house, behind);
        }
        let follows_unit = {
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            after.get(digits..).is_some_and(|behind| behind.starts_with(['F', 'f', '階']))
                || after.get(digits..).is_some_and(|behind| behind.starts_with("号室"))
        };
        if follows_unit || behind.starts_with("号") && !behind.starts_with("号室-") {
            return (blocks, last_house, after);
        }
        rest = after;
    }
}

/// The floor and the room that a text names: `B1F`, `地下1階`, `402号室`.
fn units(text: &str) -> (Option<String>, Option<String>) {
    let (mut floor, mut room) = (None, None);
    let mut from = 0;
    while let Some(start) = text
        .get(from..)
        .and_then(|rest| rest.find(|c: char| c.is_ascii_digit()))
        .map(|at| from + at)
    {
        let rest = text.get(start..).unwrap_or_default();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, behind) = rest.split_at_checked(digits).unwrap_or((rest, ""));
        let before = text.get(..start).unwrap_or_default();
        if behind.starts_with(['F', 'f', '階']) {
            let is_below = before.ends_with(['B', 'b']) || before.ends_with("地下");
            floor = Some(format!("{}{number}", if is_below { "b" } else { "" }));
        } else if behind.starts_with("号室") {
            room = Some(number.to_owned());
        }
        from = start + digits;
    }
    (floor, room)
}
