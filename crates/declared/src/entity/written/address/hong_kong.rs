//! Names of Hong Kong, which has English ones for its streets and districts that do not sound like the Chinese ones.

/// Chinese and English, the longer names of streets before those that they contain.
const STREETS: &str = "皇后大道中 Queen's Road Central;皇后大道東 Queen's Road East;皇后大道西 Queen's Road West;\
    德輔道中 Des Voeux Road Central;德輔道西 Des Voeux Road West;干諾道中 Connaught Road Central;\
    干諾道西 Connaught Road West;軒尼詩道 Hennessy Road;告士打道 Gloucester Road;駱克道 Lockhart Road;\
    謝斐道 Jaffe Road;莊士敦道 Johnston Road;灣仔道 Wan Chai Road;彌敦道 Nathan Road;廣東道 Canton Road;\
    漆咸道南 Chatham Road South;漆咸道北 Chatham Road North;梳士巴利道 Salisbury Road;金馬倫道 Cameron Road;\
    加連威老道 Granville Road;柯士甸道 Austin Road;佐敦道 Jordan Road;亞皆老街 Argyle Street;\
    太子道西 Prince Edward Road West;太子道東 Prince Edward Road East;荔枝角道 Lai Chi Kok Road;\
    長沙灣道 Cheung Sha Wan Road;青山道 Castle Peak Road;觀塘道 Kwun Tong Road;開源道 Hoi Yuen Road;\
    英皇道 King's Road;電氣道 Electric Road;怡和街 Yee Wo Street;波斯富街 Percival Street;\
    利園山道 Lee Garden Road;希慎道 Hysan Avenue;荷李活道 Hollywood Road;士丹利街 Stanley Street;\
    威靈頓街 Wellington Street;雲咸街 Wyndham Street;花園道 Garden Road;畢打街 Pedder Street;\
    雪廠街 Ice House Street;堅尼地道 Kennedy Road;西洋菜南街 Sai Yeung Choi Street South;\
    通菜街 Tung Choi Street;上海街 Shanghai Street;廟街 Temple Street;登打士街 Dundas Street;\
    窩打老道 Waterloo Road;夏慤道 Harcourt Road;金鐘道 Queensway;皇后街 Queen Street;文咸東街 Bonham Strand;\
    蘭桂坊 Lan Kwai Fong;山東街 Shantung Street;渣華道 Java Road;海港道 Harbour Road;港灣道 Harbour Road;\
    北京道 Peking Road;漢口道 Hankow Road;河內道 Hanoi Road;厚福街 Hau Fook Street;麼地道 Mody Road;\
    堪富利士道 Humphreys Avenue;海防道 Haiphong Road;柯布連道 O'Brien Road;分域街 Fenwick Street;\
    堅道 Caine Road;般咸道 Bonham Road;伊利近街 Elgin Street;士丹頓街 Staunton Street";
const DISTRICTS: &str = "中環 Central;上環 Sheung Wan;西營盤 Sai Ying Pun;堅尼地城 Kennedy Town;灣仔 Wan Chai;\
    銅鑼灣 Causeway Bay;天后 Tin Hau;北角 North Point;鰂魚涌 Quarry Bay;太古 Tai Koo;金鐘 Admiralty;\
    尖沙咀 Tsim Sha Tsui;旺角 Mong Kok;油麻地 Yau Ma Tei;佐敦 Jordan;太子 Prince Edward;深水埗 Sham Shui Po;\
    長沙灣 Cheung Sha Wan;荔枝角 Lai Chi Kok;九龍灣 Kowloon Bay;九龍塘 Kowloon Tong;九龍 Kowloon;觀塘 Kwun Tong;\
    紅磡 Hung Hom;荃灣 Tsuen Wan;沙田 Sha Tin;大埔 Tai Po;元朗 Yuen Long;屯門 Tuen Mun;將軍澳 Tseung Kwan O;\
    新界 New Territories;香港島 ;香港 ;赤柱 Stanley;淺水灣 Repulse Bay;鴨脷洲 Ap Lei Chau;香港仔 Aberdeen;西環 Western";
/// Marks of houses, floors and rooms.
const MARKS: [(&str, &str); 8] = [
    ("號地下", ", G/F, "),
    ("地下", ", G/F, "),
    ("號鋪", ", "),
    ("號舖", ", "),
    ("號", ", "),
    ("樓", "/F, "),
    ("室", ", "),
    ("至", "-"),
];

/// The address with the English names, if all of its names are known.
pub(super) fn in_english(text: &str) -> Option<String> {
    let pairs = |list: &'static str| list.split(';').filter_map(|pair| pair.split_once(' '));
    let mut text = text.to_owned();
    for (chinese, english) in pairs(STREETS) {
        text = text.replace(chinese, &format!(", {english} "));
    }
    for (chinese, english) in pairs(DISTRICTS) {
        text = text.replace(chinese, &format!(", {english}, "));
    }
    for (chinese, english) in MARKS {
        text = text.replace(chinese, english);
    }
    (!super::romanise::is_east_asian(&text)).then_some(text)
}
