//! Request bodies: bounded in size and time, and parsed strictly.

mod bounded_body;
mod json_tree;
mod json_tree_deserializer;
mod strict_json;

pub use strict_json::StrictJson;

pub(crate) use bounded_body::{read_body, read_body_within};
pub(crate) use strict_json::{parse_strict_json, parse_strict_json_here};
