#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("verify_document"), |data: &[u8]| wayleave_fuzz::verify_document(data));
