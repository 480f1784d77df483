{-# LANGUAGE GADTs, LambdaCase #-}
-- | Orders of customers.
module Shop.Orders
  ( Order (..), price, module Data.Maybe
  ) where

import Data.List
import Data.Maybe (fromMaybe, mapMaybe)
import qualified Data.Map.Strict as Map
import Data.Text qualified as T
import Prelude hiding (lookup)
import Shop.Types (Status (Open, Closed), type (+), (<+>))

infixl 6 |>

-- | An order.
data Order = Order
  { orderName :: String      -- ^ its name
  , orderCount, orderSize :: !Int
  } deriving (Show, Eq)

data Shape a
  = Circle Double            -- ^ round
  | Square { side :: a }
  | a :*: a
  deriving stock (Ord)

newtype Wrapper m a = Wrapper { unwrap :: m a }
type Name = String
type family Elem c
data Expr a where
  IntE  :: Int -> Expr Int
  BoolE :: Bool -> Expr Bool

-- | What can be priced.
class Show a => Priced a where
  -- | What it costs.
  cost :: a -> Int
  cost _ = 0
  {-# MINIMAL cost #-}

instance Priced Order where
  cost o = orderCount o * rate
    where rate = 2

instance (Priced a, Priced b) => Priced (Either a b) where
  cost (Left a) = cost a
  cost (Right b) = cost b

deriving instance Eq (Expr a)

-- | The price of an order.
price :: Order -> Int -> Int
price Order { orderCount = n } 0 = n
price order quantity
  | quantity > limit && orderCount order > 0 = error "too many"
  | quantity < 0 || null (orderName order) = 0
  | otherwise = total * quantity
  where
    total = helper (orderCount order)
    helper x = x + 1

-- A limit.
limit :: Int
limit = 10

{- | Pipes.
   Left to right. -}
(|>) :: a -> (a -> b) -> b
x |> f = f x

report :: (Monad m) => Map.Map Name Order -> m [String]
report orders = do
  let names = map orderName (Map.elems orders)
      size' = length names
  first <- pure (fromMaybe "none" (find' names))
  if size' > 3 then pure names else pure [first]
  case names of
    [] -> pure []
    (n : rest) | n == "a" -> pure rest
    _ -> pure [x ++ y | x <- names, y <- names, x /= y]
  mapM (\case { Just v -> pure v; Nothing -> pure "" }) []
  where find' = foldr (\a _ -> Just a) Nothing

größe, other :: Int
größe = T.length (T.pack "a") `div` 2
other = let (a, b) = (1, 2) in a + b

main :: IO ()
main = print $ cost (Order { orderName = "a", orderCount = 1, orderSize = 2 }) `seq` map (subtract 1) [größe ..]

-- | Grows, in steps.
grow
  :: Int -- ^ how much
  -> Int
{-# INLINE grow #-}
grow 0 = 0
-- One at a time.
grow n = n + grow (n - 1)

infixr 5 +++
(+++) :: [a] -> [a] -> [a]
[] +++ ys = ys
(x : xs) +++ ys = x : (xs +++ ys)

-- | Two in one.
pattern Both :: a -> b -> (a, b)
pattern Both x y = (x, y)
pattern x :> y = (x, y)
pattern Point { px, py } = (px, py)
