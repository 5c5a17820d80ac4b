//! Compares the response to a call with what the description declares for it.
//!
//! A fault of the server, a refusal and a limit say nothing about the description. Only a response that the
//! description rules out is a difference.

use contract::text::display_safe;
use serde_json::Value;

use super::fields::{members, texts};
use super::read_call::ReadCall;
use super::references::resolve;
use super::schema::{Dialect, SchemaComparison};
use crate::files::parse_unreported;

const TEXT_CHARS: usize = 120;
/// How many declared media types are listed in a difference.
const MAX_LISTED: usize = 5;

/// What came back.
#[derive(Debug, Clone, Copy)]
pub struct CallResponse<'a> {
    pub status: u16,
    pub content_type: Option<&'a str>,
    pub body: &'a [u8],
    /// Whether the body is not complete.
    pub is_cut: bool,
}

/// What the comparison of one response showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallComparison {
    AsDeclared(ComparedParts),
    Differs(Difference),
    /// Why the response says nothing about the description.
    NotMeasured(&'static str),
}

/// What was compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedParts {
    /// `status`, `content_type`, `body`.
    pub compared: Vec<&'static str>,
    /// Keywords of the schema that were not compared.
    pub not_compared: Vec<&'static str>,
}

/// A response that the description rules out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub part: ResponsePart,
    /// Safe to display.
    pub declared: String,
    pub found: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponsePart {
    Credentials,
    Status,
    ContentType,
    Body,
}

impl ResponsePart {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Credentials => "credentials",
            Self::Status => "status",
            Self::ContentType => "content_type",
            Self::Body => "body",
        }
    }
}

impl ReadCall {
    /// Whether the description says what a successful response contains.
    #[must_use]
    pub fn is_comparable(&self) -> bool {
        self.declared_responses().any(|(status, response)| {
            (status.starts_with('2') || status == "default")
                && !self.declared_content(response).is_empty()
        })
    }

    /// Compares a response with the description.
    #[must_use]
    pub fn compare(&self, response: &CallResponse<'_>) -> CallComparison {
        let declared = self.declared_response(response.status);
        match response.status {
            200..=299 => {}
            300..=399 => {
                return CallComparison::NotMeasured(
                    "The server answered with a redirect, which a call does not follow.",
                );
            }
            500..=599 => {
                return CallComparison::NotMeasured("The server reported a fault of its own.");
            }
            408 | 425 | 429 => {
                return CallComparison::NotMeasured(
                    "The server asked for fewer requests or more time.",
                );
            }
            402 | 403 | 407 | 451 => {
                return CallComparison::NotMeasured("The server refused our request.");
            }
            _ if declared.is_some() => {
                return CallComparison::NotMeasured(
                    "The server answered with an error that the description names.",
                );
            }
            401 => {
                return CallComparison::Differs(Difference {
                    part: ResponsePart::Credentials,
                    declared: "no credentials needed".to_owned(),
                    found: "status 401: credentials needed".to_owned(),
                });
            }
            400..=499 if self.has_examples => {
                return CallComparison::NotMeasured(
                    "The server did not accept the documented example, which may be out of date.",
                );
            }
            _ => {}
        }
        let Some(declared) = declared else {
            return CallComparison::Differs(Difference {
                part: ResponsePart::Status,
                declared: self.declared_statuses(),
                found: format!("status {}", response.status),
            });
        };
        self.compare_content(&self.declared_content(declared), response)
    }

