//! What an answer asks for the page, in its own words.

use contract::evidence::Response;
use data_encoding::BASE64;
use serde::Deserialize;

use super::seen::{Seen, excerpt};

/// Characters of a payment request that are read.
const MAX_REQUEST_BYTES: usize = 16_384;

/// The parts of an x402 request that make its price; version 1 calls the amount otherwise.
#[derive(Deserialize)]
struct Request {
    #[serde(default)]
    accepts: Vec<Offer>,
}

#[derive(Deserialize)]
struct Offer {
    #[serde(alias = "maxAmountRequired")]
    amount: Option<String>,
    asset: Option<String>,
    network: Option<String>,
}

/// The price as the answer states it. Nothing is converted: units of an asset are units.
pub(super) fn asked(response: &Response, seen: &Seen) -> Option<String> {
    seen.field("crawler-price")
        .map(|field| field.shown.clone())
        .filter(|price| !price.is_empty())
        .or_else(|| in_head(response).and_then(|request| of(&request)))
}

/// The price in the body of an answer that has none in its head.
pub(super) fn asked_in_body(body: &[u8]) -> Option<String> {
    let request = body.get(..MAX_REQUEST_BYTES).unwrap_or(body);
    of(&serde_json::from_slice(request).ok()?)
}

fn in_head(response: &Response) -> Option<Request> {
    let encoded = response.header("payment-required")?.trim();
    if encoded.len() > MAX_REQUEST_BYTES {
        return None;
    }
    serde_json::from_slice(&BASE64.decode(encoded.as_bytes()).ok()?).ok()
}

fn of(request: &Request) -> Option<String> {
    let offer = request.accepts.first()?;
    let amount = excerpt(offer.amount.as_deref()?);
    let asset = offer.asset.as_deref().map(excerpt);
    let network = offer.network.as_deref().map(excerpt);
    Some(match (asset, network) {
        (Some(asset), Some(network)) => format!("{amount} units of {asset} on {network}"),
        (Some(asset), None) => format!("{amount} units of {asset}"),
        (None, Some(network)) => format!("{amount} units on {network}"),
        (None, None) => format!("{amount} units"),
    })
}
