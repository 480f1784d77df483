(** Orders of customers. *)

open Printf
open! Shop.Types
include Base_orders
module M = Map.Make (String)
module L = List

(** The most. *)
let limit = 10

exception Too_many of int
exception Missing = Not_found

(** A status. *)
type status =
  | Open  (** still open *)
  | Closed of { at : float; by : string }

type 'a order = {
  name : string;  (** its name *)
  mutable count : int;
  items : 'a list;
}

and name = string

type t = private int
type shape += Circle of float
type colour = [ `Red | `Green of int ]

external size : string -> int = "caml_size" "caml_size_byte"

module type Priced = sig
  type t
  val price : t -> int
  (** What it costs. *)
  exception Bad
end

module type Named = sig
  include Priced
  val name : t -> string
end

module Make (S : Priced) (_ : Named) : Priced with type t = S.t = struct
  type t = S.t
  let price x = S.price x * 2
  exception Bad
end

module Inner = struct
  let hidden = 1
  module Deep = struct
    let rec even n = n = 0 || odd (n - 1)
    and odd n = n <> 0 && even (n - 1)
  end
end

(** The price of an order. *)
let price ?(quantity = 1) ~rate:r ?discount ({ count; _ } as order : 'a order) =
  if quantity > limit && count > 0 then raise (Too_many quantity)
  else if quantity = 0 then 0
  else begin
    let total = ref 0 in
    for i = 0 to quantity do
      total := !total + i
    done;
    while !total > 100 do
      decr total
    done;
    order.count <- order.count + 1;
    let helper x = x + r in
    helper !total
  end

let describe = function
  | Open -> "open"
  | Closed { by; _ } when by = "a" -> by
  | _ -> "other"

let report orders =
  try
    match List.filter (fun o -> o.count > 0) orders with
    | [] -> []
    | first :: rest -> List.map (fun { name; _ } -> name) (first :: rest)
  with
  | Not_found -> []
  | Failure message -> [ message ]

let ( |>> ) x f = f x
let (a, b) = (1, 2)
let größe = String.length "ä" |>> succ
let { name; count } = { name = "a"; count = 1; items = [] }
let callback = fun x -> x + 1
let%test "adds" = 1 + 1 = 2
let[@inline] fast x = x [@@deprecated "slow"]
let () = printf "%d\n" (price ~rate:2 { name = "a"; count = 1; items = [] })

class virtual shape (n : string) = object (self)
  inherit base n as super
  val mutable sides = 0
  method name = n
  method private area : float = self#side *. 2.
  method virtual side : float
  initializer sides <- 1
end

class type drawable = object
  method draw : unit
end

let made = new shape "a"
let _ = made#name; Inner.Deep.even 2

let noted x = (* why *)
  (* Nothing yet. *)
  x
