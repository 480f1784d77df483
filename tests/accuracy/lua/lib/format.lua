-- How amounts look on paper.
local M = {}

M.SYMBOL = "$" -- ⟦ def format.SYMBOL ⟧

local function pad(text, width) -- ⟦ def format.pad ⟧
  return text .. string.rep(" ", width - #text)
end

function M.money(cents) -- ⟦ def format.money ⟧
  return M.SYMBOL .. string.format("%.2f", cents / 100) -- ⟦ ref format.SYMBOL read ⟧
end

function M.line(label, cents) -- ⟦ def format.line ⟧
  return pad(label, 12) .. M.money(cents) -- ⟦ call format.pad from format.line ; call format.money from format.line ⟧
end

-- The lines of a list, one below the other.
function M.lines(list) -- ⟦ def format.lines ⟧
  local function join(i) -- ⟦ def format.lines.join ⟧
    if i > #list then
      return ""
    end
    return list[i] .. "\n" .. join(i + 1) -- ⟦ call format.lines.join from format.lines.join ⟧
  end
  return join(1) -- ⟦ call format.lines.join from format.lines ⟧
end

return M
