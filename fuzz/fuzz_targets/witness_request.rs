#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("witness_request"), |data: &[u8]| wayleave_fuzz::witness_request(data));
