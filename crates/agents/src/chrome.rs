//! What Chrome says of itself in `sec-ch-ua`. Chrome works the value out from its major version,
//! so a copy that was typed in by hand goes stale, or gives itself away, with the next release.
//! The major is written once, in the identity's user agent.

/// The characters that Chrome mixes into the brand that does not exist, in its order.
const GREASE: [char; 11] = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_'];
const GREASE_VERSIONS: [u32; 3] = [8, 99, 24];
/// Where the invented brand, Chromium and Google Chrome stand in the list.
const PLACES: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// The value of `sec-ch-ua` for the Chrome that this user agent names; nothing for another browser.
pub(crate) fn sec_ch_ua(user_agent: &str) -> Option<String> {
    let (_, after) = user_agent.split_once(" Chrome/")?;
    let major: u16 = after.split('.').next()?.parse().ok()?;
    let at = usize::from(major);
    let invented = format!(
        "\"Not{}A{}Brand\";v=\"{}\"",
        GREASE.get(at % GREASE.len())?,
        GREASE.get((at + 1) % GREASE.len())?,
        GREASE_VERSIONS.get(at % GREASE_VERSIONS.len())?
    );
    let brands = [
        invented,
        format!("\"Chromium\";v=\"{major}\""),
        format!("\"Google Chrome\";v=\"{major}\""),
    ];
    let places = PLACES.get(at % PLACES.len())?;
    let mut ordered: Vec<(&usize, &String)> = places.iter().zip(&brands).collect();
    ordered.sort();
    Some(ordered.into_iter().map(|(_, brand)| brand.as_str()).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_is_the_one_that_chrome_of_this_version_sends() {
        for (major, value) in [
            (120, r#""Not_A Brand";v="8", "Chromium";v="120", "Google Chrome";v="120""#),
            (131, r#""Google Chrome";v="131", "Chromium";v="131", "Not_A Brand";v="24""#),
            (156, r#""Not:A-Brand";v="8", "Chromium";v="156", "Google Chrome";v="156""#),
            (157, r#""Not-A.Brand";v="99", "Google Chrome";v="157", "Chromium";v="157""#),
            (158, r#""Chromium";v="158", "Not.A/Brand";v="24", "Google Chrome";v="158""#),
        ] {
            let user_agent = format!("Mozilla/5.0 (X11) Chrome/{major}.0.0.0 Safari/537.36");
            assert_eq!(sec_ch_ua(&user_agent).as_deref(), Some(value), "{major}");
        }
    }

    #[test]
    fn other_browsers_send_none() {
        for user_agent in ["", "Mozilla/5.0 Firefox/158.0", "x Chrome/", "x Chrome/99999999.0"] {
            assert_eq!(sec_ch_ua(user_agent), None, "{user_agent}");
        }
    }
}
