#!/bin/sh
# Downloads claudevil @VERSION@ for this machine, verifies it, and installs it for this user: no root, no compiler.
#
#   curl -fsSL @URL@/install.sh | sh
#   curl -fsSL @URL@/install.sh | sh -s -- --with-vectors --prefix DIR
set -eu

usage() {
    cat <<'USAGE'
usage: install.sh [options]

  --from URL       download from this address (default: $CLAUDEVIL_URL, else where this script is published)
  --with-vectors   also install claudevil-vectors, which stores vectors and runs transformers
  --prefix DIR     install into DIR/bin and DIR/share (default: $PREFIX, else ~/.local)
  --no-restart     leave a running daemon as it is
  --help           show this

To remove it: claudevil uninstall
USAGE
}

main() {
    version=@VERSION@
    base=${CLAUDEVIL_URL:-@URL@}
    packages=claudevil
    prefix=
    restart=
    while [ $# -gt 0 ]; do
        option=$1
        shift
        case $option in
            --from | --prefix)
                [ $# -gt 0 ] || die "$option needs a value"
                if [ "$option" = --from ]; then base=$1; else prefix=$1; fi
                shift
                ;;
            --from=*) base=${option#*=} ;;
            --prefix=*) prefix=${option#*=} ;;
            --with-vectors) packages='claudevil claudevil-vectors' ;;
            --no-restart) restart=--no-restart ;;
            --help | -h)
                usage
                exit 0
                ;;
            *) die "unknown option: $option (--help shows the options)" ;;
        esac
    done
    base=${base%/}
    platform=$(platform)
    form=gz
    if command -v xz >/dev/null || tar --version 2>/dev/null | grep -q bsdtar; then form=xz; fi

    work=$(mktemp -d "${TMPDIR:-/tmp}/claudevil-install.XXXXXX") || die 'cannot create a temporary folder'
    trap 'rm -rf "$work"' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM

    download SHA256SUMS
    for package in $packages; do
        archive=$package-$version-$platform.tar.$form
        download "$archive"
        verify "$archive"
        tar -xf "$work/$archive" -C "$work" || die "$archive cannot be unpacked"
    done
    unpacked=$work/claudevil-$version-$platform
    for package in $packages; do
        [ "$package" = claudevil ] || mv "$work/$package-$version-$platform/bin/$package" "$unpacked/bin/"
    done
    # Its options are those that were given here; without a prefix it chooses.
    set -- --bin-dir-from "$unpacked/bin"
    [ -z "$prefix" ] || set -- "$@" --prefix "$prefix"
    [ -z "$restart" ] || set -- "$@" "$restart"
    sh "$unpacked/install.sh" "$@"
}

platform() {
    system=$(uname -s)
    machine=$(uname -m)
    case $machine in
        x86_64 | amd64) machine=x86_64 ;;
        aarch64 | arm64) machine=aarch64 ;;
        *) die "there is no build for $machine; claudevil can be built from source" ;;
    esac
    case $system in
        Linux)
            # The loader of another C library than GNU's would not find the programs.
            if ! ldd --version 2>&1 | grep -qi -e 'glibc' -e 'gnu libc'; then
                die 'this system does not use the GNU C library; claudevil can be built from source'
            fi
            echo "linux-$machine"
            ;;
        Darwin) echo "macos-$machine" ;;
        *) die "there is no archive for $system; npm and pip install claudevil there" ;;
    esac
}

download() {
    if command -v curl >/dev/null; then
        curl -fsSL --retry 2 -o "$work/$1" "$base/$1" || die "cannot download $base/$1; nothing was installed"
    elif command -v wget >/dev/null; then
        wget -q -O "$work/$1" "$base/$1" || die "cannot download $base/$1; nothing was installed"
    else
        die 'neither curl nor wget was found'
    fi
}

verify() {
    expected=$(sed -n "s/^\([0-9a-f]\{64\}\)  $1\$/\1/p" "$work/SHA256SUMS")
    [ -n "$expected" ] || die "SHA256SUMS does not list $1; nothing was installed"
    if command -v sha256sum >/dev/null; then
        found=$(sha256sum "$work/$1")
    elif command -v shasum >/dev/null; then
        found=$(shasum -a 256 "$work/$1")
    else
        die 'neither sha256sum nor shasum was found, so the download cannot be verified; nothing was installed'
    fi
    [ "${found%% *}" = "$expected" ] || die "the checksum of $1 is wrong; nothing was installed"
}

die() {
    printf 'error: %s\n' "$1" >&2
    exit 1
}

main "$@"
