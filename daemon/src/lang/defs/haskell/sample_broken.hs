module Broken where

-- | Whole.
before :: Int -> Int
before a = after a

broken a = ) a +

-- | Also whole.
after :: Int -> Int
after b = before (b + 1)
