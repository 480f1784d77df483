(* What the names stand for. *)

type binding = { name : string; value : int } (* ⟦ def Env.binding ; def binding.name ; def binding.value ⟧ *)

type t = binding list (* ⟦ def Env.t ; ref Env.binding type ⟧ *)

exception Unbound of string (* ⟦ def Env.Unbound ⟧ *)

let empty : t = [] (* ⟦ def Env.empty ; ref Env.t type ⟧ *)

let add name value (env : t) : t = { name; value } :: env (* ⟦ def Env.add ; ref Env.t type ; ref binding.name write ; ref binding.value write ⟧ *)

let rec find wanted (env : t) = (* ⟦ def Env.find ; ref Env.t type ⟧ *)
  match env with
  | [] -> raise (Unbound wanted) (* ⟦ call Env.Unbound from Env.find ⟧ *)
  | first :: _ when first.name = wanted -> first.value (* ⟦ ref binding.name read ; ref binding.value read ⟧ *)
  | _ :: rest -> find wanted rest (* ⟦ call Env.find from Env.find ⟧ *)
