#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("dns_answer"), |data: &[u8]| wayleave_fuzz::dns_answer(data));
