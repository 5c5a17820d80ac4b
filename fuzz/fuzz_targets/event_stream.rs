#![no_main]

libfuzzer_sys::fuzz_target!(init: wayleave_fuzz::write_seeds("event_stream"), |data: &[u8]| wayleave_fuzz::event_stream(data));
