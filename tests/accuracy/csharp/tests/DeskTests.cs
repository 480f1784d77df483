using System;
using Support.Model;
using Support.Rules;
using Support.Storage;

namespace Support.Tests
{
    public class DeskTests // ⟦ def DeskTests ⟧
    {
        private readonly Desk desk = Program.Build(MemoryStore<Ticket>.Of(new Ticket("first"))); // ⟦ def DeskTests.desk ; ref Desk type ; ref Program read ; call Program.Build from - ; ref MemoryStore read ; call MemoryStore.Of from - ; call Ticket from - ; ref Ticket type ⟧

        public void Escalates() // ⟦ def DeskTests.Escalates ⟧
        {
            Ticket ticket = desk.Open("printer on fire"); // ⟦ ref Ticket type ; ref DeskTests.desk read ; call Desk.Open from DeskTests.Escalates ⟧
            for (var count = 0; count < 4; count++)
            {
                ticket.Add("still burning"); // ⟦ call Ticket.Add from DeskTests.Escalates ⟧
            }

            Check(desk.Run(ticket) == 1 && ticket.Urgency == Urgency.High); // ⟦ call DeskTests.Check from DeskTests.Escalates ; ref DeskTests.desk read ; call Desk.Run from DeskTests.Escalates ; ref Ticket.Urgency read ; ref Urgency read ; ref Urgency.High read ⟧
        }

        public void CleansUp() // ⟦ def DeskTests.CleansUp ⟧
        {
            var rule = new Cleanup(); // ⟦ call Cleanup from DeskTests.CleansUp ⟧
            var ticket = new Ticket("Close the window", Urgency.Low); // ⟦ call Ticket from DeskTests.CleansUp ; ref Urgency read ; ref Urgency.Low read ⟧
            Check(rule.Apply(ticket) && !ticket.IsOpen); // ⟦ call DeskTests.Check from DeskTests.CleansUp ; call Rule.Apply from DeskTests.CleansUp ; ref Ticket.IsOpen read ⟧
            Check(rule.Name == "rule" && new Escalation(1).Name != rule.Name); // ⟦ call DeskTests.Check from DeskTests.CleansUp ; ref Rule.Name read ; call Escalation from DeskTests.CleansUp ; ref Escalation.Name read ⟧
        }

        private static void Check(bool holds) // ⟦ def DeskTests.Check ⟧
        {
            if (!holds)
            {
                throw new InvalidOperationException();
            }
        }
    }
}
