//! The record of a scan, from what a walk over the lists of a server received.

use std::collections::BTreeMap;

use contract::mcp_evidence::{
    self as evidence, McpEvidence, McpListKind, McpMetadataState, McpProblemReason,
};
use contract::records::{
    CodeObject, McpAuth, McpAuthState, McpBasisKind, McpCardComparison, McpConditions, McpEra,
    McpFinding, McpHistory, McpInstructions, McpInvocation, McpKnown, McpResourceMetadata,
    McpResponseForm, McpScan, McpScanBasis, McpScanState, McpServer, McpSurface, McpTransport,
    McpTransportForm,
};
use contract::{Domain, Timestamp};
use serde_json::Value;

use super::connect::decide_connect;
use super::entries::{item_entries, tool_entries};
use super::rules::{RuleContext, RuleReport, apply_rules, rulepack};
use super::surface::{ListKind, Surface, SurfaceBuilder};
use super::untrusted::{display_name, untrusted_text};

/// The most capabilities that are shown, and the most switches of each.
const MAX_CAPABILITIES: usize = 32;

/// The lists of a server, and what the rules found in them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JudgedServer {
    pub surface: Surface,
    pub report: RuleReport,
}

/// What the record says besides the walk.
#[derive(Debug, Clone)]
pub struct ScanInputs {
    pub kind: String,
    pub schema: String,
    pub domain: Option<Domain>,
    pub client_name: String,
    pub history: McpHistory,
    pub card: McpCardComparison,
    /// As for [`decide_connect`].
    pub verified: bool,
    pub code: Option<CodeObject>,
}

/// Joins the pages of a walk and applies the rules.
#[must_use]
pub fn judge_evidence(evidence: &McpEvidence, other_tools: &[String]) -> JudgedServer {
    let surface = surface_of_evidence(evidence);
    let refused = refused_lists(evidence);
    let report = apply_rules(&surface, &rule_context(evidence, refused.as_deref(), other_tools));
    JudgedServer { surface, report }
}

/// Joins the pages of a walk.
#[must_use]
pub fn surface_of_evidence(evidence: &McpEvidence) -> Surface {
    let mut builder = SurfaceBuilder::new();
    if let Some(text) = evidence.server.as_ref().and_then(|server| server.instructions.as_ref()) {
        builder.set_instructions(text);
    }
    for list in &evidence.lists {
        let Some(kind) = list_kind(&list.list) else { continue };
        for page in &list.pages {
            // A page that cannot be parsed makes the surface incomplete; the builder notes why.
            let _ = builder.add_page(kind, page.result.as_bytes());
        }
    }
    if !evidence.is_complete() {
        let lists = evidence.lists.iter().find_map(|list| list.why.as_ref());
        let why = evidence.why.as_ref().or(lists);
        builder.mark_incomplete(why.map_or("Not every list was read.", |why| &why.detail));
    }
    builder.finish()
}

const fn list_kind(list: &McpListKind) -> Option<ListKind> {
    match list {
        McpListKind::Tools => Some(ListKind::Tools),
        McpListKind::Prompts => Some(ListKind::Prompts),
        McpListKind::Resources => Some(ListKind::Resources),
        McpListKind::ResourceTemplates => Some(ListKind::ResourceTemplates),
        McpListKind::Unrecognised(_) => None,
    }
}

/// Declared lists whose first question was answered with an error of the protocol. None if the server did
/// not say what it has.
fn refused_lists(evidence: &McpEvidence) -> Option<Vec<ListKind>> {
    evidence.server.as_ref()?;
    let is_refused = |list: &&evidence::McpListReading| {
        let why = list.why.as_ref().map(|why| &why.reason);
        list.declared && list.pages.is_empty() && why == Some(&McpProblemReason::RpcError)
    };
    Some(
        evidence.lists.iter().filter(is_refused).filter_map(|list| list_kind(&list.list)).collect(),
    )
}

/// A process was not read over the network: it has no address and no TLS.
fn is_network(evidence: &McpEvidence) -> bool {
    evidence.transport.form != evidence::McpForm::Stdio
}

fn rule_context<'a>(
    evidence: &McpEvidence,
    refused_lists: Option<&'a [ListKind]>,
    other_tools: &'a [String],
) -> RuleContext<'a> {
    let metadata = evidence.auth.resource_metadata.as_ref();
    RuleContext {
        https: is_network(evidence).then_some(evidence.transport.https),
        auth_required: match evidence.auth.state {
            evidence::McpAuthState::None => Some(false),
            evidence::McpAuthState::Required => Some(true),
            _ => None,
        },
        issuer_match: metadata.and_then(|metadata| metadata.issuer.as_ref()?.matches),
        metadata_foreign_host: metadata.map(|metadata| metadata.foreign_host),
        stable_content: evidence.stability.stable_content,
        refused_lists,
        other_tools,
    }
}

