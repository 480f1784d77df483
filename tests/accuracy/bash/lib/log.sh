# Words for whoever watches.

LOG_LEVEL=1 # ⟦ def LOG_LEVEL ⟧
LOG_FILE="${LOG_FILE_PATH:-/dev/stderr}" # ⟦ def LOG_FILE ⟧

log() { # ⟦ def log ⟧
  local level="$1"
  shift
  if ((level <= LOG_LEVEL)); then # ⟦ ref LOG_LEVEL read ⟧
    printf '%s\n' "$(stamp) $*" >>"$LOG_FILE" # ⟦ call stamp from log ; ref LOG_FILE read ⟧
  fi
}

stamp() { # ⟦ def stamp ⟧
  date +%H:%M:%S
}

die() { # ⟦ def die ⟧
  log 0 "error: $*" # ⟦ call log from die ⟧
  exit 1
}

quiet() { # ⟦ def quiet ⟧
  local LOG_LEVEL=0
  "$@"
}
