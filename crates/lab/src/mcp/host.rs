//! One MCP server of the lab, and what servers have in common.

use serde::Serialize;

use super::behaviour::{Behaviour, Card, Era, Fault, Form};
use super::content::{self, LabMcpServer};

/// One MCP server of the lab.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct LabMcpHost {
    pub name: &'static str,
    /// `/mcp`, or `/sse` for the form of 2024-11-05.
    pub path: &'static str,
    pub does: &'static str,
    /// The state that a correct walk ends in: a value of `contract::mcp_evidence::McpState`.
    pub state: &'static str,
    /// Its reason: a value of `contract::mcp_evidence::McpProblemReason`; empty without one.
    pub why: &'static str,
    #[serde(skip)]
    pub(super) behaviour: Behaviour,
    #[serde(skip)]
    pub(super) content: fn() -> LabMcpServer,
}

impl LabMcpHost {
    /// The address of the server.
    #[must_use]
    pub fn url(&self) -> String {
        format!("https://{}{}", self.name, self.path)
    }

    pub(super) const fn new(name: &'static str, does: &'static str, behaviour: Behaviour) -> Self {
        let path = if matches!(behaviour.era, Era::EventStream) { "/sse" } else { "/mcp" };
        Self { name, path, does, state: "observed", why: "", behaviour, content: content::good }
    }

    pub(super) const fn ends(self, state: &'static str, why: &'static str) -> Self {
        Self { state, why, ..self }
    }

    pub(super) const fn lists(self, content: fn() -> LabMcpServer) -> Self {
        Self { content, ..self }
    }
}

pub(super) const MODERN: Behaviour = Behaviour {
    era: Era::Modern,
    form: Form::Json,
    version: "2026-07-28",
    has_session: false,
    page_size: 0,
    empty_cursor: false,
    fault: Fault::None,
    card: Card::None,
};

pub(super) const LEGACY: Behaviour =
    Behaviour { era: Era::Legacy, version: "2025-11-25", has_session: true, ..MODERN };
pub(super) const STREAM: Behaviour =
    Behaviour { era: Era::EventStream, version: "2024-11-05", ..MODERN };

pub(super) const fn form(base: Behaviour, form: Form) -> Behaviour {
    Behaviour { form, ..base }
}

pub(super) const fn fault(base: Behaviour, fault: Fault) -> Behaviour {
    Behaviour { fault, ..base }
}

pub(super) const fn pages(base: Behaviour, page_size: usize) -> Behaviour {
    Behaviour { page_size, ..base }
}
