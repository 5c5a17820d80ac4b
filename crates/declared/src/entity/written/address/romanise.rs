//! Latin letters for Korean and Chinese addresses, to compare them with writings for visitors.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The address in Latin letters, if it is Korean or Chinese and all of its characters are known.
pub(super) fn romanised(text: &str, region: Option<&str>) -> Option<String> {
    if text.chars().any(is_hangul) {
        return Some(romanised_korean(text));
    }
    if region == Some("HK") {
        return super::hong_kong::in_english(text);
    }
    let is_chinese = matches!(region, Some("CN" | "TW"));
    if is_chinese && text.chars().any(is_han) { romanised_chinese(text) } else { None }
}

/// Whether a text has letters that only Korean or Chinese addresses have.
pub(super) fn is_east_asian(text: &str) -> bool {
    text.chars().any(|c| is_hangul(c) || is_han(c))
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7a3}')
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}')
}

/// Korean words with their endings apart, as visitors write them: `gangnam gu`.
fn romanised_korean(text: &str) -> String {
    const ENDINGS: [(&str, &str); 17] = [
        ("특별자치시", ""),
        ("특별자치도", ""),
        ("특별시", ""),
        ("광역시", ""),
        ("대로", "daero"),
        ("번길", "beon gil"),
        ("로", "ro"),
        ("길", "gil"),
        ("구", "gu"),
        ("동", "dong"),
        ("시", "si"),
        ("군", "gun"),
        ("읍", "eup"),
        ("면", "myeon"),
        ("리", "ri"),
        ("도", "do"),
        ("층", "floor"),
    ];
    let words = text.split_inclusive(|c: char| !is_hangul(c)).map(|word| {
        let stem_end = word.trim_end_matches(|c: char| !is_hangul(c)).len();
        let (name, behind) = word.split_at_checked(stem_end).unwrap_or((word, ""));
        let ending = ENDINGS
            .iter()
            .find_map(|(ending, latin)| name.strip_suffix(ending).map(|stem| (stem, *latin)))
            .filter(|(stem, _)| stem.chars().count() >= 2 || stem.is_empty());
        match ending {
            Some((stem, latin)) => format!("{} {latin}{behind}", korean_word(stem)),
            None => format!("{}{behind}", korean_word(name)),
        }
    });
    words.collect()
}

/// One word by the rules of Revised Romanization, with the sounds that change between syllables.
fn korean_word(word: &str) -> String {
    const FIRST: [&str; 19] = [
        "g", "kk", "n", "d", "tt", "r", "m", "b", "pp", "s", "ss", "", "j", "jj", "ch", "k", "t",
        "p", "h",
    ];
    const VOWELS: [&str; 21] = [
        "a", "ae", "ya", "yae", "eo", "e", "yeo", "ye", "o", "wa", "wae", "oe", "yo", "u", "wo",
        "we", "wi", "yu", "eu", "ui", "i",
    ];
    const LAST: [&str; 28] = [
        "", "k", "k", "k", "n", "n", "n", "t", "l", "k", "m", "p", "l", "l", "p", "l", "m", "p",
        "p", "t", "t", "ng", "t", "t", "k", "t", "p", "t",
    ];
    /// The last consonant before a vowel.
    const LINKED: [&str; 28] = [
        "", "g", "kk", "ks", "n", "nj", "n", "d", "r", "lg", "lm", "lb", "ls", "lt", "lp", "r",
        "m", "b", "bs", "s", "ss", "ng", "j", "ch", "k", "t", "p", "h",
    ];
    let parts = |c: char| {
        let index = u32::from(c).checked_sub(0xac00).and_then(|i| usize::try_from(i).ok())?;
        let first = FIRST.get(index / 588)?;
        Some((*first, *VOWELS.get(index % 588 / 28)?, index % 28))
    };
    let syllables: Vec<_> = word.chars().filter_map(parts).collect();
    let mut out = String::new();
    let mut first_now = syllables.first().map_or("", |(first, _, _)| first);
    for (at, (_, vowel, last)) in syllables.iter().enumerate() {
        out.push_str(first_now);
        out.push_str(vowel);
        let next = syllables.get(at + 1).map(|(first, _, _)| *first);
        let plain = LAST.get(*last).copied().unwrap_or_default();
        let (end, start) = match (plain, next) {
            (_, Some("")) => (LINKED.get(*last).copied().unwrap_or_default(), ""),
            ("k", Some("r")) => ("ng", "n"),
            ("p", Some("r")) => ("m", "n"),
            ("n" | "l", Some("r")) | ("l", Some("n")) => ("l", "l"),
            ("ng" | "m", Some("r")) => (plain, "n"),
            ("k", Some(start @ ("n" | "m"))) => ("ng", start),
            ("t", Some(start @ ("n" | "m"))) => ("n", start),
            ("p", Some(start @ ("n" | "m"))) => ("m", start),
            (_, start) => (plain, start.unwrap_or_default()),
        };
        out.push_str(end);
        first_now = start;
    }
    out
}

