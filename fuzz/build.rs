//! Says whether this is compiled for a few seconds of tests: then one combination of scalar and dimension must do.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(one_space)");
    let is_set = |name: &str| std::env::var_os(name).is_some();
    let is_debug = std::env::var("PROFILE").is_ok_and(|profile| profile == "debug");
    if is_debug && !is_set("CARGO_FEATURE_ALL_SPACES") {
        println!("cargo::rustc-cfg=one_space");
    }
}
