//! The declared operations that were called, and what the calls showed.

use contract::records::{CallResult, Capability, CapabilityCall, ResolveAnswer};

use crate::pages::{dates::minute, status::Status};

/// One operation that was called.
pub(super) struct CallRow {
    /// Written by the site.
    pub(super) name: String,
    /// Written by the site.
    pub(super) address: String,
    pub(super) declared_in: String,
    pub(super) result: Status,
    pub(super) why: String,
    /// `status 401`, `text/html`, …; may quote the site.
    pub(super) difference: Option<(String, String)>,
    pub(super) when: String,
}

/// The called operations of the latest answer.
pub(super) fn rows(answer: Option<&ResolveAnswer>) -> Vec<CallRow> {
    let items = answer.and_then(|answer| answer.capabilities.body()).map(|body| &body.items);
    items.into_iter().flatten().filter_map(|item| Some(row(item, item.call.as_ref()?))).collect()
}

fn row(item: &Capability, call: &CapabilityCall) -> CallRow {
    let address = call.readings.first().map(|reading| reading.untrusted_url.clone());
    CallRow {
        name: item.untrusted_name.clone(),
        address: address.unwrap_or_default(),
        declared_in: item.declared_in.clone(),
        result: match call.result {
            CallResult::AsDeclared => Status::ok("As declared"),
            CallResult::Differs => Status::bad("Differs"),
            CallResult::NotMeasured | CallResult::Unrecognised(_) => Status::off("Not measured"),
        },
        why: match call.compared.as_slice() {
            [] => call.why.clone(),
            parts => {
                let parts: Vec<String> = parts.iter().map(|part| part.replace('_', " ")).collect();
                format!("{} Compared: {}.", call.why, parts.join(", "))
            }
        },
        difference: call
            .difference
            .as_ref()
            .map(|found| (found.untrusted_declared.clone(), found.untrusted_found.clone())),
        when: minute(call.called_at),
    }
}
