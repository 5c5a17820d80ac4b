//! What the sites say: texts, the pages made of them, and machine files.

mod machine_files;
pub(crate) mod packed;
mod page;
mod texts;

pub(crate) use machine_files::{FILES, json_reply, old_shapes, skill, valid, wrong_types};
pub(crate) use page::{Extra, home, home_with, not_found, page};
pub(crate) use texts::{
    BAKERY, BOOKSHOP, CLINIC, CYCLES, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA, SCHOOL, Text,
};
