//! Counts the reads of the last minute.

use std::collections::VecDeque;
use std::time::Duration;

/// Reads are counted in steps of this length. A step counts until its last read is a minute old, so
/// no minute ever holds more than the limit.
const STEP: Duration = Duration::from_secs(5);
const STEPS_PER_WINDOW: u64 = 12;

/// The reads of the last minute, by step. Times are given as time since one fixed start.
#[derive(Debug, Default)]
pub(super) struct ReadWindow {
    /// Step number and reads, oldest first; at most thirteen.
    steps: VecDeque<(u64, u32)>,
    total: u32,
}

impl ReadWindow {
    /// Counts `reads`, or returns when there will be room for them. `limit` 0 means no limit.
    pub(super) fn find_wait(&mut self, reads: u32, limit: u32, now: Duration) -> Option<Duration> {
        self.forget_before(step_number(now).saturating_sub(STEPS_PER_WINDOW));
        if limit == 0 || self.total.saturating_add(reads) <= limit {
            return None;
        }
        let mut left = self.total;
        for (step, count) in &self.steps {
            left = left.saturating_sub(*count);
            if left.saturating_add(reads) <= limit {
                return Some(step_end(step.saturating_add(STEPS_PER_WINDOW)).saturating_sub(now));
            }
        }
        Some(STEP * (STEPS_PER_WINDOW as u32 + 1))
    }

    pub(super) fn add(&mut self, reads: u32, now: Duration) {
        let step = step_number(now);
        self.total = self.total.saturating_add(reads);
        match self.steps.back_mut() {
            Some((last, count)) if *last >= step => *count = count.saturating_add(reads),
            _ => self.steps.push_back((step, reads)),
        }
    }

    /// Removes reads that were counted at `counted_at` and did not take place.
    pub(super) fn remove(&mut self, reads: u32, counted_at: Duration) {
        let step = step_number(counted_at);
        if let Some((_, count)) = self.steps.iter_mut().rev().find(|(counted, _)| *counted <= step)
        {
            let removed = reads.min(*count);
            *count -= removed;
            self.total = self.total.saturating_sub(removed);
        }
    }

    pub(super) fn is_empty_at(&mut self, now: Duration) -> bool {
        self.forget_before(step_number(now).saturating_sub(STEPS_PER_WINDOW));
        self.total == 0
    }

    fn forget_before(&mut self, oldest: u64) {
        while let Some((_, count)) = self.steps.pop_front_if(|(step, _)| *step < oldest) {
            self.total = self.total.saturating_sub(count);
        }
    }
}

fn step_number(at: Duration) -> u64 {
    at.as_secs() / STEP.as_secs()
}

/// When this step has ended.
fn step_end(step: u64) -> Duration {
    Duration::from_secs(step.saturating_add(1).saturating_mul(STEP.as_secs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_minute_holds_the_limit_and_the_wait_is_long_enough() {
        let mut window = ReadWindow::default();
        for second in 0..10 {
            assert_eq!(window.find_wait(1, 10, at(second)), None);
            window.add(1, at(second));
        }
        let wait = window.find_wait(1, 10, at(9)).unwrap();
        // The oldest step has the reads of the first five seconds.
        assert_eq!(wait, at(65 - 9));
        assert!(window.find_wait(1, 10, at(59)).is_some());
        assert_eq!(window.find_wait(5, 10, at(9) + wait), None);
        assert!(window.find_wait(6, 10, at(9) + wait).is_some());
        assert!(window.is_empty_at(at(75)));
    }

    #[test]
    fn no_minute_ever_holds_more_than_the_limit() {
        let mut window = ReadWindow::default();
        let mut accepted: Vec<u64> = Vec::new();
        for tenth in 0..6_000u64 {
            let now = Duration::from_millis(tenth * 100);
            if window.find_wait(1, 20, now).is_none() {
                window.add(1, now);
                accepted.push(tenth);
            }
        }
        assert!(accepted.len() > 100);
        for pair in accepted.windows(21) {
            assert!(pair[20] - pair[0] >= 600, "{pair:?}");
        }
    }

    #[test]
    fn removed_reads_make_room_and_zero_means_no_limit() {
        let mut window = ReadWindow::default();
        window.add(100, at(1));
        assert!(window.find_wait(1, 100, at(20)).is_some());
        window.remove(60, at(1));
        assert_eq!(window.find_wait(60, 100, at(20)), None);
        assert!(window.find_wait(61, 100, at(20)).is_some());
        window.remove(1_000, at(1));
        assert!(window.is_empty_at(at(20)));
        window.add(u32::MAX, at(20));
        window.add(u32::MAX, at(20));
        assert_eq!(window.find_wait(u32::MAX, 0, at(20)), None);
        assert!(window.find_wait(1, u32::MAX, at(20)).is_none());
    }
}
