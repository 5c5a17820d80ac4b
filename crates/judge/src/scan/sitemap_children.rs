//! Sitemap indexes whose listed sitemaps do not exist.

use contract::evidence::ReadTarget;
use contract::records::{Check, CheckVerdict, FaultWeight, FileFault};
use declared::files::{FileKind, ServedFile, further_reads};

use super::convert::header_pairs;
use super::parsed_evidence::ParsedEvidence;

pub(super) const NO_CHILDREN: &str = "no_listed_sitemap_exists";

/// Adds a fault to every sitemap index of whose listed sitemaps none exists, as far as they were read. Such
/// an index is well-formed and leads to no page at all.
pub(super) fn report_dead_index(parsed: &ParsedEvidence<'_>, checks: &mut [Check]) {
    let children: Vec<(String, bool)> = parsed
        .readings(ReadTarget::SitemapChild)
        .filter_map(|reading| {
            let check = checks.iter().find(|check| check.reading.as_ref() == Some(&reading.id))?;
            let is_dead = matches!(check.verdict, CheckVerdict::Absent | CheckVerdict::Soft404);
            Some((reading.exchange.url.clone(), is_dead))
        })
        .collect();
    if children.is_empty() {
        return;
    }
    for check in checks.iter_mut().filter(|check| {
        check.version.as_deref() == Some("sitemapindex") && check.verdict == CheckVerdict::Ok
    }) {
        let listed = listed_sitemaps(parsed, check);
        let read: Vec<&(String, bool)> =
            children.iter().filter(|(url, _)| listed.contains(url)).collect();
        if read.is_empty() || read.iter().any(|(_, is_dead)| !is_dead) {
            continue;
        }
        let problem = match (read.len(), listed.len()) {
            (1, 1) => "The only sitemap that this index lists does not exist.".to_owned(),
            (read, all) if read == all => {
                format!("None of the {all} sitemaps that this index lists exists.")
            }
            (read, all) => {
                format!("We read {read} of the {all} sitemaps that this index lists. None exists.")
            }
        };
        check.why.get_or_insert_with(|| format!("A part cannot be used: {problem}"));
        check.faults.push(FileFault {
            code: NO_CHILDREN.to_owned(),
            weight: FaultWeight::Error,
            at: String::new(),
            problem,
            fix: "Publish the listed sitemaps again, or list those that exist.".to_owned(),
        });
    }
}

/// The sitemaps that an index lists.
fn listed_sitemaps(parsed: &ParsedEvidence<'_>, check: &Check) -> Vec<String> {
    let reading = parsed.evidence.reads.iter().find(|r| Some(&r.id) == check.reading.as_ref());
    let Some((reading, response)) = reading.and_then(|r| Some((r, r.exchange.response()?))) else {
        return Vec::new();
    };
    let headers = header_pairs(response);
    let further = further_reads(
        FileKind::Sitemap,
        &ServedFile {
            requested_url: &reading.exchange.url,
            final_url: &response.url,
            redirects: reading.exchange.hops.len().saturating_sub(1),
            status: response.status,
            headers: &headers,
            body: parsed.body(response).unwrap_or_default(),
            truncated: response.body.cut.is_some(),
            read_at_s: reading.exchange.started_at.as_millis() / 1_000,
        },
    );
    further.into_iter().map(|child| child.url).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::tests::EvidenceBuilder;
    use contract::records::LedgerState;

    const INDEX: &str = "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
        <sitemap><loc>https://ferry.lab/a.xml</loc></sitemap>\
        <sitemap><loc>https://ferry.lab/b.xml</loc></sitemap></sitemapindex>";
    const PAGES: &str = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
        <url><loc>https://ferry.lab/</loc></url></urlset>";

    #[test]
    fn an_index_is_faulty_if_no_listed_sitemap_exists() {
        for (first, second, is_faulty) in
            [(404, 410, true), (404, 200, false), (404, 503, false), (200, 200, false)]
        {
            let mut site = EvidenceBuilder::new()
                .robots(404, "")
                .browser_and_control()
                .control_path(404, "none")
                .file("/sitemap.xml", 200, INDEX);
            for (path, status) in [("a", first), ("b", second)] {
                let url = format!("https://ferry.lab/{path}.xml");
                let body = if status == 200 { PAGES } else { "" };
                site = site.add_response(ReadTarget::SitemapChild, &url, "wayleave", status, body);
            }
            let record = site.build_record();
            let check = record.checks.iter().find(|check| check.path == "/sitemap.xml").unwrap();
            let found = check.faults.iter().any(|fault| fault.code == NO_CHILDREN);
            assert_eq!(found, is_faulty, "{first} {second}: {check:#?}");
            let finding = record.findings.iter().any(|f| f.id == "errors:/sitemap.xml");
            assert_eq!(finding, is_faulty, "{first} {second}");
            let rule = |id: &str| record.score_ledger.rows.iter().find(|row| row.rule == id);
            let state = rule("machine_files.sitemap").unwrap().state.clone();
            assert_eq!(state == LedgerState::NotApplicable, is_faulty, "{first} {second}");
        }
    }
}
