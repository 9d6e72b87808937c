//! Has the linker give those who call BoringSSL's packet protection the functions of `src/protection.rs`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for function in ["EVP_AEAD_CTX_seal_scatter", "EVP_AEAD_CTX_open"] {
        println!("cargo:rustc-link-arg=-Wl,--wrap={function}");
    }
}
