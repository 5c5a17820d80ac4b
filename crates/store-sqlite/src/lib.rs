//! The embedded store engine
