//! Takes up a new certificate when its files change.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use contract::{Clock, Timestamp};
use door::SystemClock;
use proof::Digest;
use web::{TlsIdentity, TlsPair};

use crate::tls_files::{self, TlsFileContents, TlsFiles, WARNING_DAYS};

const SECONDS_LEFT: &str = "wayleave_tls_certificate_seconds_left";
const RELOADS: &str = "wayleave_reloads_total";
/// How often a certificate that ends soon is warned about.
const WARNING_INTERVAL: Duration = Duration::from_secs(24 * 3600);

/// The files, the pair in use, and what was last said about them. The contents are compared, not their
/// times: a file that is replaced within a tick of its clock is noticed too.
pub(crate) struct CertificateFiles {
    files: TlsFiles,
    identity: TlsIdentity,
    in_use: (Digest, Digest),
    /// Why the files were last not taken, so that this is logged once and not every ten seconds.
    refused: Option<String>,
    last_warning: Option<Instant>,
}

impl CertificateFiles {
    /// Reads the pair that the server begins with. One that has expired is served nevertheless: clients
    /// then say what is wrong, and the files may be replaced at any time.
    pub(crate) fn open(files: TlsFiles) -> Result<Self> {
        let (pair, contents) = files.load()?;
        warn_about_key(&files, &contents);
        let in_use = contents.digest();
        let identity = TlsIdentity::new(pair);
        Ok(Self { files, identity, in_use, refused: None, last_warning: None })
    }

    pub(crate) fn identity(&self) -> TlsIdentity {
        self.identity.clone()
    }

    /// Looks at other files from now on.
    pub(super) fn follow(&mut self, files: TlsFiles) {
        if self.files != files {
            self.files = files;
            self.refused = None;
        }
    }

    /// Takes what the files contain if it is another pair that can be served. `asked` says that an
    /// operator wants to know, so that a refusal is logged again.
    pub(super) fn look(&mut self, asked: bool) {
        let now = SystemClock.now();
        match self.read_new_pair(now) {
            Ok(None) => self.refused = None,
            Ok(Some((pair, contents))) => {
                warn_about_key(&self.files, &contents);
                metrics::counter!(RELOADS, "result" => "applied").increment(1);
                tracing::info!(
                    names = pair.facts().names.join(", "),
                    ends = tls_files::end_text(&pair),
                    "new connections get the new TLS certificate"
                );
                self.identity.replace(pair);
                self.in_use = contents.digest();
                (self.refused, self.last_warning) = (None, None);
            }
            Err(error) => {
                let why = format!("{error:#}");
                if asked || self.refused.as_ref() != Some(&why) {
                    metrics::counter!(RELOADS, "result" => "refused").increment(1);
                    tracing::warn!(
                        why,
                        "the TLS files were not taken; the former certificate stays in use"
                    );
                }
                self.refused = Some(why);
            }
        }
        self.report_end(now);
    }

    /// `None` if the files are those in use.
    fn read_new_pair(&self, now: Timestamp) -> Result<Option<(TlsPair, TlsFileContents)>> {
        let contents = self.files.read()?;
        if contents.digest() == self.in_use {
            return Ok(None);
        }
        let pair = contents.pair(&self.files)?;
        if tls_files::seconds_left(&pair, now) <= 0 {
            let shown = self.files.certificate.display();
            bail!("the certificate in {shown} expired at {}", tls_files::end_text(&pair));
        }
        Ok(Some((pair, contents)))
    }

    fn report_end(&mut self, now: Timestamp) {
        let pair = self.identity.current();
        let left = tls_files::seconds_left(&pair, now);
        metrics::gauge!(SECONDS_LEFT).set(left as f64);
        let is_due = self.last_warning.is_none_or(|last| last.elapsed() >= WARNING_INTERVAL);
        if left > WARNING_DAYS * 86_400 || !is_due {
            return;
        }
        self.last_warning = Some(Instant::now());
        let ends = tls_files::end_text(&pair);
        if left <= 0 {
            tracing::error!(
                ends,
                "THE TLS CERTIFICATE HAS EXPIRED: clients refuse it. Replace its files"
            );
        } else {
            tracing::warn!(ends, "the TLS certificate ends soon: replace its files");
        }
    }
}

fn warn_about_key(files: &TlsFiles, contents: &TlsFileContents) {
    if contents.key_is_public {
        tracing::warn!(
            file = %files.key.display(),
            "every user of this machine can access the private key of the TLS certificate: chmod o= the file"
        );
    }
}
