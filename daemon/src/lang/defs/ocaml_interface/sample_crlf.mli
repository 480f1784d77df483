(** Adds. *)
val add : int -> int -> int

(* All
   of them. *)
val sum : int list -> int

type t = { total : int }
