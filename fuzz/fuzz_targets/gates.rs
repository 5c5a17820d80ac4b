#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("gates"), |data: &[u8]| wayleave_fuzz::gates(data));
