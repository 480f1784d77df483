//! Other programs write the same files at the same time.

use std::cell::{Cell, RefCell};
use std::fs;
use std::io::Write;

use super::*;

/// At each step somebody writes a file, in one of the ways that editors have.
#[test]
fn concurrent_writes_are_never_lost() {
    type Writes<'a> = &'a dyn Fn(&Path, &mut fs::File);
    let in_place: Writes = &|file, _| fs::write(file, "precious").expect("written");
    let by_rename: Writes = &|file, _| {
        let saved = file.with_extension("saved");
        fs::write(&saved, "precious").expect("written");
        fs::rename(&saved, file).expect("renamed");
    };
    // Writes through a handle that was opened at the beginning, wherever that file is by now.
    let late: Writes = &|_, open| {
        open.set_len(0).expect("cut");
        open.write_all(b"precious").expect("written");
    };
    for (method, victim) in METHODS
        .into_iter()
        .flat_map(|method| [0, 2].map(|victim| (method, victim)))
    {
        for (how, writes) in [
            ("in place", in_place),
            ("by rename", by_rename),
            ("late", late),
        ] {
            for step in 1.. {
                let world = World::new(3);
                let file = world.root.join(name(victim));
                let open = RefCell::new(
                    fs::OpenOptions::new()
                        .write(true)
                        .open(&file)
                        .expect("opened"),
                );
                let met = Cell::new("");
                let person = |step: &'static str| {
                    met.set(step);
                    writes(&file, &mut open.borrow_mut());
                    Ok(())
                };
                let result = world.apply(method, &at_step(step, person));
                world.recover(method, &|_| Ok(()));
                let context = format!("{how} at {} ({step}) {method:?}: {result:?}", met.get());
                let others = (0..3)
                    .filter(|at| *at != victim && world.text(*at) == after(*at))
                    .count();
                assert_eq!(others, if result.is_ok() { 2 } else { 0 }, "{context}");
                if met.get().is_empty() {
                    break;
                }
                let kept = world.scratch.path().join("data/changes/kept");
                let kept = fs::read_dir(kept).into_iter().flatten().flatten();
                let mut kept = kept.map(|entry| fs::read_to_string(entry.path()).expect("read"));
                let is_kept = how == "late" && kept.any(|text| text == "precious");
                // The bytes may be written after the last check of a file that is then removed.
                let is_too_late =
                    how == "late" && ["remove", "forget"].contains(&met.get()) && result.is_ok();
                assert!(
                    world.text(victim) == "precious" || is_kept || is_too_late,
                    "{context}"
                );
            }
        }
    }
}

#[test]
fn a_replaced_file_that_somebody_edits_before_it_is_taken_back_is_theirs() {
    for method in METHODS {
        let world = World::new(2);
        let swaps = Cell::new(0);
        let result = world.apply(method, &|step| {
            swaps.set(swaps.get() + usize::from(step == "swap"));
            if step == "swap" && swaps.get() == 2 {
                fs::write(world.root.join(name(0)), "edited").expect("written");
                return Err(io::ErrorKind::StorageFull.into());
            }
            Ok(())
        });
        let Err(ChangeError::Disturbed { copy, .. }) = result else {
            panic!("{result:?}")
        };
        assert_eq!(
            (copy.path, world.text(0), world.text(1)),
            (name(0), "edited".to_owned(), before(1))
        );
        assert_eq!(fs::read_to_string(copy.at).expect("kept"), before(0));
    }
}

/// Removes all temporary files in the root, as `git clean -fdx` does.
fn remove_temporary_files(folder: &Path) {
    for entry in fs::read_dir(folder).expect("listed").flatten() {
        if entry.path().is_dir() {
            remove_temporary_files(&entry.path());
        } else if entry.file_name().to_string_lossy().ends_with(".tmp") {
            fs::remove_file(entry.path()).expect("removed");
        }
    }
}

#[test]
fn a_change_whose_staged_files_are_removed_is_made_in_all_files_or_in_none() {
    for method in METHODS {
        for step in 1.. {
            let world = World::new(3);
            let met = Cell::new("");
            let clean = |step: &'static str| {
                met.set(step);
                remove_temporary_files(&world.root);
                Ok(())
            };
            let result = world.apply(method, &at_step(step, clean));
            // At this step of `Aside` the old content has only a temporary name.
            if met.get() == "put" {
                continue;
            }
            let expected = if result.is_ok() { 3 } else { 0 };
            let context = format!("{} ({step}) {method:?}: {result:?}", met.get());
            assert_eq!(world.changed(), expected, "{context}");
            world.recover(method, &|_| Ok(()));
            assert!(world.is_tidy(), "{context}");
            if met.get().is_empty() {
                break;
            }
        }
    }
}

#[test]
fn after_a_crash_edits_of_the_old_text_stop_the_change_and_those_of_the_new_do_not() {
    quietly(|| {
        for method in METHODS {
            'steps: for step in 1.. {
                for victim in 0..3 {
                    let world = World::new(3);
                    let is_killed =
                        killed_at(step, |before_step| drop(world.apply(method, before_step)));
                    if !is_killed {
                        break 'steps;
                    }
                    let file = world.root.join(name(victim));
                    let Ok(text) = fs::read_to_string(&file) else {
                        continue;
                    };
                    let was_new = text == after(victim);
                    fs::write(&file, format!("{text} and more")).expect("written");
                    world.recover(method, &|_| Ok(()));
                    assert_eq!(
                        world.text(victim),
                        format!("{text} and more"),
                        "theirs stays"
                    );
                    let others = (0..3)
                        .filter(|at| *at != victim && world.text(*at) == after(*at))
                        .count();
                    assert_eq!(
                        others,
                        if was_new { 2 } else { 0 },
                        "killed at {step}, {victim} edited"
                    );
                }
            }
        }
    });
}

#[test]
fn concurrent_writes_to_a_moving_file_are_never_lost() {
    for (method, target) in METHODS
        .into_iter()
        .flat_map(|method| [name(0), MOVED.to_owned()].map(|target| (method, target)))
    {
        for first in [First::Moves, First::OnlyMoves] {
            for step in 1.. {
                let world = World::shaped((2, first));
                let met = Cell::new("");
                let result = world.apply(
                    method,
                    &at_step(step, |step| {
                        met.set(step);
                        fs::write(world.root.join(&target), "precious").expect("written");
                        Ok(())
                    }),
                );
                world.recover(method, &|_| Ok(()));
                let context = format!(
                    "{target} at {} ({step}) {method:?} {first:?}: {result:?}",
                    met.get()
                );
                let is_changed = world.text(1) == after(1);
                assert_eq!(is_changed, result.is_ok(), "{context}");
                if met.get().is_empty() {
                    break;
                }
                let kept = fs::read_dir(world.scratch.path().join("data/changes/kept"))
                    .into_iter()
                    .flatten()
                    .flatten();
                let here = [name(0), MOVED.to_owned()].map(|name| world.root.join(name));
                let mut texts = here
                    .into_iter()
                    .chain(kept.map(|entry| entry.path()))
                    .map(fs::read_to_string);
                assert!(
                    texts.any(|text| text.is_ok_and(|text| text == "precious")),
                    "{context}"
                );
            }
        }
    }
}
