#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("link_header"), |data: &[u8]| wayleave_fuzz::link_header(data));
