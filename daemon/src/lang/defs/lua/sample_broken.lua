local M = {}

-- Whole.
function M.before(a)
	return M.after(a)
end

function M.broken(a, )
	local b = a +
	return a )
end

-- Also whole.
function M.after(b)
	local c = b or 1
	return M.before(c)
end

return M
