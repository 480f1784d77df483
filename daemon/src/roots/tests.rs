//! The choice of a root by path, by name and in confined sessions.

use super::*;

fn roots(scratch: &Path) -> Roots {
    let home = scratch.join("home");
    fs::create_dir_all(home.join("engine/src")).expect("made");
    let paths = Paths::gathered(&home, &scratch.join("cv"));
    fs::create_dir_all(paths.data()).expect("made");
    Roots::new(RootStore::open(paths.data()).expect("opened"), &paths)
}

fn call(root: &Path) -> Call {
    let project = Project {
        root: root.display().to_string(),
        origin: Origin::Argument,
    };
    Call {
        id: 1,
        project: Some(project),
        progress: false,
        only_root: None,
        is_counted: true,
    }
}

#[test]
fn an_unknown_name_leads_to_the_names_that_are_like_it() {
    let scratch = tempfile::tempdir().expect("a directory");
    let roots = roots(scratch.path());
    roots
        .resolve(&call(&scratch.path().join("home/engine")))
        .expect("added");
    let candidates = |name: &str| {
        let unknown = roots.resolve(&call(Path::new(name)));
        unknown.expect_err("unknown").candidates
    };
    assert_eq!(candidates("engin"), ["engine"]);
    assert_eq!(candidates("egnine"), ["engine"]);
    assert!(candidates("shop").is_empty());
}

#[test]
fn a_confined_session_sees_one_root() {
    let scratch = tempfile::tempdir().expect("a directory");
    let roots = roots(scratch.path());
    let engine = scratch.path().join("home/engine");
    let (inner, secret) = (engine.join("src"), scratch.path().join("home/secret"));
    fs::create_dir_all(secret.join("src")).expect("made");
    fs::create_dir_all(inner.join(".git")).expect("made");
    roots.resolve(&call(&secret)).expect("added");
    roots.resolve(&call(&engine)).expect("added");
    let confined = |only: &Path, root: &Path| Call {
        only_root: Some(only.to_str().expect("UTF-8").to_owned()),
        ..call(root)
    };
    let place = |only: &Path, root: &Path| {
        let place = roots.resolve(&confined(only, root))?;
        Ok::<_, ToolError>((PathBuf::from(place.root.path), place.folder))
    };
    let real = |path: &Path| fs::canonicalize(path).expect("there");
    assert_eq!(place(&engine, &engine), Ok((real(&engine), None)));
    assert_eq!(
        place(Path::new("engine"), &engine),
        Ok((real(&engine), None))
    );
    assert_eq!(
        place(&engine, Path::new("engine")),
        Ok((real(&engine), None))
    );
    assert_eq!(
        place(&engine, &inner),
        Ok((real(&engine), Some("src".to_owned()))),
        "not a root of its own"
    );
    for other in [
        "secret",
        "nothing",
        "..",
        "/",
        secret.to_str().expect("UTF-8"),
        "/nowhere",
    ] {
        let error = place(&engine, Path::new(other)).expect_err("refused");
        let text = error.text();
        assert_eq!(error.code, ErrorCode::RootRefused, "{text}");
        assert!(
            !text.contains(secret.to_str().expect("UTF-8")) || other.contains("secret"),
            "{text}"
        );
    }
    let missing = place(Path::new("nothing"), &engine)
        .expect_err("unknown")
        .text();
    assert!(!missing.contains("secret"), "{missing}");
    let all = Call {
        project: Some(Project {
            root: "*".into(),
            origin: Origin::Argument,
        }),
        ..confined(&engine, &engine)
    };
    assert_eq!(roots.resolve_all(&all).expect("one").len(), 1);
    assert_eq!(roots.visible(&all).len(), 1);
    // A folder in a known root is a root of its own, and sees nothing of what is around it.
    assert_eq!(place(&inner, &inner), Ok((real(&inner), None)));
    assert!(place(&inner, &engine).is_err());
    let manage = |asked: &Path| {
        roots.manageable(
            &confined(&engine, &engine),
            asked.display().to_string(),
            Origin::Argument,
        )
    };
    assert!(manage(&secret).is_err() && manage(&inner).is_err());
    assert_eq!(manage(&engine).map(PathBuf::from), Ok(real(&engine)));
}

#[cfg(unix)]
#[test]
fn a_root_whose_folder_became_a_symlink_is_refused_by_name_too() {
    let scratch = tempfile::tempdir().expect("a directory");
    let roots = roots(scratch.path());
    let engine = scratch.path().join("home/engine");
    let secret = scratch.path().join("home/secret");
    fs::create_dir_all(&secret).expect("made");
    roots.resolve(&call(&engine)).expect("added");
    let by_name = call(Path::new("engine"));
    let confined = Call {
        only_root: Some("engine".to_owned()),
        ..by_name.clone()
    };
    for call in [&by_name, &confined] {
        roots.resolve(call).expect("a folder");
    }
    fs::rename(&engine, engine.with_file_name("moved")).expect("moved");
    std::os::unix::fs::symlink(&secret, &engine).expect("linked");
    for call in [&by_name, &confined] {
        let refused = roots.resolve(call).expect_err("a link");
        assert_eq!(refused.code, ErrorCode::RootNotFound, "{refused}");
    }
}

#[test]
fn a_new_folder_becomes_a_root_and_its_subfolders_are_part_of_it() {
    let scratch = tempfile::tempdir().expect("a directory");
    let roots = roots(scratch.path());
    let engine = scratch.path().join("home/engine");
    let added = roots.resolve(&call(&engine)).expect("added").root;
    assert_eq!(added.name, "engine");
    let inside = roots
        .resolve(&call(&engine.join("src")))
        .expect("enclosing");
    assert_eq!(
        (inside.root.id, inside.folder.as_deref()),
        (added.id, Some("src"))
    );
    assert_eq!(roots.store().all().len(), 1);
    let by_name = Call {
        project: Some(Project {
            root: "engine".into(),
            origin: Origin::Argument,
        }),
        ..call(&engine)
    };
    assert_eq!(roots.resolve(&by_name).expect("by name").root.id, added.id);
}

#[test]
fn the_home_directory_those_above_it_and_temporary_files_are_refused() {
    let scratch = tempfile::tempdir().expect("a directory");
    let roots = roots(scratch.path());
    let refused = [
        Path::new("/"),
        &std::env::temp_dir(),
        &scratch.path().join("home"),
        scratch.path(),
        &scratch.path().join("cv/data"),
    ];
    for path in refused {
        let error = roots.resolve(&call(path)).expect_err("refused");
        assert_eq!(error.code, ErrorCode::RootRefused, "{}", path.display());
    }
    let missing = roots
        .resolve(&call(&scratch.path().join("home/nothing")))
        .expect_err("missing");
    assert_eq!(missing.code, ErrorCode::RootNotFound);
    assert!(roots.store().all().is_empty());
}

#[test]
fn names_are_made_unique_and_kept_clean() {
    let scratch = tempfile::tempdir().expect("a directory");
    let roots = roots(scratch.path());
    for folder in ["a/engine", "b/engine", "c/en gine.rs", "d/…"] {
        let folder = scratch.path().join("home").join(folder);
        fs::create_dir_all(&folder).expect("made");
        roots.resolve(&call(&folder)).expect("added");
    }
    let names: Vec<_> = roots
        .store()
        .all()
        .iter()
        .map(|root| root.name.clone())
        .collect();
    assert_eq!(names, ["en-gine-rs", "engine", "engine-2", "root"]);
}
