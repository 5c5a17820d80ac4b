//! Splits a command line into words as a shell does, without a shell: nothing is expanded or run.

/// A backslash takes the next character as it is, also between double quotes.
pub(super) fn split_words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => {
                let next = chars.next().ok_or("the command ends with a backslash")?;
                word.get_or_insert_default().push(next);
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, '\0') => return Err("the command has a NUL character".to_owned()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("a quotation mark in the command is not closed".to_owned());
    }
    words.extend(word);
    if words.first().is_none_or(String::is_empty) {
        return Err("the command is empty".to_owned());
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_by_a_shell() {
        for (line, words) in [
            ("node server.js", vec!["node", "server.js"]),
            ("  a\t'b c'  \"d e\" ", vec!["a", "b c", "d e"]),
            (r#"a\ b "x\"y" 'it'"'"'s' """#, vec!["a b", "x\"y", "it's", ""]),
            ("a $HOME `id` ; | &", vec!["a", "$HOME", "`id`", ";", "|", "&"]),
        ] {
            assert_eq!(split_words(line).unwrap(), words, "{line}");
        }
        for bad in ["", "  ", "a 'b", "a \"b", "a \\", "''", "a\0"] {
            assert!(split_words(bad).is_err(), "{bad:?}");
        }
    }
}
