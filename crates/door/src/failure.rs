//! Failures as facts: a kind, a phase, a stable word and one sentence of ours.

use std::error::Error as _;
use std::io;

use contract::NameRefusal;
use contract::evidence::{Failure, FailureKind, Phase};

pub(crate) fn failure(kind: FailureKind, phase: Phase, reason: &str, detail: &str) -> Failure {
    Failure { kind, phase, reason: reason.to_owned(), detail: detail.to_owned() }
}

pub(crate) fn refused(phase: Phase, reason: &str, detail: &str) -> Failure {
    failure(FailureKind::RefusedByPolicy, phase, reason, detail)
}

pub(crate) fn refused_name(refusal: NameRefusal) -> Failure {
    refused(Phase::Name, refusal.reason(), &sentence(&refusal.to_string()))
}

/// The time all reads of a visit share, or the time given to one read, was over.
pub(crate) fn deadline(phase: Phase) -> Failure {
    failure(
        FailureKind::Timeout,
        phase,
        "deadline",
        "The time for this read was over before it was done.",
    )
}

/// A phase used up its own time.
pub(crate) fn phase_timeout(phase: Phase) -> Failure {
    let (reason, detail) = match phase {
        Phase::Dns => ("dns_timeout", "The resolver did not answer in time."),
        Phase::Connect => ("connect_timeout", "The connection was not accepted in time."),
        Phase::Tls => ("tls_timeout", "The TLS handshake was not finished in time."),
        _ => ("head_timeout", "The response did not begin in time."),
    };
    failure(FailureKind::Timeout, phase, reason, detail)
}

/// A connection could not be opened.
pub(crate) fn connect(error: &io::Error) -> Failure {
    let (reason, detail) = match error.kind() {
        io::ErrorKind::ConnectionRefused => {
            ("connection_refused", "The host refused the connection.")
        }
        io::ErrorKind::ConnectionReset => ("connection_reset", "The host reset the connection."),
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
            ("unreachable", "There is no route to the host.")
        }
        io::ErrorKind::TimedOut => {
            return phase_timeout(Phase::Connect);
        }
        _ => ("connect_failed", "The connection could not be opened."),
    };
    failure(FailureKind::Connect, Phase::Connect, reason, detail)
}

/// The TLS handshake ended without a session.
pub(crate) fn handshake(error: &io::Error) -> Failure {
    let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let (reason, detail) = match tls {
        Some(rustls::Error::AlertReceived(_)) => {
            ("alert_received", "The host ended the TLS handshake with an alert.")
        }
        Some(rustls::Error::PeerIncompatible(_)) => (
            "no_common_parameters",
            "The host offers no TLS version or cipher that is still in use.",
        ),
        Some(rustls::Error::InvalidMessage(_) | rustls::Error::InappropriateMessage { .. }) => {
            ("not_tls", "What the host sent is not a TLS handshake.")
        }
        Some(rustls::Error::InvalidCertificate(_)) => (
            "unusable_certificate",
            "The host could not prove that it holds the key of its certificate.",
        ),
        Some(_) => ("handshake_failed", "The TLS handshake failed."),
        None => match error.kind() {
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
                ("connection_reset", "The host reset the connection in the TLS handshake.")
            }
            io::ErrorKind::UnexpectedEof => {
                ("connection_closed", "The host closed the connection in the TLS handshake.")
            }
            _ => ("handshake_failed", "The TLS handshake failed."),
        },
    };
    failure(FailureKind::Tls, Phase::Tls, reason, detail)
}

/// HTTP went wrong while a head or a body was read.
pub(crate) fn http(error: &hyper::Error, phase: Phase) -> Failure {
    if error.is_parse_too_large() {
        return failure(
            FailureKind::TooLarge,
            phase,
            "head_too_large",
            "The response head is larger than is read.",
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
            None => ("http_error", "The host broke the rules of its HTTP version."),
        }
    };
    failure(FailureKind::Protocol, phase, reason, detail)
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

/// First letter upper case, full stop at the end.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_refused_with_their_own_word_and_a_sentence() {
        let refused = refused_name(NameRefusal::IpAddress);
        assert_eq!(refused.kind, FailureKind::RefusedByPolicy);
        assert_eq!(refused.reason, "ip_address");
        assert_eq!(refused.detail, "An IP address is not a domain.");
    }

    #[test]
    fn connect_errors_have_words() {
        for (kind, reason) in [
            (io::ErrorKind::ConnectionRefused, "connection_refused"),
            (io::ErrorKind::NetworkUnreachable, "unreachable"),
            (io::ErrorKind::TimedOut, "connect_timeout"),
            (io::ErrorKind::AddrNotAvailable, "connect_failed"),
        ] {
            assert_eq!(connect(&io::Error::from(kind)).reason, reason);
        }
    }
}
