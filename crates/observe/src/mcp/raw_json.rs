//! Finds the raw text of members and items in JSON that was parsed before, so that every byte stays
//! as the server sent it. For texts that are not valid JSON the result is `None`.

/// The raw text of the member of an object; the last one if it comes again.
pub(super) fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let mut scanner = Scanner { text: object, at: 0 };
    scanner.expect(b'{')?;
    let mut found = None;
    if scanner.take_if(b'}') {
        return None;
    }
    loop {
        let key = scanner.value()?;
        scanner.expect(b':')?;
        let value = scanner.value()?;
        // Names may be escaped, so they are compared as what they mean.
        if serde_json::from_str::<String>(key).is_ok_and(|key| key == name) {
            found = Some(value);
        }
        if !scanner.take_if(b',') {
            return scanner.take_if(b'}').then_some(found)?;
        }
    }
}

/// The raw texts of the items of an array.
pub(super) fn items(array: &str) -> Option<Vec<&str>> {
    let mut scanner = Scanner { text: array, at: 0 };
    scanner.expect(b'[')?;
    let mut found = Vec::new();
    if scanner.take_if(b']') {
        return Some(found);
    }
    loop {
        found.push(scanner.value()?);
        if !scanner.take_if(b',') {
            return scanner.take_if(b']').then_some(found);
        }
    }
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn take_if(&mut self, byte: u8) -> bool {
        self.skip_space();
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.take_if(byte).then_some(())
    }

    /// Goes to the end of the next value and returns its text. Counts brackets instead of recursing.
    fn value(&mut self) -> Option<&'a str> {
        self.skip_space();
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => self.string()?,
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                b',' | b':' => return None,
                _ => self.word(),
            }
            if depth == 0 {
                return self.text.get(start..self.at);
            }
        }
    }

    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) {
        while self.peek().is_some_and(|byte| {
            !matches!(byte, b',' | b':' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n')
        }) {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn texts_stay_as_they_are() {
        let text =
            r#" { "a" : {"x": 1.0, "x":[ 2 ]} , "b\u0062":"}\"]", "a":9223372036854775807 } "#;
        assert_eq!(member(text, "a"), Some("9223372036854775807"));
        assert_eq!(member(text, "bb"), Some(r#""}\"]""#));
        assert_eq!(member(text, "c"), None);
        assert_eq!(member("{}", "a"), None);
        assert_eq!(items("[]"), Some(vec![]));
        assert_eq!(
            items(r#"[ {"a":[1, 2]} ,null,"x,y"]"#),
            Some(vec![r#"{"a":[1, 2]}"#, "null", r#""x,y""#])
        );
        for bad in ["", "[", "[1", "[1,", "[1,]", "{", "{\"a\"", "{\"a\":", "[\"\\", "]", "[:]"] {
            assert_eq!((items(bad), member(bad, "a")), (None, None), "{bad}");
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(".{0,4}", inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_member_and_item_is_found(value in any_json(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            let text = text.unwrap();
            match &value {
                Value::Object(members) => for (name, inner) in members {
                    let raw = member(&text, name).unwrap();
                    prop_assert_eq!(&serde_json::from_str::<Value>(raw).unwrap(), inner);
                },
                Value::Array(inner) => {
                    let raw = items(&text).unwrap();
                    let parsed: Vec<Value> = raw.iter().map(|raw| serde_json::from_str(raw).unwrap()).collect();
                    prop_assert_eq!(&parsed, inner);
                }
                _ => {}
            }
        }

        #[test]
        fn any_text_ends(text in "[\\[\\]{}:,\"\\\\ a1\u{e9}]{0,40}") {
            let _ = (items(&text), member(&text, "a"));
        }
    }
}
