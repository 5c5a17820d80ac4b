//! The price that a payment demand states.

use contract::evidence::Response;
use data_encoding::BASE64;
use serde::Deserialize;

use super::normalised_response::NormalisedResponse;
use super::text::excerpt;

/// The most bytes of a payment request that are parsed.
const MAX_REQUEST_BYTES: usize = 16_384;

/// The members of an x402 payment request that state the price. Version 1 names the amount differently.
#[derive(Deserialize)]
struct PaymentRequest {
    #[serde(default)]
    accepts: Vec<PaymentOffer>,
}

#[derive(Deserialize)]
struct PaymentOffer {
    #[serde(alias = "maxAmountRequired")]
    amount: Option<String>,
    asset: Option<String>,
    network: Option<String>,
}

/// The price as the header fields state it. Asset units are not converted.
pub(super) fn price_in_headers(response: &Response, seen: &NormalisedResponse) -> Option<String> {
    seen.field("crawler-price")
        .map(|field| field.excerpt.clone())
        .filter(|price| !price.is_empty())
        .or_else(|| parse_payment_header(response).and_then(|request| describe_price(&request)))
}

/// The price in the body, for responses without a price in the header fields.
pub(super) fn price_in_body(body: &[u8]) -> Option<String> {
    let request = body.get(..MAX_REQUEST_BYTES).unwrap_or(body);
    describe_price(&serde_json::from_slice(request).ok()?)
}

fn parse_payment_header(response: &Response) -> Option<PaymentRequest> {
    let encoded = response.header("payment-required")?.trim();
    if encoded.len() > MAX_REQUEST_BYTES {
        return None;
    }
    serde_json::from_slice(&BASE64.decode(encoded.as_bytes()).ok()?).ok()
}

fn describe_price(request: &PaymentRequest) -> Option<String> {
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
