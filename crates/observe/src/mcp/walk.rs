//! One walk from the first question to the end of the session.

use agents::{Catalogue, Role};
use contract::Clock;
use contract::evidence::Observer;
use contract::mcp_evidence::{
    MCP_EVIDENCE_VERSION, McpAuth, McpCardReading, McpEra, McpEvidence, McpForm, McpListReading,
    McpProblem, McpProblemReason as Reason, McpServer, McpStability, McpState, McpTransport,
};
use door::{AnswerHead, Door};
use serde_json::Value;
use tokio::time::Instant;

use super::budget::McpBudget;
use super::handshake::{Handshake, NotOpened, Opened};
use super::http_client::HttpClient;
use super::lists::{self, Room, read_list};
use super::messages::{ClientInfo, List, RpcResult};
use super::problem::{not_reached, problem};
use super::{auth, card, raw_json, stability};

/// Everything that a walk needs to start.
#[derive(Debug)]
pub struct McpWalk<'a> {
    pub url: &'a str,
    pub door: &'a Door,
    pub catalogue: &'a Catalogue,
    pub clock: &'a dyn Clock,
    /// Its name and version are told to the server.
    pub observer: Observer,
    /// The address of this service, which is told to the server as well.
    pub website: &'a str,
    pub budget: McpBudget,
}

/// What a walk collected.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectedMcp {
    pub evidence: McpEvidence,
}

/// What was found out, before times and requests are added.
struct Findings {
    state: McpState,
    why: Option<McpProblem>,
    transport: McpTransport,
    server: Option<McpServer>,
    auth: McpAuth,
    lists: Vec<McpListReading>,
    stability: McpStability,
    card: McpCardReading,
}

/// What reading the lists led to.
struct ReadLists {
    readings: Vec<McpListReading>,
    stability: McpStability,
    /// The head of the answer that asked for credentials.
    challenge: Option<Box<AnswerHead>>,
    /// Whether nothing more can be read.
    is_over: bool,
}

impl McpWalk<'_> {
    pub async fn run(&self) -> CollectedMcp {
        let started_at = self.clock.now();
        let start = Instant::now();
        let budget = self.budget;
        let Some(own) = self.catalogue.identity_with_role(Role::Own) else {
            let why = problem(Reason::RequestFailed, "The catalogue has no identity of our own.");
            let findings = not_opened(self.url, McpState::Unreachable, why, auth::not_measured());
            return self.collect(findings, started_at, start, Vec::new());
        };
        let mut own_headers = own.headers();
        own_headers.retain(|(name, _)| !name.eq_ignore_ascii_case("accept"));
        let visit = self.door.mcp_visit(budget.total);
        let lists_end = start + budget.total.saturating_sub(budget.closing());
        let mut http = HttpClient::new(visit, own.id.clone(), own_headers, budget, lists_end);
        let client = ClientInfo {
            name: self.observer.name.clone(),
            version: self.observer.version.clone(),
            website: self.website.to_owned(),
        };
        let handshake = Handshake { url: self.url, client };
        let findings = match handshake.open(&mut http).await {
            Ok(opened) => self.read_server(&mut http, &handshake, opened).await,
            Err(not_opened) => self.without_lists(&mut http, not_opened).await,
        };
        self.collect(findings, started_at, start, http.requests)
    }

    async fn without_lists(&self, http: &mut HttpClient, not_opened_by: NotOpened) -> Findings {
        let NotOpened { mut state, why, head } = not_opened_by;
        if state == McpState::NotMcp && head.as_ref().is_some_and(|head| is_refusal(head.status)) {
            state = McpState::Unreachable;
        }
        let auth = match (&state, &head) {
            (McpState::AuthRequired, Some(head)) => auth::read_auth(http, self.url, head).await,
            _ => auth::not_measured(),
        };
        let mut findings = not_opened(self.url, state, why, auth);
        findings.transport.session_issued = http.session_ended.is_some();
        findings.transport.session_ended = http.session_ended;
        if let Some(head) = head {
            findings.transport.redirect_location = redirect_location(&head);
            findings.transport.tls = head.tls;
        }
        findings
    }

    /// Reads everything of a server that can be spoken to: the lists first, and what is worth less after
    /// them.
    async fn read_server(
        &self,
        http: &mut HttpClient,
        handshake: &Handshake<'_>,
        mut opened: Opened,
    ) -> Findings {
        let lists = self.read_lists(http, &mut opened).await;
        let lists_older_version = opened.lists_older_version();
        let Opened { conversation, form, mut era, version, supported_versions, .. } = opened;
        conversation.end(http).await;
        let status = opened.head.as_ref().map(|head| head.status);
        let auth = match &lists.challenge {
            Some(head) => auth::read_auth(http, self.url, head).await,
            None => auth::no_auth(status),
        };
        http.deadline = http.deadline.min(Instant::now() + self.budget.extras);
        // A server without discovery was asked before.
        if era == McpEra::Modern && opened.result.is_some() {
            let is_both =
                lists_older_version || (!lists.is_over && handshake.takes_initialize(http).await);
            era = if is_both { McpEra::Both } else { era };
        }
        let card = card::read_card(http, self.url).await;
        let ReadLists { readings, stability, challenge, .. } = lists;
        let why = readings.iter().find_map(|reading| reading.why.clone());
        let nothing_read = readings.iter().all(|reading| reading.pages.is_empty());
        let state = match &why {
            None => McpState::Observed,
            Some(_) if challenge.is_some() && nothing_read => McpState::AuthRequired,
            Some(_) => McpState::Incomplete,
        };
        Findings {
            auth,
            state,
            why,
            transport: McpTransport {
                form,
                era,
                protocol_version: Some(version),
                supported_versions,
                response_form: opened.response_form,
                session_issued: http.session_ended.is_some(),
                session_ended: http.session_ended,
                https: is_https(self.url),
                tls: opened.head.and_then(|head| head.tls),
                redirect_location: None,
            },
            server: opened.result.as_ref().map(describe_server),
            lists: readings,
            stability,
            card,
        }
    }

    async fn read_lists(&self, http: &mut HttpClient, opened: &mut Opened) -> ReadLists {
        let Opened { conversation, result, .. } = opened;
        let result = result.as_ref();
        // Without a handshake, whether the server has a list can only be found out by asking.
        let may_have = |list: List| result.is_none_or(|result| is_declared(result, list));
        let has_declared = result.is_some();
        let whole_room = Room { pages: self.budget.pages, items: self.budget.items };
        let mut room = whole_room;
        let mut readings: Vec<McpListReading> = Vec::new();
        let (mut tools, mut challenge) = (None, None);
        let mut is_over = false;
        for list in List::ALL {
            if !may_have(list) {
                readings.push(lists::undeclared(list));
                continue;
            }
            if is_over {
                readings.push(lists::unread(list));
                continue;
            }
            // Resources without templates are common, and this is how servers say so.
            let may_be_unknown = !has_declared || list == List::ResourceTemplates;
            let read = read_list(http, conversation, list, may_be_unknown, &mut room).await;
            is_over = read.reading.why.as_ref().is_some_and(ends_walk);
            challenge = challenge.or(read.challenge);
            if list == List::Tools && read.reading.complete {
                tools = Some(read.items);
            }
            let is_unknown = read.reading.complete && read.reading.pages.is_empty();
            readings.push(match read.reading {
                _ if is_unknown && !has_declared => lists::undeclared(list),
                reading => reading,
            });
        }
        let stability = match tools {
            Some(first) if !is_over => {
                let mut room = whole_room;
                let second = read_list(http, conversation, List::Tools, false, &mut room).await;
                match second.reading.why {
                    None => stability::compare(&first, &second.items),
                    Some(why) => stability::not_measured(why),
                }
            }
            _ => stability::not_measured(not_reached()),
        };
        ReadLists { readings, stability, challenge, is_over }
    }

    fn collect(
        &self,
        findings: Findings,
        started_at: contract::Timestamp,
        start: Instant,
        requests: Vec<contract::mcp_evidence::McpRequest>,
    ) -> CollectedMcp {
        let Findings { state, why, transport, server, auth, lists, stability, card } = findings;
        let millis =
            |time: std::time::Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
        CollectedMcp {
            evidence: McpEvidence {
                v: MCP_EVIDENCE_VERSION,
                url: self.url.to_owned(),
                observer: self.observer.clone(),
                started_at,
                finished_at: self.clock.now(),
                budget_ms: millis(self.budget.total),
                took_ms: millis(start.elapsed()),
                state,
                why,
                transport,
                server,
                auth,
                lists,
                stability,
                card: Some(card),
                requests,
            },
        }
    }
}

