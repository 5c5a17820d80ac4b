//! Canonical JSON, digests, keys, signatures, trees, and checking all of them
