//! The reference, made from the OpenAPI document: readable without scripts, and never out of step
//! with it.

use contract::errors::ErrorCode;
use serde_json::{Map, Value};

use super::{html::Html, shell};

/// In the order of reading.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

pub(crate) fn render(document: &Value) -> String {
    let mut main = Html::new();
    let info = document.get("info").unwrap_or(&Value::Null);
    main.raw("<h1>").text(text(info, "title")).raw("</h1>\n");
    paragraphs(&mut main, text(info, "description"));
    for tag in list(document, "tags") {
        main.raw("<h2>").text(text(tag, "description")).raw("</h2>\n");
        for (path, method, operation) in operations(document) {
            if list(operation, "tags").any(|name| name.as_str() == Some(text(tag, "name"))) {
                show_operation(&mut main, path, method, operation);
            }
        }
    }
    error_codes(&mut main);
    main.raw("<h2>Records</h2>\n<p>Members are always there unless marked as optional. Readers pass over members and words they do not know.</p>\n");
    for (name, schema) in members(document.pointer("/components/schemas")) {
        show_schema(&mut main, name, schema);
    }
    shell::page("API reference", &main)
}

fn operations(document: &Value) -> impl Iterator<Item = (&str, &str, &Value)> {
    members(document.get("paths")).flat_map(|(path, item)| {
        METHODS.iter().filter_map(move |method| Some((path.as_str(), *method, item.get(*method)?)))
    })
}

fn show_operation(main: &mut Html, path: &str, method: &str, operation: &Value) {
    let id = text(operation, "operationId");
    main.raw("<section id=\"").text(id).raw("\">\n<h3><span class=\"method\">");
    main.text(method.to_ascii_uppercase())
        .raw("</span> <code>")
        .text(path)
        .raw("</code></h3>\n<p>");
    main.text(text(operation, "summary")).raw(" <span class=\"soft\">").text(id);
    main.raw("</span></p>\n");
    paragraphs(main, text(operation, "description"));
    if list(operation, "parameters").next().is_some() {
        main.raw("<table>\n<thead><tr><th>Parameter</th><th>In</th><th>Meaning</th></tr></thead>\n<tbody>\n");
        for parameter in list(operation, "parameters") {
            main.raw("<tr><td><code>").text(text(parameter, "name")).raw("</code></td><td>");
            main.text(text(parameter, "in")).raw("</td><td>");
            prose(main, text(parameter, "description"));
            main.raw("</td></tr>\n");
        }
        main.raw("</tbody></table>\n");
    }
    if let Some(body) = operation.get("requestBody") {
        main.raw("<p>Body: ");
        content(main, body);
        main.raw("</p>\n");
    }
    main.raw(
        "<table>\n<thead><tr><th>Status</th><th>Meaning</th><th>Body</th></tr></thead>\n<tbody>\n",
    );
    for (status, response) in members(operation.get("responses")) {
        main.raw("<tr><td>").text(status).raw("</td><td>");
        prose(main, text(response, "description"));
        main.raw("</td><td>");
        content(main, response);
        main.raw("</td></tr>\n");
    }
    main.raw("</tbody></table>\n</section>\n");
}

/// Media types, each with the record it carries.
fn content(main: &mut Html, holder: &Value) {
    for (index, (media_type, form)) in members(holder.get("content")).enumerate() {
        if index > 0 {
            main.raw(", ");
        }
        main.raw("<code>").text(media_type).raw("</code>");
        if let Some(schema) = form.get("schema") {
            main.raw(" ");
            show_type(main, schema);
        }
    }
}

