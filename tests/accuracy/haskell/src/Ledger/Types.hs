module Ledger.Types
  ( Kind (..) -- ⟦ ref Kind ⟧
  , Entry (..) -- ⟦ ref Entry ⟧
  , Described (..) -- ⟦ ref Described ⟧
  , short -- ⟦ ref short ⟧
  ) where

-- | Which way the money goes.
data Kind -- ⟦ def Kind ; impl Kind of Described ⟧
  = Income -- ⟦ def Kind.Income ⟧
  | Spending -- ⟦ def Kind.Spending ⟧
  deriving (Eq, Show)

data Entry = MkEntry -- ⟦ def Entry ; def Entry.MkEntry ; impl Entry of Described ⟧
  { label :: String -- ⟦ def Entry.label ⟧
  , amount :: Int -- ⟦ def Entry.amount ⟧
  , kind :: Kind -- ⟦ def Entry.kind ; ref Kind type ⟧
  }

class Described a where -- ⟦ def Described ⟧
  describe :: a -> String -- ⟦ def Described.describe ⟧

instance Described Kind where -- ⟦ ref Described type ; ref Kind type ⟧
  describe kind = if kind == Income then "in" else "out" -- ⟦ def Kind.describe ; impl Kind.describe of Described.describe ; ref Kind.Income read ⟧

instance Described Entry where -- ⟦ ref Described type ; ref Entry type ⟧
  describe entry = describe (kind entry) ++ " " ++ label entry -- ⟦ def Entry.describe ; impl Entry.describe of Described.describe ; call Described.describe from Entry.describe ; may Kind.describe ; ref Entry.kind read ; ref Entry.label read ⟧

-- | The first letters of what describe says.
short :: Described a => a -> String -- ⟦ may short ; ref Described type ⟧
short thing = take 6 (describe thing) -- ⟦ def short ; call Described.describe from short ; may Kind.describe, Entry.describe ⟧
