//! What AI engines say about a business, for the page of its owner: a chart for each engine, and the newest values.

use contract::Day;
use contract::records::{AccuracyCheck, AccuracyHistory, AccuracyRecord, AccuracyVerdict};

use super::status::Status;

/// The width of a day in the chart, and the height of a field.
const DAY_WIDTH: usize = 14;
const ROW_HEIGHT: usize = 22;
/// Where the days begin: after the names of the fields.
const LEFT: usize = 64;

/// One engine.
pub(crate) struct EngineChart {
    pub(crate) engine: String,
    pub(crate) words: String,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) rows: Vec<ChartRow>,
    pub(crate) values: Vec<ValueRow>,
}

pub(crate) struct ChartRow {
    pub(crate) name: &'static str,
    pub(crate) text_y: usize,
    pub(crate) cells: Vec<ChartCell>,
}

/// A day. The verdict is shown by the height as well as by the colour.
pub(crate) struct ChartCell {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) height: usize,
    pub(crate) tone: &'static str,
    pub(crate) title: String,
}

/// A field in the newest record.
pub(crate) struct ValueRow {
    pub(crate) name: &'static str,
    pub(crate) declared: String,
    pub(crate) ai: String,
    pub(crate) status: Status,
    pub(crate) why: String,
}

/// The charts, one for each engine that was asked in the time of the history.
pub(crate) fn engine_charts(
    history: &AccuracyHistory,
    newest: &[AccuracyRecord],
    today: Day,
) -> Vec<EngineChart> {
    let mut names: Vec<&str> = history.checks.iter().map(|check| check.engine.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|engine| chart(history, newest, engine, today)).collect()
}

fn chart(
    history: &AccuracyHistory,
    newest: &[AccuracyRecord],
    engine: &str,
    today: Day,
) -> EngineChart {
    let checks: Vec<&AccuracyCheck> =
        history.checks.iter().filter(|check| check.engine == engine).collect();
    let place = |day: Day| usize::try_from(day.number() - history.from.number()).unwrap_or(0);
    let rows = FIELDS.iter().enumerate().map(|(row, (name, verdict_of))| ChartRow {
        name,
        text_y: row * ROW_HEIGHT + 16,
        cells: checks
            .iter()
            .map(|check| {
                let (day, verdict) = (Day::of(check.checked_at), verdict_of(check));
                let (tone, height) = look(verdict);
                ChartCell {
                    x: LEFT + place(day) * DAY_WIDTH,
                    y: row * ROW_HEIGHT + 19 - height,
                    height,
                    tone,
                    title: format!("{day}: {name} {verdict}"),
                }
            })
            .collect(),
    });
    let wrong = checks.iter().filter(|check| is_wrong(check)).count();
    let record = newest.iter().find(|record| record.engine == engine);
    EngineChart {
        engine: engine.to_owned(),
        words: format!(
            "{engine} was asked on {} days since {}; on {wrong} of them something was wrong.",
            checks.len(),
            history.from
        ),
        width: LEFT + (place(today) + 1) * DAY_WIDTH,
        height: FIELDS.len() * ROW_HEIGHT,
        rows: rows.collect(),
        values: record.map(value_rows).unwrap_or_default(),
    }
}

type VerdictOf = fn(&AccuracyCheck) -> &AccuracyVerdict;

const FIELDS: [(&str, VerdictOf); 4] = [
    ("Phone", |check| &check.phone),
    ("Address", |check| &check.address),
    ("Website", |check| &check.website),
    ("Hours", |check| &check.hours),
];

fn is_wrong(check: &AccuracyCheck) -> bool {
    FIELDS.iter().any(|(_, verdict_of)| *verdict_of(check) == AccuracyVerdict::Wrong)
}

fn look(verdict: &AccuracyVerdict) -> (&'static str, usize) {
    match verdict {
        AccuracyVerdict::Correct => ("ok", 8),
        AccuracyVerdict::Wrong => ("bad", 16),
        AccuracyVerdict::Recorded | AccuracyVerdict::Unrecognised(_) => ("off", 3),
    }
}

fn value_rows(record: &AccuracyRecord) -> Vec<ValueRow> {
    let names = FIELDS.map(|(name, _)| name);
    let rows = names.into_iter().zip(record.fields.named());
    let shown = |text: &Option<String>| text.clone().unwrap_or_else(|| "nothing".to_owned());
    rows.map(|(name, (_, field))| ValueRow {
        name,
        declared: shown(&field.declared),
        ai: shown(&field.ai),
        status: match &field.verdict {
            AccuracyVerdict::Correct => Status::ok("Correct"),
            AccuracyVerdict::Wrong => Status::bad("Wrong"),
            _ => Status::off("Not judged"),
        },
        why: field.why.clone().unwrap_or_default(),
    })
    .collect()
}
