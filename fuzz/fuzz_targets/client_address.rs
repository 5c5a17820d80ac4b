#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("client_address"), |data: &[u8]| wayleave_fuzz::client_address(data));
