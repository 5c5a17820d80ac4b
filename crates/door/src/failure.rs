//! Builds failures as recorded facts: a kind, a phase, a stable reason code and one sentence of our
//! own.

use std::error::Error as _;
use std::io;

use contract::NameRefusal;
use contract::evidence::{Failure, FailureKind, FailurePhase};

/// The reason code of a read that was not made because of a limit on its target.
pub const TARGET_LIMIT: &str = "target_limit";

pub(crate) fn new_failure(
    kind: FailureKind,
    phase: FailurePhase,
    reason: &str,
    detail: &str,
) -> Failure {
    Failure { kind, phase, reason: reason.to_owned(), detail: detail.to_owned() }
}

pub(crate) fn policy_refusal(phase: FailurePhase, reason: &str, detail: &str) -> Failure {
    new_failure(FailureKind::RefusedByPolicy, phase, reason, detail)
}

pub(crate) fn name_refusal(refusal: NameRefusal) -> Failure {
    policy_refusal(FailurePhase::Name, refusal.reason(), &to_sentence(&refusal.to_string()))
}

/// The deadline of the visit, or the timeout of this one read, has passed.
pub(crate) fn deadline_failure(phase: FailurePhase) -> Failure {
    new_failure(
        FailureKind::Timeout,
        phase,
        "deadline",
        "The time limit for this read passed before it finished.",
    )
}

/// A limit on what all visits together may do to one target is reached. Nothing was sent.
pub(crate) fn target_limit_failure() -> Failure {
    policy_refusal(
        FailurePhase::Request,
        TARGET_LIMIT,
        "This service limits how much it reads of one address and network, over all of its readings. \
         The limit was reached, so this was not requested.",
    )
}

/// One phase exceeded its own timeout.
pub(crate) fn phase_timeout(phase: FailurePhase) -> Failure {
    let (reason, detail) = match phase {
        FailurePhase::Dns => ("dns_timeout", "The resolver did not answer in time."),
        FailurePhase::Connect => {
            ("connect_timeout", "The host did not accept the connection in time.")
        }
        FailurePhase::Tls => ("tls_timeout", "The TLS handshake was not finished in time."),
        _ => ("head_timeout", "The host did not start its response in time."),
    };
    new_failure(FailureKind::Timeout, phase, reason, detail)
}

/// The TCP connection could not be opened.
pub(crate) fn connect_failure(error: &io::Error) -> Failure {
    let (reason, detail) = match error.kind() {
        io::ErrorKind::ConnectionRefused => {
            ("connection_refused", "The host refused the connection.")
        }
        io::ErrorKind::ConnectionReset => ("connection_reset", "The host reset the connection."),
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
            ("unreachable", "There is no route to the host.")
        }
        io::ErrorKind::TimedOut => {
            return phase_timeout(FailurePhase::Connect);
        }
        _ => ("connect_failed", "The connection to the host could not be opened."),
    };
    new_failure(FailureKind::Connect, FailurePhase::Connect, reason, detail)
}

/// The TLS handshake ended without a session.
pub(crate) fn handshake_failure(error: &io::Error) -> Failure {
    let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let (reason, detail) = match tls {
        Some(rustls::Error::AlertReceived(_)) => {
            ("alert_received", "The host ended the TLS handshake with an alert.")
        }
        Some(rustls::Error::PeerIncompatible(_)) => (
            "no_common_parameters",
            "The host supports no TLS version or cipher suite that we accept.",
        ),
        Some(rustls::Error::InvalidMessage(_) | rustls::Error::InappropriateMessage { .. }) => {
            ("not_tls", "The host did not answer with a TLS handshake.")
        }
        Some(rustls::Error::InvalidCertificate(_)) => (
            "unusable_certificate",
            "The host could not prove that it holds the key of its certificate.",
        ),
        Some(_) => ("handshake_failed", "The TLS handshake failed."),
        None => match error.kind() {
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
                ("connection_reset", "The host reset the connection during the TLS handshake.")
            }
            io::ErrorKind::UnexpectedEof => {
                ("connection_closed", "The host closed the connection during the TLS handshake.")
            }
            _ => ("handshake_failed", "The TLS handshake failed."),
        },
    };
    new_failure(FailureKind::Tls, FailurePhase::Tls, reason, detail)
}

/// An HTTP error while a response head or body was read.
pub(crate) fn http_failure(error: &hyper::Error, phase: FailurePhase) -> Failure {
    if error.is_parse_too_large() {
        return new_failure(
            FailureKind::TooLarge,
            phase,
            "head_too_large",
            "The response head exceeds the size limit.",
        );
    }
    let (reason, detail) = if error.is_parse() {
        ("bad_response", "The response is not valid HTTP.")
    } else if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
        ("connection_closed", "The host closed the connection before the response was complete.")
    } else {
        match io_kind(error) {
            Some(io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe) => {
                ("connection_reset", "The host reset the connection.")
            }
            Some(io::ErrorKind::UnexpectedEof) => (
                "connection_closed",
                "The host closed the connection before the response was complete.",
            ),
            Some(_) => ("connection_lost", "The connection was lost."),
            None => ("http_error", "The host violated the HTTP protocol."),
        }
    };
    new_failure(FailureKind::Protocol, phase, reason, detail)
}

/// The I/O error at the root of an HTTP error, if there is one.
fn io_kind(error: &hyper::Error) -> Option<io::ErrorKind> {
    let mut next = error.source();
    while let Some(cause) = next {
        if let Some(io) = cause.downcast_ref::<io::Error>() {
            return Some(io.kind());
        }
        next = cause.source();
    }
    None
}

/// Turns an error text into a sentence: first letter upper case, full stop at the end.
fn to_sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_name_has_its_own_code_and_a_sentence() {
        let refused = name_refusal(NameRefusal::IpAddress);
        assert_eq!(refused.kind, FailureKind::RefusedByPolicy);
        assert_eq!(refused.reason, "ip_address");
        assert_eq!(refused.detail, "An IP address is not a domain.");
    }

    #[test]
    fn connect_errors_have_codes() {
        for (kind, reason) in [
            (io::ErrorKind::ConnectionRefused, "connection_refused"),
            (io::ErrorKind::NetworkUnreachable, "unreachable"),
            (io::ErrorKind::TimedOut, "connect_timeout"),
            (io::ErrorKind::AddrNotAvailable, "connect_failed"),
        ] {
            assert_eq!(connect_failure(&io::Error::from(kind)).reason, reason);
        }
    }
}
