#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("known_agents"), |data: &[u8]| wayleave_fuzz::known_agents(data));
