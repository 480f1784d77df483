local Account = require("lib.account")

-- An account that pays interest.
local Savings = setmetatable({}, { __index = Account })
Savings.__index = Savings

function Savings.new(owner, rate) -- ⟦ def Savings.new ⟧
  local self = Account.new(owner) -- ⟦ call Account.new from Savings.new ⟧
  self.rate = rate
  return setmetatable(self, Savings)
end

-- Only half of the balance may be taken at once.
function Savings:withdraw(cents) -- ⟦ def Savings.withdraw ⟧
  if cents > self.balance / 2 then
    return false, "too much"
  end
  return Account.withdraw(self, cents) -- ⟦ call Account.withdraw from Savings.withdraw ⟧
end

function Savings:add_interest() -- ⟦ def Savings.add_interest ⟧
  self:deposit(math.floor(self.balance * self.rate)) -- ⟦ call Account.deposit from Savings.add_interest ⟧
end

return Savings
