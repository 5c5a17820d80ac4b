//! Checks of the HTTP response that carried a file: media type, redirects, CORS.

use url::Url;

use super::model::ServedFile;
use super::report::{Report, quoted};
use crate::fault::Weight;

impl<'a> ServedFile<'a> {
    /// The value of the first header field with this name.
    pub(super) fn header(&self, name: &str) -> Option<&'a str> {
        self.headers.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    /// Every element of a comma-separated field, in lower case.
    pub(super) fn list_elements(&self, name: &'a str) -> impl Iterator<Item = String> + use<'a> {
        self.headers
            .iter()
            .filter(move |(field, _)| field == name)
            .flat_map(|(_, value)| value.split(','))
            .map(|element| element.trim().to_ascii_lowercase())
            .filter(|element| !element.is_empty())
    }

    /// The media type without parameters, in lower case; none if the header is missing or empty.
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
pub(super) struct MediaTypes {
    /// The types that the standard asks for; the first one is suggested in the fix.
    pub(super) accepted: &'static [&'static str],
    /// Accepted by nearly all readers, although not what the standard asks for.
    pub(super) tolerated: &'static [&'static str],
    /// The weight of the fault for any other type.
    pub(super) weight_otherwise: Weight,
}

impl MediaTypes {
    pub(super) const JSON: Self =
        Self { accepted: &["application/json"], tolerated: &[], weight_otherwise: Weight::Warning };
}

impl Report<'_> {
    pub(super) fn check_media_type(&mut self, media: &MediaTypes) {
        let right = media.accepted.first().copied().unwrap_or_default();
        let fix = format!("Send the header: Content-Type: {right}");
        let Some(found) = self.served.media_type() else {
            self.add_fault(
                media.weight_otherwise,
                "no_media_type",
                "Content-Type".into(),
                "The response has no Content-Type header, so readers must guess the format.".into(),
                fix,
            );
            return;
        };
        if media.accepted.contains(&found.as_str()) {
            return;
        }
        let weight = if media.tolerated.contains(&found.as_str()) {
            Weight::Note
        } else {
            media.weight_otherwise
        };
        self.add_fault(
            weight,
            "wrong_media_type",
            "Content-Type".into(),
            format!("It is served as {}; the standard requires {right}.", quoted(&found)),
            fix,
        );
    }

    /// Reports a redirect of a file whose standard forbids following redirects.
    pub(super) fn must_not_redirect(&mut self) {
        if self.served.redirects > 0 {
            let path = Url::parse(self.served.requested_url)
                .map_or_else(|_| "the path".to_owned(), |url| url.path().to_owned());
            self.fatal(
                "redirected",
                "Location",
                "The URL redirects, but readers of this file must not follow redirects.",
                format!("Serve the file directly at {path} with status 200, on the same host."),
            );
        }
    }

    /// Notes a redirect to another host.
    pub(super) fn note_other_host(&mut self) {
        let host =
            |url: &str| Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let (requested, found) = (host(self.served.requested_url), host(self.served.final_url));
        if self.served.redirects > 0 && requested != found {
            let found = found.unwrap_or_default();
            self.note(
                "served_by_another_host",
                "Location",
                format!("The URL redirects to another host, {}.", quoted(&found)),
                "Serve the file on the host it describes. Some readers do not follow redirects to other hosts.",
            );
        }
    }

    /// Reports a file that was not served over TLS.
    pub(super) fn must_be_https(&mut self) {
        if self.base.as_ref().is_some_and(|url| url.scheme() != "https") {
            self.error(
                "not_over_https",
                "",
                "The file is served over plain http, so anybody on the network path can change it.",
                "Serve it over https and redirect http to https.",
            );
        }
    }

    /// Notes a missing CORS header: agents in browsers cannot read the file without it.
    pub(super) fn note_cors(&mut self) {
        if self.served.header("access-control-allow-origin").map(str::trim) != Some("*") {
            self.note(
                "no_cors",
                "Access-Control-Allow-Origin",
                "Without this header, agents that run in a browser cannot read the file.",
                "Send the header: Access-Control-Allow-Origin: *",
            );
        }
    }
}
