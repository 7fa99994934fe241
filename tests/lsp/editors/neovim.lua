-- Neovim's own client with `manifest lsp`, for 0.7 to 0.10. $SETTINGS is what stands on the page, and $RESULT
-- the file to write what was seen into.
local seen = {}
local manifest = vim.fn.getcwd() .. "/a.manifest.json"

local function lines() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n") end
local function wait(what, condition)
  if not vim.wait(20000, condition, 20) then error("waited in vain for " .. what) end
end
local function go_to(text)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  if vim.fn.search(text, "cW") == 0 then error("there is no " .. text) end
end
local function set(text)
  vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.split(text, "\n"))
end
local function diagnostics(count)
  wait(count .. " diagnostics", function() return #vim.diagnostic.get(0) == count end)
  local found = {}
  for _, each in ipairs(vim.diagnostic.get(0)) do
    table.insert(found, { code = each.code, line = each.lnum, column = each.col })
  end
  return found
end
local function act(title, only)
  vim.ui.select = function(items, options, choose)
    for _, item in ipairs(items) do
      if options.format_item(item):find(title, 1, true) then return choose(item) end
    end
    error("there is no action " .. title)
  end
  local before = lines()
  if vim.fn.has("nvim-0.8") == 1 then
    vim.lsp.buf.code_action({ context = { only = only, diagnostics = {} } })
  else
    vim.lsp.buf.code_action({ only = only, diagnostics = {} })
  end
  wait(title, function() return lines() ~= before end)
end

local function main()
  assert(loadstring(vim.env.SETTINGS))()
  vim.cmd("filetype on")
  vim.cmd("edit " .. manifest)
  local id
  wait("the client", function()
    id = next(vim.lsp.buf_get_clients(0))
    return id ~= nil
  end)
  local function client() return vim.lsp.get_client_by_id(id) end
  wait("the server", function() return client() and client().server_capabilities ~= nil end)
  local function ask(method, more)
    local params = vim.tbl_extend("force", vim.lsp.util.make_position_params(0, client().offset_encoding), more or {})
    local answers = vim.lsp.buf_request_sync(0, method, params, 20000)
    return answers[id].result
  end

  seen.version = tostring(vim.version().major) .. "." .. vim.version().minor .. "." .. vim.version().patch
  seen.diagnostics = diagnostics(3)

  go_to("host.haptic")
  act("host.haptics", { "quickfix" })
  seen.quick_fix = lines()
  seen.after_fix = diagnostics(2)
  act("safe fixes", { "source.fixAll" })
  seen.fix_all = lines()
  diagnostics(0)

  go_to("schema_version")
  vim.lsp.buf.hover()
  wait("hover", function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= "" then
        local buffer = vim.api.nvim_win_get_buf(window)
        seen.hover = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), "\n")
        return true
      end
    end
  end)

  go_to('"host.timer"')
  vim.api.nvim_buf_set_text(0, vim.fn.line(".") - 1, vim.fn.col(".") - 1, vim.fn.line(".") - 1,
    vim.fn.col(".") + 11, { '"host.tim"' })
  vim.api.nvim_win_set_cursor(0, { vim.fn.line("."), vim.fn.col(".") + 8 })
  for _, item in ipairs(ask("textDocument/completion")) do
    if item.label == "host.timer" then
      vim.lsp.util.apply_text_edits({ item.textEdit }, 0, client().offset_encoding)
    end
  end
  seen.completion = lines() == seen.fix_all

  set((seen.fix_all:gsub(": ", ":   ")))
  if vim.lsp.buf.format then vim.lsp.buf.format() else vim.lsp.buf.formatting_sync(nil, 20000) end
  seen.formatted = lines()
  client().stop()
end

local fine, problem = xpcall(main, debug.traceback)
if not fine then seen.error = problem end
local json = (vim.json and vim.json.encode or vim.fn.json_encode)(seen)
vim.fn.writefile({ json }, vim.env.RESULT)
vim.cmd("qall!")
