//! What tests changed about the key directories of one lab.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use super::{behaviour::DirectoryBehaviour, hosts::signing_hosts};

/// By host. Tests write it through [`Lab::set_key_directory`](crate::Lab::set_key_directory),
/// connections read it; the mutex guards it and is never held across an await.
#[derive(Debug, Default)]
pub(crate) struct DirectoryState(Mutex<HashMap<&'static str, DirectoryBehaviour>>);

impl DirectoryState {
    /// False if no such host has a key directory.
    pub(crate) fn set(&self, host: &str, behaviour: DirectoryBehaviour) -> bool {
        let Some((name, _)) = signing_hosts().iter().find(|(name, _)| *name == host) else {
            return false;
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name, behaviour);
        true
    }

    /// `None` if no such host has a key directory.
    pub(super) fn get(&self, host: &str) -> Option<DirectoryBehaviour> {
        let set = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(host).copied();
        set.or_else(|| {
            signing_hosts().iter().find(|(name, _)| *name == host).map(|(_, behaviour)| *behaviour)
        })
    }
}
