//! A walk over the lists of a server that takes questions from one stream and writes answers to
//! another, one message on each line: a process that somebody started. Starting and ending it is the
//! caller's work.

use contract::Clock;
use contract::evidence::Observer;
use contract::mcp_evidence::{
    MCP_EVIDENCE_VERSION, McpEra, McpEvidence, McpForm, McpListReading, McpProblem,
    McpProblemReason as Reason, McpServer, McpStability, McpState, McpTransport,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

use super::auth;
use super::budget::McpBudget;
use super::conversation::PageProblem;
use super::handshake::{agreed_version, unsupported_version};
use super::line_client::LineClient;
use super::lists::{self, AskPage, Room, read_pages};
use super::messages::{
    ClientInfo, LEGACY_VERSIONS, List, MODERN_VERSION, Method, Reply, RpcError, RpcResult,
    initialize_question, initialized_notification, legacy_question, modern_question, version_list,
};
use super::problem::not_reached;
use super::stability;
use super::walk::{describe_server, ends_walk, is_declared};

/// Everything that a walk needs besides the two streams.
#[derive(Debug)]
pub struct McpLineWalk<'a> {
    pub clock: &'a dyn Clock,
    /// Its name and version are told to the server.
    pub observer: Observer,
    /// The address of this service, which is told to the server as well.
    pub website: &'a str,
    pub budget: McpBudget,
}

/// An open conversation.
struct Opened {
    era: McpEra,
    version: String,
    supported_versions: Vec<String>,
    result: RpcResult,
}

/// Why there is no conversation.
struct NotOpened {
    state: McpState,
    why: McpProblem,
}

/// What was read after the handshake, or instead of it.
struct Read {
    state: McpState,
    why: Option<McpProblem>,
    opened: Option<(McpEra, String, Vec<String>)>,
    server: Option<McpServer>,
    lists: Vec<McpListReading>,
    stability: McpStability,
}

impl McpLineWalk<'_> {
    pub async fn run<R, W>(&self, from_server: R, to_server: W) -> McpEvidence
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let started_at = self.clock.now();
        let start = Instant::now();
        let deadline = start + self.budget.total;
        let mut lines = LineClient::new(from_server, to_server, self.budget, deadline);
        let client = ClientInfo {
            name: self.observer.name.clone(),
            version: self.observer.version.clone(),
            website: self.website.to_owned(),
        };
        let read = match open(&mut lines, &client).await {
            Ok(opened) => self.read_lists(&mut lines, &client, opened).await,
            Err(NotOpened { state, why }) => Read {
                state,
                why: Some(why),
                opened: None,
                server: None,
                lists: List::ALL.map(lists::unknown).to_vec(),
                stability: stability::not_measured(not_reached()),
            },
        };
        let millis =
            |time: std::time::Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
        let (era, protocol_version, supported_versions) = match read.opened {
            Some((era, version, supported)) => (era, Some(version), supported),
            None => (McpEra::Unknown, None, Vec::new()),
        };
        McpEvidence {
            v: MCP_EVIDENCE_VERSION,
            url: String::new(),
            observer: self.observer.clone(),
            started_at,
            finished_at: self.clock.now(),
            budget_ms: millis(self.budget.total),
            took_ms: millis(start.elapsed()),
            state: read.state,
            why: read.why,
            transport: McpTransport {
                form: McpForm::Stdio,
                era,
                protocol_version,
                supported_versions,
                response_form: None,
                session_issued: false,
                session_ended: None,
                https: false,
                tls: None,
                redirect_location: None,
            },
            server: read.server,
            auth: auth::not_measured(),
            lists: read.lists,
            stability: read.stability,
            card: Some(super::card::of_process()),
            requests: lines.requests,
        }
    }

    async fn read_lists<R, W>(
        &self,
        lines: &mut LineClient<R, W>,
        client: &ClientInfo,
        opened: Opened,
    ) -> Read
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let whole_room = Room { pages: self.budget.pages, items: self.budget.items };
        let mut room = whole_room;
        let mut readings = Vec::new();
        let mut tools = None;
        let mut is_over = false;
        let is_modern = opened.era == McpEra::Modern;
        let mut asker = LineAsker { lines, client: is_modern.then_some(client) };
        for list in List::ALL {
            if !is_declared(&opened.result, list) {
                readings.push(lists::undeclared(list));
                continue;
            }
            if is_over {
                readings.push(lists::unread(list));
                continue;
            }
            // Resources without templates are common, and this is how servers say so.
            let may_be_unknown = list == List::ResourceTemplates;
            let read = read_pages(&mut asker, list, may_be_unknown, &mut room).await;
            is_over = read.reading.why.as_ref().is_some_and(ends_walk);
            if list == List::Tools && read.reading.complete {
                tools = Some(read.items);
            }
            readings.push(read.reading);
        }
        let stability = match tools {
            Some(first) if !is_over => {
                let mut room = whole_room;
                let second = read_pages(&mut asker, List::Tools, false, &mut room).await;
                match second.reading.why {
                    None => stability::compare(&first, &second.items),
                    Some(why) => stability::not_measured(why),
                }
            }
            _ => stability::not_measured(not_reached()),
        };
        let why = readings.iter().find_map(|reading| reading.why.clone());
        Read {
            state: if why.is_none() { McpState::Observed } else { McpState::Incomplete },
            why,
            server: Some(describe_server(&opened.result)),
            opened: Some((opened.era, opened.version, opened.supported_versions)),
            lists: readings,
            stability,
        }
    }
}

