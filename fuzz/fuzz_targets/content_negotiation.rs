#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("content_negotiation"), |data: &[u8]| wayleave_fuzz::content_negotiation(data));
