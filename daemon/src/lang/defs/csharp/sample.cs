extern alias Old;
using System;
using System.Collections.Generic;
using static System.Math;
using Text = System.Text.StringBuilder;
using Pairs = System.Collections.Generic.Dictionary<string, int>;
global using Some.Everywhere;

[assembly: CLSCompliant(true)]

namespace Example.Tools
{
    /// <summary>Says how loud.</summary>
    [Flags]
    public enum Mood : byte
    {
        /// <summary>Nothing.</summary>
        Calm = 0,
        [Obsolete] Loud = 1 << 2,
    }

    public delegate TOut Change<in TIn, out TOut>(TIn from) where TIn : class;

    interface ISized<T> : IDisposable, System.ICloneable where T : struct, IComparable<T>
    {
        const int Limit = 3;
        int Size { get; }
        T this[int at] { get; set; }
        event EventHandler Changed;
        void Grow(int by = 1);
        bool IsSmall() => Size < Limit && Size >= 0;
    }

    public record Point(int X, [property: Doc] int Y = 0) : Base(X), ISized<int>
    {
        public double Length => Sqrt(X * X + Y * Y);
    }

    readonly record struct Pair<T>(T Left, T Right) : IEquatable<T>;

    static class Extensions
    {
        /// <summary>Every other one.</summary>
        internal static IEnumerable<T> Halves<T>(this List<T> items, params int[] skips)
        {
            foreach (var item in items)
            {
                yield return item;
            }
        }
    }

    public struct Größe : ISized<int>
    {
        public fixed byte Data[4];
        int width, height;
    }

    /* A block comment
       of two lines. */
    [Serializable, Doc("private")]
    public abstract partial class Box<T>(int depth) : Container<T>, ISized<T>, System.IComparable
        where T : new()
    {
        public const string Name = "box", Other = "other";
        private static readonly object Gate = new();
        readonly List<T> items = new List<T>();
        protected internal T? first, second;
        public event EventHandler? Opened;

        /// <summary>How many.</summary>
        public int Count { get; private set; } = 3;
        protected virtual string Title => $"{Name} of {Count:N2}";
        private int this[string key] => key.Length;

        public event Action Closed
        {
            add { items.Clear(); }
            remove { }
        }

        static Box() { Count = 0; }
        public Box(T item) : this(1) { this.first = item; }
        ~Box() => Dispose(false);

        public static Box<T> operator +(Box<T> left, Box<T> right) => left;
        public static bool operator ==(Box<T> left, Box<T> right) { return left is null || right is null; }
        public static implicit operator int(Box<T> box) => box.Count;

        void IDisposable.Dispose() => Dispose(true);
        protected abstract void Dispose(bool now);
        private protected void Put(T item) => Put(item, 0);
        internal void Put(T item, int at) { items[at] = item; }

        /// <summary>
        /// Goes every way.
        /// </summary>
        public async Task<int> Ways<K>(object thing, K? key, out int result) where K : struct
        {
            var box = new Other.Lid<int>(1) { Width = 2 }; Use(new() { Width = 3 });
            string? text = thing as string;
            (int a, var b) = (1, 2);
            for (int i = 0; i < 3; i++)
            {
                if (i == 1 && text != null) continue;
                else if (i == 2) break;
            }
            while (a > 0) { a--; }
            do { b -= 1; } while (b > 0);
            try { await Task.Run(() => box?.Close(a)); }
            catch (IOException problem) when (problem.Code > 1) { throw; }
            finally { box.Width++; }
            switch (thing)
            {
                case string s when s.Length > 0: break;
                case Point { X: > 1, Y: var y } point: break;
                case 1: case 2: break;
                default: goto done;
            }
            int Local(int n) => n > 0 ? n : -n;
            Func<int, int, int> add = (x, y) => x + y;
            Action<int> old = delegate (int n) { Console.WriteLine(n); };
            var found = from item in items let size = item.Size where size > 1 select new { Of = item, size };
            if (Parse(text, out var parsed) || thing is Point(int px, _)) result = parsed ?? 0;
            var copy = point with { X = 3 };
            Opened?.Invoke(this, EventArgs.Empty);
            done:
            return thing switch { string => 1, int n => Local(n), _ => typeof(K).Size + nameof(Box).Length };
        }

        private class Handle : Lid, IHinge { internal enum Side { Left } }
    }
}

class Plain
{
	class Inner { }
	public static explicit operator Other.Lid<int>(Plain from) { return from.lid; }
}
