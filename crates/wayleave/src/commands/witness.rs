//! `wayleave witness`: cosigns the checkpoints of other services' logs.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use door::SystemClock;
use proof::tlog::VerifierKey;
use service::log::witness::Witness;
use tokio::net::TcpListener;
use web::ServerOptions;

use crate::config::Config;
use crate::shutdown::StopSignals;
use crate::{exit, logging, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Serves C2SP tlog-witness: POST /add-checkpoint, and GET /<hex SHA-256 of a log's origin>/checkpoint. \
                  Cosigns a checkpoint only if the log grew consistently from the one it cosigned before, and \
                  stores that in --data-dir: back it up, and never run two witnesses with copies of it. Prints its \
                  own verifier key when ready. Put a TLS proxy in front of it.\n\n\
                  Exit codes: 0 stopped normally, 2 could not start."
)]
pub(crate) struct Args {
    /// IP address and port to listen on
    #[arg(long, default_value = "127.0.0.1:8090")]
    listen: SocketAddr,
    /// Folder for the key and the cosigned checkpoints
    #[arg(long, value_name = "DIR")]
    data_dir: PathBuf,
    /// Name of this witness in its cosignatures, such as witness.example/w1
    #[arg(long)]
    name: String,
    /// Verifier key of a log to witness (name+id+key); can be repeated
    #[arg(long = "log", value_name = "VKEY", required = true)]
    logs: Vec<VerifierKey>,
    /// When ready, print one line of JSON to standard output: listen, vkey
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    logging::start_logging(&Config::default().log)?;
    wiring::runtime()?.block_on(async {
        let listener = TcpListener::bind(args.listen)
            .await
            .with_context(|| format!("--listen: cannot listen on {}", args.listen))?;
        let listen = listener.local_addr().context("--listen")?;
        let clock = Arc::new(SystemClock);
        let witness =
            Witness::open(&args.data_dir, &args.name, args.logs, clock).with_context(|| {
                format!("cannot open the witness data in {}", args.data_dir.display())
            })?;
        let vkey = witness.verifier_key()?;
        let mut stop = StopSignals::catch()?;
        if args.json {
            let line = serde_json::json!({ "listen": listen, "vkey": vkey.to_string() });
            output::print_line(&line.to_string());
        } else {
            output::print_line(&vkey.to_string());
        }
        tracing::info!(%listen, %vkey, "witnessing");
        let app = web::witness_app(Arc::new(witness));
        let options = ServerOptions { max_connections: 256, ..ServerOptions::default() };
        let report = web::serve(listener, app, options, stop.wait_for_stop()).await;
        tracing::info!(?report, "stopped");
        Ok(exit::PASSED)
    })
}
