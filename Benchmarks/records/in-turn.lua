-- Requests the paths after wrk's "--" in turn.
local paths, last = {}, 0
function init(arguments) paths = arguments end
function request()
  last = last % #paths + 1
  return wrk.format("GET", paths[last])
end
