//! The API reference page, generated from the OpenAPI document, without scripts.

use contract::errors::ErrorCode;
use serde_json::{Map, Value};

use super::{html::Html, layout};

/// In display order.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

pub(crate) fn render(document: &Value) -> String {
    let mut main = Html::new();
    let info = document.get("info").unwrap_or(&Value::Null);
    main.raw("<h1>").text(string_member(info, "title")).raw("</h1>\n");
    render_paragraphs(&mut main, string_member(info, "description"));
    for tag in array_member(document, "tags") {
        main.raw("<h2>").text(string_member(tag, "description")).raw("</h2>\n");
        for (path, method, operation) in operations(document) {
            if array_member(operation, "tags")
                .any(|name| name.as_str() == Some(string_member(tag, "name")))
            {
                render_operation(&mut main, path, method, operation);
            }
        }
    }
    render_error_codes(&mut main);
    main.raw("<h2>Records</h2>\n<p>Members are always present unless marked as optional. Ignore members and enum words that you do not know.</p>\n");
    for (name, schema) in object_members(document.pointer("/components/schemas")) {
        render_schema(&mut main, name, schema);
    }
    layout::page("API reference", &main)
}

fn operations(document: &Value) -> impl Iterator<Item = (&str, &str, &Value)> {
    object_members(document.get("paths")).flat_map(|(path, item)| {
        METHODS.iter().filter_map(move |method| Some((path.as_str(), *method, item.get(*method)?)))
    })
}

fn render_operation(main: &mut Html, path: &str, method: &str, operation: &Value) {
    let id = string_member(operation, "operationId");
    main.raw("<section id=\"").text(id).raw("\">\n<h3><span class=\"method\">");
    main.text(method.to_ascii_uppercase())
        .raw("</span> <code>")
        .text(path)
        .raw("</code></h3>\n<p>");
    main.text(string_member(operation, "summary")).raw(" <span class=\"soft\">").text(id);
    main.raw("</span></p>\n");
    render_paragraphs(main, string_member(operation, "description"));
    if array_member(operation, "parameters").next().is_some() {
        main.raw("<table>\n<thead><tr><th>Parameter</th><th>In</th><th>Meaning</th></tr></thead>\n<tbody>\n");
        for parameter in array_member(operation, "parameters") {
            main.raw("<tr><td><code>")
                .text(string_member(parameter, "name"))
                .raw("</code></td><td>");
            main.text(string_member(parameter, "in")).raw("</td><td>");
            render_prose(main, string_member(parameter, "description"));
            main.raw("</td></tr>\n");
        }
        main.raw("</tbody></table>\n");
    }
    if let Some(body) = operation.get("requestBody") {
        main.raw("<p>Body: ");
        render_content(main, body);
        main.raw("</p>\n");
    }
    main.raw(
        "<table>\n<thead><tr><th>Status</th><th>Meaning</th><th>Body</th></tr></thead>\n<tbody>\n",
    );
    for (status, response) in object_members(operation.get("responses")) {
        main.raw("<tr><td>").text(status).raw("</td><td>");
        render_prose(main, string_member(response, "description"));
        main.raw("</td><td>");
        render_content(main, response);
        main.raw("</td></tr>\n");
    }
    main.raw("</tbody></table>\n</section>\n");
}

/// Media types, each with its record type.
fn render_content(main: &mut Html, holder: &Value) {
    for (index, (media_type, form)) in object_members(holder.get("content")).enumerate() {
        if index > 0 {
            main.raw(", ");
        }
        main.raw("<code>").text(media_type).raw("</code>");
        if let Some(schema) = form.get("schema") {
            main.raw(" ");
            render_type(main, schema);
        }
    }
}

fn render_error_codes(main: &mut Html) {
    main.raw("<h2 id=\"errors\">Error codes</h2>\n<p>Every error is one flat object, ErrorV1. A problem document (RFC 9457) is sent when <code>Accept</code> prefers <code>application/problem+json</code>.</p>\n<table>\n<thead><tr><th>Code</th><th>Status</th><th>Can the same request succeed later?</th></tr></thead>\n<tbody>\n");
    for word in ErrorCode::WORDS {
        let Some(code) = ErrorCode::from_word(word) else { continue };
        main.raw("<tr id=\"error-").text(word).raw("\"><td><code>").text(word);
        main.raw("</code></td><td>").text(code.http_status()).raw("</td><td>");
        main.raw(if code.retryable() { "yes" } else { "no" }).raw("</td></tr>\n");
    }
    main.raw("</tbody></table>\n");
}

fn render_schema(main: &mut Html, name: &str, schema: &Value) {
    main.raw("<section id=\"schema-").text(name).raw("\">\n<h3>").text(name).raw("</h3>\n");
    render_paragraphs(main, string_member(schema, "description"));
    let required: Vec<&str> = array_member(schema, "required").filter_map(Value::as_str).collect();
    let properties = schema.get("properties");
    if object_members(properties).next().is_some() {
        main.raw("<table>\n<thead><tr><th>Member</th><th>Type</th><th>Meaning</th></tr></thead>\n<tbody>\n");
        for (member, shape) in object_members(properties) {
            main.raw("<tr><td><code>").text(member).raw("</code></td><td>");
            render_type(main, shape);
            if !required.contains(&member.as_str()) {
                main.raw(" <span class=\"soft\">optional</span>");
            }
            main.raw("</td><td>");
            render_prose(main, string_member(shape, "description"));
            main.raw("</td></tr>\n");
        }
        main.raw("</tbody></table>\n");
    }
    main.raw("</section>\n");
}

/// `string`, `array of Check`, `ScanRecord or null`. Record names link to their tables.
fn render_type(main: &mut Html, schema: &Value) {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let name = target.rsplit('/').next().unwrap_or_default();
        main.raw("<a href=\"#schema-").text(name).raw("\">").text(name).raw("</a>");
        return;
    }
    for choice in ["oneOf", "anyOf", "allOf"] {
        if schema.get(choice).is_some() {
            for (index, option) in array_member(schema, choice).enumerate() {
                if index > 0 {
                    main.raw(if choice == "allOf" { " and " } else { " or " });
                }
                render_type(main, option);
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
            render_type(main, items);
        }
    }
}

fn render_paragraphs(main: &mut Html, text: &str) {
    for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()) {
        main.raw("<p>");
        render_prose(main, paragraph);
        main.raw("</p>\n");
    }
}

/// Text in which backticks mark code.
fn render_prose(main: &mut Html, text: &str) {
    for (index, piece) in text.split('`').enumerate() {
        if index % 2 == 1 {
            main.raw("<code>").text(piece).raw("</code>");
        } else {
            main.text(piece);
        }
    }
}

fn string_member<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn array_member<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn object_members(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi;
    use contract::{Brand, Issuer};

    #[test]
    fn every_operation_schema_and_error_code_has_its_place() {
        let document =
            openapi::build_document(&Issuer::new(Brand::default(), "https://svc.example"));
        let page = render(&document);
        for id in openapi::operation_ids(&document) {
            assert_eq!(page.matches(&format!("<section id=\"{id}\">")).count(), 1, "{id}");
        }
        for (name, _) in object_members(document.pointer("/components/schemas")) {
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
