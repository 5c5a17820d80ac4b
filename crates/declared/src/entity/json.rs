//! JSON-LD blocks as they are met: most are JSON, some are nearly.

use serde_json::Value;

/// What had to be mended before a block could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mended {
    Nothing,
    /// HTML comments or CDATA marks around it.
    Wrapper,
    /// Quotes written as character references.
    Escaped,
    /// Commas before a closing bracket, comments, raw line breaks inside of strings.
    Syntax,
}

/// Reads a block, strictly first and then with a mild eye. The error says where it breaks.
pub(super) fn read(block: &str) -> Result<(Value, Mended), String> {
    let plain = block.trim().trim_start_matches('\u{feff}');
    let error = match serde_json::from_str(plain) {
        Ok(value) => return Ok((value, Mended::Nothing)),
        Err(error) => error,
    };
    let bare = unwrapped(plain);
    if bare.len() < plain.len()
        && let Ok(value) = serde_json::from_str(bare)
    {
        return Ok((value, Mended::Wrapper));
    }
    let mended = tidied(bare);
    if let Ok(value) = serde_json::from_str(&mended) {
        return Ok((value, Mended::Syntax));
    }
    if bare.contains("&quot;") || bare.contains("&#34;") || bare.contains("&#x22;") {
        let unescaped = bare
            .replace("&quot;", "\"")
            .replace("&#34;", "\"")
            .replace("&#x22;", "\"")
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&#39;", "'")
            .replace("&amp;", "&");
        if let Ok(value) = serde_json::from_str(&tidied(&unescaped)) {
            return Ok((value, Mended::Escaped));
        }
    }
    Err(format!("line {}, column {}", error.line(), error.column()))
}

/// The block without the marks that were put around scripts for old readers.
fn unwrapped(block: &str) -> &str {
    let mut bare = block;
    loop {
        let before = bare;
        bare = bare.trim().trim_end_matches(';').trim();
        for opening in
            ["<!--", "//<![CDATA[", "// <![CDATA[", "/*<![CDATA[*/", "/* <![CDATA[ */", "<![CDATA["]
        {
            bare = bare.strip_prefix(opening).unwrap_or(bare).trim_start();
        }
        for closing in ["-->", "//]]>", "// ]]>", "/*]]>*/", "/* ]]> */", "]]>", "//"] {
            bare = bare.strip_suffix(closing).unwrap_or(bare).trim_end();
        }
        if bare == before {
            return bare;
        }
    }
}

/// Comments outside of strings and commas before a closing bracket left out; control characters
/// inside of strings escaped. One pass.
fn tidied(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    let mut in_string = false;
    while let Some(c) = characters.next() {
        if in_string {
            match c {
                '"' => {
                    in_string = false;
                    out.push(c);
                }
                '\\' => {
                    out.push(c);
                    if let Some(next) = characters.next() {
                        // `\'` is no escape of JSON.
                        if next == '\'' {
                            out.pop();
                        }
                        out.push(next);
                    }
                }
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                c if c < ' ' => {}
                c => out.push(c),
            }
            continue;
        }
        match c {
            '"' => {
                in_string = true;
                out.push(c);
            }
            '/' if characters.peek() == Some(&'/') => {
                for skipped in characters.by_ref() {
                    if skipped == '\n' {
                        break;
                    }
                }
            }
            '/' if characters.peek() == Some(&'*') => {
                characters.next();
                let mut before = ' ';
                for skipped in characters.by_ref() {
                    if before == '*' && skipped == '/' {
                        break;
                    }
                    before = skipped;
                }
            }
            ']' | '}' => {
                let kept = out.trim_end().trim_end_matches(',').len();
                if out.trim_end().len() > kept {
                    out.truncate(kept);
                }
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn blocks_are_read_as_they_are_met() {
        let tin = json!({"name": "Tin"});
        for (block, mended) in [
            ("{\"name\": \"Tin\"}", Mended::Nothing),
            ("<!-- {\"name\": \"Tin\"} -->", Mended::Wrapper),
            ("//<![CDATA[\n{\"name\": \"Tin\"}\n//]]>", Mended::Wrapper),
            ("/*<![CDATA[*/ {\"name\": \"Tin\"}; /*]]>*/", Mended::Wrapper),
            ("{\"name\": \"Tin\",}", Mended::Syntax),
            ("{\"name\": \"Tin\", // ours\n /* all */ }", Mended::Syntax),
            ("{&quot;name&quot;: &quot;Tin&quot;}", Mended::Escaped),
        ] {
            assert_eq!(read(block), Ok((tin.clone(), mended)), "{block}");
        }
        assert_eq!(read("{\"a\": \"one\ntwo\"}").unwrap().0, json!({"a": "one\ntwo"}));
        assert_eq!(read("[1,2,,]").unwrap().0, json!([1, 2]));
        assert_eq!(read("{\"a\": \",]\\\",}\",}").unwrap().0, json!({"a": ",]\",}"}));
        assert_eq!(read("{\"name\": }"), Err("line 1, column 10".to_owned()));
        assert!(read("").is_err() && read(&"[".repeat(100_000)).is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_not(text in "[\\[\\]{}\",:/*\\\\a1 \n&quot;<!>-]{0,80}") {
            let _ = read(&text);
        }

        #[test]
        fn sound_json_is_never_mended(text in "[^\\\\\"]{0,20}") {
            let value = json!({"a": [text, 1.5, null]});
            proptest::prop_assert_eq!(read(&value.to_string()), Ok((value, Mended::Nothing)));
        }
    }
}
