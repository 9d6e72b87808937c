#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| windlull_fuzz::packetdrill(octets));
