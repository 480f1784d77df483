open Eval
module On_clock = Make (Clock) (* ⟦ ref Make ; ref Clock ⟧ *)

let test_size () = (* ⟦ def test_size ⟧ *)
  let size = Expr.size (double (Expr.Num 2)) in (* ⟦ call Expr.size from test_size ; call Eval.double from test_size ; call Expr.Num from test_size ⟧ *)
  assert (size = 3)

let test_run () = (* ⟦ def test_run ⟧ *)
  let env = Env.(add "a" 7 empty) in (* ⟦ call Env.add from test_run ; ref Env.empty read ⟧ *)
  let twice = double (Expr.Var "a") in (* ⟦ call Eval.double from test_run ; call Expr.Var from test_run ⟧ *)
  assert (Exact.run env twice = 14); (* ⟦ ref Exact ; call Make.run from test_run ⟧ *)
  assert (On_clock.run env twice = 2); (* ⟦ call Make.run from test_run ⟧ *)
  assert (Plain.add 1 2 = Clock.add 1 2) (* ⟦ ref Plain ; call Plain.add from test_run ; ref Clock ; call Clock.add from test_run ; may Arith.add ⟧ *)

let test_show (expected : string) (expr : Expr.t) = (* ⟦ def test_show ; ref Expr.t type ⟧ *)
  assert (Expr.show expr = expected) (* ⟦ call Expr.show from test_show ⟧ *)

let () =
  test_size (); (* ⟦ call test_size from - ⟧ *)
  test_run (); (* ⟦ call test_run from - ⟧ *)
  test_show "2*(1+x)" (Expr.mul (Expr.Num 2) (Expr.add (Expr.Num 1) (Expr.Var "x"))) (* ⟦ call test_show from - ; call Expr.mul from - ; call Expr.Num from - ; call Expr.add from - ; call Expr.Var from - ⟧ *)
