#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("page_text"), |data: &[u8]| wayleave_fuzz::page_text(data));
