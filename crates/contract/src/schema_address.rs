//! Where the schema of each kind of document is served. Records carry this address themselves, so
//! it is separate from the list of all kinds in `schema`.

use crate::Brand;

/// The kind of the versioned report, whose schema address carries no `kind` parameter.
pub(crate) const REPORT: &str = "report";

/// The address where the schema of a kind is served. It is also the schema's `$id`.
#[must_use]
pub fn schema_url(word: &str, brand: &Brand, base_url: &str) -> String {
    if word == REPORT {
        format!("{base_url}/api/v1/schema")
    } else {
        format!("{base_url}/api/v1/schema?kind={}", brand.kind(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_report_has_an_address_without_a_kind() {
        let brand = Brand::default();
        assert_eq!(
            schema_url("scan", &brand, "https://svc.example"),
            "https://svc.example/api/v1/schema?kind=svc-scan"
        );
        assert_eq!(
            schema_url(REPORT, &brand, "https://svc.example"),
            "https://svc.example/api/v1/schema"
        );
    }
}