/// The record, not signed yet.
#[must_use]
pub fn build_scan(inputs: ScanInputs, evidence: &McpEvidence, judged: &JudgedServer) -> McpScan {
    let JudgedServer { surface, report } = judged;
    let state = scan_state(evidence, surface);
    let scanned_at = evidence.started_at.whole_seconds();
    let url = is_network(evidence).then(|| evidence.url.clone());
    let host = url::Url::parse(&evidence.url).ok();
    let host = host.as_ref().and_then(|url| url.host_str()).map(str::to_owned);
    McpScan {
        kind: inputs.kind,
        v: 1,
        schema: inputs.schema,
        scanned_at,
        url: url.clone(),
        // A question that is redirected is not followed.
        final_url: url,
        domain: inputs.domain,
        host,
        why: evidence.why.as_ref().map(|why| why.detail.clone()).or_else(|| {
            (state != McpScanState::Observed).then(|| surface.incomplete.clone()).flatten()
        }),
        basis: McpScanBasis {
            kind: McpBasisKind::Live,
            age_seconds: 0,
            budget_ms: u64::from(evidence.budget_ms),
            took_ms: u64::from(evidence.took_ms),
            not_read_in_budget: not_read_in_budget(evidence),
            scan_sha256: None,
        },
        transport: transport(evidence),
        auth: auth(&evidence.auth),
        server: server(evidence.server.as_ref(), surface),
        conditions: conditions(&inputs.client_name, evidence),
        surface: surface_summary(evidence, surface),
        tools: tool_entries(surface, report),
        prompts: item_entries(surface, ListKind::Prompts, report),
        resources: item_entries(surface, ListKind::Resources, report),
        resource_templates: item_entries(surface, ListKind::ResourceTemplates, report),
        findings: report.findings.clone(),
        findings_left_out: report.left_out,
        checks: report.checks.clone(),
        connect: decide_connect(&state, surface.is_complete(), report, inputs.verified),
        state,
        card: inputs.card,
        history: inputs.history,
        lock: None,
        texts: None,
        invocation: McpInvocation { tools_called: 0, rule: "lists only".to_owned() },
        rulepack: rulepack(),
        code: inputs.code,
        sha256: None,
        signature: None,
    }
}

/// A walk that saw everything may still have received what has no canonical form.
fn scan_state(evidence: &McpEvidence, surface: &Surface) -> McpScanState {
    match &evidence.state {
        evidence::McpState::Observed if surface.is_complete() => McpScanState::Observed,
        evidence::McpState::Observed | evidence::McpState::Incomplete => McpScanState::Incomplete,
        evidence::McpState::AuthRequired => McpScanState::AuthRequired,
        evidence::McpState::NotMcp => McpScanState::NotMcp,
        _ => McpScanState::Unreachable,
    }
}

fn not_read_in_budget(evidence: &McpEvidence) -> Vec<String> {
    let is_late = |list: &&evidence::McpListReading| {
        list.declared
            && list.why.as_ref().is_some_and(|why| {
                matches!(why.reason, McpProblemReason::Deadline | McpProblemReason::NotReached)
            })
    };
    evidence.lists.iter().filter(is_late).map(|list| list.list.as_str().to_owned()).collect()
}

fn transport(evidence: &McpEvidence) -> McpTransport {
    let seen = &evidence.transport;
    McpTransport {
        form: McpTransportForm::from_word(seen.form.as_str()).unwrap_or(McpTransportForm::Nothing),
        era: McpEra::from_word(seen.era.as_str()).unwrap_or(McpEra::Unknown),
        protocol_version: seen.protocol_version.as_deref().map(untrusted_text),
        supported_versions: seen
            .supported_versions
            .iter()
            .map(|text| untrusted_text(text))
            .collect(),
        response_form: seen
            .response_form
            .as_ref()
            .and_then(|form| McpResponseForm::from_word(form.as_str())),
        session_issued: seen.session_issued,
        https: is_network(evidence).then_some(seen.https),
        redirects: seen.redirect_location.iter().map(|text| untrusted_text(text)).collect(),
    }
}

fn auth(seen: &evidence::McpAuth) -> McpAuth {
    McpAuth {
        state: match seen.state {
            evidence::McpAuthState::None => McpAuthState::Nothing,
            evidence::McpAuthState::Required => McpAuthState::Required,
            _ => McpAuthState::NotMeasured,
        },
        http_status: seen.http_status,
        scheme: seen.scheme.as_deref().map(untrusted_text),
        scopes: seen.scopes.iter().map(|text| untrusted_text(text)).collect(),
        resource_metadata: resource_metadata(seen.resource_metadata.as_ref()),
    }
}

