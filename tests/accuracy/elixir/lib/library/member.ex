defmodule Library.Member do # ⟦ def Member name=Library.Member ; impl Member of Label ⟧
  alias Library.Label, as: Sign # ⟦ ref Label import ⟧

  defstruct [:name, books: []]

  def new(name), do: %Library.Member{name: name} # ⟦ def Member.new ; ref Member ⟧

  def take(member, book), do: %{member | books: [book | member.books]} # ⟦ def Member.take ⟧

  # The number of books that a member has at home.
  def count(member), do: length(member.books) # ⟦ def Member.count ⟧

  def titles(member) do # ⟦ def Member.titles ⟧
    Enum.map(member.books, &Sign.label/1) # ⟦ ref Label ; ref Label.label read ; may Book.impl.label, Member.impl.label ⟧
  end
end

defimpl Library.Label, for: Library.Member do # ⟦ ref Label ; ref Member ⟧
  def label(member), do: "member " <> member.name # ⟦ def Member.impl.label ; impl Member.impl.label of Label.label ⟧
end
