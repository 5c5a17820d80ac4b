//! Block numbers of Japanese addresses in their own script.

/// `栄3-90-5` for `栄三丁目90番5号`. Other texts stay as they are.
pub(super) fn with_block_numbers(text: &str) -> String {
    if !text.contains(['丁', '番', '号', '號']) {
        return text.to_owned();
    }
    const NUMERALS: [(&str, &str); 10] = [
        ("十丁目", "10丁目"),
        ("一丁目", "1丁目"),
        ("二丁目", "2丁目"),
        ("三丁目", "3丁目"),
        ("四丁目", "4丁目"),
        ("五丁目", "5丁目"),
        ("六丁目", "6丁目"),
        ("七丁目", "7丁目"),
        ("八丁目", "8丁目"),
        ("九丁目", "9丁目"),
    ];
    let mut out = text.to_owned();
    for (written, digits) in NUMERALS {
        out = out.replace(written, digits);
    }
    for mark in ["丁目", "番地の", "番地", "番"] {
        out = out.replace(mark, "-");
    }
    out.replace(['号', '號'], " ").replace("- ", " ").replace("--", "-")
}
