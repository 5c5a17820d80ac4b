#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("written_facts"), |data: &[u8]| wayleave_fuzz::written_facts(data));
