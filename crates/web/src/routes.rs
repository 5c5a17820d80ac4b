//! Every route, on one screen.

use axum::routing::{get, post};
use service::Service;
use utoipa::OpenApi;
use utoipa_axum::routes;

use crate::{
    handlers::{
        accuracy, agents, builds, census, census_export, changes, claims, conduct, content_clock,
        core_contract, corroboration, decisions, domain, field_check, free_key_pages, free_keys,
        graph, home_page as page_handlers, keys, log, machine_record, manage, mcp, observers,
        operators, outcome, pictures, preflight, preflight_page, read_equivalence, registry,
        report, resolve, resolve_batch, resolve_prefix, revocations, rights, running_scan, scan,
        scan_v1, schema, seal, staple, static_documents, usage, visitor, visitor_gate,
        visitor_page,
    },
    machine_files,
    openapi::base::OpenApiBase,
    recorded_router::RecordedRouter,
};

/// Routes that only some deployments have. Without them, their addresses are like any unknown one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OptionalRoutes {
    pub(crate) free_keys: bool,
}

impl OptionalRoutes {
    #[cfg(test)]
    pub(crate) const ALL: Self = Self { free_keys: true };

    pub(crate) fn of(service: &Service) -> Self {
        Self { free_keys: service.free_keys.is_some() }
    }
}

pub(crate) fn router(optional: OptionalRoutes) -> RecordedRouter {
    let mut router = api_router();
    if optional.free_keys {
        router = add_free_keys(router);
    }
    for path in machine_files::PATHS {
        router = router.route(path, get(static_documents::machine_file));
    }
    router.route("/.well-known/security.txt", get(static_documents::security_txt))
}

fn add_free_keys(router: RecordedRouter) -> RecordedRouter {
    router
        .routes(routes!(free_keys::request_free_key))
        .route("/keys/free", get(free_key_pages::form_page).post(free_key_pages::send_form))
        .route("/keys/free/{token}", get(free_key_pages::link_page).post(free_key_pages::show_key))
}

