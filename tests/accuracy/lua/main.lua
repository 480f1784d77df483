local bank = require("lib.bank")
local format = require("lib.format")

local function short(account) -- ⟦ def main.short ⟧
  return account.owner .. ": " .. format.money(account.balance) -- ⟦ call format.money from main.short ⟧
end

function main(args) -- ⟦ def main ⟧
  print(bank.run("deposit", "Ada", 1250)) -- ⟦ call bank.run from main ; may commands.deposit ⟧
  print(bank.run("withdraw", "Ada", 250)) -- ⟦ call bank.run from main ; may commands.withdraw ⟧
  print(bank.run("steal", "Ada", 1)) -- ⟦ call bank.run from main ⟧
  print(bank.report(short)) -- ⟦ call bank.report from main ; ref main.short read ⟧
  if args[1] then
    bank.save(args[1]) -- ⟦ call bank.save from main ⟧
  end
end

main(arg) -- ⟦ call main from - ⟧
