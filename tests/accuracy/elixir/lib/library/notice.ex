defmodule Library.Notifier do # ⟦ def Notifier name=Library.Notifier ⟧
  @callback notify(String.t()) :: :ok # ⟦ def Notifier.notify ⟧
end

defmodule Library.Mail do # ⟦ def Mail name=Library.Mail ; impl Mail of Notifier ⟧
  @behaviour Library.Notifier # ⟦ ref Notifier ⟧

  @impl true
  def notify(text) do # ⟦ def Mail.notify ; impl Mail.notify of Notifier.notify ⟧
    send(self(), {:mail, text})
    :ok
  end
end

defmodule Library.Dates do # ⟦ def Dates name=Library.Dates ⟧
  def due(today, days) do # ⟦ def Dates.due ⟧
    day = Date.add(today, days)
    if weekend?(day), do: due(day, 1), else: day # ⟦ call Dates.weekend? from Dates.due ; call Dates.due from Dates.due ⟧
  end

  def weekend?(day), do: Date.day_of_week(day) > 5 # ⟦ def Dates.weekend? ⟧

  defmacro weeks(count) do # ⟦ def Dates.weeks ⟧
    quote do: unquote(count) * 7
  end
end
