//! `wayleave witness`: cosigning the logs of others.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use door::SystemClock;
use proof::tlog::VerifierKey;
use service::witness::Witness;
use tokio::net::TcpListener;
use web::ServerOptions;

use super::serve::StopSignals;
use crate::config::Config;
use crate::{exit, output, telemetry, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Speaks C2SP tlog-witness: POST /add-checkpoint, and GET /<hex SHA-256 of a log's \
                  origin>/checkpoint. It cosigns a checkpoint only if the log grew from what it \
                  cosigned before, and remembers that in --data-dir: keep it, and keep no copies of \
                  it running. Put TLS in front of it."
)]
pub(crate) struct Args {
    /// Address and port to serve on
    #[arg(long, default_value = "127.0.0.1:8090")]
    listen: SocketAddr,
    /// Where the key and what was cosigned are kept
    #[arg(long, value_name = "DIR")]
    data_dir: PathBuf,
    /// The witness's name in its cosignatures, such as witness.example/w1
    #[arg(long)]
    name: String,
    /// The key of a log to witness (name+id+key); may be given more than once
    #[arg(long = "log", value_name = "VKEY", required = true)]
    logs: Vec<VerifierKey>,
    /// Say on standard output, as one line of JSON, where it serves once it is ready
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    telemetry::start(&Config::default().log)?;
    wiring::runtime()?.block_on(async {
        let listener = TcpListener::bind(args.listen)
            .await
            .with_context(|| format!("--listen: {} cannot be served on", args.listen))?;
        let listen = listener.local_addr().context("--listen")?;
        let clock = Arc::new(SystemClock);
        let witness = Witness::open(&args.data_dir, &args.name, args.logs, clock)
            .with_context(|| format!("the witness in {}", args.data_dir.display()))?;
        let vkey = witness.verifier_key()?;
        let stop = StopSignals::catch()?;
        if args.json {
            let line = serde_json::json!({ "listen": listen, "vkey": vkey.to_string() });
            output::line(&line.to_string());
        } else {
            output::line(&vkey.to_string());
        }
        tracing::info!(%listen, %vkey, "witnessing");
        let app = web::witness_app(Arc::new(witness));
        let options = ServerOptions { max_connections: 256, ..ServerOptions::default() };
        let report = web::serve(listener, app, options, stop.told_to_stop()).await;
        tracing::info!(?report, "stopped");
        Ok(exit::GOOD)
    })
}