fn error_codes(main: &mut Html) {
    main.raw("<h2 id=\"errors\">Error codes</h2>\n<p>Every error is one flat object, ErrorV1. A problem document (RFC 9457) is sent when <code>Accept</code> prefers <code>application/problem+json</code>.</p>\n<table>\n<thead><tr><th>Code</th><th>Status</th><th>Can the same request succeed later</th></tr></thead>\n<tbody>\n");
    for word in ErrorCode::WORDS {
        let Some(code) = ErrorCode::known(word) else { continue };
        main.raw("<tr id=\"error-").text(word).raw("\"><td><code>").text(word);
        main.raw("</code></td><td>").text(code.http_status()).raw("</td><td>");
        main.raw(if code.retryable() { "yes" } else { "no" }).raw("</td></tr>\n");
    }
    main.raw("</tbody></table>\n");
}

fn show_schema(main: &mut Html, name: &str, schema: &Value) {
    main.raw("<section id=\"schema-").text(name).raw("\">\n<h3>").text(name).raw("</h3>\n");
    paragraphs(main, text(schema, "description"));
    let required: Vec<&str> = list(schema, "required").filter_map(Value::as_str).collect();
    let properties = schema.get("properties");
    if members(properties).next().is_some() {
        main.raw("<table>\n<thead><tr><th>Member</th><th>Type</th><th>Meaning</th></tr></thead>\n<tbody>\n");
        for (member, shape) in members(properties) {
            main.raw("<tr><td><code>").text(member).raw("</code></td><td>");
            show_type(main, shape);
            if !required.contains(&member.as_str()) {
                main.raw(" <span class=\"soft\">optional</span>");
            }
            main.raw("</td><td>");
            prose(main, text(shape, "description"));
            main.raw("</td></tr>\n");
        }
        main.raw("</tbody></table>\n");
    }
    main.raw("</section>\n");
}

/// `string`, `array of Check`, `ScanRecord or null`; names lead to their tables.
fn show_type(main: &mut Html, schema: &Value) {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let name = target.rsplit('/').next().unwrap_or_default();
        main.raw("<a href=\"#schema-").text(name).raw("\">").text(name).raw("</a>");
        return;
    }
    for choice in ["oneOf", "anyOf", "allOf"] {
        if schema.get(choice).is_some() {
            for (index, option) in list(schema, choice).enumerate() {
                if index > 0 {
                    main.raw(if choice == "allOf" { " and " } else { " or " });
                }
                show_type(main, option);
            }
            return;
        }
    }
    let words: Vec<&str> = match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => vec!["any"],
    };
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            main.raw(" or ");
        }
        main.text(word);
        if *word == "array"
            && let Some(items) = schema.get("items")
        {
            main.raw(" of ");
            show_type(main, items);
        }
    }
}

fn paragraphs(main: &mut Html, text: &str) {
    for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()) {
        main.raw("<p>");
        prose(main, paragraph);
        main.raw("</p>\n");
    }
}

/// Text in which backquotes mark code.
fn prose(main: &mut Html, text: &str) {
    for (index, piece) in text.split('`').enumerate() {
        if index % 2 == 1 {
            main.raw("<code>").text(piece).raw("</code>");
        } else {
            main.text(piece);
        }
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn members(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi;
    use contract::Brand;

    #[test]
    fn every_operation_schema_and_error_code_has_its_place() {
        let document = openapi::document(&Brand::default(), "https://svc.example");
        let page = render(&document);
        for id in openapi::operation_ids(&document) {
            assert_eq!(page.matches(&format!("<section id=\"{id}\">")).count(), 1, "{id}");
        }
        for (name, _) in members(document.pointer("/components/schemas")) {
            assert!(page.contains(&format!("<section id=\"schema-{name}\">")), "{name}");
        }
        for word in ErrorCode::WORDS {
            assert!(page.contains(&format!("<tr id=\"error-{word}\">")), "{word}");
        }
        for link in page.split("href=\"#").skip(1) {
            let target = link.split('"').next().unwrap();
            assert!(page.contains(&format!("id=\"{target}\"")), "a dead link to {target}");
        }
        assert!(!page.contains("<script") && !page.contains("style=\"") && !page.contains("//cdn"));
    }
}
