//! One AI engine of `accuracy.engines`: a table, or one line such as
//! `NAME=BASE_URL model=MODEL key_env=VARIABLE`.

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An AI engine. Its key is in a file or in an environment variable, so that `wayleave config` does not
/// print it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EngineEntry {
    pub(crate) name: String,
    pub(crate) base_url: String,
    pub(crate) model: String,
    pub(crate) key: KeyPlace,
    /// Unset means `authorization: Bearer`.
    pub(crate) key_header: Option<String>,
    pub(crate) web_search: bool,
    pub(crate) extra_ca: Option<PathBuf>,
}

/// Where the key of an engine is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeyPlace {
    Variable(String),
    File(PathBuf),
}

/// The form of a table.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EngineTable {
    name: String,
    base_url: String,
    model: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key_env: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key_file: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key_header: Option<String>,
    #[serde(default)]
    web_search: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    extra_ca: Option<PathBuf>,
}

const HELP: &str = "write NAME=BASE_URL model=MODEL and key_env=VARIABLE or key_file=PATH, and if needed search, \
     ca=PEMFILE and key_header=NAME";

impl EngineEntry {
    /// Parses a line. The errors do not repeat what has an unknown name: it may be a key.
    pub(crate) fn parse(line: &str) -> Result<Self> {
        let mut words = line.split_whitespace();
        let (name, base_url) =
            words.next().and_then(|word| word.split_once('=')).with_context(|| HELP)?;
        let mut table = EngineTable {
            name: name.to_owned(),
            base_url: base_url.to_owned(),
            ..EngineTable::default()
        };
        for word in words {
            let (option, value) = word.split_once('=').unwrap_or((word, ""));
            let is_new = match option {
                "model" => std::mem::replace(&mut table.model, value.to_owned()).is_empty(),
                "key_env" => table.key_env.replace(value.to_owned()).is_none(),
                "key_file" => table.key_file.replace(value.into()).is_none(),
                "key_header" => table.key_header.replace(value.to_owned()).is_none(),
                "ca" => table.extra_ca.replace(value.into()).is_none(),
                "search" if word == "search" => !std::mem::replace(&mut table.web_search, true),
                _ => bail!("{name}: there is an unknown word in it; {HELP}"),
            };
            if !is_new || (option != "search" && value.is_empty()) {
                bail!("{name}: {option} must have one value, and stand there once");
            }
        }
        Self::from_table(table)
    }

    fn from_table(table: EngineTable) -> Result<Self> {
        let EngineTable { name, base_url, model, key_header, web_search, extra_ca, .. } = table;
        let key = match (table.key_env, table.key_file) {
            (Some(variable), None) => KeyPlace::Variable(variable),
            (None, Some(file)) => KeyPlace::File(file),
            (Some(_), Some(_)) => {
                bail!("{name}: key_env and key_file are both set: use one of them")
            }
            (None, None) => bail!("{name}: it needs key_env or key_file"),
        };
        let entry = Self { name, base_url, model, key, key_header, web_search, extra_ca };
        entry.validate()?;
        Ok(entry)
    }

    fn validate(&self) -> Result<()> {
        let Self { name, model, .. } = self;
        if !is_engine_name(name) {
            bail!(
                "{name:?} is not a name: use 1 to 40 small letters, digits, `.`, `_` and `-`, and begin \
                 with a letter or digit"
            );
        }
        let url = url::Url::parse(&self.base_url).ok();
        let is_base = |url: &url::Url| {
            matches!(url.scheme(), "http" | "https")
                && url.has_host()
                && url.username().is_empty()
                && url.password().is_none()
                && url.query().is_none()
                && url.fragment().is_none()
        };
        let Some(url) = url.filter(is_base) else {
            bail!("{name}: its base address must be an https URL such as https://api.example/v1");
        };
        if url.scheme() == "http" && !door::operator::is_loopback(&url) {
            bail!(
                "{name}: its base address must begin with https://, because the key is sent there"
            );
        }
        let is_plain =
            |text: &str| !text.is_empty() && text.len() <= 200 && !text.contains(char::is_control);
        if !is_plain(model) {
            bail!("{name}: it needs the name of a model");
        }
        if let KeyPlace::Variable(variable) = &self.key
            && !is_variable_name(variable)
        {
            // Not repeated: it may be the key itself.
            bail!("{name}: key_env must be the name of an environment variable, not the key");
        }
        if let Some(header) = &self.key_header
            && door::operator::KeyHeader::named(header).is_none()
        {
            bail!("{name}: key_header must be the name of a header field for the key");
        }
        Ok(())
    }

    fn to_table(&self) -> EngineTable {
        let (key_env, key_file) = match &self.key {
            KeyPlace::Variable(variable) => (Some(variable.clone()), None),
            KeyPlace::File(file) => (None, Some(file.clone())),
        };
        EngineTable {
            name: self.name.clone(),
            base_url: self.base_url.clone(),
            model: self.model.clone(),
            key_env,
            key_file,
            key_header: self.key_header.clone(),
            web_search: self.web_search,
            extra_ca: self.extra_ca.clone(),
        }
    }
}

