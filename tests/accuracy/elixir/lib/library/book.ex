defprotocol Library.Label do # ⟦ def Label name=Library.Label ⟧
  @doc "What stands on the back of a thing."
  def label(thing) # ⟦ def Label.label ⟧
end

defmodule Library.Book do # ⟦ def Book name=Library.Book ; impl Book of Label ⟧
  @moduledoc "A book, and how often it was lent."

  @limit 3 # ⟦ def Book.limit ⟧

  defstruct [:title, :author, lent: 0]

  def new(title, author) do # ⟦ def Book.new ⟧
    %Library.Book{title: title, author: author} # ⟦ ref Book ⟧
  end

  def available?(book), do: book.lent < @limit # ⟦ def Book.available? ; ref Book.limit read ⟧

  def lend(book) do # ⟦ def Book.lend ⟧
    if available?(book), do: {:ok, count(book, 1)}, else: {:error, :lent} # ⟦ call Book.available? from Book.lend ; call Book.count from Book.lend ⟧
  end

  def give_back(book), do: count(book, -1) # ⟦ def Book.give_back ; call Book.count from Book.give_back ⟧

  defp count(book, change) do # ⟦ def Book.count ⟧
    %{book | lent: book.lent + change}
  end
end

defimpl Library.Label, for: Library.Book do # ⟦ ref Label ; ref Book ⟧
  def label(book), do: "#{book.title} by #{book.author}" # ⟦ def Book.impl.label ; impl Book.impl.label of Label.label ⟧
end
