#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("json_body"), |data: &[u8]| wayleave_fuzz::json_body(data));
