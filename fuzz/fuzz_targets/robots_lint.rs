#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("robots_lint"), |data: &[u8]| wayleave_fuzz::robots_lint(data));
