//! The fields of a form, by what they ask for.

use super::tags::Attributes;

#[derive(Debug, Default)]
pub(super) struct FormFields {
    pub(super) passwords: usize,
    /// Passwords that are being chosen, not asked for.
    pub(super) new_passwords: usize,
    /// A name, an e-mail address or a number that identifies the visitor.
    pub(super) identifiers: usize,
    /// Fields for a date of birth or its parts.
    pub(super) birth: usize,
    /// Long texts, files: the form is for something else.
    pub(super) others: usize,
}

const BIRTH_NAMES: [&str; 10] = [
    "birth",
    "bday",
    "dob",
    "geburt",
    "naissance",
    "nacimiento",
    "nascita",
    "nascimento",
    "urodzenia",
    "fodsel",
];
const DATE_PART_NAMES: [&str; 22] = [
    "day", "dd", "month", "mm", "year", "yyyy", "yy", "tag", "monat", "jahr", "jour", "mois",
    "annee", "dia", "mes", "ano", "giorno", "mese", "anno", "age", "gun", "yil",
];

impl FormFields {
    /// Counts a field. `element` and `kind` (the type) are in lower case.
    pub(super) fn add(&mut self, element: &str, kind: &str, attributes: Attributes<'_>) {
        let of = |name| attributes.get(name).unwrap_or_default().to_ascii_lowercase();
        let completes = of("autocomplete");
        let names = [of("name"), of("id")];
        let has_part =
            |parts: &[&str]| parts.iter().any(|part| names.iter().any(|name| name.contains(part)));
        let has_name =
            |known: &[&str]| known.iter().any(|word| names.iter().any(|name| name == word));
        let is_date_part = names
            .iter()
            .flat_map(|name| name.split(['-', '_', '[', ']', '.']))
            .any(|word| DATE_PART_NAMES.contains(&word));
        match (element, kind) {
            (_, "hidden" | "checkbox" | "radio" | "image" | "range" | "color" | "search") => {}
            ("textarea", _) | (_, "file") => self.others += 1,
            (_, "password") => {
                self.passwords += 1;
                self.new_passwords += usize::from(completes.contains("new-password"));
            }
            (_, "date" | "month") => self.birth += 1,
            _ if completes.starts_with("bday") || has_part(&BIRTH_NAMES) => self.birth += 1,
            _ if is_date_part => self.birth += 1,
            ("select", _) => {}
            (_, "email" | "tel") => self.identifiers += 1,
            _ if completes == "username"
                || has_part(&["user", "login", "mail", "account", "card", "ident"])
                || has_name(&["id", "uid", "email", "j_username", "identifier"]) =>
            {
                self.identifiers += 1;
            }
            (_, "text" | "" | "number") => self.identifiers += 1,
            _ => {}
        }
    }
}
