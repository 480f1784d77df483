//! Finds the code of stack frames in a project.
//!
//! The paths of a trace are those of another machine, so only their ends can be compared. A frame of other code is no
//! evidence, even if a file of the project has its name.

use super::location::NamedLocation;
use super::report::PathEnds;
use super::{RankedChunk, Ranking, chunk_at, symbol_at_line};
use crate::search::report::provenance::{Provenance, path_parts};
use crate::search::report::{Frame, Report};

/// The least share of a frame's path that counts: two common parts at its end.
const WHOLE_END: f32 = 0.5;
/// The fewest parts of a path inside of a package by which the package is known.
const LONG_PATH: usize = 4;
/// The most files and frames that come first in a report that tells more than its trace.
const MAX_FILES: usize = 2;
const MAX_FRAMES: usize = 4;

/// A frame's location in the project.
#[derive(Clone, Copy, Debug)]
pub struct FramedLocation {
    location: NamedLocation,
    /// The number of frames of the project that are further in.
    depth: usize,
}

impl Ranking<'_> {
    /// Adds the files and functions of stack frames.
    pub(super) fn add_frames(&mut self, report: &Report, paths: &PathEnds<'_>) {
        let mut depth: usize = 0;
        for frame in &report.frames {
            if frame.depth == 0 {
                depth = 0;
            }
            #[expect(clippy::cast_precision_loss, reason = "a few frames")]
            let nearness = 1.0 / (1.0 + depth as f32);
            let mut files = paths.files(&frame.path);
            files.retain(|(file, share)| *share >= WHOLE_END && self.request.allows(*file));
            let mut located: Vec<(usize, u32, f32)> = files
                .iter()
                .filter(|(file, _)| self.may_be_in(frame, *file))
                .map(|(file, share)| (*file, frame.line, share * nearness))
                .collect();
            if files.is_empty()
                && let Some((file, position)) = self.function_of_frame(frame)
            {
                let line = self.file(file).outline.symbols[position].name_line;
                located.push((file, line, nearness));
            }
            for (file, line, traced) in &located {
                self.add_file(*file);
                let evidence = self.report_evidence(*file);
                evidence.traced = evidence.traced.max(*traced);
                let location = self.add_line(*file, *line, frame.name(), *traced);
                let framed = location.map(|location| FramedLocation { location, depth });
                self.framed.extend(framed);
            }
            // Frames outside the project do not count towards the depth.
            depth += usize::from(!located.is_empty());
        }
    }

    /// Returns the locations of frames that come first. Those of a trace alone are all of them, the innermost of each trace
    /// first. A report that tells more than its trace often is about another file of it, so the files are in the order of
    /// their ranking, and only the first of them come before what the rest of the report finds.
    pub(super) fn framed_locations(&self, ranked: &[RankedChunk]) -> Vec<NamedLocation> {
        let mut framed = self.framed.clone();
        framed.sort_by_key(|one| one.depth);
        let report = self.request.report.as_ref().map(|request| request.report);
        let tells_more = report.is_some_and(|report| !report.is_trace);
        if tells_more {
            let place = |file| ranked.iter().position(|one| one.file == file);
            framed.sort_by_cached_key(|one| place(one.location.file).unwrap_or(usize::MAX));
        }
        let mut files: Vec<usize> = vec![];
        let mut first: Vec<NamedLocation> = vec![];
        for FramedLocation { location, .. } in framed {
            if !files.contains(&location.file) {
                files.push(location.file);
            }
            let is_late = tells_more && files.len() > MAX_FILES;
            if !is_late && !first.contains(&location) {
                first.push(location);
            }
        }
        if tells_more {
            first.truncate(MAX_FRAMES);
        }
        first
    }

    /// Returns whether the path, line and function of a frame may be those of a file.
    fn may_be_in(&self, frame: &Frame, file: usize) -> bool {
        let indexed = self.file(file);
        if frame.line > indexed.outline.lines.total {
            return false;
        }
        let own = path_parts(&frame.path);
        let common = own
            .rev()
            .zip(indexed.path.rsplit('/'))
            .take_while(|(own, part)| own.eq_ignore_ascii_case(part))
            .count();
        let is_defined = || {
            let mut symbols = indexed.outline.symbols.iter();
            frame
                .name()
                .map(|name| symbols.any(|own| *own.name == *name))
        };
        match Provenance::from_path(&frame.path) {
            Provenance::StandardLibrary => false,
            Provenance::Package(package) => {
                // No two projects have a long path in common, whatever the folder of this one is called.
                let is_long = common >= LONG_PATH && common == indexed.path.split('/').count();
                common >= package.parts_installed
                    || common >= package.parts_inside
                        && (is_long || self.has_package(&frame.path, file))
            }
            Provenance::Unknown if common == path_parts(&frame.path).count() => true,
            // `/app/main.py` may be any program's.
            Provenance::Unknown if common == indexed.path.split('/').count() => {
                common > 1 || is_defined() != Some(false)
            }
            Provenance::Unknown => is_defined() == Some(true),
        }
    }

    /// Returns whether an installed file is one of a package that the project has beside a file, or is itself. True for a path
    /// that is not installed.
    fn has_package(&self, path: &str, file: usize) -> bool {
        let file = &self.file(file).path;
        match Provenance::from_path(path) {
            Provenance::Unknown => true,
            Provenance::StandardLibrary => false,
            Provenance::Package(package) => {
                package.is_in(self.request.root_name)
                    || path_parts(file).any(|part| package.is_in(part))
            }
        }
    }

    /// Returns the only function that a frame without a matching file may be in, for example because the file is built:
    /// `Proxy.handle` in `build/proxy.js` for `src/proxy.ts`. It is in a container that the frame names, or in a file with the
    /// name of the frame's.
    fn function_of_frame(&self, frame: &Frame) -> Option<(usize, usize)> {
        let function = frame.function.as_deref()?;
        let parts: Vec<&str> = function
            .split(|sign: char| !sign.is_alphanumeric() && !matches!(sign, '_' | '$'))
            .filter(|part| !part.is_empty())
            .collect();
        let (name, containers) = parts.split_last()?;
        let container = containers.last().copied();
        let stem = stem(&frame.path);
        let is_meant = |(at, position): &(usize, usize)| {
            let file = self.file(*at);
            let symbol = &file.outline.symbols[*position];
            let is_contained = || file.containers(symbol).any(|own| Some(own) == container);
            *symbol.name == **name
                && symbol.kind.is_callable()
                && (is_contained() || self::stem(&file.path).eq_ignore_ascii_case(stem))
                && self.has_package(&frame.path, *at)
        };
        let all = self.snapshot.names().symbols_in_any_case(name);
        let mut meant = all
            .map(|at| (at.file as usize, at.symbol as usize))
            .filter(|(file, _)| self.request.allows(*file))
            .filter(is_meant);
        let only = meant.next()?;
        meant.next().is_none().then_some(only)
    }

    /// Adds the function of a frame, or else the symbol at the line: line numbers differ between versions. Returns its location,
    /// which is the line's if it is in no symbol.
    pub(super) fn add_line(
        &mut self,
        file: usize,
        line: u32,
        name: Option<&str>,
        share: f32,
    ) -> Option<NamedLocation> {
        let outline = &self.file(file).outline;
        let symbols = &outline.symbols;
        let named = symbols
            .iter()
            .enumerate()
            .filter(|(_, symbol)| name.is_some_and(|name| *symbol.name == *name))
            .min_by_key(|(_, symbol)| symbol.start_line.abs_diff(line))
            .map(|(position, _)| position);
        let symbol = named.or_else(|| symbol_at_line(symbols, line));
        let mut chunks = outline.chunks.iter();
        let at_line = chunks.position(|chunk| chunk.start_line <= line && line <= chunk.end_line);
        let chunk = match symbol.map(|symbol| &symbols[symbol]) {
            // Of the chunks of a long function, takes the one that contains the line, if the line is inside the function.
            Some(own) => at_line
                .filter(|_| own.start_line <= line && line <= own.end_line)
                .or_else(|| chunk_at(&outline.chunks, own.start_byte))?,
            None => at_line?,
        };
        self.add_place(file, chunk, share);
        if let Some(symbol) = symbol {
            self.candidate(file, chunk).symbol = Some((symbol, 1.0 + share));
        }
        Some(NamedLocation {
            file,
            chunk,
            symbol,
        })
    }
}