/// Asks for pages; with `client` in the form of the era without handshake.
struct LineAsker<'a, R, W> {
    lines: &'a mut LineClient<R, W>,
    client: Option<&'a ClientInfo>,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> AskPage for LineAsker<'_, R, W> {
    async fn ask_page(
        &mut self,
        list: List,
        cursor: Option<&str>,
    ) -> Result<RpcResult, PageProblem> {
        let method = Method::List(list);
        let id = self.lines.next_id();
        let question = match self.client {
            Some(client) => modern_question(method, id, cursor, client),
            None => legacy_question(method, id, cursor),
        };
        match self.lines.ask(method, question, id).await? {
            Reply::Result(result) => Ok(result),
            Reply::Error(error) => Err(PageProblem::from_error(&error)),
        }
    }
}

/// The question of the newest era comes first; any other answer than one of that era, and silence,
/// lead to `initialize`.
async fn open<R, W>(lines: &mut LineClient<R, W>, client: &ClientInfo) -> Result<Opened, NotOpened>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let id = lines.next_id();
    let question = modern_question(Method::Discover, id, None, client);
    match lines.ask(Method::Discover, question, id).await {
        Ok(Reply::Result(result)) => {
            let supported_versions = version_list(result.value.get("supportedVersions"));
            if supported_versions.iter().any(|version| version == MODERN_VERSION) {
                let (era, version) = (McpEra::Modern, MODERN_VERSION.to_owned());
                return Ok(Opened { era, version, supported_versions, result });
            }
        }
        Ok(Reply::Error(_)) => {}
        Err(why) if lines.is_closed() => return Err(not_opened(why)),
        Err(_) => {}
    }
    initialize(lines, client).await
}

async fn initialize<R, W>(
    lines: &mut LineClient<R, W>,
    client: &ClientInfo,
) -> Result<Opened, NotOpened>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut refused = unsupported_version();
    for version in LEGACY_VERSIONS {
        let id = lines.next_id();
        let question = initialize_question(id, version, client);
        match lines.ask(Method::Initialize, question, id).await {
            Ok(Reply::Result(result)) => {
                let version = agreed_version(&result)
                    .map_err(|why| NotOpened { state: McpState::Incomplete, why })?;
                // A server that does not take it says so when a list is asked for.
                let _ = lines.tell(Method::Initialized, initialized_notification()).await;
                let (era, supported_versions) = (McpEra::Legacy, vec![version.clone()]);
                return Ok(Opened { era, version, supported_versions, result });
            }
            Ok(Reply::Error(error)) => {
                refused = error.to_problem();
                let about_version = [RpcError::INVALID_PARAMS, RpcError::UNSUPPORTED_VERSION];
                if !about_version.contains(&error.code) {
                    break;
                }
            }
            Err(why) => return Err(not_opened(why)),
        }
    }
    Err(NotOpened { state: McpState::NotMcp, why: refused })
}

/// A process that writes something else is not an MCP server; one that writes nothing, or ended, was
/// not reached.
fn not_opened(why: McpProblem) -> NotOpened {
    let state = match why.reason {
        Reason::Timeout | Reason::Deadline | Reason::RequestFailed => McpState::Unreachable,
        _ => McpState::NotMcp,
    };
    NotOpened { state, why }
}

