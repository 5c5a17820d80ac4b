//! Why a catalogue of known agents is refused.

/// Names the agent or feed and the member that is wrong.
#[derive(Debug, thiserror::Error)]
pub enum KnownAgentsError {
    #[error("the catalogue of known agents has {bytes} bytes; at most {limit} are allowed")]
    FileTooLarge { bytes: usize, limit: usize },
    #[error("the catalogue of known agents cannot be read: {0}")]
    InvalidJson(#[from] serde_json::Error),
    #[error("the catalogue of known agents has {count} {what}; at most {limit} are allowed")]
    TooMany { what: &'static str, count: usize, limit: usize },
    #[error("known agent {agent}: {field}: {fault}")]
    Agent { agent: String, field: &'static str, fault: String },
    #[error("feed {feed}: {field}: {fault}")]
    Feed { feed: String, field: &'static str, fault: String },
    #[error("the catalogue of known agents has no feed {0}")]
    UnknownFeed(String),
}
