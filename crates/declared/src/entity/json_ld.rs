//! Parses JSON-LD blocks leniently: common syntax errors are repaired.

use contract::json::parse_value;
use serde_json::Value;

/// What had to be repaired before a block could be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repair {
    Nothing,
    /// HTML comments or CDATA marks around it.
    Wrapper,
    /// Quotes written as character references.
    Escaped,
    /// Commas before a closing bracket, comments, raw line breaks in strings.
    Syntax,
}

/// Parses a block, first strictly and then with repairs. The error says where parsing failed.
pub(super) fn parse_lenient(block: &str) -> Result<(Value, Repair), String> {
    let plain = block.trim().trim_start_matches('\u{feff}');
    let error = match parse_value(plain.as_bytes()) {
        Ok(value) => return Ok((value, Repair::Nothing)),
        Err(error) => error,
    };
    let bare = strip_wrapper(plain);
    if bare.len() < plain.len()
        && let Ok(value) = parse_value(bare.as_bytes())
    {
        return Ok((value, Repair::Wrapper));
    }
    let mended = repair_syntax(bare);
    if let Ok(value) = parse_value(mended.as_bytes()) {
        return Ok((value, Repair::Syntax));
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
        if let Ok(value) = parse_value(repair_syntax(&unescaped).as_bytes()) {
            return Ok((value, Repair::Escaped));
        }
    }
    Err(format!("line {}, column {}", error.line, error.column))
}

/// The block without the comment or CDATA marks that were once put around scripts.
fn strip_wrapper(block: &str) -> &str {
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

/// Removes comments and commas before a closing bracket, and escapes control characters in strings, in
/// one pass.
fn repair_syntax(text: &str) -> String {
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
                        // `\'` is not a JSON escape.
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
            ("{\"name\": \"Tin\"}", Repair::Nothing),
            ("<!-- {\"name\": \"Tin\"} -->", Repair::Wrapper),
            ("//<![CDATA[\n{\"name\": \"Tin\"}\n//]]>", Repair::Wrapper),
            ("/*<![CDATA[*/ {\"name\": \"Tin\"}; /*]]>*/", Repair::Wrapper),
            ("{\"name\": \"Tin\",}", Repair::Syntax),
            ("{\"name\": \"Tin\", // ours\n /* all */ }", Repair::Syntax),
            ("{&quot;name&quot;: &quot;Tin&quot;}", Repair::Escaped),
        ] {
            assert_eq!(parse_lenient(block), Ok((tin.clone(), mended)), "{block}");
        }
        assert_eq!(parse_lenient("{\"a\": \"one\ntwo\"}").unwrap().0, json!({"a": "one\ntwo"}));
        assert_eq!(parse_lenient("[1,2,,]").unwrap().0, json!([1, 2]));
        assert_eq!(parse_lenient("{\"a\": \",]\\\",}\",}").unwrap().0, json!({"a": ",]\",}"}));
        assert_eq!(parse_lenient("{\"name\": }"), Err("line 1, column 10".to_owned()));
        assert!(parse_lenient("").is_err() && parse_lenient(&"[".repeat(100_000)).is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_not(text in "[\\[\\]{}\",:/*\\\\a1 \n&quot;<!>-]{0,80}") {
            let _ = parse_lenient(&text);
        }

        #[test]
        fn sound_json_is_never_mended(text in "[^\\\\\"]{0,20}") {
            let value = json!({"a": [text, 1.5, null]});
            proptest::prop_assert_eq!(parse_lenient(&value.to_string()), Ok((value, Repair::Nothing)));
        }
    }
}
