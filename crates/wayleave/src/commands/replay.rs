//! `wayleave replay`: judge kept evidence again.

use anyhow::{Context, Result};
use service::replay::{Conclusion, Judged, Replay, Row, replay};
use store_sqlite::{SqliteOptions, SqliteStore};

use super::in_force;
use crate::config::ConfigArgs;
use crate::output::{Tone, harmless, toned};
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Reads the store in store.data_dir, private scans included; a server that runs on it has to be \
                  stopped first.\n\n\
                  Exit codes: 0 the same bytes, or other rules judge today (1 with --strict); 1 the same rules \
                  and other bytes; 2 not judged, because the scan or its bodies are not kept."
)]
pub(crate) struct Args {
    /// Id of a kept scan, as it stands in its report's address
    id: String,
    /// Exit with 1 when other rules judge today
    #[arg(long)]
    strict: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let config = in_force(&args.config)?;
    let catalogue = wiring::catalogue(&config)?;
    let folder = config.data_dir();
    // Opening would make a store; there is nothing to replay in a new one.
    if !folder.is_dir() {
        anyhow::bail!("there is no store in {}", folder.display());
    }
    let store = SqliteStore::open(&folder, SqliteOptions::default())
        .with_context(|| format!("the store in {} cannot be opened", folder.display()))?;
    let replay = wiring::runtime()?.block_on(replay(&store, &catalogue, &args.id))?;
    if args.json {
        output::json(&replay)?;
    } else {
        show(&replay);
    }
    Ok(match replay.conclusion {
        Conclusion::Same => exit::GOOD,
        Conclusion::RulesChanged if !args.strict => exit::GOOD,
        Conclusion::RulesChanged | Conclusion::Different => exit::BAD,
        Conclusion::BodiesGone => exit::FAILED,
    })
}

fn show(replay: &Replay) {
    let (tone, word) = match replay.conclusion {
        Conclusion::Same => (Tone::Good, "same"),
        Conclusion::RulesChanged => (Tone::Doubt, "rules changed"),
        Conclusion::Different => (Tone::Bad, "different"),
        Conclusion::BodiesGone => (Tone::Doubt, "bodies gone"),
    };
    output::line(&format!(
        "{}: {} ({})",
        harmless(&replay.id),
        toned(tone, word),
        harmless(&replay.domain)
    ));
    output::line(&format!("  kept  {}", judged(&replay.kept)));
    if let Some(now) = &replay.now {
        output::line(&format!("  now   {}", judged(now)));
    }
    if !replay.bodies_gone.is_empty() {
        output::line(
            "  It cannot be judged again without these bodies, which are not kept any more:",
        );
    }
    for digest in &replay.bodies_gone {
        output::line(&format!("    sha256 {digest}"));
    }
    for row in &replay.ledger {
        let (kept, now) = (outcome(row.kept.as_ref()), outcome(row.now.as_ref()));
        output::line(&format!("  rule {}: {kept}, now {now}", harmless(&row.rule)));
    }
    for pointer in &replay.differs_at {
        output::line(&format!("  differs at {}", harmless(pointer)));
    }
    if replay.differs_elsewhere > 0 {
        output::line(&format!("  and at {} further places", replay.differs_elsewhere));
    }
}

fn judged(judged: &Judged) -> String {
    let grade = judged.grade.as_deref().map_or("no grade".to_owned(), harmless);
    let overall = judged.overall.map(|points| format!(" ({points} of 100)")).unwrap_or_default();
    format!("{grade}{overall}, rules {}, sha256 {}", judged.score_version, judged.sha256)
}

fn outcome(row: Option<&Row>) -> String {
    let Some(row) = row else { return "no such rule".to_owned() };
    match (row.points, row.of) {
        (Some(points), Some(of)) => format!("{} ({points} of {of})", harmless(&row.state)),
        _ => harmless(&row.state),
    }
}