    fn compare_content(
        &self,
        content: &[DeclaredContent<'_>],
        response: &CallResponse<'_>,
    ) -> CallComparison {
        if content.is_empty() {
            return CallComparison::NotMeasured(
                "The description does not say what the response contains, so there is nothing to compare.",
            );
        }
        if response.is_cut {
            return CallComparison::NotMeasured("The response was not read to its end.");
        }
        let mut compared = vec!["status"];
        let found = response.content_type.map(MediaType::parse);
        let fitting = match &found {
            Some(found) => {
                let fitting = content.iter().find(|one| one.media_type.covers(found));
                if fitting.is_none() {
                    let listed: Vec<String> = content
                        .iter()
                        .take(MAX_LISTED)
                        .map(|one| one.media_type.to_text())
                        .collect();
                    return CallComparison::Differs(Difference {
                        part: ResponsePart::ContentType,
                        declared: display_safe(&listed.join(", "), TEXT_CHARS),
                        found: display_safe(&found.to_text(), TEXT_CHARS),
                    });
                }
                compared.push("content_type");
                fitting
            }
            // Without the header field, the body is compared with the first form.
            None => content.first(),
        };
        let Some(fitting) = fitting.filter(|one| {
            one.media_type.is_json() || found.as_ref().is_some_and(MediaType::is_json)
        }) else {
            return CallComparison::AsDeclared(ComparedParts { compared, not_compared: vec![] });
        };
        let Some(value) = parse_unreported(response.body) else {
            return CallComparison::Differs(Difference {
                part: ResponsePart::Body,
                declared: "JSON".to_owned(),
                found: "something that is not JSON".to_owned(),
            });
        };
        let mut not_compared = Vec::new();
        if let Some(schema) = fitting.schema {
            let mut comparison = SchemaComparison::new(&self.document, self.dialect());
            if let Some(violation) = comparison.compare(schema, &value) {
                let place = match violation.at.as_str() {
                    "" => String::new(),
                    at => format!(" at {at}"),
                };
                return CallComparison::Differs(Difference {
                    part: ResponsePart::Body,
                    declared: format!("{}{place}", violation.declared),
                    found: violation.found,
                });
            }
            if !comparison.is_complete() {
                return CallComparison::NotMeasured(
                    "The response or its schema is too large to compare.",
                );
            }
            not_compared = comparison.not_compared.into_iter().collect();
            compared.push("body");
        }
        CallComparison::AsDeclared(ComparedParts { compared, not_compared })
    }

    fn declared_responses(&self) -> impl Iterator<Item = (&str, &Value)> {
        let responses = self.operation().and_then(|operation| operation.get("responses"));
        members(responses)
            .filter_map(|(status, response)| Some((status, resolve(&self.document, response)?)))
    }

    /// The declaration for a status: by its number, by its class, or for all others.
    fn declared_response(&self, status: u16) -> Option<&Value> {
        let named = |wanted: &str| {
            self.declared_responses()
                .find(|(name, _)| name.eq_ignore_ascii_case(wanted))
                .map(|(_, response)| response)
        };
        named(&status.to_string())
            .or_else(|| named(&format!("{}xx", status / 100)))
            .or_else(|| named("default"))
    }

    fn declared_statuses(&self) -> String {
        let names: Vec<&str> =
            self.declared_responses().map(|(name, _)| name).take(MAX_LISTED).collect();
        if names.is_empty() {
            return "no response".to_owned();
        }
        display_safe(&format!("status {}", names.join(", ")), TEXT_CHARS)
    }

    fn declared_content<'v>(&'v self, response: &'v Value) -> Vec<DeclaredContent<'v>> {
        if self.document.get("swagger").is_none() {
            return members(response.get("content"))
                .map(|(name, content)| DeclaredContent {
                    media_type: MediaType::parse(name),
                    schema: content.get("schema"),
                })
                .collect();
        }
        // Swagger 2.0 gives one schema, and the media types for the operation or the whole file.
        let Some(schema) = response.get("schema") else { return Vec::new() };
        let operation = self.operation().filter(|operation| operation.get("produces").is_some());
        let produced: Vec<&str> = texts(operation.unwrap_or(&self.document), "produces").collect();
        let names = if produced.is_empty() { vec!["application/json"] } else { produced };
        names
            .into_iter()
            .map(|name| DeclaredContent {
                media_type: MediaType::parse(name),
                schema: Some(schema),
            })
            .collect()
    }

    fn dialect(&self) -> Dialect {
        let version = self.document.get("openapi").and_then(Value::as_str).unwrap_or_default();
        if version.starts_with("3.") && !version.starts_with("3.0") {
            Dialect::JsonSchema
        } else {
            Dialect::Early
        }
    }
}

struct DeclaredContent<'v> {
    media_type: MediaType,
    schema: Option<&'v Value>,
}

/// A media type or range without its parameters, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MediaType {
    kind: String,
    subtype: String,
}

impl MediaType {
    fn parse(text: &str) -> Self {
        let essence = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let (kind, subtype) = essence.split_once('/').unwrap_or((essence.as_str(), ""));
        Self { kind: kind.trim().to_owned(), subtype: subtype.trim().to_owned() }
    }

    fn is_json(&self) -> bool {
        self.subtype == "json" || self.subtype.ends_with("+json")
    }

    /// Whether a response of the other type is one of this. All names of JSON count as the same.
    fn covers(&self, other: &Self) -> bool {
        let is_range = |own: &str, of: &str| own == "*" || own == of;
        (self.is_json() && other.is_json())
            || (is_range(&self.kind, &other.kind) && is_range(&self.subtype, &other.subtype))
    }

