//! The `machine_files` and `absences` sections.

use contract::Issuer;
use contract::evidence::{ReadTarget, Reading};
use contract::records::{
    Absence, AbsenceCheck, AbsenceObserver, AbsenceResult, Check, CheckVerdict, MachineFile,
    MachineFiles, MachineFilesSection, Section,
};

use super::judged_reading::{JudgedReading, observer_directory_url};

/// The paths that every answer reports.
pub const MACHINE_FILE_PATHS: [&str; 8] = [
    "/robots.txt",
    "/sitemap.xml",
    "/llms.txt",
    "/agents.md",
    "/.well-known/agent-skills/index.json",
    "/.well-known/mcp/server-card.json",
    "/.well-known/api-catalog",
    "/.well-known/agent-card.json",
];

const HASHES: &str = "SHA-256 of the decoded body, as far as it was read.";

pub(super) fn machine_files(judged: &JudgedReading<'_>) -> MachineFilesSection {
    let checks: Vec<&Check> =
        MACHINE_FILE_PATHS.iter().filter_map(|path| judged.check(path)).collect();
    if checks.iter().all(|check| check.status.is_none()) {
        let tried = judged
            .reads(ReadTarget::MachineFile)
            .next()
            .map(|reading| judged.time_of(Some(reading)));
        let why = judged.why_not(ReadTarget::MachineFile);
        return Section::NotMeasured { observed_at: tried, why };
    }
    let files = checks.into_iter().map(file).collect();
    let body = MachineFiles { files, hashes: HASHES.to_owned() };
    Section::Observed { observed_at: judged.observed_at(), body }
}

fn file(check: &Check) -> MachineFile {
    // A refused file is not present, and it is not in `absences` either.
    // Of a file whose redirects led nowhere, nothing is known.
    let answered = check.status.filter(|_| check.verdict != CheckVerdict::Unreachable);
    let present = answered.map(|status| {
        (200..300).contains(&status)
            && matches!(check.verdict, CheckVerdict::Ok | CheckVerdict::Invalid)
    });
    MachineFile {
        path: check.path.clone(),
        status: check.status,
        content_type: check.content_type.clone(),
        bytes: check.bytes,
        present,
        sha256: check.body_sha256.clone().filter(|_| present == Some(true)),
    }
}

/// The files that are absent, each with the requests that show it.
pub(super) fn absences(judged: &JudgedReading<'_>, issuer: &Issuer) -> Vec<Absence> {
    let controls: Vec<&Reading> = judged.reads(ReadTarget::ControlPath).collect();
    let absent = MACHINE_FILE_PATHS.iter().filter_map(|path| {
        let check = judged.check(path)?;
        let reading = check.reading.as_deref().and_then(|id| judged.reading(id))?;
        let mut checked = vec![checked(reading)?];
        match check.verdict {
            CheckVerdict::Absent => {}
            // The proof is that a path which cannot exist gets the same response.
            CheckVerdict::Soft404 => {
                checked.extend(controls.iter().filter_map(|control| self::checked(control)));
            }
            _ => return None,
        }
        Some(Absence {
            what: check.file.clone(),
            path: check.path.clone(),
            result: AbsenceResult::Absent,
            at: judged.time_of(Some(reading)),
            from: AbsenceObserver {
                observer: format!(
                    "{}/{}",
                    judged.evidence.observer.name, judged.evidence.observer.version
                ),
                network: judged.evidence.observer.vantage.clone(),
                directory: observer_directory_url(issuer),
            },
            checked,
            scope: "Only this path, at this time, as this service under its own name.".to_owned(),
        })
    });
    absent.collect()
}

fn checked(reading: &Reading) -> Option<AbsenceCheck> {
    let exchange = &reading.exchange;
    Some(AbsenceCheck {
        method: exchange.method.clone(),
        url: exchange.url.clone(),
        status: exchange.response()?.status,
        redirects: u32::try_from(exchange.hops.len().saturating_sub(1)).unwrap_or(u32::MAX),
    })
}
