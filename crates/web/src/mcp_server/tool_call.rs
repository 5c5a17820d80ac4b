//! A tool call as a request to the API.

use axum::body::Body;
use contract::Brand;
use http::{
    Extensions, HeaderName, HeaderValue, Request,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE},
    request::Parts,
};
use http_body_util::BodyExt;
use serde_json::{Map, Value, json};
use tower::ServiceExt;

use super::McpServer;
use super::tools::{Operation, Tool};
use crate::response::JSON;

/// The largest answer that becomes the result of a tool.
const MAX_ANSWER_BYTES: usize = 8 << 20;

/// Who asks: limits count the call as theirs.
#[derive(Debug, Clone, Default)]
pub(super) struct Caller {
    extensions: Extensions,
    keys: Vec<(HeaderName, HeaderValue)>,
}

impl Caller {
    pub(super) fn of(parts: &Parts, brand: &Brand) -> Self {
        let names = [Some(AUTHORIZATION), HeaderName::try_from(brand.key_header()).ok()];
        let keys = names.into_iter().flatten().filter_map(|name| {
            let value = parts.headers.get(&name)?.clone();
            Some((name, value))
        });
        Self { extensions: parts.extensions.clone(), keys: keys.collect() }
    }
}

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
        let answer = match tool.operation {
            Some(operation) => self.call_api(tool, operation, arguments, caller).await,
            None => self.verify(&arguments),
        };
        Ok(tool_result(answer, is_modern))
    }

    async fn call_api(
        &self,
        tool: &Tool,
        operation: Operation,
        arguments: Map<String, Value>,
        caller: &Caller,
    ) -> Result<String, String> {
        let (uri, body) = if operation.method == "GET" {
            let query = self.query(tool, &arguments)?;
            (format!("{}?{query}", operation.path), Body::empty())
        } else {
            (operation.path.to_owned(), Body::from(Value::Object(arguments).to_string()))
        };
        let mut request = Request::builder()
            .method(operation.method)
            .uri(uri)
            .header(ACCEPT, JSON)
            .header(CONTENT_TYPE, JSON)
            .body(body)
            .map_err(|_| "The arguments cannot be sent.".to_owned())?;
        *request.extensions_mut() = caller.extensions.clone();
        for (name, value) in &caller.keys {
            request.headers_mut().insert(name, value.clone());
        }
        let Ok(response) = self.api.clone().oneshot(request).await;
        let is_success = response.status().is_success();
        let body = http_body_util::Limited::new(response.into_body(), MAX_ANSWER_BYTES);
        let bytes = body.collect().await.map_err(|_| "The answer is too large.".to_owned())?;
        let text = String::from_utf8(bytes.to_bytes().to_vec());
        let text = text.map_err(|_| "The answer is not text.".to_owned())?;
        if is_success { Ok(text) } else { Err(text) }
    }

    /// The arguments as a query. The API checks their values; members that are not single values have no form.
    fn query(&self, tool: &Tool, arguments: &Map<String, Value>) -> Result<String, String> {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in arguments {
            if !self.tools.has_parameter(tool, name) {
                return Err(format!(
                    "There is no argument {}.",
                    name.chars().take(64).collect::<String>()
                ));
            }
            match value {
                Value::Null => {}
                Value::String(text) => {
                    query.append_pair(name, text);
                }
                Value::Bool(_) | Value::Number(_) => {
                    query.append_pair(name, &value.to_string());
                }
                Value::Array(_) | Value::Object(_) => {
                    return Err(format!("The argument {name} must be a single value."));
                }
            }
        }
        Ok(query.finish())
    }

    fn verify(&self, arguments: &Map<String, Value>) -> Result<String, String> {
        let document = arguments.get("document").filter(|document| document.is_object());
        let document = document.ok_or("`document` must be an object.")?;
        let verdict = self.service.keys.verify_document(document.to_string().as_bytes());
        let verdict = verdict.map_err(|_| "The keys cannot be read now. Try again later.")?;
        let checks = serde_json::to_value(&verdict.checks).unwrap_or_default();
        Ok(json!({ "accepted": verdict.accepted(), "checks": checks }).to_string())
    }
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
