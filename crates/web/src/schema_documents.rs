//! The schema of every kind of record, ready to be sent.

use std::collections::BTreeMap;

use contract::{
    Issuer,
    errors::ErrorCode,
    records::{SchemaIndex, SchemaIndexEntry},
    schema::{self, KINDS, schema_for},
};

use crate::response::{ApiError, CACHE_ONE_HOUR, HttpDocument, JSON};

const SCHEMA_JSON: &str = "application/schema+json";

/// Every schema and their list, built once at the start: they depend only on the issuer.
#[derive(Debug)]
pub(crate) struct SchemaDocuments {
    /// By kind, including the brand.
    by_kind: BTreeMap<String, HttpDocument>,
    index: HttpDocument,
}

impl SchemaDocuments {
    pub(crate) fn new(Issuer { brand, base_url }: &Issuer) -> Self {
        let (mut by_kind, mut listed) = (BTreeMap::new(), Vec::new());
        for kind in KINDS {
            let Some(schema) = schema_for(kind.word, brand, base_url) else { continue };
            let text = schema.to_string();
            listed.push(SchemaIndexEntry {
                kind: brand.kind(kind.word),
                v: 1,
                title: kind.title.to_owned(),
                section: kind.section.to_owned(),
                address: schema::schema_url(kind.word, brand, base_url),
                schema_sha256: proof::sha256(text.as_bytes()).to_hex(),
            });
            let document = HttpDocument::constant(text, SCHEMA_JSON, CACHE_ONE_HOUR);
            by_kind.insert(brand.kind(kind.word), document);
        }
        let index = SchemaIndex { kind: brand.kind("schema-index"), v: 1, schemas: listed };
        // Only texts and numbers: serializing cannot fail.
        let index = serde_json::to_string(&index).unwrap_or_default();
        Self { by_kind, index: HttpDocument::constant(index, JSON, CACHE_ONE_HOUR) }
    }

    pub(crate) fn index(&self) -> &HttpDocument {
        &self.index
    }

    /// The schema of a kind, including the brand.
    pub(crate) fn find(&self, kind: &str) -> Result<&HttpDocument, ApiError> {
        self.by_kind.get(kind).ok_or_else(|| {
            let sentence =
                "There is no record of this kind. /api/v1/schema?list=1 lists all kinds.";
            ApiError::new(ErrorCode::NotFound, sentence).param("kind")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Brand;
    use http::HeaderMap;
    use http_body_util::BodyExt;
    use serde_json::Value;

    async fn body(document: &HttpDocument) -> Value {
        let body = document.reply(&HeaderMap::new()).into_body();
        serde_json::from_slice(&body.collect().await.unwrap().to_bytes()).unwrap()
    }

    #[tokio::test]
    async fn every_kind_is_listed_and_is_a_schema() {
        let issuer = Issuer::new(Brand::default(), "https://svc.example");
        let schemas = SchemaDocuments::new(&issuer);
        let index = body(&schemas.index).await;
        let listed = index["schemas"].as_array().unwrap();
        assert_eq!(listed.len(), KINDS.len());
        for entry in listed {
            let schema = body(schemas.find(entry["kind"].as_str().unwrap()).unwrap()).await;
            assert_eq!(schema["$id"], entry["address"]);
            jsonschema::draft202012::meta::validate(&schema).unwrap();
            jsonschema::draft202012::new(&schema).unwrap();
        }
        assert!(listed.iter().any(|entry| entry["address"] == "https://svc.example/api/v1/schema"));
        assert_eq!(schemas.find("scan").unwrap_err().status(), 404);
    }
}
