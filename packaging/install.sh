#!/bin/sh
# Installs claudevil for one user from this repository: builds it, puts the binaries, manuals and shell completions below
# a prefix, and lets a running daemon continue with the new build. Needs no root; --uninstall takes all of it back.
set -eu

usage() {
    cat <<'USAGE'
usage: install.sh [options]

  --prefix DIR         install into DIR/bin and DIR/share (default: $PREFIX, else ~/.local)
  --bin-dir-from DIR   take the built binaries from DIR instead of building them
  --no-restart         leave a running daemon as it is
  --try [DIR]          as soon as the daemon is installed, ask a question about DIR (default: this repository)
  --without-vectors    leave out claudevil-vectors, which stores vectors and runs transformers
  --uninstall          stop the daemon, and remove the service, the entries in editors and everything that was installed
  --purge              with --uninstall: remove settings, indexes and logs too
  --help               show this

CARGO_TARGET_DIR is honoured. The daemon and the clients are built and installed first, and work on their own;
claudevil-vectors follows, with some 500 more crates.
USAGE
}

main() {
    cwd=$(pwd)
    user_path=$PATH
    repo=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
    prefix=${PREFIX:-}
    built=
    action=install
    restart=yes
    vectors=yes
    try=no
    try_dir=$repo
    purge=no

    while [ $# -gt 0 ]; do
        option=$1
        shift
        case $option in
            --prefix | --bin-dir-from)
                [ $# -gt 0 ] || die_usage "$option needs a directory"
                set_directory "$option" "$1"
                shift
                ;;
            --prefix=* | --bin-dir-from=*) set_directory "${option%%=*}" "${option#*=}" ;;
            --no-restart) restart=no ;;
            --without-vectors) vectors=no ;;
            --try)
                try=yes
                case ${1:--} in
                    -*) ;;
                    *)
                        try_dir=$1
                        shift
                        ;;
                esac
                ;;
            --try=*)
                try=yes
                try_dir=${option#*=}
                ;;
            --uninstall) action=uninstall ;;
            --purge) purge=yes ;;
            --help | -h)
                usage
                exit 0
                ;;
            *) die_usage "unknown option: $option" ;;
        esac
    done
    if [ "$action" = install ] && [ "$purge" = yes ]; then
        die_usage '--purge goes with --uninstall'
    fi
    if [ "$action" = uninstall ] && [ "$try" = yes ]; then
        die_usage '--try goes with an installation'
    fi

    case ${HOME:-} in
        /*) ;;
        *) die 'HOME is not set to an absolute path' ;;
    esac
    prefix=$(absolute "${prefix:-$HOME/.local}")
    bin=$prefix/bin
    share=$prefix/share

    # Only paths that this run made itself go in here.
    stage=
    scratch=
    trap clean_up EXIT
    accept_signals

    if [ "$action" = uninstall ]; then
        uninstall
        return
    fi
    if [ "$try" = yes ]; then
        # Asked before the build, which is long.
        [ -d "$try_dir" ] || die "--try: not a directory: $try_dir"
        try_dir=$(CDPATH='' cd -- "$try_dir" && pwd -P)
    fi
    if [ -n "${SUDO_USER:-}" ]; then
        warn "this installs for $(id -un) only; claudevil needs no root: run it as $SUDO_USER, without sudo"
    fi

    building=no
    if [ -z "$built" ]; then
        building=yes
        build
    fi
    install_files
    [ "$restart" = no ] || restart_daemon
    [ "$try" = no ] || try_it
    [ "$vectors" = no ] || install_vectors
    next_steps
}

# --- building -------------------------------------------------------------------------------------------------------

build() {
    # A shell that did not read rustup's profile still finds what rustup installed.
    PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
    command -v cargo >/dev/null || die 'cargo was not found, and building needs Rust.
  Install it from https://rustup.rs (no root needed), open a new shell, and run this again.'
    has_c_compiler || die "a C compiler was not found; some of the crates contain C.
  $(how_to_get_c)
  Then run this again."

    case ${CARGO_TARGET_DIR:-} in
        '') unset CARGO_TARGET_DIR ;;
        # Cargo runs in the repository below, where a relative path would mean another place.
        *) CARGO_TARGET_DIR=$(absolute "$CARGO_TARGET_DIR") && export CARGO_TARGET_DIR ;;
    esac
    # The binaries are for this machine, and a target triple would move them to another folder.
    unset CARGO_BUILD_TARGET

    say "Building the daemon and the clients in $repo"
    # Cargo reads the repository's .cargo/config.toml only from inside it.
    (cd "$repo" && cargo build --release --locked -p claudevil-daemon -p claudevil-shim) ||
        die 'the build failed; nothing was installed'
    # The target directory can also come from cargo's own configuration, so cargo is asked.
    target=$(cd "$repo" && cargo metadata --locked --no-deps --format-version 1 |
        sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')
    built=${target:-${CARGO_TARGET_DIR:-$repo/target}}/release
}

has_c_compiler() {
    # /usr/bin/cc of macOS is there without the tools, and only opens a dialog.
    if [ "$(uname -s)" = Darwin ]; then
        xcode-select -p >/dev/null 2>&1
        return
    fi
    for compiler in "${CC:-cc}" cc gcc clang; do
        if command -v "$compiler" >/dev/null; then
            return 0
        fi
    done
    return 1
}

how_to_get_c() {
    if [ "$(uname -s)" = Darwin ]; then
        echo 'Install it with: xcode-select --install'
    elif command -v apt-get >/dev/null; then
        echo 'Install it with: sudo apt-get install build-essential'
    elif command -v dnf >/dev/null; then
        echo 'Install it with: sudo dnf install gcc gcc-c++'
    elif command -v pacman >/dev/null; then
        echo 'Install it with: sudo pacman -S base-devel'
    elif command -v apk >/dev/null; then
        echo 'Install it with: sudo apk add build-base'
    else
        echo 'Install gcc or clang with the package manager of your system.'
    fi
}

# --- installing -----------------------------------------------------------------------------------------------------

install_files() {
    for name in claudevild claudevil claudevil-mcp claudevil-lsp; do
        [ -x "$built/$name" ] || die "no executable $name in $built; nothing was installed"
        [ ! -d "$bin/$name" ] || die "$bin/$name is a directory; nothing was installed"
    done

    mkdir -p "$bin" || die "cannot create $bin; choose another place with --prefix"
    # Below the destination, so that each move is a rename within one file system: a binary that runs is never
    # written to, and no name is ever missing or half there.
    stage=$(mktemp -d "$bin/.claudevil-install.XXXXXX") || die "cannot write to $bin"
    for name in claudevild claudevil claudevil-mcp claudevil-lsp; do
        cp "$built/$name" "$stage/$name"
        chmod 755 "$stage/$name"
    done
    # Also the proof that the new binary runs here, before anything is replaced.
    "$stage/claudevil" generate "$stage/share" >"$stage/generated" ||
        die "$built/claudevil does not run here; nothing was installed"

    # Between these renames an interrupt would leave binaries of two builds.
    ignore_signals
    for name in claudevild claudevil claudevil-mcp claudevil-lsp; do
        mv -f "$stage/$name" "$bin/$name"
    done
    accept_signals
    say "Installed $bin/claudevild, claudevil, claudevil-mcp and claudevil-lsp"
    while IFS= read -r made; do
        to=$share/${made#"$stage/share/"}
        mkdir -p "${to%/*}"
        chmod 644 "$made"
        mv -f "$made" "$to"
    done <"$stage/generated"
    say "Installed completions and manuals below $share"
}

# The daemon need not be told: it looks for the program whenever it could use it.
install_vectors() {
    if [ "$building" = yes ]; then
        say ''
        say 'Building claudevil-vectors, which stores vectors and runs transformers. claudevil works meanwhile.'
        if ! (cd "$repo" && cargo build --release --locked -p claudevil-vectors); then
            warn 'claudevil-vectors was not built. claudevil works without it: vectors of the built-in model are made again
  when a project is loaded, and other models cannot be chosen.'
            return
        fi
    elif [ ! -x "$built/claudevil-vectors" ]; then
        return
    fi
    [ ! -d "$bin/claudevil-vectors" ] || die "$bin/claudevil-vectors is a directory"
    cp "$built/claudevil-vectors" "$stage/claudevil-vectors"
    chmod 755 "$stage/claudevil-vectors"
    mv -f "$stage/claudevil-vectors" "$bin/claudevil-vectors"
    say "Installed $bin/claudevil-vectors"
}

restart_daemon() {
    if daemon_runs; then
        say 'Restarting the daemon with the new build'
        "$bin/claudevil" daemon restart ||
            die 'the new build is installed, but the running daemon did not restart; see: claudevil daemon logs'
    fi
}

daemon_runs() {
    "$bin/claudevil" daemon status >/dev/null 2>&1
}

next_steps() {
    command=claudevil
    mcp=claudevil-mcp
    say ''
    case :$user_path: in
        *:"$bin":*)
            found=$(command -v claudevil || :)
            if [ "$found" != "$bin/claudevil" ]; then
                command=$bin/claudevil
                mcp=$bin/claudevil-mcp
                warn "another claudevil comes first on PATH: ${found:-none}"
            fi
            ;;
        *)
            command=$bin/claudevil
            mcp=$bin/claudevil-mcp
            say "$bin is not on PATH. Add it in your shell's profile:"
            case ${SHELL:-} in
                */fish) say "  fish_add_path '$bin'" ;;
                *) say "  export PATH=\"$bin:\$PATH\"" ;;
            esac
            ;;
    esac
    case ${SHELL:-} in
        */zsh)
            say 'For completions in zsh, put this before compinit in ~/.zshrc:'
            say "  fpath=('$share/zsh/site-functions' \$fpath)"
            ;;
    esac
    say 'Next steps:'
    case $command in
        *' '*)
            command="'$command'"
            mcp="'$mcp'"
            ;;
    esac
    step "$command setup" 'set up the editors and agents on this machine'
    step "$command roots add DIR" 'index a project'
    step "$command service install" 'start the daemon at login'
    say "Other clients: add $mcp as an MCP server on stdio."
}