fn api_router() -> RecordedRouter {
    RecordedRouter::with_openapi(OpenApiBase::openapi())
        // Scans and reports
        .routes(routes!(scan::scan_domain))
        .routes(routes!(scan_v1::scan_domain_v1))
        .route("/r/{file}", get(report::report_file))
        .routes(routes!(graph::get_graph))
        .routes(routes!(machine_record::get_machine_record))
        // Changes over time, and comparison of readings
        .routes(routes!(changes::get_changes))
        .routes(routes!(corroboration::get_corroboration))
        // Resolve
        .routes(routes!(resolve::resolve_domain_v1))
        .routes(routes!(resolve_batch::resolve_batch_v1))
        .routes(routes!(resolve_prefix::resolve_prefix_v1))
        // Decisions about actions: receipts, revocations, staples
        .routes(routes!(preflight::preflight_v1))
        .routes(routes!(decisions::decision_check_v1))
        .routes(routes!(revocations::revocations))
        .routes(routes!(staple::staple))
        // Visitors
        .routes(routes!(visitor::visitor_resolve_v1, visitor::visitor_resolve_batch_v1))
        .routes(routes!(visitor_gate::visitor_gate))
        .routes(routes!(agents::get_known_agents))
        .routes(routes!(agents::visitor_spec))
        .routes(routes!(conduct::get_conduct))
        .route("/conduct/{file}", get(conduct::conduct_file))
        // Outcomes
        .routes(routes!(outcome::post_outcome))
        .routes(routes!(outcome::get_outcomes))
        // The details behind an answer
        .routes(routes!(rights::get_rights))
        .routes(routes!(read_equivalence::get_read_equivalence))
        .routes(routes!(claims::get_claims))
        .routes(routes!(content_clock::get_content_clock))
        // Who controls a domain
        .routes(routes!(registry::control::get_domain_control))
        .routes(routes!(
            registry::claim::get_claim_offer,
            registry::claim::begin_claim,
            registry::claim::withdraw_claim
        ))
        .routes(routes!(registry::claim::verify_claim))
        .routes(routes!(registry::incident::report_incident, registry::incident::end_incident))
        .routes(routes!(registry::dispute::file_dispute))
        .routes(routes!(registry::dispute::get_dispute))
        // Registrations and timelines of domains
        .routes(routes!(domain::get_domain))
        .route("/registry/{domain}", get(domain::registry_page))
        // What is said about a business
        .routes(routes!(accuracy::get_accuracy))
        .routes(routes!(field_check::check_field))
        // MCP servers
        .routes(routes!(mcp::mcp_scan_url, mcp::mcp_scan_lists))
        .routes(routes!(mcp::mcp_lock))
        .routes(routes!(mcp::mcp_lock_check))
        .routes(routes!(census::get_census_records))
        .routes(routes!(census_export::get_census_export))
        .routes(routes!(observers::get_observers))
        // Seals
        .routes(routes!(seal::seal_lookup))
        .routes(routes!(seal::proof))
        .routes(routes!(seal::proof_index))
        .route("/proof/{file}", get(seal::proof_file))
        // Core contract, schemas, builds
        .routes(routes!(core_contract::core_contract))
        .routes(routes!(schema::get_schema))
        .routes(routes!(schema::get_schema_by_kind))
        .routes(routes!(static_documents::openapi_document))
        .routes(routes!(graph::graph_context))
        .routes(routes!(builds::get_build))
        // Licences
        .routes(routes!(usage::get_usage))
        // Keys
        .routes(routes!(keys::key_directory))
        .routes(routes!(keys::key_rotation))
        .routes(routes!(static_documents::offline_verifier))
        // The log
        .routes(routes!(log::overview::get_log))
        .routes(routes!(log::heads::get_log_head))
        .routes(routes!(log::heads::get_log_heads))
        .routes(routes!(log::heads::get_log_leaves))
        .routes(routes!(log::proofs::get_log_inclusion))
        .routes(routes!(log::proofs::get_log_consistency))
        .routes(routes!(log::proofs::get_log_absence))
        .routes(routes!(log::witness::get_log_witness))
        .routes(routes!(log::witness::get_log_checkpoint))
        .routes(routes!(log::gossip::post_log_gossip))
        .route("/log/tile/{*path}", get(log::files::get_log_tile))
        .routes(routes!(log::files::get_log_heads_file))
        .route("/log/checkpoint", get(log::files::checkpoint_file))
        .route("/log/log.json", get(log::files::record_file))
        .route("/log/keys.json", get(log::files::keys_file))
        .route("/log/rotation.json", get(log::files::rotation_file))
        // Operators
        .routes(routes!(operators::healthz))
        .routes(routes!(operators::readyz))
        .routes(routes!(operators::metrics))
        // Pages
        .route("/", get(page_handlers::home))
        .route("/scan", post(page_handlers::scan_form))
        .route("/scan/{id}", get(running_scan::running_scan_page))
        .route("/scan/{id}/events", get(running_scan::running_scan_events))
        .route(
            "/preflight",
            get(preflight_page::preflight_page).post(preflight_page::preflight_form),
        )
        .route("/manage", get(manage::overview::overview))
        .route("/manage/sign-in", post(manage::sign_in::sign_in))
        .route("/manage/sign-out", post(manage::sign_in::sign_out))
        .route("/manage/sign-out-everywhere", post(manage::sign_in::sign_out_everywhere))
        .route("/manage/sessions/end", post(manage::sessions::end_session))
        .route("/manage/keys/rotate", post(manage::keys::rotate_key))
        .route("/manage/keys/revoke", post(manage::keys::revoke_key))
        .route("/manage/scans", post(manage::scans::start_scan))
        .route("/manage/webhooks", get(manage::webhooks::webhooks_page))
        .route("/manage/webhooks/add", post(manage::webhooks::add_webhook))
        .route("/manage/webhooks/delete", post(manage::webhooks::delete_webhook))
        .route("/manage/webhooks/on", post(manage::webhooks::switch_on_webhook))
        .route("/manage/webhooks/retry", post(manage::webhooks::retry_delivery))
        .route("/manage/data.json", get(manage::data::export_data))
        .route("/manage/data/delete", post(manage::data::delete_data))
        .route("/registry/{domain}/claim/begin", post(registry::claim_pages::begin_form))
        .route("/registry/{domain}/claim/check", post(registry::claim_pages::check_form))
        .route("/registry/{domain}/claim/sign-in", post(registry::claim_pages::sign_in_form))
        .route("/registry/{domain}/owner", get(registry::owner_pages::owner_page))
        .route("/registry/{domain}/owner/sign-out", post(registry::owner_pages::sign_out_form))
        .route("/registry/{domain}/owner/withdraw", post(registry::owner_pages::withdraw_form))
        .route("/registry/{domain}/owner/scan", post(registry::owner_pages::private_scan_form))
        .route(
            "/registry/{domain}/owner/incident",
            post(registry::owner_pages::report_incident_form),
        )
        .route(
            "/registry/{domain}/owner/incident/end",
            post(registry::owner_pages::end_incident_form),
        )
        .route("/registry/{domain}/owner/dispute", post(registry::owner_pages::file_dispute_form))
        .route("/badge/{file}", get(pictures::badge))
        .route("/og/{file}", get(pictures::link_picture))
        .route("/visitor", get(visitor_page::visitor_page).post(visitor_page::visitor_form))
        .route("/agents", get(agents::agents_page))
        .route("/conduct", get(conduct::conduct_page))
        .route("/not-for-agents/page", get(conduct::disallowed_page))
        .route("/method", get(static_documents::method))
        .route("/log", get(log::page::log_page))
        .route("/docs", get(static_documents::docs))
        .route("/docs/{page}", get(static_documents::docs_page))
        .route("/style.css", get(static_documents::style))
        .route("/pages.js", get(static_documents::script))
        .route("/favicon.svg", get(static_documents::favicon))
        .route("/favicon.ico", get(static_documents::favicon))
}
