#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("page_url"), |data: &[u8]| wayleave_fuzz::page_url(data));
