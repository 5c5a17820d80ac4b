//! What tests changed about the feeds of one lab.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use super::{
    behaviour::FeedBehaviour,
    table::{LabFeed, find},
};

/// By feed id. Tests write it through [`Lab::set_feed`](crate::Lab::set_feed), connections read it;
/// the mutex guards it and is never held across an await.
#[derive(Debug, Default)]
pub(crate) struct FeedState(Mutex<HashMap<&'static str, FeedBehaviour>>);

impl FeedState {
    /// False if there is no such feed.
    pub(crate) fn set(&self, id: &str, behaviour: FeedBehaviour) -> bool {
        let Some(feed) = find(id) else { return false };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(feed.id, behaviour);
        true
    }

    pub(super) fn get(&self, feed: &LabFeed) -> FeedBehaviour {
        let set = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        set.get(feed.id).cloned().unwrap_or_default()
    }
}