    fn to_text(&self) -> String {
        format!("{}/{}", self.kind, self.subtype)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use url::Url;

    use super::super::read_call::read_call;
    use super::*;

    fn call(mut document: Value, operation: Value) -> ReadCall {
        document["paths"] = json!({"/times": {"get": operation}});
        let at = Url::parse("https://ferry.lab/openapi.json").unwrap();
        let server = Url::parse("https://ferry.lab/").ok();
        read_call(&Arc::new(document), "/times", server, Some(&at)).unwrap()
    }

    fn described(responses: Value) -> ReadCall {
        call(json!({"openapi": "3.1.0"}), json!({"responses": responses}))
    }

    fn answer<'a>(status: u16, content_type: &'a str, body: &'a str) -> CallResponse<'a> {
        let content_type = (!content_type.is_empty()).then_some(content_type);
        CallResponse { status, content_type, body: body.as_bytes(), is_cut: false }
    }

    fn times() -> Value {
        json!({"200": {"content": {"application/json": {"schema": {"type": "array",
            "items": {"type": "object", "required": ["at"], "properties": {"at": {"type": "string"}}}}}}}})
    }

    /// `ok`, the part that differs, or `-`.
    fn verdict(call: &ReadCall, response: &CallResponse<'_>) -> &'static str {
        match call.compare(response) {
            CallComparison::AsDeclared(_) => "ok",
            CallComparison::Differs(difference) => difference.part.as_str(),
            CallComparison::NotMeasured(_) => "-",
        }
    }

    #[test]
    fn only_what_the_description_rules_out_is_a_difference() {
        let call = described(times());
        let json = "application/json; charset=utf-8";
        for (status, kind, body, expected) in [
            (200, json, r#"[{"at":"10:00"}]"#, "ok"),
            (200, "application/vnd.ferry+json", "[]", "ok"),
            (200, "", "[]", "ok"),
            (200, json, r#"[{"at":10}]"#, "body"),
            (200, json, r#"[{}]"#, "body"),
            (200, json, r#"{"error":"none"}"#, "body"),
            (200, json, "", "body"),
            (200, "", "<!doctype html>", "body"),
            (200, "text/html", "<!doctype html><h1>Oops</h1>", "content_type"),
            (201, json, "[]", "status"),
            (204, "", "", "status"),
            (404, json, "{}", "status"),
            (401, json, "{}", "credentials"),
            // Noise, refusals and redirects accuse nobody.
            (301, "text/html", "", "-"),
            (302, json, "[]", "-"),
            (403, "text/html", "no", "-"),
            (402, json, "{}", "-"),
            (429, json, "{}", "-"),
            (451, json, "{}", "-"),
            (500, json, "{}", "-"),
            (503, "text/html", "busy", "-"),
        ] {
            assert_eq!(
                verdict(&call, &answer(status, kind, body)),
                expected,
                "{status} {kind} {body}"
            );
        }
        let cut = CallResponse { is_cut: true, ..answer(200, json, "[{") };
        assert_eq!(verdict(&call, &cut), "-");
    }

    #[test]
    fn documented_errors_and_old_examples_are_no_differences() {
        let mut responses = times();
        responses["401"] = json!({"description": "Log in."});
        let call = described(responses);
        assert_eq!(verdict(&call, &answer(401, "", "")), "-");
        let mut responses = times();
        responses["default"] = json!({"description": "An error."});
        assert_eq!(verdict(&described(responses), &answer(404, "", "")), "-");
        let mut operation = json!({"responses": times()});
        operation["parameters"] =
            json!([{"name": "d", "in": "query", "required": true, "example": "x"}]);
        let with_example = super::tests::call(json!({"openapi": "3.0.3"}), operation);
        assert_eq!(verdict(&with_example, &answer(404, "", "")), "-");
        assert_eq!(verdict(&with_example, &answer(401, "", "")), "credentials");
    }

    #[test]
    fn a_description_that_says_nothing_of_the_content_is_not_verified() {
        let silent = described(json!({"200": {"description": "Times."}}));
        assert!(!silent.is_comparable() && described(times()).is_comparable());
        assert_eq!(verdict(&silent, &answer(200, "text/html", "<p>x")), "-");
        assert!(!described(json!({})).is_comparable());
        let other = described(json!({"2XX": {"content": {"text/*": {}}}}));
        assert!(other.is_comparable());
        assert_eq!(verdict(&other, &answer(202, "text/csv", "a,b")), "ok");
        assert_eq!(verdict(&other, &answer(202, "image/png", "")), "content_type");
    }

    #[test]
    fn swagger_gives_its_media_types_elsewhere() {
        let operation = json!({"responses": {"200": {"schema": {"type": "object"}}}});
        let plain = call(json!({"swagger": "2.0"}), operation.clone());
        assert_eq!(verdict(&plain, &answer(200, "application/json", "{}")), "ok");
        assert_eq!(verdict(&plain, &answer(200, "application/json", "[]")), "body");
        let xml = call(json!({"swagger": "2.0", "produces": ["application/xml"]}), operation);
        assert_eq!(verdict(&xml, &answer(200, "application/xml", "<a/>")), "ok");
        assert_eq!(verdict(&xml, &answer(200, "application/json", "{}")), "content_type");
    }

    #[test]
    fn what_was_compared_is_named() {
        let schema = json!({"200": {"content": {"application/json": {"schema": {"type": "string", "format": "date"}}}}});
        let CallComparison::AsDeclared(parts) =
            described(schema).compare(&answer(200, "application/json", "\"2026-01-01\""))
        else {
            panic!("it fits");
        };
        assert_eq!(parts.compared, ["status", "content_type", "body"]);
        assert_eq!(parts.not_compared, ["format"]);
    }
}
