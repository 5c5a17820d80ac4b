//! Mail through the operator's own mail server (SMTP).
//!
//! The server is the operator's choice, as in [`crate::operator`], so there is no address guard. Time and
//! the size of answers are bounded, and certificates must be valid. Nothing that the server writes is
//! passed on, because servers repeat the recipient in their answers.

mod error;
mod mailer;
mod settings;
mod starttls;
mod stream;

pub use error::MailError;
pub use mailer::{Mailer, OutgoingMail};
pub use settings::{MailLogin, MailSecurity, MailSettings, MailSettingsError};
