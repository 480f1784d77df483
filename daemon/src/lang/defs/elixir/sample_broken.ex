defmodule Broken do
  # Whole.
  def before(a), do: after_one(a)

  def broken(a, b do
    a + )
  end

  # Also whole.
  def after_one(b) do
    Enum.map(b, &before/1)
  end
end
