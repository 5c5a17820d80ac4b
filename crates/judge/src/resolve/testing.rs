//! An answer for tests: the contract's own example.

use contract::records::ResolveAnswer;

const EXAMPLE: &str =
    include_str!("../../../contract/tests/it/snapshots/it__schemas__resolve.snap");

pub(crate) fn answer() -> ResolveAnswer {
    let json = EXAMPLE.splitn(3, "---").nth(2).unwrap();
    let mut answer: ResolveAnswer = serde_json::from_str(json).unwrap();
    // What only an example has beside each other.
    answer.incident = None;
    answer.high_risk_fields = None;
    answer
}
