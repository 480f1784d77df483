using System;
#if HAVE_NUMBERS
using System.Numerics;
#endif

namespace Example.Conditions
{
    public class Reader
    {
#if DEBUG
        internal int Limit { get; set; } = 1;
#else
        private const int Limit = 1;
#endif

        /// <summary>Reads one, whatever the target.</summary>
        public object Read(string text, Kind kind)
        {
            object value;
            if (kind == Kind.Date)
            {
                value = Date(text);
            }
#if HAVE_OFFSETS
            else if (kind == Kind.Offset)
            {
                value = Offset(text);
            }
#endif
            else
            {
                value = text;
            }
            switch (kind)
            {
#if !OLD
                case Kind.Date:
                    Log("é");
                    break;
#else
                case Kind.Day:
                    break;
#endif
                default:
                    throw new ArgumentException();
            }
            bool is_large;
#if HAVE_NUMBERS
            if (value is BigInteger number)
            {
                is_large = number != 0;
            }
            else
#endif
            {
                is_large = false;
            }
            return value;
        }

        private object Date(string text) => text;

        private object Offset(string text) => text;
    }

    public enum Kind
    {
        Date,
#if HAVE_OFFSETS
        Offset,
#endif
        Day
    }
}
