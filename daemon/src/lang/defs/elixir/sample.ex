defmodule Shop.Orders do
  @moduledoc """
  Orders of customers.
  """

  use GenServer, restart: :transient
  import Shop.Query, only: [from: 2]
  alias Shop.Repo
  alias Shop.{Customer, Mail.Letter}
  alias Shop.Support.Clock, as: Time
  require Logger
  alias __MODULE__.Line

  @behaviour Shop.Store
  @limit 10
  @type id :: pos_integer()
  @typep state :: %{orders: list(t)}
  @opaque t :: %__MODULE__{id: id}
  @callback fetch(id) :: {:ok, t} | :error

  defstruct [:id, :name, count: 0]

  defmodule TooMany do
    defexception [:message, code: 1]
  end

  @doc "Starts it."
  @spec start_link(keyword) :: GenServer.on_start()
  def start_link(opts \\ []), do: GenServer.start_link(__MODULE__, opts, name: __MODULE__)

  @impl true
  def init(_opts), do: {:ok, %{orders: []}}

  @doc """
  The price of an order.

      iex> price(1)
  """
  @spec price(t, integer) :: integer
  @deprecated "use total/1"
  def price(order, quantity \\ 1)
  def price(%__MODULE__{count: count} = order, quantity) when quantity > @limit and count > 0 do
    if quantity > 100 && order.name do
      raise TooMany, message: "too many"
    else
      unless order.id, do: throw(:missing)
    end

    case fetch(order.id) do
      {:ok, found} -> found.count * quantity
      :error when quantity == 1 -> 0
      _ -> nil
    end
  end

  def price(nil, _), do: 0

  # Only inside.
  defp total([head | tail], sum), do: total(tail, sum + head.count)
  defp total([], sum), do: sum

  def report(orders) do
    names =
      orders
      |> Enum.filter(&valid?/1)
      |> Enum.map(fn %{name: name} -> String.upcase(name) end)
      |> Enum.map(&Time.format(&1, :short))

    with {:ok, first} <- List.first(names),
         count = length(names) do
      Logger.info("found #{count} of #{inspect(first)}")
    else
      nil -> ~s(nothing #{names})
    end

    for order <- orders, order.count > 0, into: %{}, do: {order.id, order}

    cond do
      names == [] -> :none
      true -> ~w(a b c)a
    end

    try do
      Repo.insert!(%Customer{name: "a"})
    rescue
      error in [RuntimeError, ArgumentError] -> handle(error)
    catch
      :exit, reason -> reason
    after
      cleanup()
    end

    receive do
      {:done, pid} -> send(pid, :ok)
    end

    callback = fn a, b -> a + b end
    callback.(1, 2)
    %{orders | name: "b"}
  end

  @doc "Whether it is."
  def valid?(%{count: n}) when is_integer(n) and n > 0, do: true
  def valid?(_), do: false

  defmacro debug(expression) do
    quote do
      IO.inspect(unquote(expression))
    end
  end

  defmacrop hidden(a), do: a
  defguard is_small(n) when n < @limit
  defdelegate size(list), to: Enum, as: :count
  def left ~> right, do: {left, right}
  def unquote(:odd)(), do: 1
end

defprotocol Shop.Priced do
  @doc "What it costs."
  @fallback_to_any true
  def price(thing)
end

defimpl Shop.Priced, for: Shop.Orders do
  def price(order), do: order.count
end

defmodule Shop.OrdersTest do
  use ExUnit.Case, async: true

  setup do
    {:ok, order: %Shop.Orders{}}
  end

  describe "price/2" do
    test "is zero for none", %{order: order} do
      assert Shop.Orders.price(nil, 1) == 0
    end
  end
end

defmodule Shop.Missing do
  defexception message: "none", code: nil
end

defimpl Shop.Priced, for: [Map, List] do
  def price(_), do: 0
end