step() {
    printf '  %-44s  # %s\n' "$1" "$2"
}

# --- trying it out --------------------------------------------------------------------------------------------------

try_it() {
    question='Where does the program start, and what does it do first?'
    [ "$try_dir" != "$repo" ] || question='Which calls does the daemon run, let wait or refuse when it is busy?'
    say ''
    say "\$ claudevil roots add $try_dir"
    began=$(date +%s)
    "$bin/claudevil" roots add "$try_dir" || die 'the directory was not added'
    # An answer would come before that too, out of what is there by then.
    "$bin/claudevil" reindex --wait --root "$try_dir" || die 'the directory was not indexed'
    say "\$ claudevil-mcp --root $try_dir    (explore, as an editor asks it)"
    say "> $question"
    say ''
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/claudevil-install.XXXXXX")
    mkfifo -m 600 "$scratch/requests" "$scratch/answers"
    asked=$(date +%s)
    # A subshell, so that the descriptors, and what is done about a broken pipe, end with it.
    (ask_through_shim) || die 'claudevil-mcp did not answer'
    say ''
    say "It works: claudevild indexed $try_dir in $((asked - began)) s, and claudevil-mcp gave this answer in \
$(($(date +%s) - asked)) s. Next, let your editors and agents ask: $bin/claudevil setup"
}

