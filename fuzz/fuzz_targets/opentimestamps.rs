#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("opentimestamps"), |data: &[u8]| wayleave_fuzz::opentimestamps(data));
