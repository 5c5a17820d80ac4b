#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("domain"), |data: &[u8]| wayleave_fuzz::domain(data));
