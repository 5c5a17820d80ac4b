//! Parsers of query parameters that several handlers share.

use contract::errors::ErrorCode;
use proof::Digest;
use service::{
    Service,
    answers::page_url::{PageUrl, PageUrlError},
};

use super::uri::QueryParameters;
use crate::response::ApiError;

/// Parses a whole number: digits, no leading zero, below 2^53 (what JSON holds exactly).
pub(crate) fn parse_whole_number(text: &str) -> Option<u64> {
    let plain = !text.is_empty()
        && text.len() <= 16
        && text.bytes().all(|digit| digit.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|number| plain && *number < 1 << 53)
}

pub(crate) fn number_parameter(
    parameters: &QueryParameters,
    name: &'static str,
) -> Result<Option<u64>, ApiError> {
    let Some(text) = parameters.get(name) else { return Ok(None) };
    let sentence = || format!("`{name}` must be a whole number.");
    let number =
        parse_whole_number(text).ok_or_else(|| ApiError::bad_request(sentence()).param(name))?;
    Ok(Some(number))
}

/// Parses a number from 1 to `most`.
pub(crate) fn count_parameter(
    parameters: &QueryParameters,
    name: &'static str,
    most: usize,
) -> Result<Option<usize>, ApiError> {
    let Some(number) = number_parameter(parameters, name)? else { return Ok(None) };
    let number = usize::try_from(number).ok().filter(|number| (1..=most).contains(number));
    let sentence = || format!("`{name}` must be a number from 1 to {most}.");
    number.map(Some).ok_or_else(|| ApiError::bad_request(sentence()).param(name))
}

pub(crate) fn leaf_parameter(parameters: &QueryParameters) -> Result<Option<Digest>, ApiError> {
    let Some(text) = parameters.get("leaf") else { return Ok(None) };
    let sentence = "`leaf` must be a leaf hash: 64 lower-case hex digits.";
    text.parse().map(Some).map_err(|_| ApiError::bad_request(sentence).param("leaf"))
}

pub(crate) fn required<T>(value: Option<T>, name: &'static str) -> Result<T, ApiError> {
    value
        .ok_or_else(|| ApiError::bad_request(format!("Parameter `{name}` is missing.")).param(name))
}

/// Parses the parameter `url`.
pub(crate) fn page_parameter(
    service: &Service,
    parameters: &QueryParameters,
) -> Result<PageUrl, ApiError> {
    let text = required(parameters.get("url"), "url")?;
    PageUrl::parse(text, service.name_policy()).map_err(|error| {
        let code = match error {
            PageUrlError::NotPublic(_) => ErrorCode::TargetNotPublic,
            PageUrlError::InvalidUrl | PageUrlError::UserInfo | PageUrlError::BadName(_) => {
                ErrorCode::BadUrl
            }
        };
        ApiError::new(code, format!("`url` cannot be used: {error}.")).param("url")
    })
}

/// Parses a parameter that is `0` or `1`.
pub(crate) fn switch_parameter(
    parameters: &QueryParameters,
    name: &'static str,
    otherwise: bool,
) -> Result<bool, ApiError> {
    match parameters.get(name).map(String::as_str) {
        None => Ok(otherwise),
        Some("0") => Ok(false),
        Some("1") => Ok(true),
        Some(_) => Err(ApiError::bad_request(format!("`{name}` must be 0 or 1.")).param(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_leaves_have_one_spelling() {
        for (text, number) in
            [("0", Some(0)), ("7", Some(7)), ("9007199254740991", Some(9_007_199_254_740_991))]
        {
            assert_eq!(parse_whole_number(text), number, "{text}");
        }
        for bad in ["", "07", "00", "+1", "-1", " 1", "1 ", "1.0", "1e3", "٣", "9007199254740992"]
        {
            assert_eq!(parse_whole_number(bad), None, "{bad}");
        }
        let parameters = |text: &str| QueryParameters::from([("leaf", text.to_owned())]);
        assert!(leaf_parameter(&parameters(&"ab".repeat(32))).unwrap().is_some());
        for bad in ["", &"ab".repeat(31), &"AB".repeat(32), &"zz".repeat(32), &"ab".repeat(33)] {
            assert_eq!(leaf_parameter(&parameters(bad)).unwrap_err().status(), 400, "{bad}");
        }
    }
}
