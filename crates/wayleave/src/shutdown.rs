//! When a server stops: on a signal, or because a part of it failed.

use std::time::Duration;

use anyhow::{Context, Result};
use supervisor::Supervisor;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::{exit, logging, output};

/// How long requests are still answered after a failure, so that load balancers see that the server is
/// not ready and send clients elsewhere.
const NOT_READY_TIME: Duration = Duration::from_secs(4);
/// The process ends this long after a failure, whatever is still running. Less than the 10 s that are
/// documented, for machines that are busy.
const EXIT_DEADLINE: Duration = Duration::from_secs(8);

/// Waits for a signal, or until some seconds after a failure. A signal ends these seconds too.
pub(crate) async fn wait_for_end(stop: &mut StopSignals, supervisor: &Supervisor) {
    let failure = tokio::select! {
        () = stop.wait_for_stop() => return announce_stop(),
        failure = supervisor.wait_for_failure() => failure,
    };
    tracing::error!(
        part = failure.part,
        why = failure.why,
        "stopping: a part of the server failed. Restart the server; only a restart can determine what was stored"
    );
    tokio::select! {
        () = stop.wait_for_stop() => {}
        () = tokio::time::sleep(NOT_READY_TIME) => {}
    }
}

/// After a failure, ends the process at its deadline even if it cannot stop in an orderly way. What
/// was acknowledged is on disk by then.
pub(crate) async fn exit_at_deadline(supervisor: Supervisor) {
    supervisor.wait_for_failure().await;
    let exit = || {
        std::thread::sleep(EXIT_DEADLINE);
        tracing::error!("the server did not stop in time after a failure; ending the process");
        logging::flush();
        std::process::exit(exit::SERVER_FAILED.into());
    };
    // A thread, because the async runtime may be part of what does not stop.
    if let Err(error) = std::thread::Builder::new().name("exit-deadline".to_owned()).spawn(exit) {
        tracing::error!(%error, "the thread that ends the process at its deadline cannot be started");
    }
}

/// Ctrl-C and SIGTERM, caught from the moment this is created.
pub(crate) struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
}

/// Says what the server waits for, and lets the next Ctrl-C end it.
fn announce_stop() {
    output::print_note(
        "Stopping: finishing open requests and scans (at most 45 s), then writing what is left to the log. \
         Press Ctrl-C again to stop at once; what was answered is stored.",
    );
    tokio::spawn(exit_at_next_interrupt());
}

/// Ends the process at the next Ctrl-C.
async fn exit_at_next_interrupt() {
    if let Ok(mut interrupt) = signal(SignalKind::interrupt()) {
        interrupt.recv().await;
        output::print_note("Stopped at once.");
        logging::flush();
        std::process::exit(exit::INTERRUPTED.into());
    }
}

impl StopSignals {
    pub(crate) fn catch() -> Result<Self> {
        let catch = |kind| signal(kind).context("cannot install signal handlers");
        Ok(Self {
            interrupt: catch(SignalKind::interrupt())?,
            terminate: catch(SignalKind::terminate())?,
        })
    }

    /// Waits for either signal.
    pub(crate) async fn wait_for_stop(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
        tracing::info!("stop requested; finishing open requests");
    }
}
