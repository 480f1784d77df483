local Account = require("lib.account")
local Savings = require("lib.savings")
local format = require("lib.format")

local function spec_deposit() -- ⟦ def spec_deposit ⟧
  local account = Account.new("Ada") -- ⟦ call Account.new from spec_deposit ⟧
  account:deposit(Account.LIMIT):deposit(1) -- ⟦ call Account.deposit from spec_deposit ; ref Account.LIMIT read ⟧
  assert(account.balance == 100001)
  assert(account:withdraw(100001 - 1)) -- ⟦ call Account.withdraw from spec_deposit ⟧
  assert(account:describe() == format.line("Ada", 1)) -- ⟦ call Account.describe from spec_deposit ; call format.line from spec_deposit ⟧
end

local function spec_savings() -- ⟦ def spec_savings ⟧
  local saved = Savings.new("Bob", 0.1) -- ⟦ call Savings.new from spec_savings ⟧
  saved:deposit(1000) -- ⟦ call Account.deposit from spec_savings ⟧
  saved:add_interest() -- ⟦ call Savings.add_interest from spec_savings ⟧
  assert(not saved:withdraw(600)) -- ⟦ call Savings.withdraw from spec_savings ⟧
  assert(format.money(saved.balance) == format.SYMBOL .. "11.00") -- ⟦ call format.money from spec_savings ; ref format.SYMBOL read ⟧
end

for name, spec in pairs({ deposit = spec_deposit, savings = spec_savings }) do -- ⟦ ref spec_deposit read ; ref spec_savings read ⟧
  spec()
  print("ok " .. name)
end
