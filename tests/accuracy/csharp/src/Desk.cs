using System.Collections.Generic;
using System.Linq;
using Support.Model;
using Support.Rules;
using Support.Storage;
using static Support.Model.Texts; // ⟦ ref Texts import ⟧
using Level = Support.Model.Urgency; // ⟦ ref Urgency import ⟧

namespace Support
{
    public partial class Desk // ⟦ def Desk ⟧
    {
        private readonly IStore<Ticket> store; // ⟦ def Desk.store ; ref IStore type ; ref Ticket type ⟧
        private readonly List<IRule> rules = new List<IRule>(); // ⟦ def Desk.rules ; ref IRule type ⟧

        public Desk(IStore<Ticket> store) // ⟦ def Desk.Desk ; ref IStore type ; ref Ticket type ⟧
        {
            this.store = store; // ⟦ ref Desk.store write ⟧
        }

        public Desk With(IRule rule) // ⟦ def Desk.With ; ref Desk type ; ref IRule type ⟧
        {
            rules.Add(rule); // ⟦ ref Desk.rules read ⟧
            return this;
        }

        public Ticket Open(string title, Level level = Level.Normal) // ⟦ def Desk.Open ; ref Ticket type ; ref Urgency type ; ref Urgency.Normal read ⟧
        {
            var ticket = new Ticket(title, level); // ⟦ call Ticket from Desk.Open ⟧
            ticket.Closed += OnClosed; // ⟦ ref Ticket.Closed write ; ref Desk.OnClosed read ⟧
            store.Add(ticket); // ⟦ ref Desk.store read ; call IStore.Add from Desk.Open ; may MemoryStore.Add ⟧
            return ticket;
        }

        public int Run(Ticket ticket) // ⟦ def Desk.Run ; ref Ticket type ⟧
        {
            return rules.Count(rule => rule.Apply(ticket)); // ⟦ ref Desk.rules read ; call IRule.Apply from Desk.Run ; may Rule.Apply ⟧
        }

        public string Summary(int id) // ⟦ def Desk.Summary ⟧
        {
            Ticket Lookup(int wanted) // ⟦ def Summary.Lookup ; ref Ticket type ⟧
            {
                return store.Find(ticket => ticket.Id == wanted); // ⟦ ref Desk.store read ; call IStore.Find from Summary.Lookup ; may MemoryStore.Find ; ref Ticket.Id read ⟧
            }

            var found = Lookup(id); // ⟦ call Summary.Lookup from Desk.Summary ⟧
            return Format(found.Title, found.Count); // ⟦ call Texts.Format from Desk.Summary ; ref Ticket.Title read ; ref Ticket.Count read ⟧
        }
    }
}
