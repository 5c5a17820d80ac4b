#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("operator_files"), |data: &[u8]| wayleave_fuzz::operator_files(data));
