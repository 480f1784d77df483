ExUnit.start()

defmodule Library.DeskTest do # ⟦ def DeskTest name=Library.DeskTest ⟧
  use ExUnit.Case
  alias Library.{Book, Desk, Mail} # ⟦ ref Book import ; ref Desk import ; ref Mail import ⟧
  alias Library.Member, as: Reader # ⟦ ref Member import ⟧

  defp lent do # ⟦ def DeskTest.lent ⟧
    book = Book.new("Emma", "Austen") # ⟦ ref Book ; call Book.new from DeskTest.lent ⟧
    Desk.lend(Reader.new("Ada"), book, ~D[2024-01-01]) # ⟦ ref Desk ; call Desk.lend from DeskTest.lent ; ref Member ; call Member.new from DeskTest.lent ⟧
  end

  test "lending" do # ⟦ def DeskTest.lending ⟧
    {:ok, member, due} = lent() # ⟦ call DeskTest.lent from DeskTest.lending ⟧
    assert due == ~D[2024-01-15]
    assert Reader.count(member) == 1 # ⟦ ref Member ; call Member.count from DeskTest.lending ⟧
  end

  test "refusing" do # ⟦ def DeskTest.refusing ⟧
    book = %{Book.new("Emma", "Austen") | lent: 3} # ⟦ ref Book ; call Book.new from DeskTest.refusing ⟧
    refute Book.available?(book) # ⟦ ref Book ; call Book.available? from DeskTest.refusing ⟧
    assert Book.lend(book) == {:error, :lent} # ⟦ ref Book ; call Book.lend from DeskTest.refusing ⟧
    assert book |> Book.give_back() |> Book.available?() # ⟦ ref Book ; call Book.give_back from DeskTest.refusing ; call Book.available? from DeskTest.refusing ⟧
  end

  test "reminding" do # ⟦ def DeskTest.reminding ⟧
    {:ok, member, _} = lent() # ⟦ call DeskTest.lent from DeskTest.reminding ⟧
    assert Desk.remind([member], Mail) == 1 # ⟦ ref Desk ; call Desk.remind from DeskTest.reminding ; ref Mail ⟧
    assert_received {:mail, "member Ada: Emma by Austen"}
    assert Mail.notify("notify") == :ok # ⟦ ref Mail ; call Mail.notify from DeskTest.reminding ⟧
  end
end
