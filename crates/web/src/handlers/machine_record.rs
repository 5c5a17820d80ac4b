//! `GET /api/v1/machine-record`: a site's record as the site itself could publish it.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::{MachineRecord, MachineRecordFormat},
};
use http::{HeaderMap, HeaderValue, Uri, header::CONTENT_DISPOSITION};
use service::Service;

use super::{
    error_mapping::stored_report_to_api_error,
    report_access::{ReportLoader, add_noindex, cache_control_for, report_document},
};
use crate::{
    rate_limits::ReadLimit,
    request::{parameters::required, query_parameters},
    response::{ApiError, HttpDocument, JSON},
};

/// Read a site's record as the site could publish it
///
/// Files that are made only from what the site published when it was scanned, with the source of each value:
/// JSON-LD with schema.org types, llms.txt, an A2A agent card, and robots.txt with every wish that the site
/// declares about the use of its content. Contradicting values are left out and listed. A file that would need
/// values that the site does not publish is not made, and `not_made` says why. With `format`, one file to
/// download. The record of a private report needs a licence key for its domain, as the report does.
#[utoipa::path(
    get,
    path = "/api/v1/machine-record",
    operation_id = "getMachineRecord",
    tag = "scans",
    params(
        ("id" = String, Query, description = "The id of a report."),
        ("format" = Option<String>, Query, description = "`json` (the default) for the signed record; \
            `jsonld`, `llms_txt`, `agent_card` or `robots_txt` for one file."),
    ),
    responses(
        (status = 200, description = "The signed record, or the file.", content(
            (MachineRecord = "application/json"),
            (Object = "application/ld+json"),
            (String = "text/plain"),
        )),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 404, description = "No such report, or the file could not be made: `not_found`.",
            body = ErrorV1),
        (status = 410, description = "The operator deleted the report: `report_deleted`.",
            body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`, `cannot_answer`, `signing_unavailable`.",
            body = ErrorV1),
    )
)]
pub(crate) async fn get_machine_record(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    reports: ReportLoader,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["id", "format"])?;
    let id = required(parameters.get("id"), "id")?;
    let format = parameters.get("format").map_or(Ok(None), |word| parse_format(word))?;
    let report = reports.load(id).await?;
    let visibility = report.visibility;
    let Some(format) = format else {
        let document =
            service.scanning.machine_record(report).await.map_err(stored_report_to_api_error)?;
        let document = HttpDocument::with_etag_and_digest(
            document.bytes.clone(),
            &document.bytes_sha256,
            &document.content_sha256,
            JSON,
            cache_control_for(visibility),
        );
        return Ok(add_noindex(document.reply(&headers), visibility));
    };
    let file = service
        .scanning
        .machine_record_file(report, format)
        .await
        .map_err(stored_report_to_api_error)?
        .map_err(|why| ApiError::new(ErrorCode::NotFound, why).param("format"))?;
    let mut response = report_document(file.text.into(), file.media_type, visibility, &headers);
    let name = format!("attachment; filename=\"{}\"", file.file_name);
    if let Ok(name) = HeaderValue::from_str(&name) {
        response.headers_mut().insert(CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

/// `None` for the signed record.
fn parse_format(word: &str) -> Result<Option<MachineRecordFormat>, ApiError> {
    if word == "json" {
        return Ok(None);
    }
    let format = MachineRecordFormat::from_word(word);
    let sentence = "`format` must be json, jsonld, llms_txt, agent_card or robots_txt.";
    format.map(Some).ok_or_else(|| ApiError::bad_request(sentence).param("format"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_the_words_of_the_record() {
        assert_eq!(parse_format("json").unwrap(), None);
        for word in MachineRecordFormat::WORDS {
            assert_eq!(parse_format(word).unwrap().unwrap().as_str(), *word);
            let message = parse_format("xml").unwrap_err();
            assert!(message.message().contains(word), "{word}");
            assert_eq!(message.status(), 400);
        }
        for bad in ["", "JSON", "jsonld "] {
            assert!(parse_format(bad).is_err(), "{bad}");
        }
    }
}