/// Syllables, each with the characters that are frequent in the names of districts and streets.
const SYLLABLES: &str = "\
    an 安; ba 八巴; bai 白百; bao 宝保寶; bei 北; bin 滨濱; bo 博; cao 曹; chang 长長昌常; \
    chao 朝潮; cheng 城成诚承; chong 崇重; chuan 川; chun 春; da 大达達; dan 丹; de 德; di 地; \
    dong 东東洞; du 都; er 二; fa 发發; fan 范; fang 方芳坊; feng 丰豐风凤鳳; fu 福府富复復阜; gang 港岗; \
    gao 高; gong 工公; gu 谷古鼓; guan 关關; guang 广廣光; gui 桂贵; guo 国國; hai 海; han 汉漢; \
    hang 杭航; he 和河合; heng 横衡; hong 红虹鸿洪宏紅; hu 湖虎户沪; hua 华華花; huai 淮怀; huan 环環; \
    huang 黄黃皇; hui 惠汇徽; ji 吉济集; jia 家嘉甲; jian 建; jiang 江; jiao 交胶; jie 解; \
    jin 金锦津晋; jing 京静靜经景; jiu 九; ju 居; kai 开開; kang 康; ke 科; kun 昆; lan 兰蘭; \
    li 里丽黎李; lian 联莲; liang 梁良; lin 林临臨; ling 岭陵; liu 六柳刘; long 龙龍隆; lu 鲁庐卢; \
    luo 罗洛; ma 马馬; mei 梅; men 门門; min 民闽; ming 明; mu 木; nan 南; ning 宁寧; pan 番; \
    peng 彭; ping 平; pu 浦普; qi 七齐; qian 前黔; qiao 桥橋; qing 青清庆慶; quan 泉; ren 人仁; \
    ri 日; rong 荣融容; san 三; sha 沙; shan 山; shang 上商; shao 韶; shen 深沈; sheng 胜生盛; \
    shi 石十时实世; shou 首寿; shu 树书; shun 顺; si 四; song 松; su 苏; tai 太泰台臺; tang 塘唐; \
    tao 桃; ti 体; tian 天田; tie 铁; ting 亭; tong 同通; tuan 团; wan 万湾灣; wang 王望; wei 卫; \
    wen 文温; wu 五武吴梧; xi 西溪; xia 下厦夏; xian 县仙; xiang 香湘祥; xiao 小晓; xin 新鑫信; \
    xing 兴興星; xiu 秀; xu 徐; xuan 宣玄; xue 学學; yan 延燕沿; yang 阳陽杨扬洋; ye 业; yi 一义義益; \
    yin 银; ying 英营; yong 永; you 友; yu 玉渝裕; yuan 元园源; yue 越月岳; yun 云雲运; zao 枣; ze 泽; \
    zhang 张章; zhao 赵; zhe 浙; zhen 振镇; zheng 正政郑; zhi 芝治; zhong 中忠; zhou 州洲; \
    zhu 珠竹; zhuang 庄; zi 子; zong 宗; ji 技; \
    ai 爱愛; an 岸; ao 奥; ban 板; bang 邦; bei 碑; bi 碧; bo 波; bu 步; cai 财; cha 刹; cheng \
    程; cun 村; dan 单; dao 道岛島; deng 邓登; dian 淀; ding 定; dong 冬; du 渡; dun 敦; fang 放; \
    feng 奉峰; gang 钢; gao 皋; gong 拱宫; guo 郭; he 荷贺; heng 恒亨; hou 侯后; hu 胡; hua 化; hui \
    会會; huo 火; ji 基纪紀; jia 佳; jie 杰洁; jing 井; ju 巨; juan 娟; jun 军軍; kai 凯; ke 克; kou \
    口; lai 莱来; lan 蓝; le 乐樂; lei 雷; li 荔利立力; liang 亮; lie 列; lin 霖; lou 楼娄樓; lu \
    陆陸鹿路; luo 骆; mao 茂贸; mei 美; mi 密; mian 棉; min 闵; ming 名; na 纳; nei 内內; ning 凝; \
    niu 牛; ping 坪; po 坡; qi 栖; qian 钱; qiang 强; qin 秦; qiu 秋; quan 权權; rao 饶; rou 柔; \
    rui 瑞; shan 陕; shang 尚; she 设設; shi 士什; shu 墅; shui 水; si 斯思; song 宋; sun 孙; ta \
    塔; tan 谭; tie 鐵; tu 土; tun 屯; tuo 陀; wan 萬弯; wei 未威伟维; xia 霞; xian 贤; xiao 萧孝; \
    xie 谢; xin 欣; xuan 旋; xue 雪; ya 亚; yan 盐雁; yang 羊央; ye 邺叶; yi 谊颐; ying 应; yong \
    雍; yu 禺余雨愚; yuan 院園; zang 藏; zha 闸; zhan 站展; zhen 真; zhi 知志; zhu 朱; zu 祖; zui 嘴";

