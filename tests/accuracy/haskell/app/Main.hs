module Main (main) where -- ⟦ ref main ⟧

import Ledger.Book hiding (render) -- ⟦ may Book.render ⟧
import qualified Ledger.Book as Book (render) -- ⟦ ref Book.render import ⟧
import Ledger.Format (render) -- ⟦ ref Format.render import ⟧

sample :: Book -- ⟦ may sample ; ref Book type ⟧
sample = emptyBook |+| MkEntry "pay" 250000 Income |+| spend "rent" 90000 -- ⟦ def sample ; ref emptyBook read ; call Book.append from sample ; call Entry.MkEntry from sample ; ref Kind.Income ; call spend from sample ⟧

spend :: String -> Int -> Entry -- ⟦ may spend ; ref Entry type ⟧
spend what cents = MkEntry what cents Spending -- ⟦ def spend ; call Entry.MkEntry from spend ; ref Kind.Spending ⟧

main :: IO () -- ⟦ may main ⟧
main = do -- ⟦ def main ⟧
  putStr (Book.render sample) -- ⟦ call Book.render from main ; ref sample read ⟧
  putStrLn (render (balance sample)) -- ⟦ call Format.render from main ; call balance from main ; ref sample read ⟧
  let post = "post " ++ short Spending -- ⟦ call short from main ; ref Kind.Spending ⟧
  putStrLn post
