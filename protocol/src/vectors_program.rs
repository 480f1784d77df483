//! Locations of `claudevil-vectors`, which is a package of its own: package managers put it beside the daemon, except npm.

use std::path::{Path, PathBuf};

pub const NAME: &str = "claudevil-vectors";

/// Returns the paths where the program may be, by the folder of the daemon: beside it, or in the packages of npm.
pub fn candidates(folder: &Path) -> Vec<PathBuf> {
    let name = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
    let packages = npm_packages(folder).map(|package| package.join("bin").join(&name));
    [folder.join(&name)].into_iter().chain(packages).collect()
}

/// Returns the folders where npm, or a package manager with its layout, may have put the package for this platform, by
/// the folder of our own: `…/node_modules/@claudevil/linux-x64/bin`. An update renames the inner folders of a daemon
/// that goes on running, so only the outer ones are relied on.
fn npm_packages(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let modules = folder.ancestors().filter_map(|above| {
        match above.file_name()?.to_str()? {
            "node_modules" => Some(above.to_owned()),
            // `global/5/.pnpm/…` has its packages linked from `global/5/node_modules`.
            ".pnpm" => Some(above.with_file_name("node_modules")),
            _ => None,
        }
    });
    modules.flat_map(|modules| {
        let package = modules.join(NAME);
        // The second is beside the target of `package`, if that is a link.
        [modules, package.join(".."), package.join("node_modules")]
            .map(|modules| modules.join(format!("@claudevil/vectors-{}", npm_platform())))
    })
}

/// Returns the name of this platform among npm's packages: `linux-x64`.
fn npm_platform() -> String {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{system}-{processor}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn npm_keeps_vectors_beside_ours_or_inside_their_own_package() {
        let platform = npm_platform();
        let own = format!("/usr/lib/node_modules/claudevil/node_modules/@claudevil/{platform}/bin");
        let found: Vec<_> = npm_packages(own.as_ref()).collect();
        for expected in [
            "/usr/lib/node_modules/claudevil/node_modules/@claudevil/vectors-",
            "/usr/lib/node_modules/claudevil-vectors/node_modules/@claudevil/vectors-",
        ] {
            let expected = format!("{expected}{platform}");
            assert!(
                found.contains(&expected.clone().into()),
                "{expected}: {found:?}"
            );
        }
        let renamed = "/usr/lib/node_modules/.claudevil-Xy/node_modules/@claudevil/.gone-Zz/bin";
        let inside = "/usr/lib/node_modules/claudevil-vectors/node_modules/@claudevil/vectors-";
        let inside = format!("{inside}{platform}");
        assert!(npm_packages(renamed.as_ref()).any(|package| package == Path::new(&inside)));
    }

    #[cfg(unix)]
    #[test]
    fn pnpm_links_packages_out_of_its_store() {
        let scratch = tempfile::tempdir().expect("a folder");
        let platform = npm_platform();
        let store = scratch.path().join(".pnpm");
        let own = store.join(format!(
            "@claudevil+{platform}@1/node_modules/@claudevil/{platform}/bin"
        ));
        let package = store.join("claudevil-vectors@1/node_modules");
        let program = package.join(format!("@claudevil/vectors-{platform}/bin/{NAME}"));
        let modules = scratch.path().join("node_modules");
        for folder in [
            &own,
            &modules,
            &package.join(NAME),
            program.parent().expect("a folder"),
        ] {
            std::fs::create_dir_all(folder).expect("made");
        }
        std::fs::write(&program, "").expect("written");
        assert!(!candidates(&own).iter().any(|path| path.is_file()));
        std::os::unix::fs::symlink(package.join(NAME), modules.join(NAME)).expect("linked");
        assert!(candidates(&own).iter().any(|path| path.is_file()));
    }

    #[test]
    fn the_program_beside_the_daemon_comes_first() {
        let name = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
        let found = candidates(Path::new("/opt/claudevil/bin"));
        assert_eq!(found, [Path::new("/opt/claudevil/bin").join(name)]);
    }
}
