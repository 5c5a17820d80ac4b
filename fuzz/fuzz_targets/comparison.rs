#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("comparison"), |data: &[u8]| wayleave_fuzz::comparison(data));
