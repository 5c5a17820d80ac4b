//! JSON Schema 2020-12 for every record, made from the same derive as the OpenAPI document.
//!
//! The derive writes OpenAPI 3.1 schemas, whose dialect is 2020-12; what is left to do is to make
//! each one stand alone: its references point into its own `$defs`.

use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AdditionalProperties, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::Brand;
use crate::core_ops::CoreContract;
use crate::errors::ErrorV1;
use crate::evidence::Evidence;
use crate::records::{
    AccuracyRecord, Actions, AssuranceLadder, Build, CensusEnd, CensusPage, Changes, ClaimsRecord,
    ConductRecord, ContentClockRecord, ControlRecord, Corroboration, DaySeal, DecisionCheck,
    DecisionReceipt, DomainRecord, GossipAnswer, GossipRequest, Graph, LogAbsence, LogConsistency,
    LogInclusion, LogLeaves, LogRecord, LogSth, LogSths, LogWitnessed, ObserverDirectory,
    OutcomeAccepted, OutcomeDayRecord, OutcomeReport, OutcomeSummary, PrefixBucket, PreflightBatch,
    PreflightRequest, ProofDay, ProofIndex, PublicReportV1, ReadEquivalenceRecord, ResolveAnswer,
    ResolveBatch, ResolveBatchRequest, RevocationList, RightsRecord, ScanManifest, ScanRecord,
    ScanRequest, ScanRequestV1, Seal, Signature, StapleRecord, Transparency, TreeHead,
    VisitorAnswer, VisitorBatch, VisitorBatchAnswer,
};

/// One kind of document that has a schema.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// What follows the brand in `kind`.
    pub word: &'static str,
    pub title: &'static str,
    /// The section of the interface that defines it.
    pub section: &'static str,
    collect: fn() -> Collected,
}

/// Every kind, in the order of the interface.
pub const KINDS: &[Kind] = &[
    kind::<CoreContract>("core", "The core contract", "1"),
    kind::<ScanRequest>("scan-request", "Body of POST /api/scan", "4"),
    kind::<ScanRequestV1>("scan-request-v1", "Body of POST /api/v1/scan", "4"),
    kind::<ScanRecord>("scan", "Scan record", "2.1"),
    kind::<Evidence>("evidence", "Evidence of a scan", "2.1"),
    kind::<PublicReportV1>(REPORT, "PublicReportV1", "2.2"),
    kind::<Graph>("graph", "Graph of a scan", "4"),
    kind::<ScanManifest>("manifest", "Manifest of a scan", "4"),
    kind::<OutcomeReport>("outcome-report", "Body of POST /api/v1/outcome", "2.3"),
    kind::<OutcomeAccepted>("outcome-accepted", "Answer to an outcome report", "2.3"),
    kind::<OutcomeSummary>("agent-outcomes", "Outcome summary", "2.3"),
    kind::<OutcomeDayRecord>("agent-outcomes-day", "Outcome reports of a day", "6"),
    kind::<AccuracyRecord>("ai-accuracy", "AI-accuracy record", "2.4"),
    kind::<ControlRecord>("domain-control", "Domain-control record", "2.5"),
    kind::<DomainRecord>("domain", "Domain registry record", "2.6"),
    kind::<VisitorBatch>("visitor-request", "Body of POST /api/v1/visitor", "4"),
    kind::<VisitorAnswer>("visitor", "Visitor verdict", "2.7"),
    kind::<VisitorBatchAnswer>("visitor-batch", "Visitor verdicts", "4"),
    kind::<ConductRecord>("conduct", "Conduct record", "2.8"),
    kind::<ResolveAnswer>("resolve", "Resolve answer", "2.9"),
    kind::<Changes>("changes", "Changes of answers", "3.2"),
    kind::<Corroboration>("corroboration", "Readings of several networks, field by field", "4"),
    kind::<ResolveBatchRequest>("resolve-request", "Body of POST /api/v1/resolve", "4"),
    kind::<ResolveBatch>("resolve-batch", "Resolve answers", "4"),
    kind::<PrefixBucket>("resolve-prefix", "Answers that share a prefix", "4"),
    kind::<ObserverDirectory>("observers", "Directory of observers", "4"),
    kind::<CensusPage>("census-page", "Records of a census", "4"),
    kind::<CensusEnd>("census-end", "The last line of a census read line by line", "4"),
    kind::<ContentClockRecord>("content-clock", "Content clock", "4"),
    kind::<ClaimsRecord>("claims", "What a site says about itself", "4"),
    kind::<ReadEquivalenceRecord>("read-equivalence", "Read equivalence", "4"),
    kind::<RightsRecord>("rights", "Rights in uses of content", "4"),
    kind::<Actions>("actions", "Actions object", "2.10"),
    kind::<PreflightRequest>("preflight-request", "Body of POST /api/v1/preflight", "4"),
    kind::<DecisionReceipt>("decision", "Receipt of a decision", "4"),
    kind::<PreflightBatch>("preflight-batch", "Receipts of several decisions", "4"),
    kind::<DecisionCheck>("decision-check", "Whether a decision stands", "4"),
    kind::<RevocationList>("revocations", "What no longer stands", "4"),
    kind::<StapleRecord>("staple", "Staple of a domain", "4"),
    kind::<Transparency>("transparency", "Transparency object", "2.11"),
    kind::<TreeHead>("log-sth", "Signed tree head", "2.11"),
    kind::<LogRecord>("log", "The transparency log", "2.11"),
    kind::<LogSth>("log-batch", "A head with its leaves and witnesses", "2.11"),
    kind::<LogSths>("log-sths", "Heads of the log", "2.11"),
    kind::<LogLeaves>("log-leaves", "Leaves of a batch", "2.11"),
    kind::<LogInclusion>("log-inclusion", "Proof that a leaf is in the log", "2.11"),
    kind::<LogConsistency>("log-consistency", "Proof that the log grew", "2.11"),
    kind::<LogAbsence>("log-absence", "Proof that a leaf is not in a batch", "2.11"),
    kind::<LogWitnessed>("log-witness", "The newest witnessed head", "2.11"),
    kind::<GossipRequest>("log-gossip-request", "Body of POST /api/v1/log/gossip", "2.11"),
    kind::<GossipAnswer>("log-gossip", "What we found of shown heads", "2.11"),
    kind::<Signature>("signature", "Signature object", "2.11"),
    kind::<Build>("build", "Build of this program", "4"),
    kind::<DaySeal>("day-seal", "Statement of a day's seal", "6"),
    kind::<ProofDay>("proof-day", "A sealed day with its digests", "6"),
    kind::<Seal>("seal", "Answer of the seal lookup", "6"),
    kind::<ProofIndex>("proof-index", "Index of sealed days", "6"),
    kind::<AssuranceLadder>("assurance-ladder", "Assurance ladder", "3.3"),
    kind::<ErrorV1>("error", "ErrorV1", "7"),
];

