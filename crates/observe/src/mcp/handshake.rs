//! Finds out which era a server speaks. The question of the newest era comes first; any answer that
//! is not of that era, and silence, lead to `initialize`; if that is not understood, to the stream of
//! events of 2024-11-05.

use contract::evidence::FailurePhase;
use contract::mcp_evidence::{
    McpEra, McpForm, McpProblem, McpProblemReason as Reason, McpResponseForm, McpState,
};
use door::{AnswerHead, AskMethod};

use super::conversation::{Conversation, legacy_headers, modern_headers, session_id};
use super::http_client::{HttpClient, Question, RpcAnswer};
use super::legacy_stream::LegacyStream;
use super::messages::{
    ClientInfo, LEGACY_VERSIONS, MODERN_VERSION, Method, Reply, RpcError, RpcResult,
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
    pub(super) session_issued: bool,
    pub(super) head: Option<AnswerHead>,
    pub(super) result: RpcResult,
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

pub(super) struct Handshake<'a> {
    pub(super) url: &'a str,
    pub(super) client: ClientInfo,
}

impl Handshake<'_> {
    pub(super) async fn open(&self, http: &mut HttpClient) -> Result<Opened, NotOpened> {
        match self.discover(http).await {
            Attempt::Opened(opened) => return Ok(*opened),
            Attempt::Over(not_opened) => return Err(not_opened),
            Attempt::Next(_) => {}
        }
        let refused = match self.initialize(http).await {
            Attempt::Opened(opened) => return Ok(*opened),
            Attempt::Over(not_opened) => return Err(not_opened),
            Attempt::Next(not_opened) => not_opened,
        };
        match self.open_stream(http).await {
            Attempt::Opened(opened) => Ok(*opened),
            Attempt::Over(not_opened) => Err(not_opened),
            // What the first form answered says more than that there is no stream either.
            Attempt::Next(_) => Err(refused),
        }
    }

    async fn discover(&self, http: &mut HttpClient) -> Attempt {
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
            Err(why) if is_reachable(&why) => return Attempt::Next(unreachable(why)),
            Err(why) => return Attempt::Over(unreachable(why)),
        };
        if let Some(over) = over_by_head(&answer) {
            return Attempt::Over(over);
        }
        let RpcAnswer { head, form, reply } = answer;
        match reply {
            Ok(Reply::Result(result)) if result.value.get("supportedVersions").is_some() => {
                let supported = version_list(result.value.get("supportedVersions"));
                if !supported.iter().any(|version| version == MODERN_VERSION) {
                    return self.without_modern_version(&supported, head);
                }
                Attempt::Opened(Box::new(Opened {
                    conversation: Conversation::Modern {
                        url: self.url.to_owned(),
                        client: self.client.clone(),
                    },
                    form: McpForm::StreamableHttp,
                    era: McpEra::Modern,
                    version: MODERN_VERSION.to_owned(),
                    supported_versions: supported,
                    response_form: form,
                    session_issued: false,
                    head: Some(head),
                    result,
                }))
            }
            Ok(Reply::Error(error)) if error.code == RpcError::UNSUPPORTED_VERSION => {
                self.without_modern_version(&error.supported, head)
            }
            Ok(_) => Attempt::Next(not_mcp(
                problem(Reason::BadResponse, "The server does not know server/discover."),
                head,
            )),
            Err(why) => Attempt::Next(not_mcp(why, head)),
        }
    }

    /// A modern server that does not offer our version: only `initialize` can help, and only if it
    /// lists a version for that.
    fn without_modern_version(&self, supported: &[String], head: AnswerHead) -> Attempt {
        let is_legacy = supported.iter().any(|version| LEGACY_VERSIONS.contains(&version.as_str()));
        let why = unsupported_version();
        if is_legacy || supported.is_empty() {
            return Attempt::Next(not_mcp(why, head));
        }
        Attempt::Over(NotOpened { state: McpState::Incomplete, why, head: Some(head) })
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
                // The server holds a session for us all the same.
                let (url, version) = (self.url.to_owned(), String::new());
                let conversation = Conversation::Streamable { url, version, session };
                let _ = conversation.end(http, http.budget.closing()).await;
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
        let session_issued = session.is_some();
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
            session_issued,
            head: Some(head),
            result,
        }))
    }

    async fn open_stream(&self, http: &mut HttpClient) -> Attempt {
        let (mut stream, head) = match LegacyStream::open(http, self.url).await {
            Ok(opened) => opened,
            Err(why) if why.reason == Reason::ForeignEndpoint => {
                let state = McpState::Incomplete;
                return Attempt::Over(NotOpened { state, why, head: None });
            }
            Err(why) => return Attempt::Next(unreachable(why)),
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
            Err(why) if why.reason == Reason::AuthRequired => {
                return over(McpState::AuthRequired, why);
            }
            Err(why) => return over(McpState::Incomplete, why),
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
            session_issued: false,
            head: Some(head),
            result,
        }))
    }
}

/// The version that the server chose, if it is one that we know.
pub(super) fn agreed_version(result: &RpcResult) -> Result<String, McpProblem> {
    let version = result.value.get("protocolVersion").and_then(serde_json::Value::as_str);
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