fn is_https(url: &str) -> bool {
    url.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:"))
}

/// Whether a status says that the server did not want to answer, or could not: what is there is not known then.
fn is_refusal(status: u16) -> bool {
    matches!(status, 403 | 408 | 429 | 451 | 500..)
}

fn redirect_location(head: &AnswerHead) -> Option<String> {
    const MAX_BYTES: usize = 2048;
    head.redirect_location().filter(|location| location.len() <= MAX_BYTES).map(str::to_owned)
}

fn not_opened(url: &str, state: McpState, why: McpProblem, auth: McpAuth) -> Findings {
    Findings {
        state,
        transport: McpTransport {
            form: McpForm::None,
            era: McpEra::Unknown,
            protocol_version: None,
            supported_versions: Vec::new(),
            response_form: None,
            session_issued: false,
            session_ended: None,
            https: is_https(url),
            tls: None,
            redirect_location: None,
        },
        server: None,
        auth,
        lists: List::ALL.map(lists::unknown).to_vec(),
        stability: stability::not_measured(not_reached()),
        card: card::not_reached(),
        why: Some(why),
    }
}

/// Whether the handshake declares the list.
pub(super) fn is_declared(result: &RpcResult, list: List) -> bool {
    let capabilities = result.value.get("capabilities");
    capabilities.and_then(|all| all.get(list.capability())).is_some_and(|one| !one.is_null())
}

/// Whether nothing more can be read after this.
pub(super) fn ends_walk(why: &McpProblem) -> bool {
    matches!(
        why.reason,
        Reason::Deadline | Reason::WalkTooLarge | Reason::RequestFailed | Reason::AuthRequired
    )
}

/// What the handshake says of the server. Its name is a member of the result, or, in the era without
/// handshake, of the result's `_meta`.
pub(super) fn describe_server(result: &RpcResult) -> McpServer {
    let info = result
        .value
        .get("serverInfo")
        .or_else(|| result.value.get("_meta")?.get("io.modelcontextprotocol/serverInfo"));
    let text = |name: &str| info.and_then(|info| info.get(name)?.as_str()).map(str::to_owned);
    let instructions = result.value.get("instructions").and_then(Value::as_str).map(str::to_owned);
    let capabilities = raw_json::member(&result.text, "capabilities")
        .filter(|text| text.starts_with('{'))
        .unwrap_or("{}")
        .to_owned();
    McpServer {
        name: text("name"),
        version: text("version"),
        title: text("title"),
        instructions,
        capabilities,
        result: result.text.clone(),
    }
}
