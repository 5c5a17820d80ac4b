#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("content_coding"), |data: &[u8]| wayleave_fuzz::content_coding(data));
