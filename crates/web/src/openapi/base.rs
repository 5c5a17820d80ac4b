//! The general part of the OpenAPI document: title, description and tags.

use contract::{errors::ErrorV1, schema::CloseAllowlists};
use utoipa::OpenApi;

use crate::handlers::{log::files, report, report_bundle, seal};

/// The general part of the document, and the operations that the router cannot express: the forms of a
/// report share one route (see [`report::report_file`]), so do the files of a sealed day, and tile
/// paths have any length.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Wayleave API",
        version = "1",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
        description = "Check how a website treats AI agents, and get signed, evidence-backed \
            answers before acting.\n\n\
            Credentials: a licence key, in the header `x-svc-key` or as a bearer token. \
            `POST /api/v1/scan` needs one; a private scan and its report need one for the domain. With \
            one, the limits of reads, decisions and live readings are those of the licence. Scripts of any site may read every response, without \
            credentials, except those of the operators' routes.\n\n\
            Rate limits, per client address, unless the operator sets others (`/docs/limits` has those of this server): \
            5 scan requests in any 10 seconds (`scan-10s`), 6 in any minute (`scan`) and 20 free scans a day \
            (`scan-day`). The others refill evenly: 30 requests in a minute to feeds and to the log below \
            `/api/v1` (`feed`), and 12000 for the log's files below `/log/` (`log-file`); 1200 reads of stored records, \
            reports, seals, schemas, keys and pages in a minute (`read`); 600 decisions in a minute (`decide`; a batch \
            counts as its number of items); 120 live readings of sites in a minute (`live`); 6000 visitors to check in a \
            minute (`visitors`; a batch counts as its number of items); 60 outcome reports in a minute (`outcome`) and 500 \
            a day (`outcome-day`); 1200 MCP messages in a minute (`mcp`); 8 open streams (`stream`); 1 request for a free key by mail a day \
            (`free-key-day`), if the service offers them; 20 reads of the proofs of one domain a day (`claim-check-day`); in a minute also 60 of \
            `/metrics` (`metrics`), 600 of `/readyz` (`readiness`) and 10 licence keys that are not valid (`wrong-key`). \
            An IPv6 address counts as its /64 network, and its /56 and /48 networks have 4 and 16 times the limit. \
            All free scans together have a \
            daily total (`daily_budget`), and the operator can pause them (`scans_paused`). One \
            scan of a domain runs at a time (`scan_in_progress`). If a public scan of the domain was \
            made within the last two minutes, the request is answered with that report, except for \
            a private scan. A server at its capacity answers `overloaded`. Responses to limited requests have `RateLimit-Policy` (how many requests \
            in how many seconds) and `RateLimit` (how many remain, and in how many seconds there \
            are more). If waiting helps, `Retry-After` says how long.\n\n\
            Idempotency: operations that create something (a scan, a report) accept an \
            `Idempotency-Key`. The same request with the same key is carried out once. Its reply is \
            stored for 24 hours and returned again, byte for byte, with \
            `Idempotency-Replayed: true`. A key is valid for the address and the credentials that it \
            was sent with. Replies to failed requests are not stored.\n\n\
            Requests are parsed strictly: an unknown or duplicate member or parameter is refused, \
            and so is a body of more than 1048576 bytes or 50000 JSON values. Lists have the bounds \
            of their schemas (`maxItems`, `uniqueItems`). Responses may get new members: ignore \
            members that you do not know.\n\n\
            Every response has `X-Request-Id`: yours, if you sent one of at most 128 visible \
            ASCII characters. Documents have an `ETag`; send it as `If-None-Match` to avoid a second \
            download.\n\n\
            Every response with a body has `Content-Digest` (RFC 9530, SHA-256). If you send \
            `Accept-Signature` (RFC 9421, 5.1), the response is signed by the key whose purpose is \
            `requests`, over the components that you name: `@status`, header fields of the response, \
            and with `req` the method, target, authority and header fields of your request. Name at \
            least `@status` or one component with `req`. The signature is made for the address in \
            `servers`. If the requested signature cannot be made, the response is unsigned.",
    ),
    paths(
        report::get_report,
        report::get_report_record,
        report::get_report_evidence,
        report::get_report_manifest,
        report_bundle::get_report_bundle,
        seal::get_proof_day,
        seal::get_proof_timestamps,
        files::get_log_tile,
    ),
    components(schemas(ErrorV1, contract::records::LiveReadMode)),
    tags(
        (name = "scans", description = "Scans and reports"),
        (name = "resolve", description = "Answers about domains"),
        (name = "decisions", description = "Decisions about actions, receipts and revocations"),
        (name = "domains", description = "Who controls a domain, and what owners report"),
        (name = "mcp", description = "What MCP servers list, and locks of it"),
        (name = "visitors", description = "Who a visitor of a site is, and the known agents"),
        (name = "outcomes", description = "Outcomes reported by agents"),
        (name = "seals", description = "Daily seals"),
        (name = "contract", description = "Core contract, schemas and builds"),
        (name = "licences", description = "What licence holders use"),
        (name = "keys", description = "Keys"),
        (name = "log", description = "The transparency log"),
        (name = "operators", description = "For operators"),
    ),
    modifiers(&CloseAllowlists),
)]
pub(crate) struct OpenApiBase;
