//! Hands answered requests to the count of agents on this site.
//!
//! Called where an answer leaves: by the log line of the router, and by the fast path.

use http::{
    HeaderMap, Uri,
    header::{IF_MODIFIED_SINCE, IF_NONE_MATCH, USER_AGENT},
};
use service::AnsweredRequest;

use super::state::MiddlewareState;
use crate::request::ClientAddress;

/// A web server asks here about the visitors of another site, in their names.
const GATE: &str = "/api/v1/visitor/gate";

pub(crate) fn count_request(
    state: &MiddlewareState,
    uri: &Uri,
    headers: &HeaderMap,
    client: ClientAddress,
) {
    let Some(conduct) = &state.conduct else { return };
    let Some(user_agent) = headers.get(USER_AGENT) else { return };
    if uri.path() == GATE {
        return;
    }
    conduct.count(&AnsweredRequest {
        user_agent: user_agent.as_bytes(),
        address: client.0,
        target: uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str),
        is_conditional: headers.contains_key(IF_NONE_MATCH)
            || headers.contains_key(IF_MODIFIED_SINCE),
    });
}
