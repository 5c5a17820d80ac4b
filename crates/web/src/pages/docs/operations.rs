//! The operations and records of the API, from the OpenAPI document.

use serde_json::{Map, Value};

use crate::pages::html::Html;

/// In display order.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The operations of one tag, with their examples.
pub(super) fn render_tag(document: &Value, tag: &str, examples: &Value) -> String {
    let mut main = Html::new();
    for (path, method, operation) in operations_of(document, tag) {
        render_operation(&mut main, path, method, operation, examples);
    }
    main.into_string()
}

/// Path, method and operation, of one tag.
pub(super) fn operations_of<'a>(
    document: &'a Value,
    tag: &str,
) -> impl Iterator<Item = (&'a str, &'a str, &'a Value)> {
    let is_tagged = move |operation: &Value| {
        array_member(operation, "tags").any(|name| name.as_str() == Some(tag))
    };
    operations(document).filter(move |(_, _, operation)| is_tagged(operation))
}

/// Every record with its members.
pub(super) fn render_records(document: &Value) -> String {
    let mut main = Html::new();
    for (name, schema) in object_members(document.pointer("/components/schemas")) {
        render_schema(&mut main, name, schema);
    }
    main.into_string()
}

fn operations(document: &Value) -> impl Iterator<Item = (&str, &str, &Value)> {
    object_members(document.get("paths")).flat_map(|(path, item)| {
        METHODS.iter().filter_map(move |method| Some((path.as_str(), *method, item.get(*method)?)))
    })
}

fn render_operation(
    main: &mut Html,
    path: &str,
    method: &str,
    operation: &Value,
    examples: &Value,
) {
    let id = string_member(operation, "operationId");
    main.raw("<section class=\"operation\" aria-labelledby=\"").text(id).raw("\">\n<h2 id=\"");
    main.text(id).raw("\">").text(string_member(operation, "summary"));
    main.raw("</h2>\n<p><span class=\"method\">").text(method.to_ascii_uppercase());
    main.raw("</span> <code class=\"wild\">").text(path).raw("</code> <span class=\"soft small\">");
    main.text(id).raw("</span></p>\n");
    render_paragraphs(main, string_member(operation, "description"));
    if array_member(operation, "parameters").next().is_some() {
        open_table(main, "Parameters", &["Parameter", "In", "Meaning"]);
        for parameter in array_member(operation, "parameters") {
            main.raw("<tr role=\"row\"><th role=\"rowheader\" scope=\"row\"><code>")
                .text(string_member(parameter, "name"))
                .raw("</code></th><td role=\"cell\" data-l=\"In\">");
            main.text(string_member(parameter, "in"))
                .raw("</td><td role=\"cell\" data-l=\"Meaning\">");
            render_prose(main, string_member(parameter, "description"));
            main.raw("</td></tr>\n");
        }
        main.raw("</tbody></table></div>\n");
    }
    if let Some(body) = operation.get("requestBody") {
        main.raw("<p>Body: ");
        render_content(main, body);
        main.raw("</p>\n");
    }
    open_table(main, "Responses", &["Status", "Meaning", "Body"]);
    for (status, response) in object_members(operation.get("responses")) {
        main.raw("<tr role=\"row\"><th role=\"rowheader\" scope=\"row\">").text(status);
        main.raw("</th><td role=\"cell\" data-l=\"Meaning\">");
        render_prose(main, string_member(response, "description"));
        main.raw("</td><td role=\"cell\" data-l=\"Body\">");
        render_content(main, response);
        main.raw("</td></tr>\n");
    }
    main.raw("</tbody></table></div>\n");
    render_example(main, examples.get(id));
    main.raw("</section>\n");
}

/// A request with its response, as a test recorded them.
fn render_example(main: &mut Html, example: Option<&Value>) {
    let Some(example) = example else { return };
    main.raw("<figure class=\"copybox\"><figcaption>Example</figcaption><pre class=\"copy\" tabindex=\"0\">");
    main.text(string_member(example, "request")).raw("</pre></figure>\n");
    main.raw(
        "<details class=\"fold\"><summary>Response</summary><pre class=\"wild\" tabindex=\"0\">",
    );
    main.text(string_member(example, "response")).raw("</pre></details>\n");
}

fn open_table(main: &mut Html, caption: &'static str, heads: &[&'static str]) {
    main.raw("<div class=\"wide\"><table role=\"table\"><caption class=\"vh\">").raw(caption);
    main.raw("</caption>\n<thead role=\"rowgroup\"><tr role=\"row\">");
    for head in heads {
        main.raw("<th role=\"columnheader\" scope=\"col\">").raw(head).raw("</th>");
    }
    main.raw("</tr></thead>\n<tbody role=\"rowgroup\">\n");
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

fn render_schema(main: &mut Html, name: &str, schema: &Value) {
    main.raw("<section class=\"operation\" aria-labelledby=\"schema-")
        .text(name)
        .raw("\">\n<h2 id=\"schema-");
    main.text(name).raw("\" class=\"record\">").text(name).raw("</h2>\n");
    render_paragraphs(main, string_member(schema, "description"));
    let required: Vec<&str> = array_member(schema, "required").filter_map(Value::as_str).collect();
    let properties = schema.get("properties");
    if object_members(properties).next().is_some() {
        open_table(main, "Members", &["Member", "Type", "Meaning"]);
        for (member, shape) in object_members(properties) {
            main.raw("<tr role=\"row\"><th role=\"rowheader\" scope=\"row\"><code>").text(member);
            main.raw("</code></th><td role=\"cell\" data-l=\"Type\">");
            render_type(main, shape);
            if !required.contains(&member.as_str()) {
                main.raw(" <span class=\"soft\">optional</span>");
            }
            main.raw("</td><td role=\"cell\" data-l=\"Meaning\">");
            render_prose(main, string_member(shape, "description"));
            main.raw("</td></tr>\n");
        }
        main.raw("</tbody></table></div>\n");
    }
    main.raw("</section>\n");
}

/// `string`, `array of Check`, `ScanRecord or null`. Record names link to their tables.
fn render_type(main: &mut Html, schema: &Value) {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let name = target.rsplit('/').next().unwrap_or_default();
        main.raw("<a href=\"/docs/records#schema-").text(name).raw("\">").text(name).raw("</a>");
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

pub(super) fn render_paragraphs(main: &mut Html, text: &str) {
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

pub(super) fn string_member<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn array_member<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn object_members(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flat_map(Map::iter)
}