# The input stays open until the answer is here: its end tells the shim to exit, answered or not.
ask_through_shim() {
    "$bin/claudevil-mcp" --root "$try_dir" <"$scratch/requests" >"$scratch/answers" &
    shim=$!
    end_after 60 "$shim" &
    guard=$!
    trap 'kill "$guard" 2>/dev/null; exit 130' HUP INT TERM
    exec 3>"$scratch/requests" 4<"$scratch/answers"
    # A shim that dies shows as the end of its answers.
    trap '' PIPE

    status=1
    send '{"jsonrpc":"2.0","id":"install-1","method":"initialize","params":{"protocolVersion":"2025-06-18",'\
'"capabilities":{},"clientInfo":{"name":"claudevil-install","version":"1"}}}'
    if await_answer install-1; then
        send '{"jsonrpc":"2.0","method":"notifications/initialized"}'
        send '{"jsonrpc":"2.0","id":"install-2","method":"tools/call",'\
'"params":{"name":"explore","arguments":{"question":"'"$question"'","max_tokens":1200}}}'
        if await_answer install-2; then
            case $answer in
                *'"error":{'*) printf '%s\n' "$answer" >&2 ;;
                *'"isError":true'*) printf '%s\n' "$answer" | answer_text >&2 ;;
                *)
                    printf '%s\n' "$answer" | answer_text
                    status=0
                    ;;
            esac
        fi
    fi
    exec 3>&- 4<&-
    wait "$shim" || :
    kill "$guard" 2>/dev/null || :
    wait "$guard" 2>/dev/null || :
    return "$status"
}

