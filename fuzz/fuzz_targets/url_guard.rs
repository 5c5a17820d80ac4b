#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("url_guard"), |data: &[u8]| wayleave_fuzz::url_guard(data));
