//! The content clock: repeated checks of a page that show when it changes.
//!
//! `section` has the section of a resolve answer, `page_check` compares one check with the version
//! before, `answer` is the answer of `/api/v1/content-clock`.

mod answer;
mod declared_dates;
mod page_check;
mod section;
mod sitemap_date;

pub use answer::{PageClock, answer};
pub use declared_dates::parse_declared_date;
pub use page_check::{PageSnapshot, PreviousVersion, detect_change, read_snapshot};
pub use section::{ClockSummary, clock_section, clock_url};
pub use sitemap_date::sitemap_date;

#[cfg(test)]
mod tests;