send() {
    printf '%s\n' "$1" >&3 || :
}

await_answer() {
    while IFS= read -r answer <&4; do
        case $answer in
            *'"id":"'"$1"'"'*) return 0 ;;
        esac
    done
    return 1
}

# `timeout` is not part of macOS.
end_after() {
    nap=
    trap 'kill $nap 2>/dev/null' TERM
    sleep "$1" >/dev/null 2>&1 &
    nap=$!
    if wait "$nap"; then
        kill "$2" 2>/dev/null
    fi
}

# The text blocks of a tool's answer, unescaped. Installing must not need jq or Python.
answer_text() {
    LC_ALL=C awk '
        function hex(digits,    i, value) {
            for (i = 1; i <= length(digits); i++)
                value = value * 16 + index("0123456789abcdef", tolower(substr(digits, i, 1))) - 1
            return value
        }
        {
            start = "\"text\":\""
            rest = substr($0, index($0, "\"content\":["))
            while ((at = index(rest, start)) > 0) {
                rest = substr(rest, at + length(start))
                text = ""
                while (match(rest, /["\\]/)) {
                    text = text substr(rest, 1, RSTART - 1)
                    escape = substr(rest, RSTART, 1) == "\\" ? substr(rest, RSTART + 1, 1) : ""
                    rest = substr(rest, RSTART + (escape == "" ? 1 : 2))
                    if (escape == "")
                        break
                    else if (escape == "n")
                        text = text "\n"
                    else if (escape == "t")
                        text = text "\t"
                    else if (escape == "u") {
                        code = hex(substr(rest, 1, 4))
                        rest = substr(rest, 5)
                        text = text (code >= 32 && code < 127 ? sprintf("%c", code) : "?")
                    } else if (escape !~ /[rbf]/)
                        text = text escape
                }
                print text
            }
        }'
}

# --- removing -------------------------------------------------------------------------------------------------------

uninstall() {
    removed=no
    if [ -x "$bin/claudevil" ]; then
        # The service first: while its socket is there, asking after the daemon would start it.
        "$bin/claudevil" service uninstall || warn 'claudevil service uninstall failed; continuing'
        "$bin/claudevil" setup --remove --yes || warn 'some editors still have an entry; continuing'
        if daemon_runs; then
            "$bin/claudevil" daemon stop || :
            ! daemon_runs || die 'the daemon does not stop; nothing was removed'
        fi
    fi

    for name in claudevild claudevil-vectors claudevil claudevil-mcp claudevil-lsp; do
        remove_file "$bin/$name"
    done
    for path in "$share/bash-completion/completions/claudevil" "$share/zsh/site-functions/_claudevil" \
        "$share/fish/vendor_completions.d/claudevil.fish" "$share"/man/man1/claudevil.1 "$share"/man/man1/claudevil-*.1; do
        remove_file "$path"
        remove_empty_parents "$path"
    done
    remove_empty_parents "$bin/claudevil"
    [ "$removed" = yes ] || say "claudevil was not installed below $prefix"

    if [ "$purge" = yes ]; then
        each_data_directory purge_directory
        [ -z "$gathered" ] || rmdir "$gathered" 2>/dev/null || :
        return
    fi
    kept=
    each_data_directory note_kept
    if [ -n "$kept" ]; then
        say "Settings, indexes and logs stay; --uninstall --purge removes them:$kept"
    fi
}

# Calls a function with the kind and the path of each directory, an inner one before the one that it lies in.
each_data_directory() {
    gathered=
    if [ -n "${CLAUDEVIL_HOME:-}" ]; then
        gathered=$(absolute "$CLAUDEVIL_HOME")
    elif [ "$(uname -s)" = Darwin ]; then
        gathered="$HOME/Library/Application Support/claudevil"
    fi
    if [ -n "$gathered" ]; then
        for kind in config data run state; do
            "$1" "$kind" "$gathered/$kind"
        done
    else
        "$1" config "$HOME/.config/claudevil"
        "$1" data "$HOME/.local/share/claudevil"
        "$1" run "$HOME/.local/state/claudevil/run"
        "$1" state "$HOME/.local/state/claudevil"
    fi
}

# The names that claudevil gives in a directory, as in protocol/src/own_directory.rs.
own_names() {
    case $1 in
        config) set -- config.toml ;;
        data) set -- roots.redb 'roots.redb.damaged-*' index.redb vectors vectors.lock roots cookies changes undo models runtime ;;
        state) set -- logs setup start-errors.txt ;;
        run) set -- daemon.lock start.lock failed-starts.json daemon.sock ;;
    esac
    printf '%s\n' "$@" '.claudevil-*'
}

