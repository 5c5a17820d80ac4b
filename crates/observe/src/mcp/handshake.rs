//! Finds out which era a server speaks. The question of the newest era comes first; any answer that
//! is not of that era, and silence, lead to `initialize`; if that is not understood, to a list in the form
//! of the newest era, for servers without discovery, and to the stream of events of 2024-11-05.

use contract::evidence::FailurePhase;
use contract::mcp_evidence::{
    McpEra, McpForm, McpProblem, McpProblemReason as Reason, McpResponseForm, McpState,
};
use door::{AnswerHead, AskMethod};
use serde_json::Value;

use super::conversation::{
    Conversation, end_issued_session, legacy_headers, modern_headers, session_id,
};
use super::http_client::{HttpClient, Question, RpcAnswer};
use super::legacy_stream::{LegacyStream, NoStream};
use super::messages::{
    ClientInfo, LEGACY_VERSIONS, List, MODERN_VERSION, Method, Reply, RpcError, RpcResult,
    initialize_question, initialized_notification, modern_question, version_list,
};
use super::problem::problem;

/// An open conversation and what was learnt on the way.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) conversation: Conversation,
    pub(super) form: McpForm,
    pub(super) era: McpEra,
    pub(super) version: String,
    pub(super) supported_versions: Vec<String>,
    pub(super) response_form: Option<McpResponseForm>,
    pub(super) head: Option<AnswerHead>,
    /// What the server says about itself. `None` if it knows neither `server/discover` nor `initialize`.
    pub(super) result: Option<RpcResult>,
}

impl Opened {
    /// Whether the server lists a version of the older era.
    pub(super) fn lists_older_version(&self) -> bool {
        self.supported_versions.iter().any(|version| LEGACY_VERSIONS.contains(&version.as_str()))
    }
}

/// Why there is no conversation.
#[derive(Debug)]
pub(super) struct NotOpened {
    pub(super) state: McpState,
    pub(super) why: McpProblem,
    /// The head of the answer that decided it.
    pub(super) head: Option<AnswerHead>,
}

/// What an attempt led to.
enum Attempt {
    Opened(Box<Opened>),
    /// Nothing else needs to be tried.
    Over(NotOpened),
    /// Try the next form.
    Next(NotOpened),
}

/// What the first question led to.
enum Discovery {
    Opened(Box<Opened>),
    /// Nothing else needs to be tried.
    Over(Box<NotOpened>),
    /// The server does not know the question. It may be of the newest era all the same if it said so in
    /// the form of that era.
    Unknown {
        may_be_modern: bool,
    },
    /// The server did not answer in time. It may be of any era.
    Slow,
}

pub(super) struct Handshake<'a> {
    pub(super) url: &'a str,
    pub(super) client: ClientInfo,
}

