defmodule Library.Desk do # ⟦ def Desk name=Library.Desk ⟧
  alias Library.{Book, Member} # ⟦ ref Book import ; ref Member import ⟧
  import Library.Dates, only: [due: 2, weeks: 1] # ⟦ ref Dates import ; ref Dates.due import ; ref Dates.weeks import ⟧

  def lend(%Member{} = member, %Book{} = book, today) do # ⟦ def Desk.lend ; ref Member type ; ref Book type ⟧
    with true <- Member.count(member) < limit(), # ⟦ ref Member ; call Member.count from Desk.lend ; call Desk.limit from Desk.lend ⟧
         {:ok, lent} <- Book.lend(book) do # ⟦ ref Book ; call Book.lend from Desk.lend ⟧
      {:ok, Member.take(member, lent), due(today, weeks(2))} # ⟦ ref Member ; call Member.take from Desk.lend ; call Dates.due from Desk.lend ; call Dates.weeks from Desk.lend ⟧
    else
      false -> {:error, :too_many}
      error -> error
    end
  end

  def describe(member) do # ⟦ def Desk.describe ⟧
    member |> Member.titles() |> Enum.join(", ") |> sentence(member) # ⟦ ref Member ; call Member.titles from Desk.describe ; call Desk.sentence from Desk.describe ⟧
  end

  def remind(members, notifier \\ Library.Mail) do # ⟦ def Desk.remind ; ref Mail ⟧
    Enum.each(members, fn member -> notifier.notify(describe(member)) end) # ⟦ may Notifier.notify, Mail.notify ; call Desk.describe from Desk.remind ⟧
    total(members) # ⟦ call Desk.total from Desk.remind ⟧
  end

  def total(members) do # ⟦ def Desk.total ⟧
    case members do
      [] -> 0
      [member | rest] -> Member.count(member) + total(rest) # ⟦ ref Member ; call Member.count from Desk.total ; call Desk.total from Desk.total ⟧
    end
  end

  defp sentence(titles, member), do: "#{Library.Label.label(member)}: #{titles}" # ⟦ def Desk.sentence ; ref Label ; call Label.label from Desk.sentence ; may Book.impl.label, Member.impl.label ⟧

  defp limit, do: 5 # ⟦ def Desk.limit ⟧
end
