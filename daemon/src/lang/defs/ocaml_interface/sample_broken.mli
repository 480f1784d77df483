(** Whole. *)
val before : int -> int

val broken : int ) -> int

(** Also whole. *)
val after : int -> int

module type Last = sig
  val value : int
end
