//! A tool call as a request to the API.

use axum::{body::Body, extract::FromRequestParts, response::Response};
use http_body_util::BodyExt;
use serde_json::{Map, Value, json};
use tower::ServiceExt;

use super::caller::Caller;
use super::server::McpServer;
use super::tools::Operation;
use crate::{
    off_worker::run_off_worker,
    rate_limits::ReadLimit,
    response::{ApiError, attached_error},
};

/// The largest answer that becomes the result of a tool.
const MAX_ANSWER_BYTES: usize = 8 << 20;

impl McpServer {
    /// The result of a tool as JSON. The error says why the call itself is wrong.
    pub(super) async fn call_tool(
        &self,
        params: &Value,
        is_modern: bool,
        caller: &Caller,
    ) -> Result<String, String> {
        let name = params.get("name").and_then(Value::as_str).ok_or("`name` is missing.")?;
        let tool = self.tools.find(name).ok_or("There is no tool of this name.")?;
        let arguments = match params.get("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments.clone(),
            Some(_) => return Err("`arguments` must be an object.".to_owned()),
        };
        let unknown = arguments.keys().find(|name| !self.tools.has_parameter(tool, name));
        if let Some(name) = unknown {
            let name: String = name.chars().take(64).collect();
            let why = format!("The tool {} has no argument `{name}`.", tool.name);
            return Ok(tool_result(Err(why), is_modern));
        }
        let answer = match tool.operation {
            Some(operation) => self.call_api(operation, arguments, caller).await,
            None => self.verify(arguments, caller).await,
        };
        Ok(tool_result(answer, is_modern))
    }

    async fn call_api(
        &self,
        operation: Operation,
        arguments: Map<String, Value>,
        caller: &Caller,
    ) -> Result<String, String> {
        let (uri, body) = if operation.method == "GET" {
            let query = query(&arguments)?;
            (format!("{}?{query}", operation.path), Body::empty())
        } else {
            (operation.path.to_owned(), Body::from(Value::Object(arguments).to_string()))
        };
        let request = caller.request(operation.method, &uri, body);
        let request = request.map_err(|_| "The arguments cannot be sent.".to_owned())?;
        let Ok(response) = self.api.clone().oneshot(request).await;
        read_answer(response).await
    }

    async fn verify(
        &self,
        mut arguments: Map<String, Value>,
        caller: &Caller,
    ) -> Result<String, String> {
        // It is no operation of the API, and counts like reading a record.
        let request = caller.request("GET", "/", ()).map_err(|error| error.to_string())?;
        let mut parts = request.into_parts().0;
        ReadLimit::from_request_parts(&mut parts, &self.state)
            .await
            .map_err(|error| error_text(&error))?;
        let document = arguments.remove("document").filter(Value::is_object);
        let document = document.ok_or("`document` must be an object.")?;
        let keys = self.state.service.keys.clone();
        let verdict = run_off_worker(move || keys.verify_document(document.to_string().as_bytes()));
        let verdict = verdict.await.map_err(|error| error_text(&error))?;
        let verdict = verdict.map_err(|_| "The keys cannot be read now. Try again later.")?;
        let checks = serde_json::to_value(&verdict.checks).unwrap_or_default();
        Ok(json!({ "accepted": verdict.accepted(), "checks": checks }).to_string())
    }
}

/// The arguments as a query. The API checks their values; lists and objects have no form in it.
fn query(arguments: &Map<String, Value>) -> Result<String, String> {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in arguments {
        match value {
            Value::Null => {}
            Value::String(text) => {
                query.append_pair(name, text);
            }
            Value::Bool(_) | Value::Number(_) => {
                query.append_pair(name, &value.to_string());
            }
            Value::Array(_) | Value::Object(_) => {
                return Err(format!("The argument `{name}` must be a single value."));
            }
        }
    }
    Ok(query.finish())
}

async fn read_answer(response: Response) -> Result<String, String> {
    // The body of an error is written by the middleware, which only the request that brought the message passes.
    if let Some(error) = attached_error(&response) {
        return Err(error_text(&error));
    }
    let is_success = response.status().is_success();
    let body = http_body_util::Limited::new(response.into_body(), MAX_ANSWER_BYTES);
    let bytes = body.collect().await.map_err(|_| "The answer is too large.".to_owned())?;
    let text = String::from_utf8(bytes.to_bytes().to_vec());
    let text = text.map_err(|_| "The answer is not text.".to_owned())?;
    if is_success { Ok(text) } else { Err(text) }
}

/// The error as the API tells it, so that a model can correct its arguments or wait.
fn error_text(error: &ApiError) -> String {
    serde_json::to_string(error.body()).unwrap_or_default()
}

/// The record stands in the result as its bytes came: nothing of what was signed changes.
fn tool_result(answer: Result<String, String>, is_modern: bool) -> String {
    let kind = if is_modern { "\"resultType\":\"complete\"," } else { "" };
    match answer {
        Ok(record) => {
            let text = json!(record);
            format!(
                "{{{kind}\"content\":[{{\"type\":\"text\",\"text\":{text}}}],\"structuredContent\":{record},\"isError\":false}}"
            )
        }
        Err(why) => {
            let text = json!(why);
            format!(
                "{{{kind}\"content\":[{{\"type\":\"text\",\"text\":{text}}}],\"isError\":true}}"
            )
        }
    }
}