/// The report is an allowlist: what it does not name, it does not hold.
const REPORT: &str = "report";
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of one kind (without the brand), standing alone; nothing for a kind we do not have.
#[must_use]
pub fn schema_for(word: &str, brand: &Brand, base_url: &str) -> Option<Value> {
    let kind = KINDS.iter().find(|kind| kind.word == word)?;
    let collected = (kind.collect)();
    let mut schema = stand_alone(&collected.root);
    let members = schema.as_object_mut()?;
    members.insert("$schema".to_owned(), json!(DIALECT));
    members.insert("$id".to_owned(), json!(address(word, brand, base_url)));
    members.insert("title".to_owned(), json!(kind.title));
    if word == REPORT {
        members.insert("additionalProperties".to_owned(), json!(false));
    }
    if !collected.parts.is_empty() {
        let parts: Map<String, Value> =
            collected.parts.iter().map(|(name, part)| (name.clone(), stand_alone(part))).collect();
        members.insert("$defs".to_owned(), Value::Object(parts));
    }
    Some(schema)
}

/// Where the schema of a kind is served, and what its `$id` is.
#[must_use]
pub fn address(word: &str, brand: &Brand, base_url: &str) -> String {
    if word == REPORT {
        format!("{base_url}/api/v1/schema")
    } else {
        format!("{base_url}/api/v1/schema?kind={}", brand.kind(word))
    }
}

/// Closes the allowlists in an OpenAPI document, as [`schema_for`] does in its own: the derive can
/// only do so together with refusing unknown members when reading, and readers are lenient.
#[derive(Debug, Clone, Copy, Default)]
pub struct CloseAllowlists;

impl utoipa::Modify for CloseAllowlists {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let report = openapi
            .components
            .as_mut()
            .and_then(|components| components.schemas.get_mut(&*PublicReportV1::name()));
        if let Some(RefOr::T(Schema::Object(object))) = report {
            object.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
        }
    }
}

/// A schema and everything it refers to, by name.
struct Collected {
    root: RefOr<Schema>,
    parts: Vec<(String, RefOr<Schema>)>,
}

const fn kind<T: ToSchema>(word: &'static str, title: &'static str, section: &'static str) -> Kind {
    Kind { word, title, section, collect: collect::<T> }
}

fn collect<T: ToSchema>() -> Collected {
    let mut parts = Vec::new();
    T::schemas(&mut parts);
    Collected { root: <T as PartialSchema>::schema(), parts }
}

/// Plain JSON, with references into `$defs`.
fn stand_alone(schema: &impl Serialize) -> Value {
    // Schemas are trees of strings and numbers; there is nothing in them that JSON cannot hold.
    let mut value = serde_json::to_value(schema).unwrap_or_default();
    point_into_defs(&mut value);
    value
}

fn point_into_defs(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(target)) = members.get_mut("$ref")
                && let Some(name) = target.strip_prefix("#/components/schemas/")
            {
                *target = format!("#/$defs/{name}");
            }
            members.values_mut().for_each(point_into_defs);
        }
        Value::Array(items) => items.iter_mut().for_each(point_into_defs),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn no_two_types_share_a_name() {
        // One would silently take the other's place, here and in the OpenAPI document.
        let mut seen: BTreeMap<String, RefOr<Schema>> = BTreeMap::new();
        for kind in KINDS {
            for (name, part) in (kind.collect)().parts {
                let first = seen.entry(name.clone()).or_insert_with(|| part.clone());
                assert!(*first == part, "{name} in {}", kind.word);
            }
        }
        assert!(seen.len() > 100, "{}", seen.len());
    }

    #[test]
    fn the_openapi_document_closes_the_same_allowlist() {
        use utoipa::Modify;
        let mut openapi = utoipa::openapi::OpenApi::default();
        openapi.components =
            Some(utoipa::openapi::ComponentsBuilder::new().schema_from::<PublicReportV1>().build());
        CloseAllowlists.modify(&mut openapi);
        let written = serde_json::to_value(&openapi).unwrap();
        assert_eq!(
            written["components"]["schemas"]["PublicReportV1"]["additionalProperties"],
            false
        );
    }

    #[test]
    fn a_kind_we_do_not_have_has_no_schema() {
        let brand = Brand::default();
        assert_eq!(schema_for("svc-scan", &brand, "https://svc.example"), None);
        assert_eq!(
            address("scan", &brand, "https://svc.example"),
            "https://svc.example/api/v1/schema?kind=svc-scan"
        );
    }
}
