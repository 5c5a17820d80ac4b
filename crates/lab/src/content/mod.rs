//! What the sites serve: texts, the pages made of them, and machine files.

pub(crate) mod compressed;
mod machine_files;
mod page;
mod texts;

pub(crate) use machine_files::{
    MACHINE_FILE_PATHS, agent_card, json_reply, old_draft_file, skill, valid_file, wrong_type_file,
};
pub(crate) use page::{PageExtras, home, home_with, not_found, page};
pub(crate) use texts::{
    BAKERY, BOOKSHOP, BusinessText, CLINIC, CYCLES, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA, SCHOOL,
};
