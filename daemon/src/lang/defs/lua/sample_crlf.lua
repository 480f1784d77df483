-- Adds.
local function add(a, b)
	return a + b
end

--[[ Of
     all. ]]
function sum(...)
	local total = 0
	for _, n in ipairs({...}) do
		total = add(total, n)
	end
	return total
end
