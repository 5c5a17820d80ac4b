//! Evidence in, record out: pure rules
