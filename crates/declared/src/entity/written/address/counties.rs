//! Counties of Ireland, which addresses name with a word for them: `Swords, Co. Dublin`. The county is not the town.

use super::tokens::{Token, comparable};

const COUNTIES: &str = "antrim armagh carlow cavan clare cork derry donegal down dublin fermanagh galway kerry kildare \
     kilkenny laois leitrim limerick longford louth mayo meath monaghan offaly roscommon sligo tipperary tyrone \
     waterford westmeath wexford wicklow";

/// Takes the county out of the tokens, in the form in which words are compared.
pub(super) fn take_county(tokens: &mut Vec<Token>, region: Option<&str>) -> Option<String> {
    if !matches!(region, Some("IE" | "GB")) {
        return None;
    }
    let at = tokens.iter().zip(tokens.iter().skip(1)).position(|(mark, name)| {
        matches!(mark.text.as_str(), "co" | "county" | "contae")
            && mark.segment == name.segment
            && COUNTIES.split_whitespace().any(|county| county == name.text)
    })?;
    // `County Down Road` is a street.
    let (mark, behind) = (tokens.get(at)?, tokens.get(at + 2));
    if behind.is_some_and(|behind| behind.segment == mark.segment && !behind.is_number) {
        return None;
    }
    let name = comparable(&tokens.get(at + 1)?.text);
    tokens.drain(at..at + 2);
    Some(name)
}