# Paths that distinguish a directory of an earlier version, which has no marker, from anybody else's.
telltales() {
    case $1 in
        config) set -- ;;
        data) set -- roots.redb index.redb 'models/models--*' 'runtime/libonnxruntime*' runtime/onnxruntime.dll ;;
        state)
            set -- start-errors.txt setup/record.json setup/lock 'logs/claudevild.*' logs/launchd.txt \
                run/daemon.lock run/start.lock run/daemon.sock
            ;;
        run) set -- daemon.lock start.lock failed-starts.json daemon.sock ;;
    esac
    printf '%s\n' "$@" .claudevil-directory
}

is_ours() {
    present=$(telltales "$1" | while IFS= read -r telltale; do
        for found in "$2"/$telltale; do
            [ ! -e "$found" ] || echo yes
        done
    done)
    # People write the configuration by hand, in a directory that they make.
    [ -n "$present" ] || { [ "$1" = config ] && [ "$(ls -A "$2")" = config.toml ]; }
}

# Removes what claudevil made, by name, and the directory once nothing else is in it.
purge_directory() {
    [ -d "$2" ] && [ ! -L "$2" ] || return 0
    if ! is_ours "$1" "$2"; then
        rmdir "$2" 2>/dev/null || warn "left $2, which claudevil did not make"
        return 0
    fi
    own_names "$1" | while IFS= read -r name; do
        for path in "$2"/$name; do
            rm -rf "$path"
        done
    done
    if rmdir "$2" 2>/dev/null; then
        say "Removed $2"
    else
        warn "left $2, which holds files that claudevil did not make"
    fi
}

remove_file() {
    if [ -e "$1" ] || [ -L "$1" ]; then
        rm -f "$1"
        removed=yes
        say "Removed $1"
    fi
}

note_kept() {
    if [ -e "$2" ]; then
        kept="$kept
  $2"
    fi
}

# Up to the prefix, which stays.
remove_empty_parents() {
    parent=${1%/*}
    while [ "$parent" != "$prefix" ] && rmdir "$parent" 2>/dev/null; do
        parent=${parent%/*}
    done
}

# --- shared ---------------------------------------------------------------------------------------------------------

set_directory() {
    [ -n "$2" ] || die_usage "$1 needs a directory"
    case $1 in
        --prefix) prefix=$2 ;;
        --bin-dir-from) built=$(absolute "$2") ;;
    esac
}

absolute() {
    case $1 in
        /) path_given=/ ;;
        /*) path_given=${1%/} ;;
        *) path_given=$cwd/${1%/} ;;
    esac
    printf '%s\n' "$path_given"
}

clean_up() {
    [ -z "$stage" ] || rm -rf "$stage"
    [ -z "$scratch" ] || rm -rf "$scratch"
}

accept_signals() {
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

ignore_signals() {
    trap '' HUP INT TERM
}

say() {
    printf '%s\n' "$1"
}

warn() {
    printf 'warning: %s\n' "$1" >&2
}

die() {
    printf 'error: %s\n' "$1" >&2
    exit 1
}

die_usage() {
    printf 'error: %s (--help shows the options)\n' "$1" >&2
    exit 2
}

main "$@"
