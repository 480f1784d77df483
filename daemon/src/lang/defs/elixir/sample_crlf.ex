defmodule Sum do
  @moduledoc "Adds."

  @doc """
  Adds two.
  """
  def add(a, b) do
    a + b
  end

  # Hidden.
  defp twice(n), do: add(n, n)
end
