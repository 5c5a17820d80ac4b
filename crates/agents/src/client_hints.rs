//! Chrome's client hint `sec-ch-ua`. Chrome computes its value from the major version, so a fixed
//! value would be recognisably wrong after the next release. The major version is written once, in
//! the identity's user agent.

/// The characters that Chrome puts into its made-up brand (GREASE), in its order.
const GREASE: [char; 11] = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_'];
const GREASE_VERSIONS: [u32; 3] = [8, 99, 24];
/// The positions of the made-up brand, Chromium and Google Chrome in the list.
const BRAND_ORDERS: [[usize; 3]; 6] =
    [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// The value of `sec-ch-ua` for the Chrome version in this user agent; `None` for another browser.
pub(crate) fn sec_ch_ua(user_agent: &str) -> Option<String> {
    let (_, after) = user_agent.split_once(" Chrome/")?;
    let major: u16 = after.split('.').next()?.parse().ok()?;
    let at = usize::from(major);
    let grease_brand = format!(
        "\"Not{}A{}Brand\";v=\"{}\"",
        GREASE.get(at % GREASE.len())?,
        GREASE.get((at + 1) % GREASE.len())?,
        GREASE_VERSIONS.get(at % GREASE_VERSIONS.len())?
    );
    let brands = [
        grease_brand,
        format!("\"Chromium\";v=\"{major}\""),
        format!("\"Google Chrome\";v=\"{major}\""),
    ];
    let positions = BRAND_ORDERS.get(at % BRAND_ORDERS.len())?;
    let mut ordered: Vec<(&usize, &String)> = positions.iter().zip(&brands).collect();
    ordered.sort();
    Some(ordered.into_iter().map(|(_, brand)| brand.as_str()).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_matches_what_chrome_sends() {
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
