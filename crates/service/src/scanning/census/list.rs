//! The ranked list of domains that a census measures.

use std::collections::BTreeSet;

use contract::records::CensusFrame;
use contract::{Domain, NamePolicy};

/// Lines parsed at most.
const MAX_LINES: usize = 10_000_000;

/// Domains by rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CensusList {
    pub frame: CensusFrame,
    /// Sorted by rank, each rank and each domain once.
    pub domains: Vec<(u64, Domain)>,
    /// Lines without a valid rank and public domain, and duplicates.
    pub skipped_lines: usize,
}

impl CensusList {
    /// Parses `domain` or `rank,domain`, one per line; `#` starts a comment. A line without a rank
    /// gets its position among the non-empty lines.
    #[must_use]
    pub fn parse(text: &str, name: &str, date: Option<&str>, names: &NamePolicy) -> Self {
        let mut ranks = BTreeSet::new();
        let mut seen_domains = BTreeSet::new();
        let mut domains = Vec::new();
        let (mut position, mut passed_over) = (0u64, 0);
        for line in text.lines().take(MAX_LINES) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            position += 1;
            let (rank, name) = match line.split_once(',') {
                Some((rank, name)) => (rank.trim().parse().ok(), name.trim()),
                None => (Some(position), line),
            };
            let domain = Domain::parse(name.trim_matches('"'), names).ok();
            match rank.zip(domain) {
                Some((rank, domain))
                    if rank > 0 && !seen_domains.contains(&domain) && ranks.insert(rank) =>
                {
                    seen_domains.insert(domain.clone());
                    domains.push((rank, domain));
                }
                _ => passed_over += 1,
            }
        }
        domains.sort_unstable();
        let canonical: String =
            domains.iter().map(|(rank, domain)| format!("{rank},{domain}\n")).collect();
        let frame = CensusFrame {
            name: name.to_owned(),
            date: date.map(ToOwned::to_owned),
            size: u64::try_from(domains.len()).unwrap_or(u64::MAX),
            frame_sha256: proof::sha256(canonical.as_bytes()).to_hex(),
        };
        Self { frame, domains, skipped_lines: passed_over }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> CensusList {
        CensusList::parse(text, "a list", Some("2026-11-09"), &NamePolicy::default())
    }

    #[test]
    fn both_forms_are_read_and_doubles_are_passed_over() {
        let list =
            read("# top\nrank,domain\n2,b.org\n1,a.org\n\n3,b.org\n3,localhost\n4,c.org # x\n");
        let ranks: Vec<(u64, &str)> =
            list.domains.iter().map(|(rank, domain)| (*rank, domain.as_str())).collect();
        assert_eq!(ranks, [(1, "a.org"), (2, "b.org"), (4, "c.org")]);
        assert_eq!((list.skipped_lines, list.frame.size), (3, 3));
        let plain = read("a.org\r\nb.org\r\n");
        assert_eq!(plain.domains.iter().map(|(rank, _)| *rank).collect::<Vec<_>>(), [1, 2]);
        // The same domains at the same ranks are the same frame, however they are written.
        assert_eq!(plain.frame.frame_sha256, read("2,b.org\n1,www.a.org").frame.frame_sha256);
        assert_ne!(plain.frame.frame_sha256, read("1,b.org\n2,a.org").frame.frame_sha256);
    }

    proptest! {
        #[test]
        fn any_text_is_a_list_in_order(text in "[a-c0-9.,#\n]{0,200}") {
            let list = read(&text);
            prop_assert!(list.domains.windows(2).all(|pair| pair[0].0 < pair[1].0));
        }
    }
}
