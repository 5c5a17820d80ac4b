#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("http_signatures"), |data: &[u8]| wayleave_fuzz::http_signatures(data));
