open Expr

module type Arith = sig (* ⟦ def Arith ⟧ *)
  val add : int -> int -> int (* ⟦ def Arith.add ⟧ *)
  val mul : int -> int -> int (* ⟦ def Arith.mul ⟧ *)
end

module Plain : Arith = struct (* ⟦ def Plain ; ref Arith type ; impl Plain of Arith ⟧ *)
  let add a b = a + b (* ⟦ def Plain.add ; impl Plain.add of Arith.add ⟧ *)
  let mul a b = a * b (* ⟦ def Plain.mul ; impl Plain.mul of Arith.mul ⟧ *)
end

(* Numbers on the face of a clock: add 3 to 11 and it is 2. *)
module Clock : Arith = struct (* ⟦ def Clock ; ref Arith type ; impl Clock of Arith ⟧ *)
  let hours = 12 (* ⟦ def Clock.hours ⟧ *)
  let add a b = Plain.add a b mod hours (* ⟦ def Clock.add ; impl Clock.add of Arith.add ; ref Plain ; call Plain.add from Clock.add ; may Arith.add ; ref Clock.hours read ⟧ *)
  let mul a b = Plain.mul a b mod hours (* ⟦ def Clock.mul ; impl Clock.mul of Arith.mul ; ref Plain ; call Plain.mul from Clock.mul ; may Arith.mul ; ref Clock.hours read ⟧ *)
end

module Make (A : Arith) = struct (* ⟦ def Make ; ref Arith type ⟧ *)
  let apply op a b = (* ⟦ def Make.apply ⟧ *)
    match op with
    | Add -> A.add a b (* ⟦ ref Expr.Add ; call Arith.add from Make.apply ; may Plain.add, Clock.add ⟧ *)
    | Mul -> A.mul a b (* ⟦ ref Expr.Mul ; call Arith.mul from Make.apply ; may Plain.mul, Clock.mul ⟧ *)

  let rec run env expr = (* ⟦ def Make.run ⟧ *)
    match expr with
    | Num n -> n (* ⟦ ref Expr.Num ⟧ *)
    | Var name -> Env.find name env (* ⟦ ref Expr.Var ; call Env.find from Make.run ⟧ *)
    | Binary (op, a, b) -> apply op (run env a) (run env b) (* ⟦ ref Expr.Binary ; call Make.apply from Make.run ; call Make.run from Make.run ⟧ *)
end

module Exact = Make (Plain) (* ⟦ def Exact ; ref Make ; ref Plain ⟧ *)

let double expr = add expr expr (* ⟦ def Eval.double ; call Expr.add from Eval.double ⟧ *)
