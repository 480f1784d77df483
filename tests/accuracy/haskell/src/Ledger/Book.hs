module Ledger.Book
  ( Book -- ⟦ ref Book ⟧
  , emptyBook -- ⟦ ref emptyBook ⟧
  , post -- ⟦ ref post ⟧
  , (|+|) -- ⟦ ref Book.append ⟧
  , balance -- ⟦ ref balance ⟧
  , render -- ⟦ ref Book.render ⟧
  , module Ledger.Types
  ) where

import Ledger.Format (pad) -- ⟦ ref pad import ⟧
import qualified Ledger.Format as F
import Ledger.Types

-- | Entries, the newest first.
newtype Book = Pages [Entry] -- ⟦ def Book ; def Book.Pages ; ref Entry type ⟧

emptyBook :: Book -- ⟦ may emptyBook ; ref Book type ⟧
emptyBook = Pages [] -- ⟦ def emptyBook ; call Book.Pages from emptyBook ⟧

post :: Entry -> Book -> Book -- ⟦ may post ; ref Entry type ; ref Book type ⟧
post entry (Pages entries) = Pages (entry : entries) -- ⟦ def post ; call Book.Pages from post ⟧

(|+|) :: Book -> Entry -> Book -- ⟦ may Book.append ; ref Book type ; ref Entry type ⟧
book |+| entry = post entry book -- ⟦ def Book.append name=|+| ; call post from Book.append ⟧

signed :: Entry -> Int -- ⟦ may signed ; ref Entry type ⟧
signed entry = case kind entry of -- ⟦ def signed ; ref Entry.kind read ⟧
  Income -> amount entry -- ⟦ ref Kind.Income ; ref Entry.amount read ⟧
  Spending -> negate (amount entry) -- ⟦ ref Kind.Spending ; ref Entry.amount read ⟧

balance :: Book -> Int -- ⟦ may balance ; ref Book type ⟧
balance (Pages entries) = sum (map signed entries) -- ⟦ def balance ; ref Book.Pages ; ref signed read ⟧

row :: Entry -> String -- ⟦ may row ; ref Entry type ⟧
row entry = pad (describe entry) ++ F.render (signed entry) -- ⟦ def row ; call pad from row ; call Described.describe from row ; may Entry.describe ; call Format.render from row ; call signed from row ⟧

render :: Book -> String -- ⟦ may Book.render ; ref Book type ⟧
render book@(Pages entries) = unlines (plain (map row entries) ++ [footer]) -- ⟦ def Book.render ; ref Book.Pages ; call plain from Book.render ; ref row read ⟧
  where
    footer = pad "balance" ++ F.render (balance book) -- ⟦ call pad from Book.render ; call Format.render from Book.render ; call balance from Book.render ⟧

-- | Every other row is dotted.
plain :: [String] -> [String] -- ⟦ may plain ⟧
plain rows = case rows of -- ⟦ def plain ⟧
  [] -> []
  (first : rest) -> first : dotted rest -- ⟦ call dotted from plain ⟧

dotted :: [String] -> [String] -- ⟦ may dotted ⟧
dotted rows = case rows of -- ⟦ def dotted ⟧
  [] -> []
  (first : rest) -> (first ++ " .") : plain rest -- ⟦ call plain from dotted ⟧
