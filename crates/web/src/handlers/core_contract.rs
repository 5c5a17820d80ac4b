//! `GET /api/v1/core`: the operations that keep answering.

use std::{collections::BTreeSet, sync::Arc};

use axum::{extract::State, response::Response};
use contract::{Brand, core_ops::CoreContract};
use http::HeaderMap;
use serde_json::{Value, json};

use crate::{
    documents::{Document, FOR_MINUTES, JSON},
    state::Site,
};

/// List the core contract
///
/// The nine operations that keep answering for at least 180 days after any `/api/v2` is
/// announced. `served` says whether this build answers the operation already.
#[utoipa::path(
    get,
    path = "/api/v1/core",
    operation_id = "coreContract",
    tag = "contract",
    responses(
        (status = 200, description = "The list, and the promise made about it.",
            body = CoreContract, content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
    )
)]
pub(crate) async fn core_contract(State(site): State<Arc<Site>>, headers: HeaderMap) -> Response {
    let contract = contract_of(&site.brand, &site.base_url, &site.served);
    Document::new(contract.to_string(), JSON, FOR_MINUTES).reply(&headers)
}

/// The contract with what this build can say of itself beside each operation.
fn contract_of(brand: &Brand, base_url: &str, served: &BTreeSet<String>) -> Value {
    // Strings and numbers: this cannot fail.
    let mut contract =
        serde_json::to_value(CoreContract::current(brand, base_url)).unwrap_or_default();
    if let Some(Value::Array(operations)) = contract.get_mut("operations") {
        for operation in operations {
            let id = operation.get("operationId").and_then(Value::as_str).unwrap_or_default();
            let is_served = served.contains(id);
            if let Value::Object(members) = operation {
                members.insert("served".to_owned(), json!(is_served));
            }
        }
    }
    if let Value::Object(members) = &mut contract {
        members.insert("notice_days".to_owned(), json!(contract::limits::CORE_NOTICE_DAYS));
    }
    contract
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_nine_operations_and_does_not_boast() {
        let served = BTreeSet::from(["visitorResolveV1".to_owned()]);
        let contract = contract_of(&Brand::default(), "https://svc.example", &served);
        assert_eq!(contract["kind"], "svc-core");
        assert_eq!(contract["notice_days"], 180);
        let operations = contract["operations"].as_array().unwrap();
        assert_eq!(operations.len(), 9);
        for operation in operations {
            assert_eq!(operation["served"], operation["operationId"] == "visitorResolveV1");
        }
        assert_eq!(operations[3]["path"], "/api/v1/decisions/{sha256}");
    }
}