static CHARACTERS: LazyLock<HashMap<char, &'static str>> = LazyLock::new(|| {
    let groups = SYLLABLES.split(';').filter_map(|group| group.trim().split_once(' '));
    groups.flat_map(|(latin, characters)| characters.chars().map(move |c| (c, latin))).collect()
});

fn syllable(c: char) -> Option<&'static str> {
    CHARACTERS.get(&c).copied()
}

/// Chinese parts of an address as visitors write them: `chaoyang district, jianguo road 88`.
fn romanised_chinese(text: &str) -> Option<String> {
    const ENDINGS: [(&str, &str); 20] = [
        ("大街", " street, "),
        ("大道", " avenue, "),
        ("胡同", " hutong, "),
        ("路", " road "),
        ("街", " street "),
        ("巷", " lane "),
        ("弄", " lane "),
        ("省", ", "),
        ("市", ", "),
        ("区", " district, "),
        ("區", " district, "),
        ("县", " county, "),
        ("镇", " town, "),
        ("号楼", ", "),
        ("号", ", "),
        ("號", ", "),
        ("室", " room, "),
        ("层", " floor, "),
        ("楼", " floor, "),
        ("樓", " floor, "),
    ];
    /// Parts of a long street.
    const SIDES: [(char, &str); 6] = [
        ('东', "east"),
        ('東', "east"),
        ('西', "west"),
        ('南', "south"),
        ('北', "north"),
        ('中', "middle"),
    ];
    let mut out = String::new();
    let mut name = String::new();
    let mut rest = text.replace("中国", "").replace("中國", "");
    let numerals = ["一", "二", "三", "四", "五", "六", "七", "八", "九"];
    for (number, numeral) in (1..).zip(numerals) {
        rest = rest.replace(&format!("{numeral}段"), &format!(" section {number}, "));
    }
    let mut rest = rest.as_str();
    while let Some(c) = rest.chars().next() {
        let ending = ENDINGS
            .iter()
            .find_map(|(written, latin)| rest.strip_prefix(written).map(|rest| (rest, *latin)));
        // A name has two characters at least before its ending, or is a number.
        let is_ending = name.chars().count() >= 2 || name.is_empty();
        if let Some((behind, latin)) = ending.filter(|_| is_ending) {
            let is_street = latin.contains("road") || latin.contains("street");
            let side = SIDES
                .iter()
                .find(|(mark, _)| is_street && name.chars().count() >= 3 && name.ends_with(*mark));
            let stem = side.map_or(name.as_str(), |(mark, _)| name.trim_end_matches(*mark));
            for c in stem.chars() {
                out.push_str(syllable(c)?);
            }
            if let Some((_, latin)) = side {
                out.push(' ');
                out.push_str(latin);
            }
            out.push_str(latin);
            name.clear();
            rest = behind;
            continue;
        }
        if is_han(c) {
            name.push(c);
        } else {
            for c in name.chars() {
                out.push_str(syllable(c)?);
            }
            name.clear();
            out.push(c);
        }
        rest = rest.get(c.len_utf8()..)?;
    }
    // What has no ending is the name of a building, which need not be known.
    if let Some(latin) = name.chars().map(syllable).collect::<Option<String>>() {
        out.push_str(&latin);
    }
    Some(out)
}
