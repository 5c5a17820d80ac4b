//! What can be kept: small traits, value types, and the suite every engine must pass
