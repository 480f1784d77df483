#!/usr/bin/env bash
# Builds and ships.
set -euo pipefail

source "./lib/colours.sh"
. /etc/os-release
source "$(dirname "$0")/common.sh"
. "${ROOT}/lib/log.sh" --quiet

readonly VERSION="1.2.3"
export PATH="$HOME/bin:$PATH" EDITOR
declare -r LIMIT=10
declare -A colours=([red]=31 [green]=32)
typeset -i count=0
NAME=widget
files=(one.txt "two words.txt")
files+=(three.txt)
export LANG
alias ll='ls -l'

# Says something on stderr.
# Takes a level and words.
log() {
	local level="$1" line
	local -r when=$(date +%s)
	shift
	printf '%s %s\n' "$when" "$level: $*" >&2
}

function build {
    local target=${1:-all}
    if [[ -z "$target" && -n $NAME ]] || [ "$target" = none ]; then
        return 1
    elif (( count > LIMIT )); then
        count=$((count - 1))
        ((count++))
    else
        for file in "${files[@]}"; do
            compile "$file" || die "cannot compile $file"
        done
    fi
    for ((i = 0; i < 3; i++)); do echo "$i"; done
    while read -r line; do
        echo "$line" | grep -v '^#'
    done < <(list_files)
    until ping -c1 host; do sleep 1; done
    CC=gcc make "$target" && log info "built"
}

function größe() (
    nested() { echo inner; }
    nested
    case "$1" in
        -h|--help) usage ;;
        -v) echo "$VERSION" ;;
        *) die "no such option" ;;
    esac
)

usage() {
    cat <<EOF
Usage: $NAME [options] $(basename "$0")
EOF
    cat <<-'RAW'
	$not_read
	RAW
    echo "${NAME^^} ${#files[@]} ${colours[red]} ${UNSET:?missing}"
}

die() { log error "$@"; exit 1; }

trap 'rm -f "$tmp"' EXIT
tmp=$(mktemp)
unset tmp
select choice in build usage; do
    "$choice"
    $NAME --run
    break
done
if command -v git >/dev/null; then
    HEAD_AT=$(git rev-parse HEAD)
fi
./scripts/deploy.sh --now
time log info done
build "$@" | tee build.log
