//! The replies of `rdap.lab`.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use super::{
    addresses::{RDAP_HOST, rdap_domain_url},
    document::{domain_object, registrar_entity},
    registration::LabRegistration,
    state::{BootstrapBehaviour, RegistryEntry},
    variants::{Form, RdapVariant, error_text},
};
use crate::{
    content::compressed,
    http::reply::{Reply, ReplyBody, SiteRequest},
    lab_state::LabState,
};

const MEDIA_TYPE: &str = "application/rdap+json";
/// Longer than any client waits.
const NEVER: u64 = 3_600_000;

pub(crate) fn reply(request: &SiteRequest<'_>, world: &LabState) -> Reply {
    if request.path == "/dns.json" {
        return bootstrap(world.rdap.bootstrap());
    }
    // `/good/` is where variants redirect to.
    for base in ["/lab/domain/", "/good/domain/"] {
        if let Some(name) = request.path.strip_prefix(base) {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            return match base {
                "/good/domain/" => document(&name, &LabRegistration::of(&name)),
                _ => domain(request, &name, world),
            };
        }
    }
    not_found()
}

fn domain(request: &SiteRequest<'_>, name: &str, world: &LabState) -> Reply {
    match world.rdap.get(name) {
        Some(RegistryEntry::Registered(registration)) => document(name, &registration),
        Some(RegistryEntry::NotRegistered) => not_found(),
        Some(RegistryEntry::Variant(variant)) => serve_variant(request, name, variant),
        Some(RegistryEntry::Silent) => Reply::text(200, "").delayed_by(NEVER),
        None => match RdapVariant::of_domain(name) {
            Some(variant) => serve_variant(request, name, variant),
            // The registry knows the names of sites, not those below them.
            None if world.sites.iter().any(|running| running.site.name == name) => {
                document(name, &LabRegistration::of(name))
            }
            None => not_found(),
        },
    }
}

fn document(name: &str, registration: &LabRegistration) -> Reply {
    Reply::new(200, MEDIA_TYPE, domain_object(name, registration).to_string())
}

fn not_found() -> Reply {
    Reply::new(404, MEDIA_TYPE, error_text(404))
}

fn serve_variant(request: &SiteRequest<'_>, name: &str, variant: &RdapVariant) -> Reply {
    let mut object = domain_object(name, &LabRegistration::of(name));
    let empty = |status| Reply::new(status, MEDIA_TYPE, Bytes::new());
    match variant.form {
        Form::Changed(change) => {
            change(&mut object);
            Reply::new(200, MEDIA_TYPE, object.to_string())
        }
        Form::Text(write) => Reply::new(200, MEDIA_TYPE, write(&object)),
        Form::Page { status } => {
            Reply::html(status, "<!doctype html><title>Registry</title><p>Hello.</p>\n")
        }
        Form::ErrorObject { status, code } => Reply::new(status, MEDIA_TYPE, error_text(code)),
        Form::Status { status, retry_after } => match retry_after {
            Some(wait) => empty(status).with_header("retry-after", wait),
            None => empty(status),
        },
        Form::EmptyBody => empty(200),
        Form::Slow => {
            let bytes = object.to_string().into();
            empty(200).with_body(ReplyBody::Drip { bytes, every: Duration::from_secs(1) })
        }
        Form::RedirectToPrivate => {
            let port = request.ports.https;
            Reply::redirect(302, format!("https://127.0.0.1:{port}/good/domain/{name}"))
        }
        Form::RedirectToPrivateName => {
            Reply::redirect(302, format!("https://mixed.lab/good/domain/{name}"))
        }
        Form::RedirectLoop => Reply::redirect(302, rdap_domain_url(name)),
        Form::RedirectOnce => Reply::redirect(301, format!("/good/domain/{name}")),
        Form::RedirectToHttp => {
            Reply::redirect(301, format!("http://{RDAP_HOST}/good/domain/{name}"))
        }
        Form::TenMegabytes => empty(200).with_body(ten_megabytes(&object)),
        Form::Truncated => {
            let mut bytes = object.to_string().into_bytes();
            bytes.truncate(bytes.len() / 2);
            Reply::new(200, MEDIA_TYPE, bytes)
        }
        Form::GzipBomb => empty(200)
            .with_header("content-encoding", "gzip")
            .with_body(compressed::gzip_bomb(compressed::BOMB_BYTES)),
        Form::Gzip => Reply::new(200, MEDIA_TYPE, compressed::gzip(object.to_string().as_bytes()))
            .with_header("content-encoding", "gzip"),
        Form::OtherMediaType => Reply::text(200, object.to_string()),
    }
}

/// The document with ten megabytes of entities, which is never held in memory as a whole.
fn ten_megabytes(object: &Value) -> ReplyBody {
    let entity = format!("{},", registrar_entity("One Of Very Many", Some("9994")));
    let times = 10_000_000 / entity.len() as u64;
    let text = object.to_string();
    let rest = text.strip_prefix('{').unwrap_or(&text);
    ReplyBody::Repeat {
        head: Bytes::from_static(b"{\"others\":["),
        unit: entity.into(),
        times,
        tail: format!("null],{rest}").into(),
    }
}

fn bootstrap(behaviour: BootstrapBehaviour) -> Reply {
    let lab = json!([["lab"], [format!("https://{RDAP_HOST}/lab/")]]);
    let other =
        json!([["example", "co.example"], ["http://rdap.example/", "https://rdap.example/"]]);
    let services = match behaviour {
        BootstrapBehaviour::Good => json!([other, lab]),
        BootstrapBehaviour::WithoutLab => json!([other]),
        BootstrapBehaviour::Page => {
            return Reply::html(200, "<!doctype html><title>Moved</title>\n");
        }
        BootstrapBehaviour::Status500 => return Reply::text(500, "Please try again later.\n"),
    };
    let list = json!({
        "description": "Registries of the lab", "version": "1.0",
        "publication": "2026-11-15T00:00:00Z", "services": services,
    });
    Reply::new(200, "application/json", list.to_string())
}
