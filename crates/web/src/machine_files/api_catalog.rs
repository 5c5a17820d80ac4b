//! The API catalog (RFC 9727): a linkset.

use serde_json::json;

use super::site_facts::SiteFacts;

pub(super) const MEDIA_TYPE: &str =
    "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"";

pub(super) fn render(facts: &SiteFacts) -> String {
    let link = |path: &str, media: &str| json!([{ "href": facts.url(path), "type": media }]);
    json!({
        "linkset": [{
            "anchor": facts.url("/api/v1/core"),
            "service-desc": link("/openapi.json", "application/json"),
            "service-doc": link("/docs", "text/html"),
            "status": link("/healthz", "application/json"),
        }],
    })
    .to_string()
}
