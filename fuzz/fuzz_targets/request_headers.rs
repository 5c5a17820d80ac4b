#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("request_headers"), |data: &[u8]| wayleave_fuzz::request_headers(data));
