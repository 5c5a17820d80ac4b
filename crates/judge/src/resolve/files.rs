//! The machine files, and what is not there, as sections.

use contract::evidence::{Reading, Target};
use contract::records::{
    Absence, AbsenceCheck, AbsenceFrom, AbsenceResult, Check, CheckVerdict, MachineFile,
    MachineFiles, MachineFilesSection, Section,
};

use super::read::{Place, Read};

/// The paths every answer speaks of.
pub const PATHS: [&str; 8] = [
    "/robots.txt",
    "/sitemap.xml",
    "/llms.txt",
    "/agents.md",
    "/.well-known/agent-skills/index.json",
    "/.well-known/mcp/server-card.json",
    "/.well-known/api-catalog",
    "/.well-known/agent-card.json",
];

const HASHES: &str = "SHA-256 over the decoded body, up to the bytes that were read.";

pub(super) fn machine_files(read: &Read<'_>) -> MachineFilesSection {
    let checks: Vec<&Check> = PATHS.iter().filter_map(|path| read.check(path)).collect();
    if checks.iter().all(|check| check.status.is_none()) {
        let tried = read.reads(Target::MachineFile).next().map(|reading| read.at(Some(reading)));
        let why = read.why_not(Target::MachineFile);
        return Section::NotMeasured { observed_at: tried, why };
    }
    let files = checks.into_iter().map(file).collect();
    let body = MachineFiles { files, hashes: HASHES.to_owned() };
    Section::Observed { observed_at: read.observed_at(), body }
}

fn file(check: &Check) -> MachineFile {
    // A refusal is no file, and no absence either: `absences` names only what is absent.
    let present = check.status.map(|status| {
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

/// What was looked for and is not there, with everything that was checked.
pub(super) fn absences(read: &Read<'_>, place: &Place<'_>) -> Vec<Absence> {
    let controls: Vec<&Reading> = read.reads(Target::ControlPath).collect();
    let absent = PATHS.iter().filter_map(|path| {
        let check = read.check(path)?;
        let reading = check.reading.as_deref().and_then(|id| read.reading(id))?;
        let mut checked = vec![checked(reading)?];
        match check.verdict {
            CheckVerdict::Absent => {}
            // What shows it is that a path which cannot exist is answered the same.
            CheckVerdict::Soft404 => {
                checked.extend(controls.iter().filter_map(|control| self::checked(control)));
            }
            _ => return None,
        }
        Some(Absence {
            what: check.file.clone(),
            path: check.path.clone(),
            result: AbsenceResult::Absent,
            at: read.at(Some(reading)),
            from: AbsenceFrom {
                observer: format!(
                    "{}/{}",
                    read.evidence.observer.name, read.evidence.observer.version
                ),
                network: read.evidence.observer.vantage.clone(),
                directory: place.directory(),
            },
            checked,
            scope: "This path, at this time, as our own reader; nothing beyond that.".to_owned(),
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
