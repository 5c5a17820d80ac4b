//! Licences whose plan is not in the configuration.

use contract::Clock;
use door::SystemClock;
use store::Licence;

use super::{DoctorCheck, bad, doubt, good};
use crate::config::Config;
use crate::wiring;

const NAME: &str = "access.plans";
/// Licences that are read from the store at once.
const PAGE: usize = 256;

/// Nothing if there is no store yet.
pub(super) async fn check_plans(config: &Config) -> Option<DoctorCheck> {
    if !store_sqlite::has_database(&config.data_dir()) {
        return None;
    }
    Some(match without_plan(config).await {
        Ok((0, _)) => return None,
        Ok((active, lost)) if lost.is_empty() => {
            good(NAME, format!("{active} licences, each with a plan of the configuration"))
        }
        Ok((_, lost)) => {
            let some = lost.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
            let more = if lost.len() > 3 { ", …" } else { "" };
            let says = format!(
                "{} licences have a plan that access.plans does not have ({some}{more}); until it does, they get \
                 what the built-in plan `free` gives",
                lost.len()
            );
            doubt(NAME, says)
        }
        Err(error) => bad(NAME, format!("{error:#}")),
    })
}

/// How many licences are active, and which of them have a plan that is not configured.
async fn without_plan(config: &Config) -> anyhow::Result<(usize, Vec<String>)> {
    let (plans, admin, now) =
        (wiring::plans(config)?, wiring::open_admin(config)?, SystemClock.now());
    let (mut active, mut lost, mut after) = (0, Vec::new(), None);
    loop {
        let page = admin.licences().licences(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok((active, lost)) };
        after = Some(Licence::cursor(last));
        for licence in page.iter().filter(|licence| licence.is_active(now)) {
            active += 1;
            if plans.get(&licence.plan).is_none() {
                lost.push(format!("{}: {}", licence.id, licence.plan));
            }
        }
    }
}
