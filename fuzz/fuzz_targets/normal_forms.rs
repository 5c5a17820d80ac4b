#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("normal_forms"), |data: &[u8]| wayleave_fuzz::normal_forms(data));