/// Returns the name of a file without its folders and extensions.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{framed, reported, snapshot};

    fn own(path: &str, symbol: &str) -> (String, Option<String>) {
        (path.to_owned(), Some(symbol.to_owned()))
    }

    #[test]
    fn the_frames_of_a_trace_come_first_innermost_first() {
        let scratch = tempfile::tempdir().expect("a directory");
        let c = "int copy_line(int x) {\n  return x;\n}\n\nint copy_word(int x) {\n  return copy_line(x);\n}\n";
        let server = "int server_loop(int x) {\n  return x;\n}\n";
        let ts = "export class Proxy {\n  fetch(x: number) {\n    return x;\n  }\n}\n";
        let other = "export class Cache {\n  fetch(x: number) {\n    return x;\n  }\n}\n";
        let files = [
            ("copy.c", c),
            ("server.c", server),
            ("src/cache.ts", other),
            ("src/proxy.ts", ts),
        ];
        let snapshot = snapshot(scratch.path(), &files);
        let gdb = "Program received signal SIGSEGV, Segmentation fault.\n\
                   #0  0x0000555 in copy_line (x=1) at copy.c:2\n\
                   #1  0x0000556 in copy_word (x=1) at copy.c:6\n\
                   #2  0x0000557 in server_loop (x=1) at server.c:2\n\
                   #3  0x0000558 in start (x=1) at libc.c:2\n";
        let expected = [
            own("copy.c", "copy_line"),
            own("copy.c", "copy_word"),
            own("server.c", "server_loop"),
        ];
        assert_eq!(framed(&snapshot, gdb), expected);
        // The source of a built file is found by the qualified function.
        let built = "TypeError: x is undefined here\n    at Proxy.fetch (/app/build/proxy.js:12:5)\n    \
                     at Other.fetch (/app/node_modules/other/build/index.js:3:1)\n    at start (node:internal/main:3:1)";
        assert_eq!(framed(&snapshot, built), [own("src/proxy.ts", "fetch")]);
        // Prose beside the trace does not hide it.
        let told =
            format!("Crash on copy\n\nOpen a window.\n\nCopy.\n\nIt fails.\n\nAlways.\n\n{gdb}");
        assert_eq!(framed(&snapshot, &told), expected);
        // Of many frames, those of the first files come before what the prose finds.
        let more =
            told.replace("server.c", "src/cache.ts") + "#4  0x0 in fetch (x=1) at src/proxy.ts:3\n";
        let files: Vec<String> = framed(&snapshot, &more)
            .into_iter()
            .map(|(path, _)| path)
            .collect();
        assert!(
            files.len() <= 4 && !files.contains(&"src/proxy.ts".to_owned()),
            "{files:?}"
        );
    }

    const UTILS: &str = "exports.compile = function compile(x) {\n  return x;\n};\n";
    const SITE: &str = "package page\n\nfunc NewSite() int {\n\treturn 1\n}\n";

    #[test]
    fn frames_of_other_code_are_not_those_of_files_with_such_names() {
        let scratch = tempfile::tempdir().expect("a directory");
        let files = [
            ("lib/utils.js", UTILS),
            ("resources/page/site.go", SITE),
            (
                "lib/app/logger.rb",
                "class Logger\n  def add(x)\n    x\n  end\nend\n",
            ),
            (
                "lib/app/config/loader.rb",
                "class Loader\n  def load(x)\n    x\n  end\nend\n",
            ),
            ("lib/app.rb", "class App\n  def run\n  end\nend\n"),
        ];
        let snapshot = snapshot(scratch.path(), &files);
        for foreign in [
            "    at compile (/srv/x/node_modules/send/lib/utils.js:2:3)",
            "    at /srv/x/node_modules/send/lib/utils.js:2:3",
            "/usr/local/lib/ruby/3.3.0/gems/logger-1.6/lib/logger.rb:3:in `add'",
            "/usr/lib/ruby/3.3.0/lib/app.rb:2:in `run'",
            "/home/me/foo/page/site.go:4",
            // The file has fewer lines.
            "    at compile (/srv/x/lib/utils.js:900:3)",
        ] {
            let report = format!("TypeError: x is undefined here\n{foreign}\n");
            let found: Vec<_> = framed(&snapshot, &report);
            assert_eq!(found, [], "{foreign}");
        }
        for ours in [
            "    at compile (/srv/x/lib/utils.js:2:3)",
            "    at compile (lib/utils.js:2:3)",
            // The project itself is installed.
            "    at compile (/srv/x/node_modules/tree/lib/utils.js:2:3)",
        ] {
            let report = format!("TypeError: x is undefined here\n{ours}\n");
            let expected = [own("lib/utils.js", "compile")];
            assert_eq!(framed(&snapshot, &report), expected, "{ours}");
        }
        // The folder of the project has another name than its package.
        let gem = "ArgumentError: no such unit here\n/opt/gems/app-1.6/lib/app/config/loader.rb:3:in `load'\n";
        assert_eq!(
            framed(&snapshot, gem),
            [own("lib/app/config/loader.rb", "load")]
        );
        let go = "panic: no\n\ngoroutine 1 [running]:\npage.NewSite(0xc000)\n\t/app/page/site.go:4 +0x1d";
        assert_eq!(
            framed(&snapshot, go),
            [own("resources/page/site.go", "NewSite")]
        );
    }

    #[test]
    fn a_frame_in_no_symbol_is_its_line() {
        let scratch = tempfile::tempdir().expect("a directory");
        let file =
            "describe('app', function () {\n  it('runs', function () {\n    run();\n  });\n});\n";
        let snapshot = snapshot(scratch.path(), &[("test/app.js", file)]);
        let report =
            "TypeError: run is no function\n    at Context.<anonymous> (test/app.js:3:5)\n";
        assert_eq!(
            framed(&snapshot, report),
            [("test/app.js".to_owned(), None)]
        );
    }

    #[test]
    fn the_error_type_of_a_report_is_no_member_with_that_name() {
        let scratch = tempfile::tempdir().expect("a directory");
        let names = "object JavaNames {\n  val IllegalStateException = name(\"java.lang\")\n}\n";
        let merge = "fun mergeFields(x: Int): Int {\n  return x\n}\n";
        let snapshot = snapshot(
            scratch.path(),
            &[("src/JavaNames.kt", names), ("src/merge.kt", merge)],
        );
        let text = "java.lang.IllegalStateException: cannot merge fields\n\nIt fails.\nAlways.\nMerging.\nFields.\n";
        let found = reported(&snapshot, text);
        let member = found.iter().find(|one| {
            one.symbol.is_some_and(|at| {
                &*snapshot.files[one.file].outline.symbols[at].name == "IllegalStateException"
            })
        });
        assert!(
            member.is_none_or(
                |one| one.evidence.exact == 0.0 && one.evidence.mentioned_location == 0.0
            )
        );
    }
}
