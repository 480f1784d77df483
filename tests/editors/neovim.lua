-- Asks claudevil-lsp through Neovim's own client.
local root = vim.env.PROJECT

local function fail(message)
  io.stderr:write("neovim: " .. message .. "\n")
  vim.cmd("cquit 1")
end

local function check(is_right, what, found)
  if not is_right then
    fail(what .. ": " .. vim.inspect(found))
  end
end

vim.cmd("edit " .. root .. "/main.py")
local id = vim.lsp.start_client({ name = "claudevil", cmd = { "claudevil-lsp" }, root_dir = root })
vim.lsp.buf_attach_client(0, id)
local is_ready = vim.wait(20000, function()
  local client = vim.lsp.get_client_by_id(id)
  return client and client.server_capabilities and client.initialized
end, 20)
check(is_ready, "the server starts", id)

-- A question waits up to half a minute for the first index.
local function ask(method, line, column, more)
  local params = vim.tbl_extend("force", {
    textDocument = { uri = vim.uri_from_bufnr(0) },
    position = { line = line, character = column },
  }, more or {})
  local answers, problem = vim.lsp.buf_request_sync(0, method, params, 40000)
  check(answers and answers[id] and not answers[id].err, method, answers or problem)
  return answers[id].result
end

local definition = ask("textDocument/definition", 4, 12)[1]
check((definition.targetUri or definition.uri):match("barn%.py$"), "definition", definition)
local hover = ask("textDocument/hover", 4, 12)
check(hover.contents.value:match("Feeds the animals"), "hover", hover)
-- Two lines that are not saved: everything below them moves.
vim.api.nvim_buf_set_lines(0, 0, 0, false, { "# 🦀 One", "# Two" })
local references = ask("textDocument/references", 6, 12, { context = { includeDeclaration = false } })
local lines = vim.tbl_map(function(one)
  return one.range.start.line
end, references)
table.sort(lines)
check(vim.deep_equal(lines, { 2, 6 }), "references", references)
local symbols = ask("textDocument/documentSymbol", 0, 0)
check(symbols[1].name == "main" and symbols[1].selectionRange.start.line == 5, "symbols", symbols)
-- The text that is not saved is sent again to the next daemon.
vim.fn.system({ "claudevil", "daemon", "stop" })
symbols = ask("textDocument/documentSymbol", 0, 0)
check(symbols[1].selectionRange.start.line == 5, "symbols after the daemon was stopped", symbols)
local edit = ask("textDocument/rename", 6, 12, { newName = "nourish" })
vim.lsp.util.apply_workspace_edit(edit, vim.lsp.get_client_by_id(id).offset_encoding or "utf-16")
local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
check(text:match("import nourish") and text:match("return nourish%(3%)"), "rename", text)
io.stderr:write("neovim: all answers are right\n")
vim.cmd("qall!")
