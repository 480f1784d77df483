local Account = require("lib.account")
local Savings = require("lib.savings")
local money = require("lib.format").money -- ⟦ ref format.money import ⟧
local fmt = require("lib.format")

local bank = {}
local accounts = {} -- ⟦ def bank.accounts ⟧
local commands = {} -- ⟦ def bank.commands ⟧

local function open(kind, owner) -- ⟦ def bank.open ⟧
  if kind == "savings" then
    return Savings.new(owner, 0.5) -- ⟦ call Savings.new from bank.open ⟧
  end
  return Account.new(owner) -- ⟦ call Account.new from bank.open ⟧
end

function commands.deposit(account, cents) -- ⟦ def commands.deposit ; ref bank.commands ⟧
  account:deposit(cents) -- ⟦ may Account.deposit, commands.deposit ⟧
  return money(account.balance) -- ⟦ call format.money from commands.deposit ⟧
end

commands.withdraw = function(account, cents) -- ⟦ def commands.withdraw ; ref bank.commands ⟧
  local done, problem = account:withdraw(cents) -- ⟦ may Account.withdraw, Savings.withdraw, commands.withdraw ⟧
  return done and money(cents) or problem -- ⟦ call format.money from commands.withdraw ⟧
end

function bank.fail(name) -- ⟦ def bank.fail ⟧
  return "no command " .. name
end

function bank.run(name, owner, cents) -- ⟦ def bank.run ⟧
  local command = commands[name] -- ⟦ ref bank.commands read ⟧
  if not command then
    return bank.fail(name) -- ⟦ call bank.fail from bank.run ⟧
  end
  if not accounts[owner] then -- ⟦ ref bank.accounts read ⟧
    accounts[owner] = open("plain", owner) -- ⟦ ref bank.accounts ; call bank.open from bank.run ⟧
  end
  return command(accounts[owner], cents) -- ⟦ ref bank.accounts read ⟧
end

function bank.report(describe) -- ⟦ def bank.report ⟧
  local list = {}
  for _, account in pairs(accounts) do -- ⟦ ref bank.accounts read ⟧
    list[#list + 1] = describe(account) -- ⟦ runs Account.describe from bank.report ; runs main.short from bank.report ⟧
  end
  table.sort(list)
  return fmt.lines(list) -- ⟦ call format.lines from bank.report ⟧
end

function bank.save(path) -- ⟦ def bank.save ⟧
  local file = assert(io.open(path, "w"))
  file:write(bank.report(Account.describe)) -- ⟦ call bank.report from bank.save ; ref Account.describe read ⟧
  file:close()
end

return bank
