//! Machine files: what was found is listed, what was not is one line.

use contract::records::{Check, CheckVerdict};

use crate::pages::status::{Status, check_verdict};

pub(super) struct FilesView<'a> {
    pub(super) listed: Vec<(&'a Check, Status)>,
    /// Paths that answered with 404 or the like.
    pub(super) absent: Vec<&'a str>,
    /// `20 not found, among them /sitemap.xml and /llms.txt`.
    pub(super) absent_title: String,
    pub(super) total: usize,
}

impl<'a> FilesView<'a> {
    pub(super) fn new(checks: &'a [Check]) -> Self {
        let is_absent = |check: &&Check| {
            matches!(check.verdict, CheckVerdict::Absent | CheckVerdict::Soft404)
                && check.faults.is_empty()
        };
        let mut absent: Vec<&Check> = checks.iter().filter(is_absent).collect();
        // Files that every site should have come first.
        absent.sort_by_key(|check| check.optional);
        let absent: Vec<&str> = absent.into_iter().map(|check| check.path.as_str()).collect();
        let listed: Vec<&Check> = checks.iter().filter(|check| !is_absent(check)).collect();
        Self {
            absent_title: absent_title(&absent),
            listed: listed
                .into_iter()
                .map(|check| (check, check_verdict(&check.verdict)))
                .collect(),
            absent,
            total: checks.len(),
        }
    }
}

fn absent_title(absent: &[&str]) -> String {
    match absent {
        [] => String::new(),
        [one] => format!("1 not found: {one}"),
        [first, second] => format!("2 not found: {first} and {second}"),
        [first, second, third] => format!("3 not found: {first}, {second} and {third}"),
        [first, second, third, ..] => {
            format!("{} not found, among them {first}, {second} and {third}", absent.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_files_are_one_line() {
        assert_eq!(
            absent_title(&["/a", "/b", "/c", "/d"]),
            "4 not found, among them /a, /b and /c"
        );
        assert_eq!(absent_title(&["/a", "/b"]), "2 not found: /a and /b");
    }
}