fn resource_metadata(seen: Option<&evidence::McpResourceMetadata>) -> McpResourceMetadata {
    let Some(seen) = seen else {
        return McpResourceMetadata {
            state: "not_measured".to_owned(),
            why: Some("The server did not ask for credentials.".to_owned()),
            url: None,
            source: None,
            resource: None,
            authorization_servers: Vec::new(),
            issuer_match: McpKnown::NOT_MEASURED,
        };
    };
    let state = match seen.state {
        McpMetadataState::Found | McpMetadataState::Faulty => "observed",
        McpMetadataState::Absent => "absent",
        _ => "not_measured",
    };
    McpResourceMetadata {
        state: state.to_owned(),
        why: seen.why.clone(),
        url: seen.url.as_deref().map(untrusted_text),
        source: seen.source.as_ref().map(|source| source.as_str().to_owned()),
        resource: seen.resource.as_deref().map(untrusted_text),
        authorization_servers: seen
            .authorization_servers
            .iter()
            .map(|text| untrusted_text(text))
            .collect(),
        issuer_match: McpKnown::from(seen.issuer.as_ref().and_then(|issuer| issuer.matches)),
    }
}

fn server(seen: Option<&evidence::McpServer>, surface: &Surface) -> McpServer {
    let text = |text: Option<&String>| text.map(|text| untrusted_text(text));
    McpServer {
        untrusted_name: text(seen.and_then(|server| server.name.as_ref())),
        untrusted_version: text(seen.and_then(|server| server.version.as_ref())),
        untrusted_title: text(seen.and_then(|server| server.title.as_ref())),
        instructions: McpInstructions {
            present: surface.instructions.is_some(),
            bytes: surface.instructions.as_ref().map_or(0, |text| text.len() as u64),
            instructions_sha256: surface.digests.instructions.clone(),
            untrusted_text: None,
            text_cut: None,
        },
        capabilities: seen.map(|server| capabilities(&server.capabilities)).unwrap_or_default(),
        basis: "self_reported".to_owned(),
    }
}

/// The names of capabilities and their switches. Anything else in them is not shown.
fn capabilities(raw: &str) -> BTreeMap<String, BTreeMap<String, bool>> {
    let Ok(Value::Object(declared)) = contract::json::parse_value(raw.as_bytes()) else {
        return BTreeMap::new();
    };
    let switches = |value: &Value| {
        let members = value.as_object().into_iter().flatten();
        let switches = members.filter_map(|(name, value)| Some((name, value.as_bool()?)));
        switches.take(MAX_CAPABILITIES).map(|(name, is_on)| (display_name(name), is_on)).collect()
    };
    let declared = declared.iter().take(MAX_CAPABILITIES);
    declared.map(|(name, value)| (display_name(name), switches(value))).collect()
}

fn conditions(client_name: &str, evidence: &McpEvidence) -> McpConditions {
    McpConditions {
        client_capabilities: serde_json::Map::new(),
        client_name: Some(client_name.to_owned()),
        // A process has whatever credentials the user who started it has.
        auth_context: if is_network(evidence) { "anonymous" } else { "caller" }.to_owned(),
        protocol_version: evidence.transport.protocol_version.as_deref().map(untrusted_text),
    }
}

fn surface_summary(evidence: &McpEvidence, surface: &Surface) -> McpSurface {
    let count = |list| u32::try_from(surface.list(list).count()).unwrap_or(u32::MAX);
    let is_read = evidence.lists.iter().any(|list| !list.pages.is_empty());
    let (ttl_ms, cache_scope) = caching(evidence);
    McpSurface {
        state: if is_read || surface.is_complete() { "observed" } else { "not_measured" }
            .to_owned(),
        complete: surface.is_complete(),
        why: surface.incomplete.clone(),
        tools: count(ListKind::Tools),
        prompts: count(ListKind::Prompts),
        resources: count(ListKind::Resources),
        resource_templates: count(ListKind::ResourceTemplates),
        pages: surface.pages,
        stable_content: evidence.stability.stable_content,
        stable_order: evidence.stability.stable_order,
        ttl_ms,
        cache_scope,
        surface_sha256: surface.digests.surface.clone(),
        tools_sha256: surface.digests.tools.clone(),
    }
}

/// How long, and for whom, the server says that its first page of tools may be kept.
fn caching(evidence: &McpEvidence) -> (Option<u64>, Option<String>) {
    let page = evidence.list(&McpListKind::Tools).and_then(|list| list.pages.first());
    let result = page.and_then(|page| contract::json::parse_value(page.result.as_bytes()).ok());
    let Some(Value::Object(result)) = result else { return (None, None) };
    let ttl = result.get("ttlMs").and_then(Value::as_u64);
    let ttl = ttl.filter(|ttl| *ttl <= proof::canonical::MAX_INTEGER);
    (ttl, result.get("cacheScope").and_then(Value::as_str).map(untrusted_text))
}

/// Says since when each finding is known: since the earlier scan that had it, or since this one.
pub fn date_findings(findings: &mut [McpFinding], earlier: &[McpFinding], now: Timestamp) {
    for finding in findings {
        let same = |other: &&McpFinding| {
            other.rule == finding.rule
                && other.location.item == finding.location.item
                && other.location.name == finding.location.name
                && other.location.pointer == finding.location.pointer
        };
        let known = earlier.iter().find(same).and_then(|other| other.first_observed);
        finding.first_observed = Some(known.unwrap_or(now));
    }
}
