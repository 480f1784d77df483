require "os"

# The way home.
# In two lines.
def home(path)
  return Os.sep if path
  path
end

class Road
  LENGTH = 1
end
