module Ledger.Format where

-- | The width of a column.
width :: Int -- ⟦ may width ⟧
width = 12 -- ⟦ def width ⟧

pad :: String -> String -- ⟦ may pad ⟧
pad text = take width (text ++ repeat ' ') -- ⟦ def pad ; ref width read ⟧

render :: Int -> String -- ⟦ may Format.render ⟧
render cents = -- ⟦ def Format.render ⟧
  if cents < 0
    then "-" ++ render (negate cents) -- ⟦ call Format.render from Format.render ⟧
    else show (cents `div` 100) ++ "." ++ digits (cents `mod` 100) -- ⟦ call digits from Format.render ⟧

digits :: Int -> String -- ⟦ may digits ⟧
digits n = if n < 10 then '0' : show n else show n -- ⟦ def digits ⟧
