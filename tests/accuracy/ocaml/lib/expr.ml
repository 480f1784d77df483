(* Sums and products of whole numbers. *)

type op = Add | Mul (* ⟦ def Expr.op ; def Expr.Add ; def Expr.Mul ⟧ *)

type t = (* ⟦ def Expr.t ⟧ *)
  | Num of int (* ⟦ def Expr.Num ⟧ *)
  | Var of string (* ⟦ def Expr.Var ⟧ *)
  | Binary of op * t * t (* ⟦ def Expr.Binary ; ref Expr.op type ; ref Expr.t type ⟧ *)

let zero = Num 0 (* ⟦ def Expr.zero ; call Expr.Num from - ⟧ *)

let add left right = Binary (Add, left, right) (* ⟦ def Expr.add ; call Expr.Binary from Expr.add ; ref Expr.Add ⟧ *)

let mul left right = Binary (Mul, left, right) (* ⟦ def Expr.mul ; call Expr.Binary from Expr.mul ; ref Expr.Mul ⟧ *)

let symbol op = (* ⟦ def Expr.symbol ⟧ *)
  match op with
  | Add -> "+" (* ⟦ ref Expr.Add ⟧ *)
  | Mul -> "*" (* ⟦ ref Expr.Mul ⟧ *)

let rec size expr = (* ⟦ def Expr.size ⟧ *)
  match expr with
  | Num _ | Var _ -> 1 (* ⟦ ref Expr.Num ; ref Expr.Var ⟧ *)
  | Binary (_, left, right) -> size left + size right + 1 (* ⟦ ref Expr.Binary ; call Expr.size from Expr.size ⟧ *)

let rec show expr = (* ⟦ def Expr.show ⟧ *)
  match expr with
  | Num n -> string_of_int n (* ⟦ ref Expr.Num ⟧ *)
  | Var name -> name (* ⟦ ref Expr.Var ⟧ *)
  | Binary (op, left, right) -> (* ⟦ ref Expr.Binary ⟧ *)
      let symbol = symbol op in (* ⟦ call Expr.symbol from Expr.show ⟧ *)
      wrap left ^ symbol ^ wrap right (* ⟦ call Expr.wrap from Expr.show ⟧ *)

and wrap expr = (* ⟦ def Expr.wrap ⟧ *)
  if size expr > 1 then "(" ^ show expr ^ ")" else show expr (* ⟦ call Expr.size from Expr.wrap ; call Expr.show from Expr.wrap ⟧ *)
