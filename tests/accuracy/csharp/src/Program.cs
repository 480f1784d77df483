using System;
using Support.Model;
using Support.Rules;
using Support.Storage;

namespace Support
{
    public static class Program // ⟦ def Program ⟧
    {
        public static Desk Build(IStore<Ticket> store) // ⟦ def Program.Build ; ref Desk type ; ref IStore type ; ref Ticket type ⟧
        {
            return new Desk(store).With(new Escalation(3)).With(new Cleanup()); // ⟦ call Desk from Program.Build ; call Desk.With from Program.Build ; call Escalation from Program.Build ; call Cleanup from Program.Build ⟧
        }

        public static void Main(string[] args) // ⟦ def Program.Main ⟧
        {
            var store = new MemoryStore<Ticket>(); // ⟦ call MemoryStore from Program.Main ; ref Ticket type ⟧
            var desk = Build(store); // ⟦ call Program.Build from Program.Main ⟧
            foreach (var title in args)
            {
                var ticket = desk.Open(title, Urgency.Low).Add(new Ticket.Note("by phone")); // ⟦ call Desk.Open from Program.Main ; ref Urgency read ; ref Urgency.Low read ; call Ticket.note.Add from Program.Main ; ref Ticket type ; call Note from Program.Main ⟧
                Console.WriteLine(desk.Run(ticket) + " " + desk.Summary(ticket.Id)); // ⟦ call Desk.Run from Program.Main ; call Desk.Summary from Program.Main ; ref Ticket.Id read ⟧
            }

            Console.WriteLine(store.Count + " " + desk.Closed); // ⟦ ref MemoryStore.Count read ; ref Desk.Closed read ⟧
        }
    }
}
