#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("rights_files"), |data: &[u8]| wayleave_fuzz::rights_files(data));
