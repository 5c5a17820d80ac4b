//! The only outbound path of the program: guarded names, addresses, sockets, TLS and HTTP.
//!
//! Everything that a third party can choose (a name, an address, a redirect, a byte) passes through
//! this crate and nowhere else, and everything is bounded. The order is the same for every hop:
//! check the URL as text, resolve its name once per visit, vet every address of the name, dial
//! vetted addresses and compare each with the peer, and only then send the request. The result is
//! recorded as [`contract::evidence`]. This crate does not interpret it.
//!
//! Life of a fetch: [`Visit::fetch`] → `guard::url` → `VisitState::addresses` (`dns`) →
//! `guard::address` → `dial_order` → `http::connect_race` → `http::dial` → `tls` → `http::connection` → `http::body` → [`FetchResult`].
//! [`Visit::ask`] takes the same way (`send`) with another method and a small body, and its answer can
//! be read as a stream of events (`sse`). [`Visit::post`] delivers a body and returns only the status.

mod ask;
mod byte_budget;
mod clock;
mod context;
mod dial_order;
mod dns;
mod door;
mod error;
mod failure;
mod fetch;
#[doc(hidden)]
pub mod fuzzing;
mod guard;
mod http;
pub mod mail;
mod mutex;
pub mod operator;
mod policy;
mod post;
mod read_timer;
mod request;
mod request_signer;
mod send;
mod sse;
mod targets;
mod tls;
mod visit;
mod visit_state;

pub use ask::{Answer, AnswerHead, AskMethod, AskRequest, WholeAnswer};
pub use clock::SystemClock;
pub use dns::RecordType;
pub use door::Door;
pub use error::DoorError;
pub use failure::TARGET_LIMIT;
pub use guard::address::{AddressRefusal, AddressRule};
pub use guard::address_kind::AddressKind;
pub use guard::url::check_url;
pub use policy::{BodyCaps, Limits, PhaseTimeouts, Policy, ResolverChoice, read_pem};
pub use post::PostRequest;
pub use request::{
    FetchRequest, FetchResult, ReadKind, RedirectGate, RedirectPolicy, RedirectRefusal,
};
pub use request_signer::RequestSigner;
pub use sse::{Event, stream::EventStream};
pub use targets::{TargetLimit, TargetLimits, TargetRefusal, network_of};
pub use visit::Visit;