impl Handshake<'_> {
    pub(super) async fn open(&self, http: &mut HttpClient) -> Result<Opened, NotOpened> {
        let (may_be_modern, was_slow) = match self.discover(http).await {
            Discovery::Opened(opened) => return Ok(*opened),
            Discovery::Over(not_opened) => return Err(*not_opened),
            Discovery::Unknown { may_be_modern } => (may_be_modern, false),
            Discovery::Slow => (false, true),
        };
        let (refused, may_be_stream) = match self.initialize(http).await {
            Attempt::Opened(opened) => return Ok(*opened),
            Attempt::Over(not_opened) => (not_opened, false),
            Attempt::Next(not_opened) => (not_opened, true),
        };
        // Whoever answers `initialize` with an error speaks the protocol. If the first question was only too
        // slow, it may be a server of the newest era.
        let is_slow_server = was_slow && refused.why.reason == Reason::RpcError;
        if is_slow_server || may_be_modern && leaves_modern_form(&refused) {
            match self.list_without_discovery(http).await {
                Attempt::Opened(opened) => return Ok(*opened),
                Attempt::Over(not_opened) => return Err(not_opened),
                // It was too slow once more, which does not mean that it is no MCP server.
                Attempt::Next(slow) if is_slow_server && slow.state == McpState::Unreachable => {
                    return Err(slow);
                }
                // It began a list that could not be read, which only a server of this era does.
                Attempt::Next(list) if is_slow_server && list.why.reason != Reason::RpcError => {
                    return Err(NotOpened { state: McpState::Incomplete, ..list });
                }
                Attempt::Next(_) => {}
            }
        }
        if !may_be_stream {
            return Err(refused);
        }
        match self.open_stream(http).await {
            Attempt::Opened(opened) => Ok(*opened),
            Attempt::Over(not_opened) => Err(not_opened),
            // What the first form answered says more than that there is no stream either.
            Attempt::Next(_) => Err(refused),
        }
    }

    async fn discover(&self, http: &mut HttpClient) -> Discovery {
        let method = Method::Discover;
        let id = http.next_id();
        let question = Question {
            method,
            url: self.url,
            headers: modern_headers(method),
            body: modern_question(method, id, None, &self.client),
            timeout: http.budget.discover,
        };
        let answer = match http.ask(question, id).await {
            Ok(answer) => answer,
            Err(why) if why.reason == Reason::Timeout => return Discovery::Slow,
            Err(why) if is_reachable(&why) => return Discovery::Unknown { may_be_modern: false },
            Err(why) => return Discovery::Over(Box::new(unreachable(why))),
        };
        if let Some(over) = over_by_head(&answer) {
            return Discovery::Over(Box::new(over));
        }
        let RpcAnswer { head, form, reply } = answer;
        match reply {
            Ok(Reply::Result(result)) if result.value.get("supportedVersions").is_some() => {
                let supported = version_list(result.value.get("supportedVersions"));
                if !supported.iter().any(|version| version == MODERN_VERSION) {
                    return without_modern_version(&supported, head);
                }
                let opened = self.modern(head, form, supported, Some(result));
                Discovery::Opened(Box::new(opened))
            }
            Ok(Reply::Error(error)) if error.code == RpcError::UNSUPPORTED_VERSION => {
                without_modern_version(&error.supported, head)
            }
            Ok(Reply::Error(error)) => Discovery::Unknown {
                may_be_modern: error.code == RpcError::METHOD_NOT_FOUND || head.status == 404,
            },
            Err(why) if why.reason == Reason::Timeout => Discovery::Slow,
            Ok(_) | Err(_) => Discovery::Unknown { may_be_modern: false },
        }
    }

    fn modern(
        &self,
        head: AnswerHead,
        form: Option<McpResponseForm>,
        supported_versions: Vec<String>,
        result: Option<RpcResult>,
    ) -> Opened {
        Opened {
            conversation: Conversation::Modern {
                url: self.url.to_owned(),
                client: self.client.clone(),
            },
            form: McpForm::StreamableHttp,
            era: McpEra::Modern,
            version: MODERN_VERSION.to_owned(),
            supported_versions,
            response_form: form,
            head: Some(head),
            result,
        }
    }

    /// Servers of the newest era need not know `server/discover`. One that lists its tools in the form of
    /// that era is read in it.
    async fn list_without_discovery(&self, http: &mut HttpClient) -> Attempt {
        let method = Method::List(List::Tools);
        let id = http.next_id();
        let question = Question {
            method,
            url: self.url,
            headers: modern_headers(method),
            body: modern_question(method, id, None, &self.client),
            timeout: http.budget.request,
        };
        let answer = match http.ask(question, id).await {
            Ok(answer) => answer,
            Err(why) => return Attempt::Next(unreachable(why)),
        };
        if let Some(over) = over_by_head(&answer) {
            return Attempt::Over(over);
        }
        let RpcAnswer { head, form, reply } = answer;
        match reply {
            Ok(Reply::Result(result)) if result.value.get("tools").is_some_and(Value::is_array) => {
                Attempt::Opened(Box::new(self.modern(head, form, Vec::new(), None)))
            }
            Ok(Reply::Result(_)) => Attempt::Next(not_mcp(
                problem(Reason::BadResponse, "The server did not answer with a list of tools."),
                head,
            )),
            Ok(Reply::Error(error)) => Attempt::Next(not_mcp(error.to_problem(), head)),
            Err(why) => Attempt::Next(not_mcp(why, head)),
        }
    }

    /// Whether a server of the newest era takes `initialize` as well. Asked once; a failure of any kind
    /// means that it was not seen to.
    pub(super) async fn takes_initialize(&self, http: &mut HttpClient) -> bool {
        let [newest, ..] = LEGACY_VERSIONS;
        let id = http.next_id();
        let question = Question {
            method: Method::Initialize,
            url: self.url,
            headers: legacy_headers(None, None),
            body: initialize_question(id, newest, &self.client),
            timeout: http.budget.extras / 2,
        };
        let Ok(answer) = http.ask(question, id).await else { return false };
        let version = match &answer.reply {
            Ok(Reply::Result(result)) => agreed_version(result).ok(),
            _ => None,
        };
        end_issued_session(http, self.url, version.as_deref().unwrap_or_default(), &answer.head)
            .await;
        version.is_some()
    }

    async fn initialize(&self, http: &mut HttpClient) -> Attempt {
        let mut refused = None;
        // The last version is only for streams.
        for version in LEGACY_VERSIONS.iter().take(LEGACY_VERSIONS.len() - 1) {
            let id = http.next_id();
            let question = Question {
                method: Method::Initialize,
                url: self.url,
                headers: legacy_headers(None, None),
                body: initialize_question(id, version, &self.client),
                timeout: http.budget.request,
            };
            let answer = match http.ask(question, id).await {
                Ok(answer) => answer,
                Err(why) => return Attempt::Over(unreachable(why)),
            };
            if !matches!(answer.reply, Ok(Reply::Result(_))) {
                // The server may hold a session for us all the same.
                end_issued_session(http, self.url, "", &answer.head).await;
            }
            if let Some(over) = over_by_head(&answer) {
                return Attempt::Over(over);
            }
            let RpcAnswer { head, form, reply } = answer;
            match reply {
                Ok(Reply::Result(result)) => {
                    return self.initialized(http, head, form, result).await;
                }
                Ok(Reply::Error(error)) => {
                    let is_about_version =
                        [RpcError::INVALID_PARAMS, RpcError::UNSUPPORTED_VERSION]
                            .contains(&error.code);
                    refused = Some(not_mcp(error.to_problem(), head));
                    if !is_about_version {
                        break;
                    }
                }
                Err(why) if why.reason == Reason::Timeout || why.reason == Reason::Deadline => {
                    return Attempt::Over(NotOpened {
                        state: McpState::Unreachable,
                        why,
                        head: Some(head),
                    });
                }
                Err(why) => {
                    refused = Some(not_mcp(why, head));
                    break;
                }
            }
        }
        let refused = refused.unwrap_or_else(|| NotOpened {
            state: McpState::NotMcp,
            why: unsupported_version(),
            head: None,
        });
        // A stream may be at an address that takes no questions.
        let may_be_stream = refused
            .head
            .as_ref()
            .is_some_and(|head| matches!(head.status, 200 | 400 | 404 | 405 | 406 | 415 | 501));
        if may_be_stream { Attempt::Next(refused) } else { Attempt::Over(refused) }
    }

    async fn initialized(
        &self,
        http: &mut HttpClient,
        head: AnswerHead,
        form: Option<McpResponseForm>,
        result: RpcResult,
    ) -> Attempt {
        let over = |why, head| {
            Attempt::Over(NotOpened { state: McpState::Incomplete, why, head: Some(head) })
        };
        let session = match session_id(head.header("mcp-session-id")) {
            Ok(session) => session,
            Err(why) => return over(why, head),
        };
        let version = match agreed_version(&result) {
            Ok(version) => version,
            Err(why) => {
                end_issued_session(http, self.url, "", &head).await;
                return over(why, head);
            }
        };
        let timeout = http.time_for(http.budget.request).unwrap_or_default();
        let question = Question {
            method: Method::Initialized,
            url: self.url,
            headers: legacy_headers(Some(&version), session.as_deref()),
            body: initialized_notification(),
            timeout,
        };
        // Servers that do not take it say so when a list is asked for.
        let _ = http.tell(AskMethod::Post, question).await;
        Attempt::Opened(Box::new(Opened {
            conversation: Conversation::Streamable {
                url: self.url.to_owned(),
                version: version.clone(),
                session,
            },
            form: McpForm::StreamableHttp,
            era: McpEra::Legacy,
            supported_versions: vec![version.clone()],
            version,
            response_form: form,
            head: Some(head),
            result: Some(result),
        }))
    }

    async fn open_stream(&self, http: &mut HttpClient) -> Attempt {
        let (mut stream, head) = match LegacyStream::open(http, self.url).await {
            Ok(opened) => opened,
            Err(NoStream { why, challenge: Some(head) }) => {
                let state = McpState::AuthRequired;
                return Attempt::Over(NotOpened { state, why, head: Some(*head) });
            }
            Err(NoStream { why, .. }) if why.reason == Reason::ForeignEndpoint => {
                let state = McpState::Incomplete;
                return Attempt::Over(NotOpened { state, why, head: None });
            }
            Err(NoStream { why, .. }) => return Attempt::Next(unreachable(why)),
        };
        let id = http.next_id();
        let body = initialize_question(id, "2024-11-05", &self.client);
        let reply = stream.ask(http, Method::Initialize, body, id).await;
        let over = |state: McpState, why: McpProblem| {
            Attempt::Over(NotOpened { state, why, head: Some(head.clone()) })
        };
        let result = match reply {
            Ok(Reply::Result(result)) => result,
            Ok(Reply::Error(error)) => return over(McpState::Incomplete, error.to_problem()),
            Err(why) => match stream.challenge.take() {
                Some(challenge) => {
                    let (state, head) = (McpState::AuthRequired, Some(*challenge));
                    return Attempt::Over(NotOpened { state, why, head });
                }
                None => return over(McpState::Incomplete, why),
            },
        };
        let version = match agreed_version(&result) {
            Ok(version) => version,
            Err(why) => return over(McpState::Incomplete, why),
        };
        let _ = stream.send(http, Method::Initialized, initialized_notification()).await;
        Attempt::Opened(Box::new(Opened {
            conversation: Conversation::Stream(Box::new(stream)),
            form: McpForm::HttpSse,
            era: McpEra::Legacy,
            supported_versions: vec![version.clone()],
            version,
            response_form: Some(McpResponseForm::Sse),
            head: Some(head),
            result: Some(result),
        }))
    }
}

