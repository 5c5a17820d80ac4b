#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("machine_files"), |data: &[u8]| wayleave_fuzz::machine_files(data));
