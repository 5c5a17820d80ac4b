#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("declared_date"), |data: &[u8]| wayleave_fuzz::declared_date(data));
