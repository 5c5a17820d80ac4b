//! Addresses in structured data.

use super::super::super::graph;
use super::super::super::json_ld;
use super::romanise;
use serde_json::Value;

/// The fields of a JSON address on one line; any other text as it is.
pub(super) fn as_line(text: &str) -> String {
    let trimmed = text.trim();
    if !trimmed.starts_with(['{', '[']) {
        return text.to_owned();
    }
    let Ok((value, _)) = json_ld::parse_lenient(trimmed) else { return text.to_owned() };
    let mut value = &value;
    while let Some(inner) = match value {
        Value::Array(list) => list.first(),
        Value::Object(members) => members.get("address"),
        _ => None,
    } {
        value = inner;
    }
    let Some(members) = value.as_object() else {
        return value.as_str().unwrap_or_default().to_owned();
    };
    let fields =
        ["streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry"];
    let parts = |fields: &[&str]| -> Vec<&str> {
        let values = fields.iter().flat_map(|name| graph::values(members, name));
        values.filter_map(graph::text).collect()
    };
    let street = parts(&["streetAddress"]).concat();
    if romanise::is_east_asian(&street) {
        // In that script an address goes from the largest part to the smallest.
        let [code, region, town] =
            ["postalCode", "addressRegion", "addressLocality"].map(|name| parts(&[name]).concat());
        return format!("{code} {region}{town}{street}");
    }
    parts(&fields).join(", ")
}