/// A modern server that does not offer our version: only `initialize` can help, and only if it lists a
/// version for that.
fn without_modern_version(supported: &[String], head: AnswerHead) -> Discovery {
    let is_legacy = supported.iter().any(|version| LEGACY_VERSIONS.contains(&version.as_str()));
    if is_legacy || supported.is_empty() {
        return Discovery::Unknown { may_be_modern: false };
    }
    let why = unsupported_version();
    let state = McpState::Incomplete;
    Discovery::Over(Box::new(NotOpened { state, why, head: Some(head) }))
}

/// Whether the form of the newest era is still worth a question after `initialize` failed like this.
fn leaves_modern_form(refused: &NotOpened) -> bool {
    match refused.why.reason {
        Reason::Redirected => false,
        Reason::Timeout => true,
        _ => refused.state == McpState::NotMcp,
    }
}

/// The version that the server chose, if it is one that we know.
pub(super) fn agreed_version(result: &RpcResult) -> Result<String, McpProblem> {
    let version = result.value.get("protocolVersion").and_then(Value::as_str);
    let known = version.filter(|version| LEGACY_VERSIONS.contains(version));
    known.map(str::to_owned).ok_or_else(unsupported_version)
}

pub(super) fn unsupported_version() -> McpProblem {
    problem(
        Reason::UnsupportedVersion,
        "The server offers no version of the protocol that this service speaks.",
    )
}

/// A challenge or a redirect ends the search: no other form would be answered otherwise.
fn over_by_head(answer: &RpcAnswer) -> Option<NotOpened> {
    let why = answer.reply.as_ref().err()?;
    let state = match why.reason {
        Reason::AuthRequired => McpState::AuthRequired,
        Reason::Redirected => McpState::NotMcp,
        _ => return None,
    };
    Some(NotOpened { state, why: why.clone(), head: Some(answer.head.clone()) })
}

fn not_mcp(why: McpProblem, head: AnswerHead) -> NotOpened {
    NotOpened { state: McpState::NotMcp, why, head: Some(head) }
}

fn unreachable(why: McpProblem) -> NotOpened {
    NotOpened { state: McpState::Unreachable, why, head: None }
}

/// Whether a server took the question and then failed to answer it. Servers of the older era may
/// stay silent or hang up.
fn is_reachable(why: &McpProblem) -> bool {
    why.failure.as_ref().is_some_and(|failure| {
        matches!(failure.phase, FailurePhase::Head | FailurePhase::Body | FailurePhase::Request)
            && failure.kind != contract::evidence::FailureKind::RefusedByPolicy
    })
}
