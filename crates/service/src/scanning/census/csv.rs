//! Records of a census as CSV (RFC 4180).

use contract::Timestamp;
use contract::records::{CensusRecord, Decision};

const COLUMNS: [&str; 12] = [
    "rank",
    "domain",
    "status",
    "measured_at",
    "host",
    "read",
    "cite",
    "connect",
    "crawl_policy_state",
    "identities_served",
    "machine_files_present",
    "answer_sha256",
];

pub(super) fn write_head(bytes: &mut Vec<u8>) {
    write_row(bytes, &COLUMNS.map(str::to_owned));
}

/// What is null in the record is an empty field.
pub(super) fn write_record(bytes: &mut Vec<u8>, record: &CensusRecord) {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let decisions = record.decisions.as_ref();
    let decision = |of: fn(&contract::records::CensusDecisions) -> &Decision| {
        decisions.map(|decisions| of(decisions).as_str().to_owned()).unwrap_or_default()
    };
    let measured_at = record.measured_at.as_ref().map(Timestamp::to_string);
    let row = [
        record.rank.to_string(),
        record.domain.to_string(),
        record.status.as_str().to_owned(),
        measured_at.unwrap_or_default(),
        text(&record.host),
        decision(|decisions| &decisions.read),
        decision(|decisions| &decisions.cite),
        decision(|decisions| &decisions.connect),
        text(&record.crawl_policy_state),
        text(&record.identities_served),
        record.machine_files_present.join(" "),
        text(&record.answer_sha256),
    ];
    write_row(bytes, &row);
}

fn write_row(bytes: &mut Vec<u8>, fields: &[String; COLUMNS.len()]) {
    for (number, field) in fields.iter().enumerate() {
        if number > 0 {
            bytes.push(b',');
        }
        bytes.extend(quote(field).into_bytes());
    }
    bytes.extend(b"\r\n");
}

/// In quotes where it must be. A field that spreadsheets would take for a formula begins with an apostrophe.
fn quote(field: &str) -> String {
    let formula = field.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let field = if formula { format!("'{field}") } else { field.to_owned() };
    if field.contains([',', '"', '\r', '\n']) {
        return format!("\"{}\"", field.replace('"', "\"\""));
    }
    field
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_and_are_no_formulas() {
        for (field, written) in [
            ("", ""),
            ("shop.example", "shop.example"),
            ("a,b", "\"a,b\""),
            ("say \"hi\"\n", "\"say \"\"hi\"\"\n\""),
            ("=1+1", "'=1+1"),
            ("-x,y", "\"'-x,y\""),
        ] {
            assert_eq!(quote(field), written);
        }
    }
}
