using System;
using Support.Model;

namespace Support
{
    public partial class Desk // ⟦ may Desk ⟧
    {
        public int Closed { get; private set; } // ⟦ def Desk.Closed ⟧

        private void OnClosed(Ticket ticket) // ⟦ def Desk.OnClosed ; ref Ticket type ⟧
        {
            Closed++; // ⟦ ref Desk.Closed write ⟧
            Console.WriteLine("Closed " + ticket);
        }
    }
}
