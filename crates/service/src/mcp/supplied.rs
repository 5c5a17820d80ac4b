//! Lists that a caller supplies, for servers that this service cannot read. Nothing of them is stored.

use std::sync::Arc;

use contract::records::{
    McpAuth, McpAuthState, McpBasisKind, McpCardComparison, McpEra, McpHistory, McpInstructions,
    McpInvocation, McpKnown, McpResourceMetadata, McpScan, McpScanBasis, McpScanState, McpServer,
    McpSurface, McpTransport, McpTransportForm,
};
use judge::mcp::{
    JudgedServer, ListKind, RuleContext, SurfaceBuilder, apply_rules, decide_connect, item_entries,
    rulepack, tool_entries,
};
use proof::KeyPurpose;

use super::lock::caller_conditions;
use super::{McpAnswer, McpError, McpServers};

impl McpServers {
    /// The scan of lists that the caller supplies as JSON.
    pub async fn scan_supplied(&self, lists: Vec<u8>) -> Result<McpAnswer<McpScan>, McpError> {
        let judged = self.judge_supplied(lists).await?;
        let scan = self.supplied_scan(&judged);
        let signed = self.keys.sign_record(&scan, KeyPurpose::Documents)?;
        Ok(McpAnswer { record: scan, bytes: signed.bytes, sha256: signed.digest })
    }

    pub(super) async fn judge_supplied(
        &self,
        lists: Vec<u8>,
    ) -> Result<Arc<JudgedServer>, McpError> {
        let judge = move || {
            let mut builder = SurfaceBuilder::new();
            builder.add_observed(&lists).map_err(McpError::BadLists)?;
            let surface = builder.finish();
            let report = apply_rules(&surface, &RuleContext::default());
            Ok(Arc::new(JudgedServer { surface, report }))
        };
        self.judging.run(judge).await?
    }

    fn supplied_scan(&self, judged: &JudgedServer) -> McpScan {
        let JudgedServer { surface, report } = judged;
        let count = |list| u32::try_from(surface.list(list).count()).unwrap_or(u32::MAX);
        let state =
            if surface.is_complete() { McpScanState::Observed } else { McpScanState::Incomplete };
        let not_read = "The caller supplied the lists.";
        McpScan {
            kind: self.issuer.brand.kind("mcp-scan"),
            v: 1,
            schema: self.schema("mcp-scan"),
            scanned_at: self.clock.now().whole_seconds(),
            url: None,
            final_url: None,
            domain: None,
            host: None,
            why: surface.incomplete.clone(),
            basis: McpScanBasis {
                kind: McpBasisKind::CallerSupplied,
                age_seconds: 0,
                budget_ms: 0,
                took_ms: 0,
                not_read_in_budget: Vec::new(),
                scan_sha256: None,
            },
            transport: McpTransport {
                form: McpTransportForm::Nothing,
                era: McpEra::Unknown,
                protocol_version: None,
                supported_versions: Vec::new(),
                response_form: None,
                session_issued: false,
                https: None,
                redirects: Vec::new(),
            },
            auth: McpAuth {
                state: McpAuthState::NotMeasured,
                http_status: None,
                scheme: None,
                scopes: Vec::new(),
                resource_metadata: McpResourceMetadata {
                    state: "not_measured".to_owned(),
                    why: Some(not_read.to_owned()),
                    url: None,
                    source: None,
                    resource: None,
                    authorization_servers: Vec::new(),
                    issuer_match: McpKnown::NOT_MEASURED,
                },
            },
            server: McpServer {
                untrusted_name: None,
                untrusted_version: None,
                untrusted_title: None,
                instructions: McpInstructions {
                    present: surface.instructions.is_some(),
                    bytes: surface.instructions.as_ref().map_or(0, |text| text.len() as u64),
                    instructions_sha256: surface.digests.instructions.clone(),
                    untrusted_text: None,
                    text_cut: None,
                },
                capabilities: Default::default(),
                basis: "self_reported".to_owned(),
            },
            conditions: caller_conditions(),
            surface: McpSurface {
                state: "observed".to_owned(),
                complete: surface.is_complete(),
                why: surface.incomplete.clone(),
                tools: count(ListKind::Tools),
                prompts: count(ListKind::Prompts),
                resources: count(ListKind::Resources),
                resource_templates: count(ListKind::ResourceTemplates),
                pages: surface.pages,
                stable_content: None,
                stable_order: None,
                ttl_ms: None,
                cache_scope: None,
                surface_sha256: surface.digests.surface.clone(),
                tools_sha256: surface.digests.tools.clone(),
            },
            tools: tool_entries(surface, report),
            prompts: item_entries(surface, ListKind::Prompts, report),
            resources: item_entries(surface, ListKind::Resources, report),
            resource_templates: item_entries(surface, ListKind::ResourceTemplates, report),
            findings: report.findings.clone(),
            findings_left_out: report.left_out,
            checks: report.checks.clone(),
            connect: decide_connect(&state, surface.is_complete(), report, false),
            state,
            card: McpCardComparison {
                state: "not_measured".to_owned(),
                why: Some(not_read.to_owned()),
                source: None,
                matches_live: McpKnown::NOT_MEASURED,
                differences: Vec::new(),
            },
            history: McpHistory {
                first_observed: None,
                last_changed_at: None,
                changes: 0,
                address: None,
            },
            lock: None,
            texts: None,
            invocation: McpInvocation { tools_called: 0, rule: "lists only".to_owned() },
            rulepack: rulepack(),
            code: self.builds.code().map(Arc::unwrap_or_clone),
            sha256: None,
            signature: None,
        }
    }
}
