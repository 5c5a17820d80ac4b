#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("census_list"), |data: &[u8]| wayleave_fuzz::census_list(data));
