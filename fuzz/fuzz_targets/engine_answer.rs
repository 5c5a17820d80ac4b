#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("engine_answer"), |data: &[u8]| wayleave_fuzz::engine_answer(data));
