#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("licence_key"), |data: &[u8]| wayleave_fuzz::licence_key(data));
