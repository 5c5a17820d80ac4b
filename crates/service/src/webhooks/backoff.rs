//! When a delivery that failed is tried again.

use contract::Timestamp;

const SECOND_MS: i64 = 1_000;
const MINUTE_MS: i64 = 60 * SECOND_MS;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// The pause after each failed try. A receiver that restarts gets its events soon; one that is down for a
/// day loses none.
const PAUSES_MS: [i64; 11] = [
    10 * SECOND_MS,
    MINUTE_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    HOUR_MS,
    2 * HOUR_MS,
    4 * HOUR_MS,
    4 * HOUR_MS,
    4 * HOUR_MS,
    4 * HOUR_MS,
    4 * HOUR_MS,
];

/// Tries of one delivery, the first one included.
pub const MAX_TRIES: u32 = PAUSES_MS.len() as u32 + 1;

/// When a delivery is tried again after `tries` failed tries; `None` if it is given up. `chance` lengthens
/// the pause by up to a tenth, so that receivers that failed together are not asked together.
pub(super) fn next_try_at(tries: u32, now: Timestamp, chance: u8) -> Option<Timestamp> {
    let index = usize::try_from(tries.saturating_sub(1)).ok()?;
    let pause = *PAUSES_MS.get(index)?;
    let jitter = pause / 10 * i64::from(chance) / i64::from(u8::MAX);
    Some(now.plus_millis(pause + jitter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pause(tries: u32, chance: u8) -> Option<i64> {
        let now = Timestamp::from_millis(1_000);
        next_try_at(tries, now, chance).map(|at| at.as_millis() - now.as_millis())
    }

    #[test]
    fn the_pauses_grow_and_end_after_a_day() {
        assert_eq!(pause(1, 0), Some(10_000));
        assert_eq!(pause(2, 0), Some(60_000));
        let all: Vec<i64> = (1..MAX_TRIES).map(|tries| pause(tries, 0).unwrap()).collect();
        assert!(all.is_sorted());
        let day = 24 * HOUR_MS;
        let shortest: i64 = all.iter().sum();
        let longest: i64 = (1..MAX_TRIES).map(|tries| pause(tries, u8::MAX).unwrap()).sum();
        assert!((day * 9 / 10..=day * 11 / 10).contains(&shortest), "{shortest}");
        assert!((day * 9 / 10..=day * 11 / 10).contains(&longest), "{longest}");
        assert_eq!(pause(MAX_TRIES, 0), None);
        assert_eq!(pause(u32::MAX, 0), None);
        assert_eq!(pause(0, 0), Some(10_000), "a delivery that was never counted");
    }

    #[test]
    fn chance_lengthens_a_pause_by_at_most_a_tenth() {
        assert_eq!(pause(2, u8::MAX), Some(66_000));
        let half = pause(2, 128).unwrap();
        assert!((62_000..64_000).contains(&half), "{half}");
    }
}
