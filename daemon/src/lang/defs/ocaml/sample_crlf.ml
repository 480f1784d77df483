(** Adds. *)
let add a b = a + b

(* All
   of them. *)
let rec sum = function
  | [] -> 0
  | n :: rest -> add n (sum rest)
