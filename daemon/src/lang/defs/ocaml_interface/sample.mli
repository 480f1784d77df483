(** Orders of customers. *)

open Shop.Types
include Base_orders.S

(** The most. *)
val limit : int

type status = Open | Closed of { at : float }
type 'a order = { name : string; mutable count : int }
and name = string
type t

exception Too_many of int
external size : string -> int = "caml_size"

val price : ?quantity:int -> rate:int -> 'a order -> int
(** The price of an order. *)

val ( |>> ) : 'a -> ('a -> 'b) -> 'b
val größe : int

module type Priced = sig
  type t
  val price : t -> int
end

module Make (S : Priced) : Priced with type t = S.t
module M : Map.S with type key = string
module L = List

module Inner : sig
  (** Hidden. *)
  val hidden : int [@@deprecated "gone"]
end

class virtual shape : string -> object
  inherit base
  val mutable sides : int
  method name : string
  method private area : float
  method virtual side : float
end

class type drawable = object
  method draw : unit
end
