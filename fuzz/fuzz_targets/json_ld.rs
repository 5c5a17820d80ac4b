#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("json_ld"), |data: &[u8]| wayleave_fuzz::json_ld(data));
