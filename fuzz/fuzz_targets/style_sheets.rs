#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("style_sheets"), |data: &[u8]| wayleave_fuzz::style_sheets(data));
