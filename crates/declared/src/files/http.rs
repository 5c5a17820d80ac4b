//! What the answer around a file says: media type, redirects, caching, CORS.

use url::Url;

use super::Served;
use super::report::{Report, quoted};
use crate::fault::Weight;

impl<'a> Served<'a> {
    /// The first field of this name.
    pub(super) fn header(&self, name: &str) -> Option<&'a str> {
        self.headers.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    /// Every element of a comma-separated field, in lower case.
    pub(super) fn listed(&self, name: &'a str) -> impl Iterator<Item = String> + use<'a> {
        self.headers
            .iter()
            .filter(move |(field, _)| field == name)
            .flat_map(|(_, value)| value.split(','))
            .map(|element| element.trim().to_ascii_lowercase())
            .filter(|element| !element.is_empty())
    }

    /// The media type without parameters, in lower case; none where the header is missing or empty.
    pub(super) fn media_type(&self) -> Option<String> {
        let value = self.header("content-type")?;
        let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        (!essence.is_empty()).then_some(essence)
    }

    /// One parameter of the media type, without quotes.
    pub(super) fn media_parameter(&self, name: &str) -> Option<&'a str> {
        self.header("content-type")?.split(';').skip(1).find_map(|parameter| {
            let (key, value) = parameter.split_once('=')?;
            key.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"'))
        })
    }
}

/// Which media types a file may be served as.
pub(super) struct Media {
    /// The right ones; the first is the one to paste.
    pub(super) right: &'static [&'static str],
    /// Understood nearly everywhere, though not what the standard asks.
    pub(super) tolerated: &'static [&'static str],
    /// What any other type costs.
    pub(super) otherwise: Weight,
}

impl Media {
    pub(super) const JSON: Self =
        Self { right: &["application/json"], tolerated: &[], otherwise: Weight::Warning };
}

impl Report<'_> {
    pub(super) fn media(&mut self, media: &Media) {
        let right = media.right.first().copied().unwrap_or_default();
        let fix = format!("Send the header: Content-Type: {right}");
        let Some(found) = self.served.media_type() else {
            self.fault(
                media.otherwise,
                "no_media_type",
                "Content-Type".into(),
                "The answer names no media type, so readers must guess what they got.".into(),
                fix,
            );
            return;
        };
        if media.right.contains(&found.as_str()) {
            return;
        }
        let weight =
            if media.tolerated.contains(&found.as_str()) { Weight::Note } else { media.otherwise };
        self.fault(
            weight,
            "wrong_media_type",
            "Content-Type".into(),
            format!("It is served as {} where {right} is asked for.", quoted(&found)),
            fix,
        );
    }

    /// For files whose standard forbids readers to follow redirects.
    pub(super) fn must_not_redirect(&mut self) {
        if self.served.redirects > 0 {
            let path = Url::parse(self.served.asked_url)
                .map_or_else(|_| "the path".to_owned(), |url| url.path().to_owned());
            self.spoil(
                "redirected",
                "Location",
                "The address redirects, and readers of this file must not follow redirects.",
                format!("Answer {path} itself with status 200 and the file, on the very host that was asked."),
            );
        }
    }

    /// For files that others may point at: a redirect to another host is worth knowing.
    pub(super) fn note_other_host(&mut self) {
        let host =
            |url: &str| Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let (asked, found) = (host(self.served.asked_url), host(self.served.final_url));
        if self.served.redirects > 0 && asked != found {
            let found = found.unwrap_or_default();
            self.note(
                "served_by_another_host",
                "Location",
                format!("The address redirects to another host, {}.", quoted(&found)),
                "Serve the file on the host it speaks for; some readers do not follow redirects to other hosts.",
            );
        }
    }

    /// The file must have come over TLS.
    pub(super) fn must_be_https(&mut self) {
        if self.base.as_ref().is_some_and(|url| url.scheme() != "https") {
            self.error(
                "not_over_https",
                "",
                "The file came over plain http, where anybody on the way can change it.",
                "Serve it over https and let http redirect there.",
            );
        }
    }

    /// Agents in browsers can read the file only with this header.
    pub(super) fn note_cors(&mut self) {
        if self.served.header("access-control-allow-origin").map(str::trim) != Some("*") {
            self.note(
                "no_cors",
                "Access-Control-Allow-Origin",
                "Agents that run in a browser page cannot read the file.",
                "Send the header: Access-Control-Allow-Origin: *",
            );
        }
    }
}
