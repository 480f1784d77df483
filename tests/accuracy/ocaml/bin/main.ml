module E = Eval

class printer = (* ⟦ def printer ⟧ *)
  object (self)
    method line text = print_endline text (* ⟦ def printer.line ⟧ *)
    method show expr = self#line (Expr.show expr) (* ⟦ def printer.show ; call printer.line from printer.show ; may numbered.line ; call Expr.show from printer.show ⟧ *)
  end

class numbered = (* ⟦ def numbered ; impl numbered of printer ⟧ *)
  object
    inherit printer as super (* ⟦ ref printer type ⟧ *)
    val mutable count = 0 (* ⟦ def numbered.count ⟧ *)

    method! line text = (* ⟦ def numbered.line ; impl numbered.line of printer.line ⟧ *)
      count <- count + 1; (* ⟦ ref numbered.count write ⟧ *)
      super#line (string_of_int count ^ " " ^ text) (* ⟦ call printer.line from numbered.line ; ref numbered.count read ⟧ *)
  end

let sample () = Expr.add (Expr.Var "x") (Expr.mul (Expr.Num 3) E.(double Expr.zero)) (* ⟦ def sample ; call Expr.add from sample ; call Expr.Var from sample ; call Expr.mul from sample ; call Expr.Num from sample ; call Eval.double from sample ; ref Expr.zero read ⟧ *)

let report env expr = (* ⟦ def report ⟧ *)
  let out = new numbered in (* ⟦ call numbered from report ⟧ *)
  out#show expr; (* ⟦ call printer.show from report ⟧ *)
  match E.Exact.run env expr with (* ⟦ ref Exact ; call Make.run from report ⟧ *)
  | value -> out#line (string_of_int value) (* ⟦ call numbered.line from report ⟧ *)
  | exception Env.Unbound name -> out#line ("unbound: " ^ name) (* ⟦ ref Env.Unbound ; call numbered.line from report ⟧ *)

let main () = (* ⟦ def main ⟧ *)
  let env = Env.add "x" 4 Env.empty in (* ⟦ call Env.add from main ; ref Env.empty read ⟧ *)
  List.iter (report env) [ sample (); Expr.Var "y" ]; (* ⟦ call report from main ; call sample from main ; call Expr.Var from main ⟧ *)
  print_endline (String.concat ", " (List.map Expr.show [ Expr.zero; sample () ])) (* ⟦ ref Expr.show read ; ref Expr.zero read ; call sample from main ⟧ *)

let () = main () (* ⟦ call main from - ⟧ *)
