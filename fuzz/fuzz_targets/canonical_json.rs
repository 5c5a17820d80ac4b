#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("canonical_json"), |data: &[u8]| wayleave_fuzz::canonical_json(data));
