//! The result of a verification: a list of named checks and the conclusion drawn from them.

use std::fmt;

use serde::{Serialize, Serializer};

/// The result of verifying one document. [`Verdict::conclusion`] sums it up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    pub kind: Option<String>,
    /// As the document states it.
    pub sha256: Option<String>,
    pub kid: Option<String>,
    pub checks: Vec<Check>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    pub name: String,
    pub ok: CheckOutcome,
    pub detail: String,
}

/// On the wire `true`, `false` or `"not checked"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckOutcome {
    Passed,
    Failed,
    NotChecked,
}

/// Rely on a document only if it is `Accepted`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// Every check passed.
    Accepted,
    /// No check failed, but at least one could not be made.
    Incomplete,
    /// At least one check failed.
    Refused,
}

impl Verdict {
    #[must_use]
    pub fn conclusion(&self) -> Conclusion {
        let any = |outcome| self.checks.iter().any(|check| check.ok == outcome);
        if any(CheckOutcome::Failed) {
            Conclusion::Refused
        } else if any(CheckOutcome::NotChecked) {
            Conclusion::Incomplete
        } else {
            Conclusion::Accepted
        }
    }

    #[must_use]
    pub fn accepted(&self) -> bool {
        self.conclusion() == Conclusion::Accepted
    }

    /// The check with this name, if it was made.
    #[must_use]
    pub fn check(&self, name: &str) -> Option<&Check> {
        self.checks.iter().find(|check| check.name == name)
    }
}

impl Serialize for CheckOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Passed => serializer.serialize_bool(true),
            Self::Failed => serializer.serialize_bool(false),
            Self::NotChecked => serializer.serialize_str("not checked"),
        }
    }
}

impl fmt::Display for CheckOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Passed => "ok",
            Self::Failed => "failed",
            Self::NotChecked => "not checked",
        })
    }
}
