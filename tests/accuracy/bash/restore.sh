#!/usr/bin/env bash
# Unpacks the newest archive of a store.
set -euo pipefail

source "$(dirname "$0")/lib/archive.sh"

usage() { # ⟦ def restore.usage ⟧
  echo "usage: restore.sh store target"
}

newest="" # ⟦ def newest ⟧

remember() { # ⟦ def remember ⟧
  newest="$1" # ⟦ ref newest write ⟧
}

main() { # ⟦ def restore.main ⟧
  if (($# != 2)); then
    usage # ⟦ call restore.usage from restore.main ⟧
    die "two arguments, please" # ⟦ call die from restore.main ⟧
  fi
  local STORE="$1" target="$2"
  each_archive "$STORE" remember # ⟦ call each_archive from restore.main ; ref remember ⟧
  [[ -n $newest ]] || die "nothing in $STORE" # ⟦ ref newest read ; call die from restore.main ⟧
  mkdir -p "$target"
  tar -xf "$newest" -C "$target" # ⟦ ref newest read ⟧
  quiet log 1 "restored $newest" # ⟦ call quiet from restore.main ; ref log ; ref newest read ⟧
}

main "$@" # ⟦ call restore.main from - ⟧
