#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("cursors"), |data: &[u8]| wayleave_fuzz::cursors(data));
