#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("verifier_key"), |data: &[u8]| wayleave_fuzz::verifier_key(data));
