//! Reads a `WWW-Authenticate` challenge (RFC 9110, section 11.6.1), as far as a walk needs it.

/// The first challenge of a header.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Challenge {
    pub(super) scheme: String,
    params: Vec<(String, String)>,
}

const MAX_PARAMS: usize = 32;
const MAX_HEADER_BYTES: usize = 8 * 1024;

impl Challenge {
    pub(super) fn parse(header: &str) -> Option<Self> {
        let header = header.get(..MAX_HEADER_BYTES).unwrap_or(header).trim();
        let (scheme, mut rest) = header.split_once([' ', '\t']).unwrap_or((header, ""));
        let is_token = |text: &str| {
            !text.is_empty()
                && text
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
        };
        if !is_token(scheme) {
            return None;
        }
        let mut params = Vec::new();
        while params.len() < MAX_PARAMS {
            rest = rest.trim_start_matches([' ', '\t', ',']);
            let Some((name, after)) = rest.split_once('=') else { break };
            let name = name.trim();
            if !is_token(name) {
                break;
            }
            let after = after.trim_start();
            let value = match after.strip_prefix('"') {
                Some(quoted) => {
                    let Some((value, after)) = unquote(quoted) else { break };
                    rest = after;
                    value
                }
                None => {
                    let end = after.find([',', ' ', '\t']).unwrap_or(after.len());
                    let (value, after) = after.split_at(end);
                    rest = after;
                    value.to_owned()
                }
            };
            params.push((name.to_ascii_lowercase(), value));
        }
        Some(Self { scheme: scheme.to_owned(), params })
    }

    pub(super) fn param(&self, name: &str) -> Option<&str> {
        self.params.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }
}

/// The text up to the closing quote, and what follows it.
fn unquote(quoted: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, quoted.get(at + 1..)?)),
            '\\' => value.push(chars.next()?.1),
            c => value.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn challenges_as_servers_write_them() {
        let text = r#"Bearer error="invalid_token", error_description="a, \"b\"", resource_metadata="https://a.lab/.well-known/x" scope=read"#;
        let challenge = Challenge::parse(text).unwrap();
        assert_eq!(challenge.scheme, "Bearer");
        assert_eq!(challenge.param("error_description"), Some("a, \"b\""));
        assert_eq!(challenge.param("resource_metadata"), Some("https://a.lab/.well-known/x"));
        assert_eq!(challenge.param("scope"), Some("read"));
        assert_eq!(Challenge::parse("Basic").unwrap().scheme, "Basic");
        assert_eq!(
            Challenge::parse("Bearer resource_metadata=\"open").unwrap().param("resource_metadata"),
            None
        );
        assert_eq!(Challenge::parse(""), None);
    }

    proptest! {
        #[test]
        fn any_header_ends(text in "[A-Za-z \"\\\\=,\t\u{e9}]{0,80}") {
            let _ = Challenge::parse(&text);
        }
    }
}
