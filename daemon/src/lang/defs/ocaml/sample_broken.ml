(** Whole. *)
let before x = x + 1

let broken x = x + ) 1

(** Also whole. *)
let after y =
  if y > 0 then before y else 0

module Last = struct
  let value = after 1
end
