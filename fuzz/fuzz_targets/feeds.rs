#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("feeds"), |data: &[u8]| wayleave_fuzz::feeds(data));
