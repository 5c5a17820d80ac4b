//! Who calls a tool: the limits of the API count the call as theirs.

use contract::Brand;
use http::{
    Extensions, HeaderName, HeaderValue, Request,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE},
    request::Parts,
};

use crate::response::JSON;

#[derive(Debug, Clone, Default)]
pub(super) struct Caller {
    /// Among others the address and the quotas, which are shared with the request that brought the message.
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

    /// A request of this caller to the API.
    pub(super) fn request<B>(
        &self,
        method: &str,
        uri: &str,
        body: B,
    ) -> Result<Request<B>, http::Error> {
        let request = Request::builder().method(method).uri(uri).header(ACCEPT, JSON);
        let mut request = request.header(CONTENT_TYPE, JSON).body(body)?;
        *request.extensions_mut() = self.extensions.clone();
        for (name, value) in &self.keys {
            request.headers_mut().insert(name, value.clone());
        }
        Ok(request)
    }
}
