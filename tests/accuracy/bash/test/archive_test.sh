#!/usr/bin/env bash
source "$(dirname "$0")/../lib/archive.sh"

work="$(mktemp -d)" # ⟦ def work ⟧

check() { # ⟦ def check ⟧
  "$@" || die "failed: $*" # ⟦ call die from check ⟧
}

test_pack() { # ⟦ def test_pack ⟧
  mkdir -p "$work/store" "$work/data" # ⟦ ref work read ⟧
  echo hello >"$work/data/file" # ⟦ ref work read ⟧
  pack "$work/data" "$work/store" # ⟦ call pack from test_pack ; ref work read ⟧
  check test -n "${packed[$work/data]}" # ⟦ call check from test_pack ; ref packed read ; ref work read ⟧
  each_archive "$work/store" size_of # ⟦ call each_archive from test_pack ; ref work read ; ref size_of ⟧
}

test_prune() { # ⟦ def test_prune ⟧
  touch "$work"/store/{a,b,c,d,e}.tar # ⟦ ref work read ⟧
  prune "$work/store" # ⟦ call prune from test_prune ; ref work read ⟧
  check test "$(each_archive "$work/store" echo | wc -l)" -eq "$KEEP" # ⟦ call check from test_prune ; call each_archive from test_prune ; ref work read ; ref KEEP read ⟧
}

test_pack # ⟦ call test_pack from - ⟧
test_prune # ⟦ call test_prune from - ⟧
rm -rf "$work" # ⟦ ref work read ⟧
