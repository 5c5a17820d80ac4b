//! Remembers which agents a user agent names, so that counting costs next to nothing: most requests have one of a
//! few user agents.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use agents::{NamedAgents, SearchableAgents};

/// User agents that a thread remembers, each in the place that follows from its bytes.
const PLACES: usize = 32;
/// Longer ones are not remembered.
const MAX_BYTES: usize = 256;

thread_local! {
    static PLACES_OF_THREAD: RefCell<Vec<Place>> = RefCell::new(vec![Place::empty(); PLACES]);
}

#[derive(Debug, Clone)]
struct Place {
    /// Whose catalogue said so; 0 for an empty place.
    owner: u64,
    length: usize,
    bytes: [u8; MAX_BYTES],
    named: Arc<NamedAgents>,
}

impl Place {
    fn empty() -> Self {
        Self { owner: 0, length: 0, bytes: [0; MAX_BYTES], named: Arc::default() }
    }

    fn holds(&self, owner: u64, user_agent: &[u8]) -> bool {
        self.owner == owner && self.bytes.get(..self.length) == Some(user_agent)
    }

    fn keep(&mut self, owner: u64, user_agent: &[u8], named: &Arc<NamedAgents>) {
        if let Some(bytes) = self.bytes.get_mut(..user_agent.len()) {
            bytes.copy_from_slice(user_agent);
            (self.owner, self.length) = (owner, user_agent.len());
            self.named = Arc::clone(named);
        }
    }
}

/// What this catalogue says about user agents, remembered by each thread for itself.
#[derive(Debug)]
pub(super) struct RememberedUserAgents {
    owner: u64,
}

impl Default for RememberedUserAgents {
    fn default() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self { owner: LAST.fetch_add(1, Ordering::Relaxed) + 1 }
    }
}

impl RememberedUserAgents {
    /// The agents of the catalogue that a user agent names.
    pub(super) fn named_agents(
        &self,
        known: &SearchableAgents,
        user_agent: &[u8],
    ) -> Arc<NamedAgents> {
        let look = |places: &RefCell<Vec<Place>>| {
            let mut places = places.try_borrow_mut().ok()?;
            let place = places.get_mut(place_of(user_agent))?;
            if place.holds(self.owner, user_agent) {
                return Some(Arc::clone(&place.named));
            }
            let named = Arc::new(known.find(user_agent));
            place.keep(self.owner, user_agent, &named);
            Some(named)
        };
        let found = PLACES_OF_THREAD.try_with(look).ok().flatten();
        found.unwrap_or_else(|| Arc::new(known.find(user_agent)))
    }
}

/// Mixes a few bytes in which the user agents of browsers differ.
fn place_of(user_agent: &[u8]) -> usize {
    let at = |start: usize| {
        let bytes = user_agent.get(start..).and_then(|rest| rest.first_chunk::<8>());
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    };
    let length = user_agent.len();
    let mixed = at(13)
        ^ at(length / 2).rotate_left(13)
        ^ at(length.saturating_sub(24)).rotate_left(29)
        ^ at(length.saturating_sub(8)).rotate_left(43)
        ^ (length as u64).rotate_left(53);
    // The highest bits are mixed best.
    usize::try_from(mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32).unwrap_or(0) % PLACES
}

#[cfg(test)]
mod tests {
    use agents::KnownAgents;

    use super::*;

    #[test]
    fn it_says_what_the_catalogue_says_however_often_it_is_asked() {
        let known = SearchableAgents::new(KnownAgents::built_in().unwrap());
        let remembered = RememberedUserAgents::default();
        let mut all: Vec<Vec<u8>> = vec![b"".to_vec(), b"x".to_vec(), vec![b'a'; 5_000]];
        for agent in known.agents() {
            all.extend(agent.user_agents.iter().map(|text| text.clone().into_bytes()));
        }
        for version in 0..500 {
            let browser = format!("Mozilla/5.0 (X11) Chrome/{version}.0.0.0 Safari/537.36");
            all.push(browser.clone().into_bytes());
            all.push(format!("{browser} GPTBot/1.{version}").into_bytes());
        }
        for _ in 0..3 {
            for user_agent in &all {
                let text = String::from_utf8_lossy(user_agent);
                let expected = known.find(user_agent);
                assert_eq!(*remembered.named_agents(&known, user_agent), expected, "{text}");
            }
        }
    }

    #[test]
    fn one_catalogue_does_not_speak_for_another() {
        let known = KnownAgents::built_in().unwrap();
        let more = known.extended_with(
            r#"{"v": 1, "as_of": "2026-11-15", "feeds": [], "agents": [{"id": "newbot", "name": "NewBot",
                "operator": "New", "purpose": "other", "robots_tokens": ["NewBot"],
                "user_agent_tokens": ["NewBot"], "evidence": "public_lists",
                "checked_on": "2026-11-15"}]}"#,
        );
        let (known, more) = (SearchableAgents::new(known), SearchableAgents::new(more.unwrap()));
        let (one, other) = (RememberedUserAgents::default(), RememberedUserAgents::default());
        for _ in 0..2 {
            assert!(one.named_agents(&known, b"NewBot/1.0").is_empty());
            assert!(!other.named_agents(&more, b"NewBot/1.0").is_empty());
        }
    }
}
