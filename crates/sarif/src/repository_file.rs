//! A file of the user's repository, to which code hosts attach results.

/// Code hosts take only relative paths, not the URLs that were read.
#[derive(Debug, Clone)]
pub struct RepositoryFile(String);

impl RepositoryFile {
    /// Where the files of a site usually are.
    const USUAL: [&str; 8] = [
        "robots.txt",
        "public/robots.txt",
        "static/robots.txt",
        "src/robots.txt",
        "index.html",
        "public/index.html",
        "static/index.html",
        "src/index.html",
    ];

    /// A path from the root of the repository, with slashes.
    pub fn parse(path: &str) -> Result<Self, String> {
        let mut parts = path.split('/');
        let plain = parts.all(|part| !matches!(part, "" | "." | ".."))
            && !path.contains([':', '\\'])
            && !path.chars().any(char::is_control);
        if !plain {
            return Err(
                "expected a path from the root of the repository, such as public/robots.txt"
                    .to_owned(),
            );
        }
        Ok(Self(path.to_owned()))
    }

    /// The first usual file that exists, or robots.txt.
    #[must_use]
    pub fn first_usual(exists: impl Fn(&str) -> bool) -> Self {
        let found = Self::USUAL.iter().find(|file| exists(file));
        Self((*found.unwrap_or(&Self::USUAL[0])).to_owned())
    }

    /// As a relative URI reference (RFC 3986).
    pub(crate) fn to_uri(&self) -> String {
        percent_encoded(&self.0, b"-._~/")
    }
}

/// Letters, digits and these bytes stay as they are.
pub(crate) fn percent_encoded(text: &str, plain: &[u8]) -> String {
    let mut uri = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || plain.contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_file_is_a_relative_path() {
        for good in ["robots.txt", "public/robots.txt", "a b/ü.html"] {
            assert!(RepositoryFile::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "/robots.txt", "../robots.txt", "a//b", "./a", "https://x/y", "a\\b", "a\n"]
        {
            assert!(RepositoryFile::parse(bad).is_err(), "{bad:?}");
        }
        assert_eq!(RepositoryFile::parse("a b/ü").unwrap().to_uri(), "a%20b/%C3%BC");
        assert_eq!(RepositoryFile::first_usual(|_| false).0, "robots.txt");
        let found = RepositoryFile::first_usual(|file| file.ends_with("index.html"));
        assert_eq!(found.0, "index.html");
    }
}
