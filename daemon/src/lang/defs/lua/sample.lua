#!/usr/bin/env lua
--- A queue of orders.
-- Kept in memory.
local json = require("orders.json")
local files = require "orders.files"
local insert, remove = table.insert, require("orders.remove").remove
require('orders.setup')

local M = {}
local LIMIT <const> = 10
local open <close>, total = io.open("a.txt"), 0
VERSION = "1.2"
M.separator = ";"
M.inner = {}

---@class Order
local Order = {}
Order.__index = Order
setmetatable(Order, { __index = Base })

--- Makes an order.
-- @param name its name
function Order.new(name, ...)
	local self = setmetatable({}, Order)
	self.name, self.count = name, select("#", ...)
	return self
end

--[[ Says what
     it costs. ]]
function Order:price(quantity)
	if quantity > LIMIT and self.count or not quantity then
		error("too many: " .. quantity)
	elseif quantity == 0 then
		return 0
	else
		for i = 1, quantity do total = total + i end
		for key, value in pairs(self) do print(key, value) end
	end
	while total > 0 do
		total = total - 1
		if total == 5 then goto done end
	end
	repeat total = total + 1 until total > 3
	::done::
	return self:tax(quantity) * 2
end

function M.inner.deep.run() end

local function helper(a, b)
	local function nested(x) return x + 1 end
	return nested(a) + b
end

function global_one() return helper(1, 2) end

M.callback = function(event) return event.name end
local anonymous = function() end
M["quoted"] = function() return 1 end
late = function(x) return x end

local handlers = {
	start = function(self, how) return how end,
	stop = helper,
	["odd key"] = function() end,
	42,
}

local a, b = function() end, function() return M end
handlers.start(nil, "now")
string.format("%d", 1):upper()
M.separator = nil
M.list[1].name = M.other
local text = [[
function not_one() end
]]
print "plain" ; print { json.encode(M) }
Order.new("a"):price(2)

function M.noted(a, --[[ the first ]] b) -- why
	-- Nothing yet.
	return a
end

return M