impl PageProblem {
    fn from_error(error: &RpcError) -> Self {
        Self {
            problem: error.to_problem(),
            is_unknown_method: error.code == RpcError::METHOD_NOT_FOUND,
            challenge: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use contract::Timestamp;
    use serde_json::{Value, json};
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

    use super::*;

    #[derive(Debug)]
    struct Noon;
    impl Clock for Noon {
        fn now(&self) -> Timestamp {
            Timestamp::from_rfc3339("2026-11-15T12:00:00Z").unwrap()
        }
    }

    /// Walks over a server that answers each question with these lines.
    async fn walk(answer: impl Fn(&Value) -> Vec<String> + Send + 'static) -> McpEvidence {
        walk_within(McpBudget::default().total, answer).await
    }

    async fn walk_within(
        total: Duration,
        answer: impl Fn(&Value) -> Vec<String> + Send + 'static,
    ) -> McpEvidence {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (from_us, mut to_us) = tokio::io::split(theirs);
        tokio::spawn(async move {
            let mut questions = BufReader::new(from_us).lines();
            while let Ok(Some(line)) = questions.next_line().await {
                for line in answer(&serde_json::from_str(&line).unwrap()) {
                    if to_us.write_all(line.as_bytes()).await.is_err() {
                        return;
                    }
                }
            }
        });
        let walk = McpLineWalk {
            clock: &Noon,
            observer: Observer { name: "n".into(), version: "1".into(), vantage: "here".into() },
            website: "https://w.example",
            budget: McpBudget::default().within(total),
        };
        let (reader, writer) = tokio::io::split(ours);
        walk.run(reader, writer).await
    }

    fn line(value: &Value) -> String {
        format!("{value}\n")
    }

    /// Notifications have no id, and get no answer.
    fn legacy_lines(question: &Value) -> Vec<String> {
        question.get("id").map(|_| line(&legacy(question))).into_iter().collect()
    }

    fn legacy(question: &Value) -> Value {
        match question["method"].as_str().unwrap() {
            "initialize" => json!({ "jsonrpc": "2.0", "id": question["id"], "result": {
                "protocolVersion": "2025-06-18",
                "capabilities": { "tools": {}, "resources": {} },
                "serverInfo": { "name": "s", "version": "2" },
            }}),
            "tools/list" => match question["params"].get("cursor") {
                None => json!({ "id": question["id"], "result":
                    { "tools": [{ "name": "a" }], "nextCursor": "" }}),
                Some(_) => json!({ "id": question["id"], "result": { "tools": [{ "name": "b" }] }}),
            },
            "resources/list" => json!({ "id": question["id"], "result": { "resources": [] }}),
            _ => json!({ "id": question["id"], "error": { "code": -32601, "message": "no" }}),
        }
    }

    #[tokio::test]
    async fn a_server_of_the_older_era_is_read_to_its_last_page() {
        let evidence = walk(|question| {
            let note = json!({ "jsonrpc": "2.0", "method": "notifications/message" });
            let mut lines = vec!["\n".into(), "a log line\n".into(), line(&note)];
            lines.extend(legacy_lines(question));
            lines
        })
        .await;
        assert_eq!(evidence.state, McpState::Observed, "{:?}", evidence.why);
        assert_eq!(evidence.transport.form, McpForm::Stdio);
        assert_eq!(evidence.transport.protocol_version.as_deref(), Some("2025-06-18"));
        let tools = evidence.list(&contract::mcp_evidence::McpListKind::Tools).unwrap();
        assert_eq!((tools.items, tools.pages.len()), (2, 2));
        assert_eq!(evidence.stability.stable_content, Some(true));
        let asked: Vec<_> = evidence.requests.iter().filter_map(|r| r.method.clone()).collect();
        let known = ["server/discover", "initialize", "notifications/initialized"];
        assert!(
            asked.iter().all(|m| known.contains(&m.as_str()) || m.ends_with("/list")),
            "{asked:?}"
        );
    }

    #[tokio::test]
    async fn a_modern_server_is_asked_without_a_handshake() {
        let evidence = walk(|question| {
            let id = &question["id"];
            let result = match question["method"].as_str().unwrap() {
                "server/discover" => json!({
                    "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
                }),
                "tools/list" => json!({ "tools": [] }),
                other => panic!("{other}"),
            };
            vec![line(&json!({ "id": id, "result": result }))]
        })
        .await;
        assert_eq!(evidence.state, McpState::Observed);
        assert_eq!(evidence.transport.era, McpEra::Modern);
    }

    #[tokio::test]
    async fn bad_servers_get_their_state_within_the_bounds() {
        let two = Duration::from_secs(2);
        let silent = walk_within(two, |_| Vec::new()).await;
        assert_eq!(silent.state, McpState::Unreachable);
        assert!(silent.took_ms < 3_000);
        let garbage = walk_within(two, |_| vec!["<html>\n".into(), "{\"id\":\n".into()]).await;
        assert_eq!(garbage.state, McpState::NotMcp);
        assert_eq!(garbage.why.unwrap().reason, Reason::BadJson);
        let long = walk(|_| vec!["x".repeat(3 << 20)]).await;
        assert_eq!(long.why.unwrap().reason, Reason::ResponseTooLarge);
        let endless = walk(|_| vec!["{\"method\":\"x\"}\n".repeat(1 << 20)]).await;
        assert_eq!(endless.why.unwrap().reason, Reason::TooManyMessages);
        let wide = walk(|question| {
            if question["method"] != "tools/list" {
                return legacy_lines(question);
            }
            let mut answer = legacy(question);
            let padding = "y".repeat((2 << 20) - 1_000);
            answer["result"]["tools"] = json!([{ "name": "a", "description": padding }]);
            answer["result"]["nextCursor"] = json!(question["id"].to_string());
            vec![line(&answer)]
        })
        .await;
        assert_eq!(wide.state, McpState::Incomplete);
        assert_eq!(wide.why.unwrap().reason, Reason::WalkTooLarge);
    }
}
