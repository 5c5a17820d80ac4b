#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("resolv_conf"), |data: &[u8]| wayleave_fuzz::resolv_conf(data));
