#!/usr/bin/env bash
# Packs the given folders into a store.
set -euo pipefail

here="$(cd "$(dirname "$0")" && pwd)" # ⟦ def here ⟧
source "$here/lib/archive.sh" # ⟦ ref here read ⟧

STORE="${STORE_PATH:-/tmp/backups}" # ⟦ def STORE ⟧
folders=() # ⟦ def folders ⟧

usage() { # ⟦ def backup.usage ⟧
  cat <<EOF
usage: backup.sh [-v] [-s store] folder...
Keeps the last $KEEP archives. # ⟦ ref KEEP read ⟧
EOF
}

parse() { # ⟦ def parse ⟧
  while (($# > 0)); do
    case "$1" in
      -h) usage && exit 0 ;; # ⟦ call backup.usage from parse ⟧
      -v) LOG_LEVEL=2 ;; # ⟦ ref LOG_LEVEL write ⟧
      -s)
        STORE="$2" # ⟦ ref STORE write ⟧
        shift
        ;;
      *) folders+=("$1") ;; # ⟦ ref folders write ⟧
    esac
    shift
  done
}

cleanup() { # ⟦ def cleanup ⟧
  log 1 "backup ends, ${#packed[@]} packed" # ⟦ call log from cleanup ; ref packed read ⟧
}

main() { # ⟦ def backup.main ⟧
  parse "$@" # ⟦ call parse from backup.main ⟧
  ((${#folders[@]} > 0)) || { usage; die "no folders"; } # ⟦ ref folders read ; call backup.usage from backup.main ; call die from backup.main ⟧
  trap cleanup EXIT # ⟦ ref cleanup ⟧
  mkdir -p "$STORE" # ⟦ ref STORE read ⟧
  local folder
  for folder in "${folders[@]}"; do # ⟦ ref folders read ⟧
    pack "$folder" "$STORE" # ⟦ call pack from backup.main ; ref STORE read ⟧
  done
  prune "$STORE" # ⟦ call prune from backup.main ; ref STORE read ⟧
}

main "$@" # ⟦ call backup.main from - ⟧
