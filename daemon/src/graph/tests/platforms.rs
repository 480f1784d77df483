//! Functions of C that several platforms define.

use super::{Files, Graph, meant};

#[test]
fn a_function_that_a_file_does_not_declare_may_be_one_of_the_system() {
    let files = [
        ("common.h", "int open_loop(int fd);\n"),
        (
            "linux.c",
            "#include \"common.h\"\n#include <sys/epoll.h>\nint run(int fd) { «open_loop»(fd); return «epoll_ctl»(fd); }\n",
        ),
        (
            "loop.c",
            "#include \"common.h\"\nint open_loop(int fd) { return fd; }\n",
        ),
        (
            "os390.c",
            "#include \"syscalls.h\"\nint start(int fd) { return «epoll_ctl»(fd); }\n",
        ),
        (
            "syscalls.c",
            "#include \"syscalls.h\"\nint epoll_ctl(int fd) { return fd; }\n",
        ),
        ("syscalls.h", "int epoll_ctl(int fd);\n"),
    ];
    assert_eq!(
        meant("c", &files),
        [
            "common.h:open_loop",
            "?syscalls.c:epoll_ctl",
            "syscalls.c:epoll_ctl",
        ]
    );
}

#[test]
fn all_definitions_behind_a_prototype_are_callees() {
    let body = |platform: &str| {
        format!(
            "#include \"loop.h\"\nstatic int local(int fd) {{\n  return fd;\n}}\n\
             int poll_{platform}(int fd) {{\n  return local(fd);\n}}\n\
             int io_poll(int fd) {{\n  return poll_{platform}(fd);\n}}\n"
        )
    };
    let (aix, linux) = (body("aix"), body("linux"));
    let files = Files::new(
        "c",
        &[
            ("aix.c", &*aix),
            (
                "core.c",
                "#include \"loop.h\"\nint run(int fd) {\n  return io_poll(fd);\n}\n",
            ),
            ("linux.c", &*linux),
            ("loop.h", "int io_poll(int fd);\n"),
        ],
    );
    let graph = Graph::new(&files.snapshot, &files);
    let callees = |name: &str| -> Vec<String> {
        let at = graph.named(name).next().expect("defined");
        let all = graph.calls().callees(at).calls;
        let shown = all.iter().filter_map(|call| {
            let at = call.symbol?;
            Some(format!(
                "{}:{}",
                graph.file(at.file).path,
                graph.symbol(at).name
            ))
        });
        shown.collect()
    };
    assert_eq!(callees("run"), ["aix.c:io_poll", "linux.c:io_poll"]);
    assert_eq!(callees("poll_linux"), ["linux.c:local"]);
}
