//! Reading plans that turn a domain into Evidence
