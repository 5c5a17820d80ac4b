//! Builds a `serde_json::Value` and finds duplicate members.

use serde_json::{Map, Number, Value};

use super::builder::{Builder, DuplicateMember, PathStep};
use super::limits::OnDuplicate;
use super::pointer::Pointer;

pub(super) struct ValueBuilder {
    on_duplicate: OnDuplicate,
    /// The path to the value being read. Not kept up to date when no duplicate can be listed (any more).
    path: Pointer,
    duplicates: Vec<Pointer>,
}

impl ValueBuilder {
    pub(super) fn new(on_duplicate: OnDuplicate) -> Self {
        Self { on_duplicate, path: Pointer::default(), duplicates: Vec::new() }
    }

    pub(super) fn into_duplicates(self) -> Vec<Pointer> {
        self.duplicates
    }

    fn lists_more(&self) -> bool {
        match self.on_duplicate {
            OnDuplicate::Reject => false,
            OnDuplicate::KeepLast { report_at_most } => self.duplicates.len() < report_at_most,
        }
    }
}

impl Builder for ValueBuilder {
    type Value = Value;
    type Members = Map<String, Value>;

    fn null(&mut self) -> Value {
        Value::Null
    }

    fn boolean(&mut self, value: bool) -> Value {
        Value::Bool(value)
    }

    fn number(&mut self, value: Number) -> Value {
        Value::Number(value)
    }

    fn text(&mut self, value: String) -> Value {
        Value::String(value)
    }

    fn array(&mut self, items: Vec<Value>) -> Value {
        Value::Array(items)
    }

    fn object(&mut self, members: Map<String, Value>) -> Value {
        Value::Object(members)
    }

    fn add_member(
        &mut self,
        members: &mut Map<String, Value>,
        name: String,
        value: Value,
    ) -> Result<(), DuplicateMember> {
        if members.insert(name, value).is_none() {
            return Ok(());
        }
        if self.on_duplicate == OnDuplicate::Reject {
            return Err(DuplicateMember);
        }
        if self.lists_more() {
            self.duplicates.push(self.path.clone());
        }
        Ok(())
    }

    fn enter(&mut self, step: PathStep<'_>) -> usize {
        let length = self.path.as_str().len();
        if self.lists_more() {
            self.path.push(step);
        }
        length
    }

    fn leave(&mut self, length: usize) {
        self.path.truncate(length);
    }
}
