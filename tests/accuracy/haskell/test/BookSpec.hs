module Main where

import Ledger.Book
import qualified Ledger.Format

check :: String -> Bool -> IO () -- ⟦ may check ⟧
check name good = putStrLn ((if good then "ok " else "FAILED ") ++ name) -- ⟦ def check ⟧

specBalance :: IO () -- ⟦ may specBalance ⟧
specBalance = do -- ⟦ def specBalance ⟧
  let entry = MkEntry { label = "tea", amount = 250, kind = Spending } -- ⟦ call Entry.MkEntry from specBalance ; ref Entry.label write ; ref Entry.amount write ; ref Entry.kind write ; ref Kind.Spending ⟧
  check "balance" (balance (post entry emptyBook) == -250) -- ⟦ call check from specBalance ; call balance from specBalance ; call post from specBalance ; ref emptyBook read ⟧
  check "describe" (describe entry == "out tea") -- ⟦ call check from specBalance ; call Described.describe from specBalance ; may Entry.describe ⟧

specRender :: IO () -- ⟦ may specRender ⟧
specRender = do -- ⟦ def specRender ⟧
  check "render" (length (render emptyBook) == Ledger.Format.width + 5) -- ⟦ call check from specRender ; call Book.render from specRender ; ref emptyBook read ; ref width read ⟧
  check "cents" (Ledger.Format.render (-205) == "-2.05") -- ⟦ call check from specRender ; call Format.render from specRender ⟧

main :: IO () -- ⟦ may test.main ⟧
main = specBalance >> specRender -- ⟦ def test.main ; ref specBalance read ; ref specRender read ⟧
