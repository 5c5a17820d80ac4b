#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("user_agents"), |data: &[u8]| wayleave_fuzz::user_agents(data));
