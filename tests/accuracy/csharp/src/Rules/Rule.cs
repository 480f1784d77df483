using System;
using Support.Model;

namespace Support.Rules
{
    [AttributeUsage(AttributeTargets.Class)]
    public sealed class OrderAttribute : Attribute // ⟦ def OrderAttribute ⟧
    {
        public OrderAttribute(int position) // ⟦ def OrderAttribute.OrderAttribute ⟧
        {
            Position = position; // ⟦ ref OrderAttribute.Position write ⟧
        }

        public int Position { get; } // ⟦ def OrderAttribute.Position ⟧
    }

    public interface IRule // ⟦ def IRule ⟧
    {
        string Name { get; } // ⟦ def IRule.Name ⟧

        bool Apply(Ticket ticket); // ⟦ def IRule.Apply ; ref Ticket type ⟧
    }

    public abstract class Rule : IRule // ⟦ def Rule ; impl Rule of IRule ; ref IRule type ⟧
    {
        protected int applied; // ⟦ def Rule.applied ⟧

        public virtual string Name => "rule"; // ⟦ def Rule.Name ; impl Rule.Name of IRule.Name ⟧

        public bool Apply(Ticket ticket) // ⟦ def Rule.Apply ; impl Rule.Apply of IRule.Apply ; ref Ticket type ⟧
        {
            if (!ticket.IsOpen || !Matches(ticket)) // ⟦ ref Ticket.IsOpen read ; call Rule.Matches from Rule.Apply ; may Escalation.Matches, Cleanup.Matches ⟧
            {
                return false;
            }

            applied++; // ⟦ ref Rule.applied write ⟧
            Change(ticket); // ⟦ call Rule.Change from Rule.Apply ; may Escalation.Change, Cleanup.Change ⟧
            return true;
        }

        protected abstract bool Matches(Ticket ticket); // ⟦ def Rule.Matches ; ref Ticket type ⟧

        protected abstract void Change(Ticket ticket); // ⟦ def Rule.Change ; ref Ticket type ⟧
    }

    [Order(1)] // ⟦ ref OrderAttribute type ⟧
    public class Escalation : Rule // ⟦ def Escalation ; impl Escalation of Rule ; ref Rule type ⟧
    {
        private readonly int limit; // ⟦ def Escalation.limit ⟧

        public Escalation(int limit) // ⟦ def Escalation.Escalation ⟧
        {
            this.limit = limit; // ⟦ ref Escalation.limit write ⟧
        }

        public override string Name => base.Name + " of " + nameof(Escalation); // ⟦ def Escalation.Name ; impl Escalation.Name of Rule.Name ; ref Rule.Name read ; ref Escalation read ⟧

        protected override bool Matches(Ticket ticket) => ticket.Count > limit; // ⟦ def Escalation.Matches ; impl Escalation.Matches of Rule.Matches ; ref Ticket type ; ref Ticket.Count read ; ref Escalation.limit read ⟧

        protected override void Change(Ticket ticket) // ⟦ def Escalation.Change ; impl Escalation.Change of Rule.Change ; ref Ticket type ⟧
        {
            ticket.Urgency = Urgency.High; // ⟦ ref Ticket.Urgency write ; ref Urgency read ; ref Urgency.High read ⟧
        }
    }

    [Order(2)] // ⟦ ref OrderAttribute type ⟧
    public class Cleanup : Rule // ⟦ def Cleanup ; impl Cleanup of Rule ; ref Rule type ⟧
    {
        protected override bool Matches(Ticket ticket) => ticket.Urgency == Urgency.Low; // ⟦ def Cleanup.Matches ; impl Cleanup.Matches of Rule.Matches ; ref Ticket type ; ref Ticket.Urgency read ; ref Urgency read ; ref Urgency.Low read ⟧

        protected override void Change(Ticket ticket) => ticket.Add("cleaned up").Close(); // ⟦ def Cleanup.Change ; impl Cleanup.Change of Rule.Change ; ref Ticket type ; call Ticket.Add from Cleanup.Change ; call Ticket.Close from Cleanup.Change ⟧
    }
}
