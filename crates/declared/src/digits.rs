//! Finds digits in a text, of which most texts have few.

/// Where the first digit of a text is. Whole blocks are searched at a time.
pub(crate) fn find_digit(text: &str) -> Option<usize> {
    const BLOCK: usize = 32;
    let mut from = 0;
    let mut rest = text.as_bytes();
    while let Some((block, after)) = rest.split_first_chunk::<BLOCK>() {
        if block.iter().fold(false, |found, byte| found | byte.is_ascii_digit()) {
            break;
        }
        (from, rest) = (from + BLOCK, after);
    }
    rest.iter().position(u8::is_ascii_digit).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn the_first_digit_is_found(text in "[a-z é./:]{0,80}[0-9]{0,2}[a-z0-9]{0,40}") {
            let first = text.bytes().position(|byte| byte.is_ascii_digit());
            proptest::prop_assert_eq!(find_digit(&text), first);
        }
    }
}
