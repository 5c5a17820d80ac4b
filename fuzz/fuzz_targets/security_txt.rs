#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("security_txt"), |data: &[u8]| wayleave_fuzz::security_txt(data));
