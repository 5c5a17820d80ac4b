//! A small real internet on loopback
