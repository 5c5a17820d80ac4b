//! Which domains may prove an agent by the name of its address.

/// Domains below which every customer of a cloud or hosting provider has names. The public suffix
/// list has some of them, but not all.
const CUSTOMERS_OF_PROVIDERS: [&str; 21] = [
    "amazonaws.com",
    "amazonaws.com.cn",
    "compute.internal",
    "cloudfront.net",
    "googleusercontent.com",
    "appspot.com",
    "run.app",
    "azure.com",
    "azure.net",
    "azurewebsites.net",
    "azure-api.net",
    "azurefd.net",
    "cloudapp.net",
    "windows.net",
    "aliyuncs.com",
    "oraclevcn.com",
    "oraclecloud.com",
    "linodeusercontent.com",
    "vultrusercontent.com",
    "your-server.de",
    "ovh.net",
];

/// Google documents this one for fetchers that its customers run.
const DOCUMENTED: &str = "gae.googleusercontent.com";

const MAX_NAME_BYTES: usize = 253;
const MAX_LABEL_BYTES: usize = 63;

pub(super) fn check_suffix(suffix: &str) -> Result<(), String> {
    let labels: Vec<&str> = suffix.split('.').collect();
    let well_formed = suffix.len() <= MAX_NAME_BYTES
        && labels.len() >= 2
        && labels.iter().all(|label| is_label(label))
        && labels.last().is_some_and(|last| !last.bytes().all(|byte| byte.is_ascii_digit()));
    if !well_formed {
        return Err(format!(
            "{suffix:?} must be a domain of two labels or more, in lower case and without a leading dot"
        ));
    }
    let below = |domain: &str| {
        suffix.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let shared = CUSTOMERS_OF_PROVIDERS.iter().any(|domain| below(domain)) && !below(DOCUMENTED);
    if shared || psl::suffix_str(suffix) == Some(suffix) {
        return Err(format!("anybody can have names below {suffix}"));
    }
    Ok(())
}

fn is_label(label: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    label.len() <= MAX_LABEL_BYTES
        && label.bytes().all(|byte| plain(byte) || byte == b'-')
        && label.bytes().next().is_some_and(plain)
        && label.bytes().last().is_some_and(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_of_operators_are_accepted() {
        for suffix in [
            "googlebot.com",
            "google.com",
            "gae.googleusercontent.com",
            "search.msn.com",
            "crawl.amazonbot.amazon",
            "yandex.ru",
            "crawl.baidu.jp",
            "crawler.lab",
        ] {
            assert_eq!(check_suffix(suffix), Ok(()));
        }
    }

    #[test]
    fn domains_in_which_anybody_has_names_are_refused() {
        for suffix in [
            "co.uk",
            "github.io",
            "googleusercontent.com",
            "bc.googleusercontent.com",
            "amazonaws.com",
            "compute.amazonaws.com",
            "eu-west-1.compute.internal",
            "cloudapp.azure.com",
            "your-server.de",
        ] {
            let fault = check_suffix(suffix).unwrap_err();
            assert!(fault.contains("anybody") && fault.contains(suffix), "{suffix}: {fault}");
        }
        assert_eq!(check_suffix("notamazonaws.com"), Ok(()));
    }

    #[test]
    fn malformed_domains_are_refused() {
        let long = format!("{}.com", "a".repeat(64));
        let longer = format!("{}com", "a.".repeat(126));
        for suffix in [
            "",
            "com",
            ".googlebot.com",
            "googlebot.com.",
            "Googlebot.com",
            "google bot.com",
            "-a.com",
            "a-.com",
            "a..com",
            "127.0.0.1",
            "gö.com",
            long.as_str(),
            longer.as_str(),
        ] {
            let fault = check_suffix(suffix).unwrap_err();
            assert!(fault.contains("two labels"), "{suffix}: {fault}");
        }
    }
}
