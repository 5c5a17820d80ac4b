//! A server that is started here: its pipes, and its end.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use service::Scanner;
use service::mcp::LocalMcp;
use tokio::net::unix::pipe;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::Instant;

/// The only variables that the server gets: those of this program may contain secrets.
const PASSED_ON: [&str; 2] = ["PATH", "HOME"];
/// How long a server may take to end by itself when its input is closed, and then when it is asked to.
const AFTER_CLOSE: Duration = Duration::from_millis(500);
const AFTER_TERM: Duration = Duration::from_millis(500);

/// Starts the server, reads what it lists, and ends it with all processes of its group.
pub(super) async fn read_process(scanner: &Scanner, words: &[String]) -> Result<LocalMcp> {
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;
    let (mut group, output, input) = Group::start(words)?;
    let read = tokio::select! {
        read = scanner.read_mcp_process(output, input) => Ok(read),
        _ = interrupted.recv() => Err("interrupted"),
        _ = terminated.recv() => Err("terminated"),
    };
    group.end().await;
    match read {
        Ok(read) => Ok(read),
        Err(why) => bail!("{why}; the server was ended"),
    }
}

/// A process that leads a group of its own, so that what it starts can be ended with it.
struct Group {
    leader: Child,
    id: Pid,
}

impl Group {
    fn start(words: &[String]) -> Result<(Self, pipe::Receiver, pipe::Sender)> {
        let Some((program, arguments)) = words.split_first() else {
            bail!("--command is empty");
        };
        let variables = PASSED_ON.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        let mut leader = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(variables)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("--command: {program:?} cannot be started"))?;
        let (output, input) = (leader.stdout.take(), leader.stdin.take());
        let group = Self { id: Pid::from_child(&leader), leader };
        let (Some(output), Some(input)) = (output, input) else {
            bail!("the server has no pipes");
        };
        let output = pipe::Receiver::from_owned_fd(output.into()).context("the server's output")?;
        let input = pipe::Sender::from_owned_fd(input.into()).context("the server's input")?;
        Ok((group, output, input))
    }

    /// Its input is closed already, which tells a good server to end.
    async fn end(&mut self) {
        if !self.ends_within(AFTER_CLOSE).await {
            let _ = kill_process_group(self.id, Signal::TERM);
            self.ends_within(AFTER_TERM).await;
        }
    }

    async fn ends_within(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        loop {
            // The process is not collected yet, so nobody else can get its number.
            let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            if !matches!(waitid(WaitId::Pid(self.id), look), Ok(None)) {
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = kill_process_group(self.id, Signal::KILL);
        let _ = self.leader.wait();
    }
}
