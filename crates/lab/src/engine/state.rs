//! What was asked of the engine of one lab, and what was changed about it.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use super::behaviour::EngineBehaviour;

/// One request as the engine received it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineRequest {
    pub path: String,
    /// The value of the header field `authorization`; empty if there was none.
    pub authorization: String,
    /// Empty if the body names none.
    pub model: String,
    pub body: String,
}

const MAX_REQUESTS: usize = 10_000;
/// More models than anybody sets.
const MAX_MODELS: usize = 1_000;

/// Tests and the control channel write the behaviours, connections the rest; the mutexes are never held
/// across an await.
#[derive(Debug, Default)]
pub(crate) struct EngineState {
    behaviours: Mutex<BTreeMap<String, EngineBehaviour>>,
    requests: Mutex<VecDeque<EngineRequest>>,
    sent_bytes: AtomicU64,
}

impl EngineState {
    /// False if there are too many models already.
    pub(crate) fn set(&self, model: &str, behaviour: EngineBehaviour) -> bool {
        let mut behaviours = self.behaviours.lock().unwrap_or_else(PoisonError::into_inner);
        if behaviours.len() >= MAX_MODELS && !behaviours.contains_key(model) {
            return false;
        }
        behaviours.insert(model.to_owned(), behaviour);
        true
    }

    /// How a model behaves. `None` if there is no such model.
    pub(super) fn behaviour(&self, model: &str) -> Option<EngineBehaviour> {
        let behaviours = self.behaviours.lock().unwrap_or_else(PoisonError::into_inner);
        behaviours.get(model).copied().or_else(|| EngineBehaviour::from_word(model))
    }

    /// Every model with its behaviour.
    pub(crate) fn models(&self) -> BTreeMap<String, EngineBehaviour> {
        let known = EngineBehaviour::ALL.map(|one| (one.as_str().to_owned(), one));
        let mut models = BTreeMap::from(known);
        let behaviours = self.behaviours.lock().unwrap_or_else(PoisonError::into_inner);
        models.extend(behaviours.iter().map(|(model, one)| (model.clone(), *one)));
        models
    }

    pub(super) fn record(&self, request: EngineRequest) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        if requests.len() == MAX_REQUESTS {
            requests.pop_front();
        }
        requests.push_back(request);
    }

    pub(crate) fn requests(&self) -> Vec<EngineRequest> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    pub(super) fn count_sent(&self, bytes: usize) {
        self.sent_bytes.fetch_add(bytes as u64, Ordering::SeqCst);
    }

    pub(crate) fn sent_bytes(&self) -> u64 {
        self.sent_bytes.load(Ordering::SeqCst)
    }
}
