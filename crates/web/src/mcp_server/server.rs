//! What answers to MCP messages need.

use axum::Router;
use contract::Issuer;
use serde_json::Value;

use super::tools::Tools;
use crate::state::AppState;

/// Shared by all requests; never written to.
#[derive(Debug)]
pub(crate) struct McpServer {
    /// The API, without the middleware that every request has passed already.
    pub(super) api: Router,
    pub(super) state: AppState,
    pub(super) tools: Tools,
}

impl McpServer {
    pub(crate) fn new(api: Router, state: AppState, openapi: &Value) -> Self {
        let tools = Tools::from_openapi(openapi, &state.service_info.issuer);
        Self { api, state, tools }
    }

    pub(super) fn issuer(&self) -> &Issuer {
        &self.state.service_info.issuer
    }
}
