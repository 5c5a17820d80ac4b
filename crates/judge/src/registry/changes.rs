//! What differs between two readings of a registration.

use contract::Timestamp;
use declared::rdap::Registration;

/// A field whose value differs. `None` where the registry gave no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    pub field: &'static str,
    pub from: Option<String>,
    pub to: Option<String>,
}

/// The fields that differ, in a fixed order. What a registry withholds is not compared.
#[must_use]
pub fn compare_registrations(before: &Registration, after: &Registration) -> Vec<FieldChange> {
    let mut found: Vec<FieldChange> = fields(before)
        .into_iter()
        .zip(fields(after))
        .filter(|((_, from), (_, to))| from != to)
        .map(|((field, from), (_, to))| FieldChange { field, from, to })
        .collect();
    // The date of the last change follows every other change, so it says something only alone.
    if found.is_empty() && before.changed != after.changed {
        let (from, to) = (time(before.changed), time(after.changed));
        found.push(FieldChange { field: "changed", from, to });
    }
    found
}

fn fields(registration: &Registration) -> [(&'static str, Option<String>); 9] {
    let list = |items: &[String]| (!items.is_empty()).then(|| items.join(", "));
    [
        ("registrar", registration.registrar.clone()),
        ("registrar_iana_id", registration.registrar_iana_id.clone()),
        ("created", time(registration.created)),
        ("reregistered_at", time(registration.reregistered_at)),
        ("transferred_at", time(registration.transferred_at)),
        ("expires", time(registration.expires)),
        ("nameservers", list(&registration.nameservers)),
        ("dnssec", registration.dnssec.map(|signed| signed.to_string())),
        ("status", list(&registration.status)),
    ]
}

fn time(at: Option<Timestamp>) -> Option<String> {
    at.map(|at| at.whole_seconds().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registration() -> Registration {
        Registration {
            registrar: Some("A".into()),
            registrar_iana_id: Some("1".into()),
            created: Some("2019-03-04T00:00:00Z".parse().unwrap()),
            expires: Some("2027-03-04T00:00:00Z".parse().unwrap()),
            changed: Some("2026-03-04T00:00:00Z".parse().unwrap()),
            transferred_at: None,
            reregistered_at: None,
            nameservers: vec!["a.example".into(), "b.example".into()],
            dnssec: Some(false),
            status: vec!["active".into()],
            redacted: vec![],
        }
    }

    #[test]
    fn nothing_changes_by_itself() {
        assert_eq!(compare_registrations(&registration(), &registration()), []);
        let withheld = Registration { redacted: vec!["Registrant Name".into()], ..registration() };
        assert_eq!(compare_registrations(&registration(), &withheld), []);
    }

    #[test]
    fn every_field_is_compared() {
        let later = Some("2026-11-15T00:00:00Z".parse().unwrap());
        type Change = fn(&mut Registration, Option<Timestamp>);
        let changes: [(&str, Change); 10] = [
            ("registrar", |r, _| r.registrar = None),
            ("registrar_iana_id", |r, _| r.registrar_iana_id = Some("2".into())),
            ("created", |r, at| r.created = at),
            ("reregistered_at", |r, at| r.reregistered_at = at),
            ("transferred_at", |r, at| r.transferred_at = at),
            ("expires", |r, at| r.expires = at),
            ("nameservers", |r, _| r.nameservers.clear()),
            ("dnssec", |r, _| r.dnssec = None),
            ("status", |r, _| r.status.push("server hold".into())),
            ("changed", |r, at| r.changed = at),
        ];
        for (field, change) in changes {
            let mut after = registration();
            change(&mut after, later);
            let found = compare_registrations(&registration(), &after);
            assert_eq!(found.iter().map(|one| one.field).collect::<Vec<_>>(), [field]);
            assert_ne!(found[0].from, found[0].to);
        }
    }

    #[test]
    fn the_date_of_the_last_change_is_listed_only_alone() {
        let after = Registration {
            registrar: Some("B".into()),
            changed: Some("2026-11-15T00:00:00Z".parse().unwrap()),
            ..registration()
        };
        let found = compare_registrations(&registration(), &after);
        let expected =
            FieldChange { field: "registrar", from: Some("A".into()), to: Some("B".into()) };
        assert_eq!(found, [expected]);
    }
}
