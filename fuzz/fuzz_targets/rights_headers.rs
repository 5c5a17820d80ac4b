#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("rights_headers"), |data: &[u8]| wayleave_fuzz::rights_headers(data));
