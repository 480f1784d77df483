using System;
using System.Collections.Generic;

namespace Support.Model
{
    public enum Urgency // ⟦ def Urgency ⟧
    {
        Low, // ⟦ def Urgency.Low ⟧
        Normal, // ⟦ def Urgency.Normal ⟧
        High, // ⟦ def Urgency.High ⟧
    }

    /// <summary>What a customer complains about. Close it with Close.</summary>
    public class Ticket // ⟦ def Ticket ⟧
    {
        public const int TitleLimit = 80; // ⟦ def Ticket.TitleLimit ⟧

        private static int last; // ⟦ def Ticket.last ⟧
        private readonly List<Note> notes = new List<Note>(); // ⟦ def Ticket.notes ; ref Note type ⟧

        public Ticket(string title) : this(title, Urgency.Normal) // ⟦ def Ticket.Ticket ; ref Urgency read ; ref Urgency.Normal read ; call Ticket from Ticket.Ticket ⟧
        {
        }

        public Ticket(string title, Urgency urgency) // ⟦ def Ticket.full.Ticket ; ref Urgency type ⟧
        {
            Id = ++last; // ⟦ ref Ticket.Id write ; ref Ticket.last write ⟧
            Title = title.Length > TitleLimit ? title.Substring(0, TitleLimit) : title; // ⟦ ref Ticket.Title write ; ref Ticket.TitleLimit read ⟧
            Urgency = urgency; // ⟦ ref Ticket.Urgency write ⟧
        }

        public event Action<Ticket> Closed; // ⟦ def Ticket.Closed ; ref Ticket type ⟧

        public int Id { get; } // ⟦ def Ticket.Id ⟧
        public string Title { get; } // ⟦ def Ticket.Title ⟧
        public Urgency Urgency { get; set; } // ⟦ def Ticket.Urgency ; ref Urgency type ⟧
        public bool IsOpen { get; private set; } = true; // ⟦ def Ticket.IsOpen ⟧
        public int Count => notes.Count; // ⟦ def Ticket.Count ; ref Ticket.notes read ⟧

        public Ticket Add(string text) // ⟦ def Ticket.Add ; ref Ticket type ⟧
        {
            return Add(new Note(text)); // ⟦ call Ticket.note.Add from Ticket.Add ; call Note from Ticket.Add ⟧
        }

        public Ticket Add(Note note) // ⟦ def Ticket.note.Add ; ref Ticket type ; ref Note type ⟧
        {
            notes.Add(note); // ⟦ ref Ticket.notes read ⟧
            return this;
        }

        public void Close() // ⟦ def Ticket.Close ⟧
        {
            IsOpen = false; // ⟦ ref Ticket.IsOpen write ⟧
            Closed?.Invoke(this); // ⟦ ref Ticket.Closed read ⟧
        }

        public override string ToString() => $"#{Id} {Title.Shorten(20)}"; // ⟦ def Ticket.ToString ; ref Ticket.Id read ; ref Ticket.Title read ; call Shorten from Ticket.ToString ⟧

        public class Note // ⟦ def Note ⟧
        {
            public Note(string text) // ⟦ def Note.Note ⟧
            {
                Text = text; // ⟦ ref Note.Text write ⟧
            }

            public string Text { get; } // ⟦ def Note.Text ⟧
        }
    }
}
