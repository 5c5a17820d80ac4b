#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("wall_table"), |data: &[u8]| wayleave_fuzz::wall_table(data));
