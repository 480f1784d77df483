//! Notes the compiler, and has relocations packed where the C library can load them so.

#![expect(
    clippy::disallowed_methods,
    reason = "cargo speaks to a build script by variables"
)]

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");

    println!("cargo::rustc-env=CLAUDEVIL_COMPILER={}", compiler());
    if loads_packed_relocations() {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Returns whether the C library here loads relocations in their packed form, a sixteenth of 8 MB. Those of 2022 and
/// later do. A build for another machine leaves them as they are, and so does one with a linker of its own: cargo-zigbuild
/// links for older libraries than the one here.
fn loads_packed_relocations() -> bool {
    let is_here =
        env::var("TARGET").ok() == env::var("HOST").ok() && env::var_os("RUSTC_LINKER").is_none();
    let is_gnu = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux")
        && env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "gnu");
    if !is_here || !is_gnu {
        return false;
    }
    // It answers `glibc 2.36`.
    let Ok(asked) = std::process::Command::new("getconf")
        .arg("GNU_LIBC_VERSION")
        .output()
    else {
        return false;
    };
    let answer = String::from_utf8_lossy(&asked.stdout);
    let version = answer
        .trim()
        .rsplit(' ')
        .next()
        .and_then(|version| version.split_once('.'));
    version.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)))
        >= Some((2_u32, 36_u32))
}

/// The compiler's name and version, for the status.
fn compiler() -> String {
    let rustc = env::var_os("RUSTC").expect("cargo sets RUSTC");
    let version = std::process::Command::new(rustc)
        .arg("--version")
        .output()
        .expect("the compiler runs");
    String::from_utf8_lossy(&version.stdout).trim().to_owned()
}
