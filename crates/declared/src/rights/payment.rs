//! Demands for payment: status 402 and the headers that identify the scheme.

use data_encoding::{BASE64, BASE64_NOPAD};
use serde_json::Value;

use super::{Carrier, ContentUse, Effect, Mechanism, Statement};
use crate::evidence_excerpt::evidence_excerpt;

/// A demand for payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentDemand {
    pub mechanism: Mechanism,
    /// The price as the scheme states it.
    pub price: Option<String>,
    /// The header with the demand, or only the status.
    pub raw: String,
}

/// Longer offers are not decoded.
const MAX_OFFER: usize = 64 * 1024;

/// The demand in a response: status 402, or 401/403 with a challenge for an RSL licence.
#[must_use]
pub fn from_response(status: u16, headers: &[(String, String)]) -> Option<PaymentDemand> {
    let find = |name: &str| {
        headers
            .iter()
            .find(|(held, _)| held.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    };
    let challenge = headers
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("www-authenticate"))
        .find(|(_, value)| asks_for_license(value));
    let toll = |mechanism, price: Option<&str>, raw: String| {
        Some(PaymentDemand {
            mechanism,
            price: price.map(evidence_excerpt),
            raw: evidence_excerpt(&raw),
        })
    };
    if !(status == 402 || matches!(status, 401 | 403) && challenge.is_some()) {
        return None;
    }
    if let Some((name, value)) = challenge {
        return toll(Mechanism::License402, None, format!("{name}: {value}"));
    }
    if let Some(price) = find("crawler-price") {
        return toll(Mechanism::PayPerCrawl, Some(price.trim()), format!("crawler-price: {price}"));
    }
    if let Some(offer) = find("payment-required") {
        let price = x402_price(offer);
        return toll(Mechanism::X402, price.as_deref(), format!("payment-required: {offer}"));
    }
    if let Some(error) = find("crawler-error") {
        return toll(Mechanism::PayPerCrawl, None, format!("crawler-error: {error}"));
    }
    toll(Mechanism::PaymentRequired, None, format!("status {status}"))
}

impl PaymentDemand {
    /// The demand as a statement: use is allowed at a price.
    #[must_use]
    pub fn to_statement(&self) -> Statement {
        let mut statement = Statement::new(self.mechanism, Carrier::Status, &self.raw);
        statement.add_effects(
            &[ContentUse::Train, ContentUse::Ground, ContentUse::Summarize],
            Effect::Conditional,
        );
        match &self.price {
            Some(price) => statement.add_note(&format!("Price: {price}.")),
            None => statement.add_note("The response gives no price."),
        }
        statement
    }
}

/// Whether the value contains a challenge with the scheme `License`, alone or after another.
fn asks_for_license(value: &str) -> bool {
    value.split(',').take(32).any(|part| {
        part.split_whitespace().next().is_some_and(|scheme| scheme.eq_ignore_ascii_case("license"))
    })
}

/// Amount, asset and network of the first offer of an x402 header.
fn x402_price(offer: &str) -> Option<String> {
    let offer = offer.trim().get(..MAX_OFFER).unwrap_or(offer.trim());
    let bytes = BASE64
        .decode(offer.as_bytes())
        .or_else(|_| BASE64_NOPAD.decode(offer.trim_end_matches('=').as_bytes()))
        .ok()?;
    let json = contract::json::parse_value(&bytes).ok()?;
    let first = json.get("accepts")?.as_array()?.first()?;
    let text = |name: &str| match first.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let amount = text("amount").or_else(|| text("maxAmountRequired"))?;
    let parts: Vec<String> =
        [Some(amount), text("asset"), text("network")].into_iter().flatten().collect();
    Some(parts.join(" "))
}
