#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("accept_signature"), |data: &[u8]| wayleave_fuzz::accept_signature(data));
