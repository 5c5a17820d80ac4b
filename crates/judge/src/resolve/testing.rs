//! An answer for tests: the example of the `contract` crate.

use contract::records::ResolveAnswer;

const EXAMPLE: &str =
    include_str!("../../../contract/tests/it/snapshots/it__schemas__resolve.snap");

pub(crate) fn answer() -> ResolveAnswer {
    let json = EXAMPLE.splitn(3, "---").nth(2).unwrap();
    let mut answer: ResolveAnswer = serde_json::from_str(json).unwrap();
    // Only the example has these two at the same time.
    answer.incident = None;
    answer.high_risk_fields = None;
    answer
}
