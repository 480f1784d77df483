local format = require("lib.format")

local Account = {}
Account.__index = Account

Account.LIMIT = 100000 -- ⟦ def Account.LIMIT ⟧

function Account.new(owner) -- ⟦ def Account.new ⟧
  local self = setmetatable({}, Account)
  self.owner = owner
  self.balance = 0
  return self
end

function Account:check(cents) -- ⟦ def Account.check ⟧
  assert(cents > 0 and cents <= Account.LIMIT, "over the LIMIT") -- ⟦ ref Account.LIMIT read ⟧
end

function Account:deposit(cents) -- ⟦ def Account.deposit ⟧
  self:check(cents) -- ⟦ call Account.check from Account.deposit ⟧
  self.balance = self.balance + cents
  return self
end

function Account:withdraw(cents) -- ⟦ def Account.withdraw ⟧
  self:check(cents) -- ⟦ call Account.check from Account.withdraw ⟧
  if cents > self.balance then
    return false, "not enough"
  end
  self.balance = self.balance - cents
  return true
end

function Account:describe() -- ⟦ def Account.describe ⟧
  return format.line(self.owner, self.balance) -- ⟦ call format.line from Account.describe ⟧
end

return Account
