#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("key_directory"), |data: &[u8]| wayleave_fuzz::key_directory(data));