/// The line of the entry.
impl fmt::Display for EngineEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={} model={}", self.name, self.base_url, self.model)?;
        match &self.key {
            KeyPlace::Variable(variable) => write!(f, " key_env={variable}")?,
            KeyPlace::File(file) => write!(f, " key_file={}", file.display())?,
        }
        if let Some(header) = &self.key_header {
            write!(f, " key_header={header}")?;
        }
        if self.web_search {
            f.write_str(" search")?;
        }
        match &self.extra_ca {
            Some(file) => write!(f, " ca={}", file.display()),
            None => Ok(()),
        }
    }
}

impl Serialize for EngineEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A path with a space in it cannot stand in a line.
        let line = self.to_string();
        match Self::parse(&line) {
            Ok(read) if read == *self => serializer.serialize_str(&line),
            _ => self.to_table().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for EngineEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Line(String),
            Table(EngineTable),
        }
        let expected = || {
            format!(
                "accuracy.engines: an engine is a table with name, base_url, model and key_env or key_file (key_header, \
                 web_search and extra_ca if needed), or a text: {HELP}"
            )
        };
        let form =
            Form::deserialize(deserializer).map_err(|_| serde::de::Error::custom(expected()))?;
        let entry = match form {
            Form::Line(line) => Self::parse(&line),
            Form::Table(table) => Self::from_table(table),
        };
        entry.map_err(|error| serde::de::Error::custom(format!("accuracy.engines: {error:#}")))
    }
}

/// `[a-z0-9][a-z0-9._-]{0,39}`
fn is_engine_name(name: &str) -> bool {
    let is_first = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.len() <= 40
        && name.bytes().next().is_some_and(is_first)
        && name.bytes().all(|byte| is_first(byte) || b"._-".contains(&byte))
}

fn is_variable_name(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_and_a_table_are_the_same_engine() {
        let line = "one=https://api.example/v1 model=m-1 key_env=ONE_KEY key_header=api-key search ca=/ca.pem";
        let entry = EngineEntry::parse(line).unwrap();
        assert_eq!(entry.to_string(), line);
        let table = "name = \"one\"\nbase_url = \"https://api.example/v1\"\nmodel = \"m-1\"\n\
                     key_env = \"ONE_KEY\"\nkey_header = \"api-key\"\nweb_search = true\nextra_ca = \"/ca.pem\"";
        assert_eq!(toml::from_str::<EngineEntry>(table).unwrap(), entry);
        let plain =
            EngineEntry::parse("local=http://127.0.0.1:8000/v1 model=m key_file=/k").unwrap();
        assert!(!plain.web_search && plain.extra_ca.is_none());
    }

    #[test]
    fn what_cannot_stand_in_a_line_is_a_table() {
        let table = "name = \"one\"\nbase_url = \"https://a.example/v1\"\nmodel = \"m 1\"\nkey_file = \"/a b\"";
        let entry: EngineEntry = toml::from_str(table).unwrap();
        let shown = toml::Value::try_from(&entry).unwrap();
        assert!(shown.is_table(), "{shown}");
        assert_eq!(shown.try_into::<EngineEntry>().unwrap(), entry);
    }

    #[test]
    fn a_bad_line_is_named_and_its_key_is_not_shown() {
        for (line, says) in [
            ("", "write NAME=BASE_URL"),
            ("one", "write NAME=BASE_URL"),
            ("One=https://a.example model=m key_env=K", "is not a name"),
            ("-one=https://a.example model=m key_env=K", "is not a name"),
            ("one=a.example model=m key_env=K", "one: its base address must be"),
            ("one=ftp://a.example model=m key_env=K", "one: its base address must be"),
            ("one=https://u:sk-1@a.example model=m key_env=K", "one: its base address must be"),
            ("one=https://a.example?key=sk-1 model=m key_env=K", "one: its base address must be"),
            ("one=http://a.example/v1 model=m key_env=K", "must begin with https://"),
            ("one=https://a.example key_env=K", "one: it needs the name of a model"),
            ("one=https://a.example model=m", "one: it needs key_env or key_file"),
            ("one=https://a.example model=m key_env=K key_file=/k", "both set"),
            ("one=https://a.example model=m key_env=K key_env=L", "once"),
            ("one=https://a.example model= key_env=K", "one value"),
            ("one=https://a.example model=m key_env=sk-1", "not the key"),
            ("one=https://a.example model=m key=sk-1", "unknown word"),
            ("one=https://a.example model=m key_env=K sk-1", "unknown word"),
            ("one=https://a.example model=m key_env=K key_header=host", "key_header must be"),
        ] {
            let error = format!("{:#}", EngineEntry::parse(line).unwrap_err());
            assert!(error.contains(says) && !error.contains("sk-1"), "{line}: {error}");
        }
        let unknown =
            "name = \"one\"\nbase_url = \"https://a.example\"\nmodel = \"m\"\nkey = \"sk-1\"";
        let error = toml::from_str::<EngineEntry>(unknown).unwrap_err();
        assert!(error.message().contains("key_env or key_file"), "{error}");
        assert!(!error.message().contains("sk-1"), "{error}");
    }

    #[test]
    fn names_are_short_lower_case_words() {
        for (name, is_good) in [
            ("a", true),
            ("gpt-5.mini_2", true),
            ("4o", true),
            (&*"a".repeat(40), true),
            (&*"a".repeat(41), false),
            ("", false),
            (".a", false),
            ("a b", false),
            ("ä", false),
        ] {
            assert_eq!(is_engine_name(name), is_good, "{name}");
        }
    }
}
