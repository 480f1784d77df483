class Before
  def works
    helper
  end
end

def broken(a, b)
  value = = a
  helper(b)
end

class After < Before
  def works
    helper(self) if @x
  end
end
