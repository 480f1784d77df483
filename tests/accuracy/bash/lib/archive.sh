# Packing folders, and throwing away what is old.

source "$(dirname "${BASH_SOURCE[0]}")/log.sh"

readonly KEEP=3 # ⟦ def KEEP ⟧
declare -A packed=() # ⟦ def packed ⟧

archive_name() { # ⟦ def archive_name ⟧
  local folder="$1"
  echo "$(basename "$folder").$(stamp | tr -d :).tar" # ⟦ call stamp from archive_name ⟧
}

pack() { # ⟦ def pack ⟧
  local folder="$1" store="$2" name
  [[ -d $folder ]] || die "no folder to pack: $folder" # ⟦ call die from pack ⟧
  name="$(archive_name "$folder")" # ⟦ call archive_name from pack ⟧
  tar -cf "$store/$name" -C "$folder" .
  packed[$folder]="$name" # ⟦ ref packed write ⟧
  log 1 "packed $folder" # ⟦ call log from pack ⟧
}

# Calls a function with every archive of a store.
each_archive() { # ⟦ def each_archive ⟧
  local store="$1" visit="$2" file
  for file in "$store"/*.tar; do
    [[ -e $file ]] && "$visit" "$file"
  done
}

size_of() { # ⟦ def size_of ⟧
  wc -c <"$1"
}

prune() { # ⟦ def prune ⟧
  local store="$1" files
  mapfile -t files < <(each_archive "$store" echo | sort) # ⟦ call each_archive from prune ⟧
  while ((${#files[@]} > KEEP)); do # ⟦ ref KEEP read ⟧
    drop "${files[0]}" # ⟦ call drop from prune ⟧
    files=("${files[@]:1}")
  done
}

drop() { # ⟦ def drop ⟧
  rm -f "$1" && log 2 "dropped $1" # ⟦ call log from drop ⟧
}
