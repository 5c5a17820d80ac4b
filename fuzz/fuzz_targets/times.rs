#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("times"), |data: &[u8]| wayleave_fuzz::times(data));
