#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("robots"), |data: &[u8]| wayleave_fuzz::robots(data));
