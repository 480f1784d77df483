module Sum where

-- | Adds.
add :: Int -> Int -> Int
add a b = a + b

twice :: Int -> Int
twice n
  | n > 0 = add n n
  | otherwise = 0
